import os
import stat

import pytest

from mcpgov import tool_store
from mcpgov.core.json.values import dumps
from mcpgov.core.session.tool_list import Pins, ToolList
from mcpgov.errors import McpgovError
from mcpgov.live import pins_store
from mcpgov.live.journal_writer import digest_text

NAMES = ["fs", "", "Ünï cödé", "a/b\\c", "\udc80", "x" * 5000]


def tool(name, description="does it", **more):
    return {"name": name, "description": description, "inputSchema": {"properties": {"path": {}, "n": {}}}, **more}


def seen(directory, server, *lists):
    """What a proxy keeps after a server has listed its tools so, one list after the other."""
    for tools in lists:
        listing = ToolList(pins_store.load(str(directory), server), "deny")
        listing.page(list(tools), True, lambda value: digest_text(dumps(value)))
        assert pins_store.save(str(directory), server, listing.pins)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_has_the_name_that_the_proxy_gives_it(name):
    assert tool_store.file_name(name) == pins_store.file_name(name)


def test_every_server_is_found_by_name_and_damage_is_told(tmp_path):
    assert tool_store.load_all(str(tmp_path / "none")) == ([], [])
    for name in NAMES:
        seen(tmp_path, name, [tool("a")])
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / pins_store.file_name("other")).write_bytes((tmp_path / pins_store.file_name("fs")).read_bytes())
    (tmp_path / "x.json.123").write_text("a file being written")
    found, bad = tool_store.load_all(str(tmp_path))
    assert [one.server for one in found] == sorted(NAMES)
    assert bad == sorted([f"{tmp_path}/damaged.json", f"{tmp_path}/{pins_store.file_name('other')}"])
    assert tool_store.load(str(tmp_path), "other") is None


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        "é",
        '{"server":"fs"}',
        '{"server":"fs","accepted":[]}',
        '{"server":1,"accepted":{}}',
        '{"server":"fs","accepted":{"a":1}}',
    ],
)
def test_a_file_of_another_shape_is_a_server_never_seen(tmp_path, text):
    (tmp_path / tool_store.file_name("fs")).write_text(text, "utf-8")
    assert tool_store.load(str(tmp_path), "fs") is None


def test_a_tool_is_accepted_changed_or_new(tmp_path):
    hints = {"readOnlyHint": True}
    seen(tmp_path, "fs", [tool("a"), tool("b")], [tool("a"), tool("b", "other", annotations=hints), tool("c")])
    found = tool_store.load(str(tmp_path), "fs")
    assert {name: found.state(name) for name in found.names} == {"a": "accepted", "b": "changed", "c": "new"}
    assert tool_store.hints(found, "a") == {}
    assert tool_store.hints(found, "b") == hints
    assert sorted(tool_store.properties(found.latest("b"))) == ["n", "path"]
    assert tool_store.properties({}) == []


def test_a_name_listed_twice_has_the_strictest_hints_and_the_arguments_of_both(tmp_path):
    one = tool("a", annotations={"readOnlyHint": True})
    two = {"name": "a", "inputSchema": {"properties": {"q": {}}}, "annotations": {"destructiveHint": True}}
    seen(tmp_path, "fs", [tool("b"), one, two])
    found = tool_store.load(str(tmp_path), "fs")
    assert tool_store.hints(found, "a") == {"readOnlyHint": True, "destructiveHint": True}
    assert sorted(tool_store.properties(found.latest("a"))) == ["n", "path", "q"]


def test_accepting_keeps_the_rest_and_the_proxy_reads_it(tmp_path):
    seen(tmp_path, "fs", [tool("a", "\u202e"), tool("b")], [tool("a"), tool("b", "other", n=1), tool("c")])
    before = tool_store.load(str(tmp_path), "fs")
    after = tool_store.accept(str(tmp_path), before, ["c", "a"])
    assert tool_store.load(str(tmp_path), "fs") == after
    pins = pins_store.load(str(tmp_path), "fs")
    assert isinstance(pins, Pins)
    assert pins.accepted == {**before.accepted, "a": before.changed["a"], "c": before.changed["c"]}
    assert pins.changed == {"b": before.changed["b"]}
    path = tmp_path / tool_store.file_name("fs")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [path.name]


def test_a_file_that_changed_since_it_was_read_is_not_replaced(tmp_path):
    seen(tmp_path, "fs", [tool("a")], [tool("a", "x")])
    before = tool_store.load(str(tmp_path), "fs")
    seen(tmp_path, "fs", [tool("a", "evil")])
    path = tmp_path / tool_store.file_name("fs")
    raw = path.read_bytes()
    with pytest.raises(McpgovError, match="has just changed"):
        tool_store.accept(str(tmp_path), before, ["a"])
    assert (path.read_bytes(), os.listdir(tmp_path)) == (raw, [path.name])


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    seen(tmp_path, "fs", [tool("a")], [tool("a", "x")])
    before = tool_store.load(str(tmp_path), "fs")
    (tmp_path / tool_store.file_name("fs")).unlink()
    with pytest.raises(McpgovError, match=r"cannot write .*: no such file or directory"):
        tool_store.accept(str(tmp_path), before, ["a"])
