import time

import pytest

from mcpgov.daemon.control.approval_requests import GrantView


def grant(ident="4f1d0c92ab37-12", **change):
    now = time.time()
    usual = {"number": ident, "server": "github", "method": "tools/call", "target": "delete_repository",
             "layer": "user", "asked_by": "ask-deletes", "term": "time", "scope": "folder", "session": "",
             "folders": ("path = /srv/**",), "surface": "command", "made": now - 30, "until": now + 600.5}  # fmt: skip
    return GrantView(grant=ident, **{**usual, **change})


def test_what_holds_is_listed_with_how_long(run, asking):
    asking.grants = [
        grant(),
        grant("77aa-1", term="session", scope="tool", folders=(), target="", method="prompts/get"),
    ]
    done = run("grants")
    head, first, second, _, last = done.out.splitlines()
    assert head.split() == ["id", "server", "tool", "for", "how", "long", "given"]
    assert "this folder (path = /srv/**)" in first
    assert "a time, 10 min" in first
    assert "prompts/get" in second
    assert "this session, 10 min" in second
    assert last == "take one back: mcpgov grants revoke ID"


def test_json_has_every_field(run, asking):
    asking.grants = [grant()]
    (found,) = run("grants", "--json").json["grants"]
    assert (found["id"], found["tool"], found["rule"], found["folders"]) == (
        "4f1d0c92ab37-12", "delete_repository", "ask-deletes", ["path = /srv/**"],
    )  # fmt: skip


def test_none_is_told(run, asking):
    assert run("grants").out == "no grant holds\n"


@pytest.mark.parametrize("words", [["grants", "nonsense"], ["grants", "4f1d-12"]])
def test_another_word_is_an_error(run, asking, words):
    assert run(*words).status == 64
