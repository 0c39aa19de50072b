"""Tool names, arguments, annotations and values -> operation."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.core.operations.choices import CHOICES, with_choices
from mcpgov.core.operations.classify import (
    OPERATIONS,
    choosable_operations,
    chosen_operation,
    classify,
    may_raise,
    raised_by_values,
    subject,
)

MEASURED = Path(__file__).parents[3].parent / "shared" / "data" / "tools.jsonl"
RANK = {name: rank for rank, name in enumerate(OPERATIONS)}
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
CALLS = st.dictionaries(
    st.sampled_from(["sql", "query", "method", "action", "command", "output_path", "x", ""]) | st.text(),
    JSON | st.sampled_from(["DROP TABLE x", "update t set a=1", "delete", "GRANT ALL ON t TO u", "call p()"]),
)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_argument_names_that_are_no_names_are_passed_over() -> None:
    names: Any = ["", "__", "x" * 300, None, 5]
    assert classify("weather", names) == ("read", "noun `weather`")
    assert classify("x" * 257) == ("unknown", "name too long")


def test_hints_lift_a_read_to_write_a_write_to_delete_and_nothing_else() -> None:
    assert classify("get_x", (), {"destructiveHint": True})[0] == "write"
    assert classify("get_x", (), {"readOnlyHint": False})[1] == "verb `get` raised by annotation readOnlyHint"
    assert classify("get_x", (), {"readOnlyHint": True, "destructiveHint": False})[0] == "read"
    assert classify("set_x", (), {"readOnlyHint": True})[0] == "write"
    assert classify("xyzzy", (), {"readOnlyHint": True})[0] == "unknown"
    assert classify("delete_x", (), {"destructiveHint": True})[0] == "delete"
    assert classify("set_x", (), {"destructiveHint": True}) == (
        "delete",
        "verb `set` raised by annotation destructiveHint",
    )
    assert classify("send_mail", (), {"destructiveHint": True})[0] == "execute"
    assert classify("set_x", (), {"readOnlyHint": False, "destructiveHint": False})[0] == "write"
    assert classify("set_x", (), {"openWorldHint": True})[0] == "write"
    assert classify("get_x", (), {"openWorldHint": True})[0] == "read"


@pytest.mark.parametrize("tool", ["write_file", "edit_file", "fs_move_file", "append-text"])
def test_a_document_that_is_plainly_written_is_no_removal_whatever_the_hint(tool: str) -> None:
    assert classify(tool, (), {"destructiveHint": True})[0] == "write"


@pytest.mark.parametrize("tool", ["update_file", "write_record", "create_file", "write", "replace_document"])
def test_any_other_write_with_the_hint_counts_as_a_removal(tool: str) -> None:
    assert classify(tool, (), {"destructiveHint": True})[0] == "delete"


@pytest.mark.parametrize("hints", [{"readOnlyHint": 0}, {"destructiveHint": "yes"}, [], "x", None, {}])
def test_wrongly_typed_annotations_say_nothing(hints: Any) -> None:
    assert classify("get_x", (), hints)[0] == "read"


@settings(deadline=None)
@given(
    st.text(),
    st.lists(st.text()),
    st.dictionaries(st.sampled_from(["readOnlyHint", "destructiveHint"]), JSON),
)
def test_annotations_only_make_it_stricter(tool: str, arguments: Any, hints: Any) -> None:
    bare, hinted = classify(tool, arguments)[0], classify(tool, arguments, hints)[0]
    assert bare in OPERATIONS
    assert RANK[hinted] >= RANK[bare]


@pytest.mark.parametrize(
    ("operation", "arguments", "expected"),
    [
        ("read", {"method": "DELETE"}, ("delete", "argument `method` is `DELETE`")),
        ("read", {"httpMethod": "POST"}, ("write", "argument `method` is `POST`")),
        ("read", {"method": "GET"}, ("read", "")),
        ("read", {"action": " purge_all "}, ("delete", "argument `action` is `purge_all`")),
        ("read", {"action": "list"}, ("read", "")),
        ("read", {"action": "!"}, ("read", "")),
        ("read", {"query": "TRUNCATE users"}, ("delete", "SQL `TRUNCATE`")),
        ("read", {"query": " " * 100 + "truncate users"}, ("read", "")),
        ("read", {"payload": '{"action": "delete"}'}, ("delete", "argument `action` is `delete`")),
        ("read", {"graphql": "query A { a } mutation B { deleteX }"}, ("delete", "GraphQL `deleteX`")),
        ("read", {"cypher": "CALL apoc.load.json('x')"}, ("execute", "Cypher `CALL`")),
        ("read", {"query_string": "DROP TABLE t"}, ("delete", "SQL `DROP`")),
        ("read", {"cypherText": "STOP DATABASE x"}, ("execute", "Cypher `STOP` is not known to read")),
        ("read", {"payload": '"{\\"action\\": \\"delete\\"}"'}, ("delete", "argument `action` is `delete`")),
        ("read", {"statement": "all men are mortal"}, ("read", "")),
        ("read", {"output_dir": "/x"}, ("write", "argument `output_dir` is a file to write")),
        ("write", {"path": "x.json", "content": '{"command": "rm"}'}, ("write", "")),
        ("read", {"a": "[" * 100_000 + "]" * 100_000}, ("unknown", "arguments nested too deeply")),
        ("unknown", {"a": "[" * 100_000 + "]" * 100_000}, ("unknown", "")),
        ("read", {"action": "delete" * 100}, ("read", "")),
        ("read", {"cmd": "ls"}, ("execute", "argument `cmd` is a command")),
        ("read", {"cmd": ["ls", "-l"]}, ("execute", "argument `cmd` is a command")),
        ("read", {"command": "view"}, ("read", "")),
        ("read", {"command": "create"}, ("write", "argument `command` is `create`")),
        ("read", {"saveTo": "/x"}, ("write", "argument `save_to` is a file to write")),
        ("read", {"output": "json", "output_format": "x"}, ("read", "")),
        ("write", {"a": [{"statements": ["SELECT 1", "TRUNCATE t"]}]}, ("delete", "SQL `TRUNCATE`")),
        ("read", {"sql": "DROP TABLE t", "action": "create"}, ("delete", "SQL `DROP`")),
        ("execute", {"sql": "DROP TABLE t"}, ("execute", "")),
        ("unknown", {"action": "create"}, ("unknown", "")),
        ("unknown", {"action": "delete"}, ("delete", "argument `action` is `delete`")),
        ("no such operation", {"action": "delete"}, ("no such operation", "")),
        ("read", {"sql": ["", " ", 5, None], "list": ["DROP TABLE t"], 5: "x"}, ("read", "")),
        ("read", None, ("read", "")),
    ],
)
def test_the_values_of_a_call_raise_its_operation(operation: str, arguments: Any, expected: Any) -> None:
    assert raised_by_values(operation, arguments) == expected


@settings(deadline=None)
@given(st.sampled_from(OPERATIONS), CALLS)
def test_values_never_loosen_and_never_raise_an_error(operation: str, arguments: Any) -> None:
    found, why = raised_by_values(operation, arguments)
    if found == "unknown":
        assert why in ("", "arguments nested too deeply")
    elif operation == "unknown":
        assert found in ("unknown", "delete", "execute", "admin")
    else:
        assert RANK[operation] <= RANK[found] < RANK["unknown"]
    assert bool(why) == (found != operation)


@pytest.mark.parametrize(
    ("tool", "server", "expected"),
    [("mysql_query", "", "execute"), ("query", "My SQLite 3", "execute"), ("ask", "docs", "read")],
)
def test_where_a_server_speaks_sql_its_queries_are_sql(tool: str, server: str, expected: str) -> None:
    assert raised_by_values("read", {"query": "frobnicate t"}, tool, server)[0] == expected


MANAGE = {"properties": {"action": {"enum": ["list", "create", "delete"]}, "type": {"enum": ["note", "task"]}}}


def test_a_tool_whose_verb_is_an_argument_is_the_strictest_its_schema_lists() -> None:
    listed = with_choices({}, MANAGE)
    assert classify("manage_notes", (), listed) == ("delete", "argument `action` is `delete`")
    assert (
        classify("manage_notes")[0] == classify("manage_notes", (), {CHOICES: [["action", ["list"]]]})[0] == "unknown"
    )
    open_list = {"properties": {"action": {"enum": ["list", "frobnicate"]}}}
    assert classify("manage_notes", (), with_choices({}, open_list))[0] == "unknown"
    assert classify("get_notes", (), listed)[0] == "read"
    # The argument that chooses need not be among those of the call.
    assert classify("browser_tabs", (), listed)[0] == "delete"
    assert classify("browser_tabs", ())[0] == "read"


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("manage_notes", {"action": "list"}, "read"),
        ("manage_notes", {"operation": " create "}, "write"),
        ("manage_notes", {"Action": "list", "op": "delete"}, "delete"),
        ("manage_permissions", {"action": "update"}, "admin"),
        ("manage_permissions", {"action": "list"}, "read"),
        ("manage_secret", {"action": "get"}, "admin"),
        ("manage_cells", {"action": "merge"}, "write"),
        ("manage_vm", {"verb": "start"}, "admin"),
        ("manage_x", {"action": "frobnicate"}, "unknown"),
        ("manage_x", {"action": ""}, "unknown"),
        ("manage_x", {"action": "x" * 300}, "unknown"),
        ("manage_x", {"action": 5}, "unknown"),
        ("manage_x", {"action": None, "id": 5, "": 6}, None),
        ("manage_x", {}, None),
        ("manage_x", {"actions": ["list", "delete"]}, "delete"),
        ("manage_x", {"actions": [{"action": "list"}]}, "unknown"),
        ("manage_x", {"action": "create", "mode": "fast"}, "write"),
        ("manage_x", {"action": "list", "mode": "delete"}, "delete"),
        ("manage_x", {"mode": "fast"}, "unknown"),
        ("manage_x", {"httpMethod": "GET"}, "read"),
        ("manage_x", {"method": "POST"}, "write"),
        ("manage_x", {"command": "rm -rf /"}, None),
        ("manage_x", {"command": ["rm"]}, None),
        ("manage_x", {"command": "view"}, "read"),
        ("manage_x", {"type": "delete"}, None),
        ("order_action", {"action": "create"}, "execute"),
        ("execute_tool", {"tool_name": "delete_repo"}, "delete"),
        ("call_tool", {"tool": "list_issues"}, "read"),
        ("call_tool", {"name": "list_issues"}, None),
        ("browser_tabs", {"action": "new"}, "write"),
    ],
)
def test_the_value_of_the_choosing_argument_is_the_verb(tool: str, arguments: Any, expected: str | None) -> None:
    thing = subject(tool, arguments)
    assert thing is not None
    found = chosen_operation(thing, arguments)
    assert (found[0] if found else None) == expected


def test_a_type_chooses_where_its_schema_lists_verbs() -> None:
    hints = with_choices({}, {"properties": {"type": {"enum": ["list", "delete"]}, "command": {"enum": ["show"]}}})
    assert chosen_operation(("x",), {"type": "delete"}, hints) == ("delete", "argument `type` is `delete`")
    assert chosen_operation(("x",), {"command": "show"}, hints) == ("read", "argument `command` is `show`")


def test_other_tools_have_no_subject() -> None:
    assert subject("get_x") is subject("x" * 300) is subject("") is None


def test_before_a_verb_is_chosen_a_tool_may_be_all_that_its_schema_lists() -> None:
    assert choosable_operations(("notes",), with_choices({}, MANAGE)) == ("read", "write", "delete")
    assert choosable_operations(("notes",), with_choices({"readOnlyHint": False}, MANAGE)) == ("write", "delete")
    assert choosable_operations(("notes",), None) == OPERATIONS


def test_deep_nesting_is_walked_without_recursion() -> None:
    value: object = {"sql": "DROP TABLE t"}
    for _ in range(50_000):
        value = [value]
    assert raised_by_values("read", {"x": value})[0] == "delete"


def test_real_tools_are_read_as_their_authors_annotate_them() -> None:
    if not MEASURED.exists():
        pytest.skip(f"MEASURED FIGURES NOT CHECKED: {MEASURED} is absent")
    tools = [tool for tool in lines(MEASURED) if tool["annotations"]]

    def found(tool: dict[str, Any], hints: dict[str, object] | None = None) -> str:
        return classify(tool["tool"], tool["arguments"] or (), hints, tool["server"])[0]

    reading = [found(tool) for tool in tools if tool["annotations"].get("readOnlyHint") is True]
    changing = [
        (found(tool), found(tool, tool["annotations"]))
        for tool in tools
        if tool["annotations"].get("readOnlyHint") is False or tool["annotations"].get("destructiveHint") is True
    ]
    assert reading.count("read") >= 0.92 * len(reading)
    assert sum(kind in ("delete", "execute", "admin") for kind in reading) <= 0.02 * len(reading)
    # Names and arguments of the rest are those of tools that their authors call read-only (`get_paper_latex`).
    assert sum(kind == "read" for kind, _ in changing) <= 0.019 * len(changing)
    assert sum(kind == "read" for _, kind in changing) == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("checkout", ("cart_id", "payment_method"), ("execute", "verb `checkout` raised by argument `paymentmethod`")),
        ("create_timer", ("interval", "command"), ("execute", "verb `create` raised by argument `command`")),
        ("edit_timer", ("interval", "command"), ("write", "verb `edit`")),
        ("simulate_policy", ("actions",), ("read", "verb `simulate`")),
    ],
)
def test_an_argument_that_pays_or_is_run_makes_a_write_an_act(tool: str, arguments: Any, expected: Any) -> None:
    assert classify(tool, arguments) == expected


def test_only_arguments_of_some_names_may_raise_an_operation() -> None:
    assert [may_raise(name) for name in ("sql", "queryText", "output_dir", "title")] == [True, True, True, False]


def test_all_that_the_values_do_is_told_besides_the_strictest() -> None:
    seen: set[str] = set()
    call = {"sql": "DELETE FROM t WHERE my_function(a)", "action": "create", "x": "y"}
    assert raised_by_values("read", call, operations=seen)[0] == "execute"
    assert seen == {"execute", "delete", "write"}
    seen = set()
    assert raised_by_values("read", {"sql": "SELECT my_function(a)"}, operations=seen)[0] == "execute"
    assert seen == {"execute"}


def test_only_some_arguments_can_raise_an_operation():
    assert may_raise("sql")
    assert not may_raise("color")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"mode": "text"}, "read"),
        ({"mode": "order"}, "read"),
        ({"method": "mail"}, "read"),
        ({"mode": "delete"}, "delete"),
        ({"mode": "run"}, "execute"),
        ({"method": "POST"}, "write"),
        ({"action": "mail"}, "execute"),
    ],
)
def test_a_mode_that_is_a_noun_as_well_is_no_act(arguments, expected):
    assert raised_by_values("read", arguments)[0] == expected
