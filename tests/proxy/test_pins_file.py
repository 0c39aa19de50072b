import os
import stat

from mcpgov.core.listing import Pins
from mcpgov.proxy import pins_file

ENTRY = {"digest": "d", "definition": {"name": "t"}, "hidden": False}


def test_what_is_saved_is_loaded(tmp_path):
    directory = str(tmp_path / "state" / "tools")
    assert pins_file.save(directory, "s", Pins({"t": ENTRY}, {"u": ENTRY}))
    found = pins_file.load(directory, "s")
    assert (found.accepted, found.changed) == ({"t": ENTRY}, {"u": ENTRY})
    [file] = (tmp_path / "state" / "tools").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_every_server_has_a_file_whatever_its_name(tmp_path):
    names = ["s", "S", "../../x", "a/b", "", "\udcff", "x" * 5000]
    for name in names:
        assert pins_file.save(str(tmp_path), name, Pins({name[:3].replace("\udcff", "?"): ENTRY}))
    assert len(list(tmp_path.iterdir())) == len(names)


def test_a_missing_or_damaged_file_is_a_server_never_seen(tmp_path):
    file = tmp_path / pins_file.file_name("s")
    assert pins_file.load(str(tmp_path), "s").accepted is None
    for text in ("", "[]", "{}", '{"accepted":[]}', '{"accepted":{"t":1}}', '{"accepted":{"t":{}}}', "ü"):
        file.write_text(text, "utf-8")
        assert pins_file.load(str(tmp_path), "s").accepted is None


def test_a_planted_scratch_file_is_neither_followed_nor_in_the_way(tmp_path):
    target = tmp_path / "target"
    target.write_text("untouched")
    place = tmp_path / "tools"
    place.mkdir()
    (place / f"{pins_file.file_name('s')}.{os.getpid()}").symlink_to(target)
    assert pins_file.save(str(place), "s", Pins({"t": ENTRY}))
    assert target.read_text() == "untouched"
    assert [path.name for path in place.iterdir()] == [pins_file.file_name("s")]


def test_what_cannot_be_saved_leaves_the_old_file(tmp_path):
    assert pins_file.save(str(tmp_path), "s", Pins({"t": ENTRY}))
    before = pins_file.state(str(tmp_path), "s")
    (tmp_path / "file").write_text("")
    assert not pins_file.save(str(tmp_path / "file" / "tools"), "s", Pins({}))
    assert pins_file.state(str(tmp_path), "s") == before
