"""Tool names, arguments, annotations and values -> operation."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.core.operations import OPERATIONS, classify, raised

CASES = Path(__file__).parents[1] / "cases" / "operations.jsonl"
MEASURED = Path(__file__).parents[2].parent / "shared" / "data" / "tools.jsonl"
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


@pytest.mark.parametrize("case", lines(CASES), ids=lambda case: case["tool"])
def test_a_known_tool_is_read_as_a_person_would(case: dict[str, Any]) -> None:
    found, _ = classify(case["tool"], case.get("arguments", ()), None, case.get("server", ""))
    assert found == case["operation"]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("list_issues", (), ("read", "verb `list`")),
        ("get_secret", (), ("admin", "verb `get` raised by noun `secret`")),
        ("list_and_purge", (), ("delete", "verb `list` raised by verb `purge`")),
        ("get_and_permanently_delete", (), ("delete", "verb `get` raised by verb `delete`")),
        ("get_delete_file", (), ("delete", "verb `get` raised by verb `delete`")),
        ("get_delete_status", (), ("read", "verb `get`")),
        ("unmerge_cells", (), ("write", "verb `unmerge`")),
        ("unusual", (), ("unknown", "no known verb")),
        ("add_user", (), ("admin", "verb `add` raised by noun `user`")),
        ("weather", (), ("read", "noun `weather`")),
        ("my_gadgets", (), ("read", "noun `gadgets`")),
        ("team_gadgets", (), ("read", "plural noun `gadgets`")),
        ("character", ("id",), ("read", "noun `character` by `id`")),
        ("page_to_markdown", (), ("read", "conversion to `markdown`")),
        ("export_scene", ("path",), ("write", "verb `export` raised by argument `path`")),
        ("gadget", ("command",), ("execute", "argument `command`")),
        ("gadget", ("body",), ("unknown", "no verb, argument `body`")),
        ("gadget", (), ("unknown", "no known verb")),
        ("audit_site", ("outputDir",), ("write", "verb `audit` raised by argument `outputDir`")),
        ("", (), ("unknown", "no name")),
        ("x" * 257, (), ("unknown", "name too long")),
    ],
)
def test_the_reason_names_the_word_that_spoke(tool: str, arguments: Any, expected: Any) -> None:
    assert classify(tool, arguments) == expected


@pytest.mark.parametrize("verb", ["frobnicate", "rescind", "shelve", "issue", "xyzzies"])
@pytest.mark.parametrize("thing", ["rules", "report", "plan", "events", "schedule", "certificate", "updates"])
def test_an_unknown_verb_before_something_that_can_be_made_is_never_read(verb: str, thing: str) -> None:
    assert classify(f"{verb}_{thing}")[0] != "read"


def test_argument_names_that_are_no_names_are_passed_over() -> None:
    names: Any = ["", "__", "x" * 300, None, 5]
    assert classify("weather", names) == ("read", "noun `weather`")


def test_a_hint_that_something_changes_lifts_a_read_and_nothing_else() -> None:
    assert classify("get_x", (), {"destructiveHint": True})[0] == "write"
    assert classify("get_x", (), {"readOnlyHint": False})[1] == "verb `get` raised by annotation readOnlyHint"
    assert classify("get_x", (), {"readOnlyHint": True, "destructiveHint": False})[0] == "read"
    assert classify("set_x", (), {"readOnlyHint": True})[0] == "write"
    assert classify("xyzzy", (), {"readOnlyHint": True})[0] == "unknown"
    assert classify("delete_x", (), {"destructiveHint": True})[0] == "delete"


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
    assert raised(operation, arguments) == expected


@settings(deadline=None)
@given(st.sampled_from(OPERATIONS), CALLS)
def test_values_never_loosen_and_never_raise_an_error(operation: str, arguments: Any) -> None:
    found, why = raised(operation, arguments)
    if operation == "unknown":
        assert found in ("unknown", "delete", "execute", "admin")
    else:
        assert RANK[operation] <= RANK[found] < RANK["unknown"]
    assert bool(why) == (found != operation)


def test_deep_nesting_is_walked_without_recursion() -> None:
    value: object = {"sql": "DROP TABLE t"}
    for _ in range(50_000):
        value = [value]
    assert raised("read", {"x": value})[0] == "delete"


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
    assert sum(kind == "read" for kind, _ in changing) <= 0.03 * len(changing)
    assert sum(kind == "read" for _, kind in changing) == 0
