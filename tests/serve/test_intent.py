import pytest

from mcpgov.serve.intent import KINDS, argument_names, arguments_for, call_for, intents, readings
from mcpgov.serve.tools import ACTION_TYPES

NOBODY = ("", "", "")


@pytest.mark.parametrize("action", ACTION_TYPES)
def test_what_an_action_does_is_told_by_its_type_alone(action):
    for call in intents(action, "delete everything", NOBODY, ()):
        assert (call.operation, call.other_operations) == (KINDS[action].operation, KINDS[action].also)
        assert call.operation_why == f"action type `{action}`"
        assert call.events == {action}
        assert not call.takes_verb
        assert call.possible_operations == (KINDS[action].operation,)


def test_an_intent_is_read_as_the_usual_tools_with_its_target_in_its_place():
    calls = intents("file_delete", "/a", ("fs", "cursor", "/p"), ())
    assert [call.tool for call in calls] == list(KINDS["file_delete"].tools)
    assert {(call.server, call.client, call.project, call.method) for call in calls} == {
        ("fs", "cursor", "/p", "tools/call")
    }
    assert all(call.args == {"path": "/a"} for call in calls)
    assert [call.tool for call in intents("file_delete", "/a", NOBODY, (), ("remove_file",))] == ["remove_file"]
    (read,) = intents("resource_access", "file:///a", NOBODY, ())
    assert (read.method, read.uris, read.tool, read.args) == ("resources/read", ("file:///a",), None, None)


def test_a_file_behind_an_address_is_a_network_request_too():
    assert intents("file_read", "https://x.example/a", NOBODY, ())[0].events == {"file_read", "network_request"}
    assert intents("file_read", "file:///a", NOBODY, ())[0].events == {"file_read"}
    assert intents("resource_access", "https://x.example/a", NOBODY, ())[0].events == {"resource_access"}


def test_the_target_stands_under_the_names_that_rules_read_such_values_by():
    names = [("file",), ("url",), ("command",), ("options", "dir"), ("options", "cmd"), ("path", "deep"), ("*",)]
    flat = {"path": "T", "file": "T"}
    assert arguments_for("file_read", "T", names) == [
        flat,
        {"file": "T", "path": {"deep": "T"}, "options": {"dir": "T"}},
    ]
    assert arguments_for("shell_execute", "T", names) == [
        {"command": "T"}, {"command": "T", "options": {"cmd": "T"}}
    ]  # fmt: skip
    assert arguments_for("network_request", "T", names) == [{"url": "T"}]
    assert arguments_for("other", "T", names)[0]["url"] == "T"
    rules = [{"args": [[["file"], ["/a"]], [["*"], ["/b"]]]}, {}, {"args": [[["file"], ["/c"]]]}]
    assert argument_names(rules) == (("file",), ("*",))


def test_flat_and_nested_names_are_calls_of_their_own():
    calls = intents("file_read", "T", NOBODY, [("options", "dir")], ("a", "b"))
    nested = {"path": "T", "options": {"dir": "T"}}
    assert [(call.tool, call.args) for call in calls] == [
        ("a", {"path": "T"}), ("a", nested), ("b", {"path": "T"}), ("b", nested)
    ]  # fmt: skip
    assert arguments_for("file_read", "T", [("a", "b"), ("a", "b", "c")])[1] == {"path": "T", "a": {"b": "T"}}
    bare = calls[0].without_target()
    assert (bare.args, bare.params["arguments"]) == ({}, {})
    (read,) = intents("resource_access", "file:///a", NOBODY, ())
    assert read.without_target().args is None


def test_a_target_that_may_mean_several_things_is_read_as_each():
    assert readings("network_request", "x.example") == ("x.example", "https://x.example", "http://x.example")
    assert readings("network_request", "ftp://x.example") == ("ftp://x.example",)
    assert readings("resource_access", "/a") == ("/a", "file:///a")
    assert readings("file_read", "/a") == ("/a",)


def test_a_call_of_a_named_tool_has_its_resource_where_a_path_or_a_url_stands():
    who = ("fs", "cursor", "/p")
    call = call_for("read_file", "/a", who)
    assert (call.tool, call.args, call.server, call.client, call.project) == ("read_file", {"path": "/a"}, *who)
    assert call_for("get", "https://a/b", who).args == {"path": "https://a/b", "url": "https://a/b"}
    assert call_for("list", "", who).args == {}
