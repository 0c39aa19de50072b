"""Lines that were clean before are known at the next start, of the same gate only."""

import posix

import pytest

from mcpgov.guards.screening import clean_lines
from mcpgov.guards.screening.clean_lines import LONGEST, MOST, SIZE, CleanLines

LINE = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "state" / "clean")


def files(folder):
    return sorted(posix.listdir(folder))


def test_a_line_is_known_to_whoever_comes_later(folder):
    first = CleanLines(folder, ["gate"])
    assert not first.holds(LINE)
    first.add(LINE)
    assert first.holds(bytearray(LINE))
    later = CleanLines(folder, ["gate"])
    assert later.holds(LINE)
    assert not later.holds(LINE + b" ")


@pytest.mark.parametrize("gates", [["other"], ["gate", "gate"], []])
def test_another_gate_knows_nothing_of_it(folder, gates):
    CleanLines(folder, ["gate"]).add(LINE)
    assert not CleanLines(folder, gates).holds(LINE)


def test_another_version_knows_nothing_of_it(folder, monkeypatch):
    CleanLines(folder, ["gate"]).add(LINE)
    monkeypatch.setattr(clean_lines, "__version__", "0.0.0")
    assert not CleanLines(folder, ["gate"]).holds(LINE)


def test_nothing_but_a_digest_is_kept_and_nobody_else_may_read_it(folder):
    lines = CleanLines(folder, ["gate"])
    lines.add(LINE)
    lines.add(LINE)
    (name,) = files(folder)
    info = posix.stat(f"{folder}/{name}")
    assert (info.st_size, info.st_mode & 0o777) == (SIZE, 0o600)
    assert posix.stat(folder).st_mode & 0o777 == 0o700


def test_two_processes_add_to_one_file(folder):
    one, other = CleanLines(folder, ["gate"]), CleanLines(folder, ["gate"])
    assert not one.holds(LINE)
    assert not other.holds(LINE)
    one.add(b"one")
    other.add(b"other")
    later = CleanLines(folder, ["gate"])
    assert later.holds(b"one")
    assert later.holds(b"other")


def test_a_file_that_was_cut_is_no_evidence(folder):
    CleanLines(folder, ["gate"]).add(LINE)
    (name,) = files(folder)
    with open(f"{folder}/{name}", "ab") as file:
        file.write(b"half")
    assert not CleanLines(folder, ["gate"]).holds(LINE)


def test_where_nothing_can_be_written_lines_are_known_to_this_process_alone(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    lines = CleanLines(f"{blocked}/clean", ["gate"])
    lines.add(LINE)
    assert lines.holds(LINE)
    assert not CleanLines(f"{blocked}/clean", ["gate"]).holds(LINE)


def test_a_link_in_its_place_is_not_followed(folder, tmp_path):
    CleanLines(folder, ["gate"]).add(LINE)
    (name,) = files(folder)
    victim = tmp_path / "victim"
    victim.write_text("")
    posix.unlink(f"{folder}/{name}")
    posix.symlink(str(victim), f"{folder}/{name}")
    CleanLines(folder, ["gate"]).add(LINE)
    assert victim.read_bytes() == b""


def test_a_full_file_begins_anew(folder):
    lines = CleanLines(folder, ["gate"])
    for number in range(MOST + 1):
        lines.add(b"%d" % number)
    assert not lines.holds(b"0")
    later = CleanLines(folder, ["gate"])
    assert later.holds(b"%d" % MOST)
    assert not later.holds(b"0")


def test_a_very_long_line_is_never_known(folder):
    lines = CleanLines(folder, ["gate"])
    lines.add(b"x" * (LONGEST + 1))
    assert not lines.holds(b"x" * (LONGEST + 1))


def test_gates_that_are_not_in_use_any_more_are_forgotten(folder):
    for number in range(clean_lines.MOST_FILES + 5):
        CleanLines(folder, [str(number)]).add(LINE)
    assert len(files(folder)) == clean_lines.MOST_FILES
    assert CleanLines(folder, [str(number)]).holds(LINE)
