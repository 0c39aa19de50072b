"""The tool store, read for names and definitions."""

import os

from mcpgov.core.session.tool_list import Pins
from mcpgov.guards.signals.known_tools import KnownTools
from mcpgov.live import pins_store


def entry(name, description="d"):
    return {"digest": "x", "definition": {"name": name, "description": description}, "hidden": False}


def test_names_of_others_and_definitions_of_one_come_from_the_store(tmp_path):
    folder = str(tmp_path / "tools")
    pins_store.save(folder, "a", Pins({"read": entry("read"), "gone": entry("gone")}, {"read": entry("read", "new")}))
    pins_store.save(folder, "b", Pins({"write": entry("write")}))
    known = KnownTools(folder)
    assert known.names_of_others("a") == {"write": "b"}
    assert known.names_of_others("b") == {"read": "a", "gone": "a"}
    assert known.definitions("a")["read"] == [{"name": "read", "description": "new"}]
    assert known.definitions("nobody") == {}


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(tmp_path):
    folder = str(tmp_path / "tools")
    pins_store.save(folder, "b", Pins({"one": entry("one")}))
    known = KnownTools(folder)
    assert known.names_of_others("a") == {"one": "b"}
    pins_store.save(folder, "b", Pins({"one": entry("one"), "two": entry("two")}))
    assert known.names_of_others("a") == {"one": "b", "two": "b"}
    first = known.definitions("b")
    assert known.definitions("b") is first


def test_several_definitions_of_one_name_are_all_there(tmp_path):
    folder = str(tmp_path / "tools")
    twice = {"digest": "x", "definition": [{"name": "t"}, {"name": "t", "title": "T"}], "hidden": False}
    pins_store.save(folder, "b", Pins({"t": twice}))
    assert KnownTools(folder).definitions("b") == {"t": [{"name": "t"}, {"name": "t", "title": "T"}]}


def test_what_cannot_be_read_is_a_server_without_tools(tmp_path):
    (tmp_path / "x.json").write_text("{", "ascii")
    (tmp_path / "y.json").write_text("[]", "ascii")
    os.symlink(tmp_path / "nowhere", tmp_path / "z.json")
    (tmp_path / "other.txt").write_text("", "ascii")
    assert KnownTools(str(tmp_path)).names_of_others("a") == {}
    assert KnownTools("").names_of_others("a") == {}
    assert KnownTools(str(tmp_path / "none")).names_of_others("a") == {}
