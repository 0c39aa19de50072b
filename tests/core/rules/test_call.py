"""Calls: what of a request the rules get to see."""

import json
from pathlib import Path

import pytest

from mcpgov.core.operations.choices import with_choices
from mcpgov.core.rules import call
from mcpgov.core.rules.call import Call, call_of, texts

CASES = Path(__file__).parents[2] / "cases"


def tool(name, args=None, **more):
    return call_of("tools/call", {"name": name, "arguments": args or {}}, **more)


def test_a_tool_call_has_a_tool_and_arguments():
    call = tool("read_file", {"path": "/x"}, server="fs", client="c", project="/p", ident=7)
    assert (call.tool, call.args, call.prompt, call.uris) == ("read_file", {"path": "/x"}, None, ())
    assert (call.server, call.client, call.project, call.ident) == ("fs", "c", "/p", 7)


def test_arguments_may_be_left_out():
    assert call_of("tools/call", {"name": "x"}).args == {}
    assert call_of("prompts/get", {"name": "x", "arguments": None}).args == {}


def test_a_prompt_has_a_name_and_arguments():
    call = call_of("prompts/get", {"name": "p", "arguments": {"a": "b"}})
    assert (call.prompt, call.args, call.tool) == ("p", {"a": "b"}, None)


@pytest.mark.parametrize("method", ["resources/read", "resources/subscribe", "resources/unsubscribe"])
def test_a_resource_request_has_its_uri(method):
    assert call_of(method, {"uri": "file:///x"}).uris == ("file:///x",)


def test_a_listen_request_has_every_uri():
    wanted = {"notifications": {"resourceSubscriptions": ["a:1", "a:2"]}}
    assert call_of("subscriptions/listen", wanted).uris == ("a:1", "a:2")
    assert call_of("subscriptions/listen", {"notifications": {}}).uris == ()
    assert call_of("subscriptions/listen", {}).uris == ()


def test_a_completion_names_its_prompt_or_resource():
    assert call_of("completion/complete", {"ref": {"type": "ref/prompt", "name": "p"}}).prompt == "p"
    assert call_of("completion/complete", {"ref": {"type": "ref/resource", "uri": "a:b"}}).uris == ("a:b",)


def test_other_methods_carry_only_their_parameters():
    call = call_of("sampling/createMessage", None)
    assert (call.params, call.tool, call.args, call.operation, call.operation_why) == ({}, None, None, "", "")


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", []),
        ("tools/call", {"name": 5}),
        ("tools/call", {}),
        ("tools/call", {"name": "a\0b"}),
        ("tools/call", {"name": "a\nb"}),
        ("tools/call", {"name": "\ud800"}),
        ("prompts/get", {"name": "a\x85"}),
        ("tools/call", {"name": "x", "arguments": "{}"}),
        ("tools/call", {"name": "x", "arguments": []}),
        ("prompts/get", {"name": None}),
        ("resources/read", {"uri": ["a"]}),
        ("subscriptions/listen", {"notifications": []}),
        ("subscriptions/listen", {"notifications": {"resourceSubscriptions": "a"}}),
        ("subscriptions/listen", {"notifications": {"resourceSubscriptions": [1]}}),
        ("completion/complete", {"ref": "p"}),
    ],
)
def test_a_request_of_the_wrong_shape_becomes_no_call(method, params):
    with pytest.raises(ValueError, match="must be"):
        call_of(method, params)


@pytest.mark.parametrize("name", ["a b", "é", "no\u00a0break", "zero\u200bwidth"])
def test_a_name_without_control_characters_is_a_name(name):
    assert call_of("tools/call", {"name": name}).tool == name


def test_the_operation_comes_from_the_name_and_is_raised_by_the_values():
    assert tool("list_issues").operation == "read"
    assert tool("delete_repo").operation_why == "verb `delete`"
    call = tool("run_query", {"sql": "DROP TABLE t"})
    assert (call.operation, call.other_operations) == ("delete", ("read",))


def test_annotations_only_make_it_stricter():
    assert tool("list_issues", annotations={"readOnlyHint": False}).operation == "write"
    assert tool("list_issues", annotations={"destructiveHint": True}).operation == "write"
    assert tool("delete_repo", annotations={"readOnlyHint": True}).operation == "delete"
    assert tool("list_issues", annotations={"readOnlyHint": "no"}).operation == "read"


def test_a_raised_delete_is_still_judged_as_delete_too():
    call = tool("delete_repo", {"command": "x"})
    assert (call.operation, call.other_operations) == ("execute", ("delete",))


def test_reading_methods_are_reads():
    assert call_of("resources/read", {"uri": "a:b"}).operation == "read"
    assert call_of("prompts/get", {"name": "p"}).operation == "read"


def test_what_is_remembered_of_tool_names_is_bounded():
    for at in range(call.MOST_REMEMBERED + 10):
        assert tool(f"read_{at}").operation == "read"
    assert len(call._known) <= call.MOST_REMEMBERED


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (tool("read_file"), {"file_read"}),
        (tool("write_file"), {"file_write"}),
        (tool("delete_file"), {"file_delete"}),
        (tool("run_shell", {"command": "ls"}), {"shell_execute"}),
        (tool("delete_file", {"command": "ls"}), {"shell_execute", "file_delete"}),
        (tool("fetch", {"url": "https://x"}), {"file_read", "network_request"}),
        (tool("read_file", {"uri": "file:///x"}), {"file_read"}),
        (tool("xyzzy"), {"other"}),
        (call_of("resources/read", {"uri": "a:b"}), {"resource_access"}),
        (Call("sampling/createMessage", {}), {"other"}),
    ],
)
def test_events_are_derived_from_operation_and_values(call, expected):
    assert call.events == expected


def test_all_text_is_found_at_any_depth():
    value = {"a": ["b", {"c": "d", "e": 5}], "f": None}
    assert sorted(texts(value)) == ["a", "b", "c", "d", "e", "f"]
    deep: object = "x"
    for _ in range(50_000):
        deep = [deep]
    assert texts(deep) == ["x"]


def test_a_tool_whose_verb_is_an_argument_is_judged_by_the_value_alone():
    call = tool("manage_notes", {"action": "list"})
    assert (call.operation, call.operation_why, call.other_operations) == ("read", "argument `action` is `list`", ())
    assert tool("manage_notes", {"action": "delete"}).operation == "delete"
    assert tool("manage_notes", {"action": "frobnicate"}).operation == "unknown"
    assert tool("manage_notes", {"id": 5}).operation == "unknown"
    assert tool("manage_notes", {"action": "list"}, annotations={"readOnlyHint": False}).operation == "write"


def test_the_choices_of_a_schema_say_what_a_call_without_a_value_may_be():
    hints = with_choices({}, {"properties": {"action": {"enum": ["list", "delete"]}}})
    call = tool("manage_notes", {}, annotations=hints)
    assert (call.operation, call.possible_operations) == ("delete", ("read", "delete"))
    assert tool("manage_notes", {"action": "list"}, annotations=hints).possible_operations == ("read",)
    assert tool("list_notes").possible_operations == ("read",)
    assert call_of("ping", {}).possible_operations == ("",)


def test_a_call_is_judged_as_all_that_its_values_do():
    call = tool("run_sql", {"sql": "DELETE FROM t WHERE my_function(a)"})
    assert (call.operation, call.other_operations) == ("execute", ("delete",))
    call = tool("get_x", {"sql": "GRANT ALL ON t TO u", "action": "delete", "mode": "create"})
    assert (call.operation, call.other_operations) == ("admin", ("delete", "read", "write"))


def test_json_inside_strings_raises_the_operation():
    call = tool("get_note", {"payload": '{"action": "delete"}'})
    assert (call.operation, call.other_operations) == ("delete", ("read",))
    assert tool("mysql_query", {"query": "frobnicate t"}).operation == "execute"


def test_on_a_day_of_coding_few_tools_are_asked_about_and_never_for_a_read_or_a_plain_write():
    day = [json.loads(line) for line in (CASES / "a_day.jsonl").read_text("utf-8").splitlines()]
    kinds = [row["kind"] for row in day]
    assert {kind: kinds.count(kind) for kind in kinds} == {"read": 220, "write": 120, "shell": 32, "browser": 28}
    asked = set()
    for row in day:
        call = call_of("tools/call", {"name": row["tool"], "arguments": row["arguments"]}, row["server"])
        # Balanced lets these two pass and asks about the rest; an answer holds for the session.
        if not {call.operation, *call.other_operations} <= {"read", "write"}:
            assert row["kind"] in ("shell", "browser"), row
            asked.add((row["server"], row["tool"]))
    assert len(asked) <= 12


def test_a_tool_whose_argument_says_what_is_done_takes_its_verb_from_there():
    assert call_of("tools/call", {"name": "manage_issue", "arguments": {"action": "get"}}).takes_verb
    assert not call_of("tools/call", {"name": "get_issue", "arguments": {"id": "1"}}).takes_verb
    assert not call_of("ping", {}).takes_verb


def test_other_annotations_may_make_another_operation_of_a_call():
    call = call_of("tools/call", {"name": "get_it"})
    assert call.operation == "read"
    call.annotate({"readOnlyHint": False, "destructiveHint": True})
    assert call.operation == "write"


def test_a_part_of_a_large_call_has_the_operation_of_the_whole():
    whole, part = tool("delete_rows", {"a": 1}), tool("read_rows")
    part.take_operation(whole)
    assert (part.operation, part.operation_why) == (whole.operation, whole.operation_why)
