import pytest

from mcpgov.errors import McpgovError, PolicyError
from mcpgov.front.context import Context
from mcpgov.front.policy.unsaved_text import as_if_saved, renamed


def test_names_are_replaced_where_they_are_values(tmp_path):
    before = {"a": ["x", {"source": "x"}], "b": "xx", "c": 1}
    assert renamed(before, "x", "y") == {"a": ["y", {"source": "y"}], "b": "xx", "c": 1}


def test_the_text_is_there_for_a_moment_and_errors_name_the_policy(tmp_path):
    context = Context(str(tmp_path))
    with pytest.raises(McpgovError), as_if_saved("", context):
        raise AssertionError("there is no policy that it could replace")
    file = context.policy_path(None)
    file.parent.mkdir(parents=True)
    file.write_text('default = "deny"')
    with as_if_saved("text", context) as (trial, replaced):
        assert (trial.read_text(), replaced, trial.parent) == ("text", file, file.parent)
    with pytest.raises(PolicyError) as caught, as_if_saved("text", context) as (trial, _):
        raise PolicyError(f"{trial}:1: wrong")
    assert str(caught.value) == f"{file}:1: wrong"
    assert [each.name for each in file.parent.iterdir()] == [file.name]
