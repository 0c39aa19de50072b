import os
import stat

import pytest

from mcpgov.core.session.tool_list import Pins
from mcpgov.live import pins_store
from tests.helpers.talks import ALLOW_ALL, PYTHON

ENTRY = {"digest": "d", "definition": {"name": "t"}, "hidden": False}


def test_what_is_saved_is_loaded(tmp_path):
    directory = str(tmp_path / "state" / "tools")
    assert pins_store.save(directory, "s", Pins({"t": ENTRY}, {"u": ENTRY}))
    found = pins_store.load(directory, "s")
    assert (found.accepted, found.changed) == ({"t": ENTRY}, {"u": ENTRY})
    [file] = (tmp_path / "state" / "tools").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_every_server_has_a_file_whatever_its_name(tmp_path):
    names = ["s", "S", "../../x", "a/b", "", "\udcff", "x" * 5000]
    for name in names:
        assert pins_store.save(str(tmp_path), name, Pins({name[:3].replace("\udcff", "?"): ENTRY}))
    assert len(list(tmp_path.iterdir())) == len(names)


def test_a_missing_file_is_a_server_never_seen(tmp_path):
    found = pins_store.load(str(tmp_path), "s")
    assert (found.accepted, found.damaged) == (None, "")


DAMAGED = ["", "[]", "{}", '{"accepted":[]}', '{"accepted":{"t":1}}', '{"accepted":{"t":{}}}', "ü", "{", "[" * 99_999,
           '{"accepted":{}}', '{"accepted":{},"changed":[]}']  # fmt: skip


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_a_server_of_which_nothing_is_accepted(tmp_path, text):
    (tmp_path / pins_store.file_name("s")).write_text(text, "utf-8")
    found = pins_store.load(str(tmp_path), "s")
    assert (found.accepted, found.changed, found.damaged) == ({}, {}, "it is damaged")


def test_a_file_that_cannot_be_read_is_no_server_never_seen_either(tmp_path):
    (tmp_path / pins_store.file_name("s")).mkdir()
    found = pins_store.load(str(tmp_path), "s")
    assert (found.accepted, found.damaged) == ({}, "is a directory")


def test_a_damaged_file_is_put_aside_once_there_is_a_whole_one(tmp_path):
    name = tmp_path / pins_store.file_name("s")
    name.write_text("{half")
    found = pins_store.load(str(tmp_path), "s")
    found.changed["t"] = ENTRY
    assert pins_store.save(str(tmp_path), "s", found)
    assert pins_store.load(str(tmp_path), "s").changed == {"t": ENTRY}
    assert name.with_name(f"{name.name}.damaged").read_text() == "{half"
    name.unlink()
    assert pins_store.save(str(tmp_path), "s", found)


LISTING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    result = {"tools": tools} if message["method"] == "tools/list" else {}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("pin", ["log", "prompt", "deny"])
def test_with_a_damaged_file_every_tool_counts_as_new_and_it_is_said(own, start, pin):
    own.write(f'{ALLOW_ALL}[tools]\npin = "{pin}"\n')
    command = [PYTHON, "-c", LISTING]
    talk = start(own, command).begin()
    talk.ask("tools/list")
    assert talk.end() == 0
    [file] = (own.root / "state" / "tools").glob("*.json")
    file.write_text("{")
    talk = start(own, command).begin()
    passes = pin == "log"
    assert ("isError" not in talk.call("a")["result"]) is passes
    assert len(talk.ask("tools/list")["result"]["tools"]) == (pin != "deny")
    assert ("isError" not in talk.call("a")["result"]) is passes
    assert talk.end() == 0
    why = "what was known of the tools of `s` cannot be read: it is damaged"
    assert f"mcpgov: {why}" in talk.errors()
    assert [record["why"] for record in own.records() if record["action"] == "broken"] == [why]
    assert [record["changed"] for record in own.records() if "changed" in record] == [["a"]]


def test_a_file_that_is_damaged_meanwhile_lets_no_held_tool_go(own, start):
    own.write(f'{ALLOW_ALL}[tools]\npin = "deny"\n')
    place = own.root / "state" / "tools"
    assert pins_store.save(str(place), "s", Pins({"b": ENTRY}))
    talk = start(own, [PYTHON, "-c", LISTING]).begin()
    assert talk.ask("tools/list")["result"]["tools"] == []
    (place / pins_store.file_name("s")).write_text("{")
    assert talk.call("a")["result"]["isError"]
    assert talk.end() == 0
    assert "it is damaged" in talk.errors()


def test_a_planted_scratch_file_is_neither_followed_nor_in_the_way(tmp_path):
    target = tmp_path / "target"
    target.write_text("untouched")
    place = tmp_path / "tools"
    place.mkdir()
    (place / f"{pins_store.file_name('s')}.{os.getpid()}").symlink_to(target)
    assert pins_store.save(str(place), "s", Pins({"t": ENTRY}))
    assert target.read_text() == "untouched"
    assert [path.name for path in place.iterdir()] == [pins_store.file_name("s")]


def test_what_cannot_be_saved_leaves_the_old_file(tmp_path):
    assert pins_store.save(str(tmp_path), "s", Pins({"t": ENTRY}))
    before = pins_store.state(str(tmp_path), "s")
    (tmp_path / "file").write_text("")
    assert not pins_store.save(str(tmp_path / "file" / "tools"), "s", Pins({}))
    assert pins_store.state(str(tmp_path), "s") == before
