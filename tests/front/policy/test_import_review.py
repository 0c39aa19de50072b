"""What an imported policy lets pass that its source denied."""

import json

import pytest

from mcpgov.front.context import Context
from mcpgov.front.policy.import_review import UNSEEN, looser_warnings
from tests.helpers.journals import Proxy
from tests.test_tool_store import seen, tool

MAP = {"github": {"read": "allow", "write": "deny", "delete": "deny", "admin": "deny", "execute": "deny"}}


@pytest.fixture
def found(root, tmp_path):
    def look(doc, name="rules.json"):
        path = tmp_path / name
        path.write_text(doc if isinstance(doc, str) else json.dumps(doc))
        return looser_warnings(path, Context(str(root)))

    return look


def test_tools_that_are_looser_here_are_named_one_by_one(found, root):
    seen(str(root / "state" / "tools"), "github", [tool("get_settings"), tool("get_issue"), tool("delete_repo")])
    Proxy(root / "state" / "journal", server="github").call("get_deleted_items", action="deny")
    Proxy(root / "state" / "journal", server="other", session="bbbbbbbbbbbb").call("get_settings")
    assert found(MAP) == [
        "tool `get_deleted_items` of `github`: allow here, there it may count as `delete` (deny)",
        "tool `get_settings` of `github`: allow here, there it may count as `admin` (deny)",
    ]


def test_without_any_known_tool_the_difference_is_told_once(found):
    assert found(MAP) == [UNSEEN]
    twice = [{"service": "a", "operations": ["read"], "permission": action} for action in ("allow", "deny")]
    assert found(twice) == ["`read` of `a`: the first rule decides here (allow), the last one there (deny)", UNSEEN]


@pytest.mark.parametrize(
    "doc", [{"github": {"delete": "deny"}}, {"github": {"read": "allow"}, "defaultPolicy": "allow"}, {}, []]
)
def test_nothing_is_said_where_nothing_passes_here_or_nothing_is_denied_there(found, doc):
    assert found(doc) == []


def test_other_dialects_are_read_the_same_everywhere(found):
    assert found('default = "allow"\n', "old.toml") == []
