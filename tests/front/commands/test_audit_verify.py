import time

import pytest

from mcpgov.daemon.heads_keeper import HeadKeeper
from mcpgov.daemon.log import Log
from tests.helpers.journals import Proxy, half


@pytest.fixture
def journal(root):
    place = root / "state" / "journal"
    proxy = Proxy(place, "aaaaaaaaaaaa")
    proxy.at = time.time() - 10
    for _ in range(2):
        proxy.call()
    return proxy


@pytest.fixture
def file(root, journal):
    (path,) = (root / "state" / "journal").iterdir()
    return path


def test_an_empty_journal_is_told_kindly(run):
    assert run("audit", "verify").out.startswith("nothing is on record yet")
    assert run("audit", "verify", "--json").json["files"] == []


def test_a_whole_journal_is_told_with_status_0(run, file):
    assert (run("audit", "verify").status, run("audit", "verify").out) == (
        0,
        "4 records of 1 session in 1 file: every chain is whole\n"
        "no daemon saw 1 session: whether an end is cut off there cannot be known\n",
    )
    assert run("audit", "verify", "--json").json == {
        "version": 1, "command": "audit verify", "ok": True, "files": [str(file)], "records": 4, "sessions": 1,
        "without_head": 1, "found": 0, "findings": [], "remarks": [],
    }  # fmt: skip


def test_a_changed_record_is_named_with_file_line_session_and_number(run, file):
    file.write_bytes(file.read_bytes().replace(b'"round_trip_us":1500', b'"round_trip_us":1501', 1))
    done = run("audit", "verify", "--json")
    assert (done.status, done.json["ok"], done.json["found"]) == (1, False, 1)
    assert done.json["findings"] == [
        {"kind": "changed", "file": str(file), "line": 2, "session": "aaaaaaaaaaaa", "seq": 2,
         "text": "it, or the one before it, is not as it was written"}
    ]  # fmt: skip
    out = run("audit", "verify").out
    assert f"changed  {file.name}:2  aaaaaaaaaaaa 2" in out
    assert out.endswith("1 finding in 4 records of 1 session in 1 file: the journal was tampered with\n")


def test_a_removed_record_is_a_finding(run, file):
    lines = file.read_bytes().splitlines(True)
    file.write_bytes(b"".join(lines[:1] + lines[2:]))
    done = run("audit", "verify", "--json")
    assert (done.status, [(one["kind"], one["seq"]) for one in done.json["findings"]]) == (1, [("missing", 2)])


def test_records_in_another_order_are_a_finding(run, file):
    lines = file.read_bytes().splitlines(True)
    file.write_bytes(b"".join([lines[0], lines[2], lines[1], lines[3]]))
    done = run("audit", "verify", "--json")
    assert (done.status, [(one["kind"], one["seq"]) for one in done.json["findings"]]) == (1, [("moved", 2)])


def test_half_a_line_of_a_full_disk_is_told_and_is_no_finding(run, file, journal):
    half(journal, {"action": "passed"})
    journal.call()
    done = run("audit", "verify", "--json")
    assert (done.status, done.json["found"], [one["kind"] for one in done.json["remarks"]]) == (0, 0, ["torn"])
    assert f"torn  {file.name}:5" in run("audit", "verify").out


def test_a_session_over_midnight_is_whole_and_a_file_alone_can_be_checked(run, root, journal, file):
    journal.at += 86_400
    journal.call()
    files = sorted((root / "state" / "journal").iterdir())
    assert run("audit", "verify").out.startswith("6 records of 1 session in 2 files")
    assert run("audit", "verify", *reversed(files)).status == 0, "named by day, they are read by day"
    done = run("audit", "verify", files[1], "--json")
    assert (done.status, [one["kind"] for one in done.json["remarks"]]) == (0, ["older"])


def test_a_file_that_is_not_there_is_a_finding(run, tmp_path):
    done = run("audit", "verify", tmp_path / "none.jsonl")
    assert (done.status, "cannot be read: no such file or directory" in done.out) == (1, True)


def test_a_beginning_that_expired_is_no_finding_and_one_that_cannot_have_is(run, root, journal, file):
    other = Proxy(root / "state" / "journal", "bbbbbbbbbbbb")
    other.at = journal.at - 3 * 86_400
    other.call()
    file.write_bytes(b"".join(file.read_bytes().splitlines(True)[2:]))
    assert run("audit", "verify").status == 1
    (root / "config" / "settings.toml").write_text("[audit]\nkeep_days = 3\n")
    assert run("audit", "verify").status == 0


# --- against the heads that the daemon keeps


@pytest.fixture
def seen(root, journal):
    """The daemon has looked at the journal."""
    keeper(root).look()


def keeper(root):
    return HeadKeeper(str(root / "state" / "journal"), str(root / "state" / "heads"), Log(root / "log"))


def findings(run):
    return [
        (one["kind"], one["session"], one["seq"], one["text"])
        for one in run("audit", "verify", "--json").json["findings"]
    ]


def test_a_journal_that_the_daemon_has_seen_is_whole_without_a_doubt(run, seen):
    assert run("audit", "verify").out == "4 records of 1 session in 1 file: every chain is whole\n"


def test_an_end_that_was_cut_off_is_named(run, seen, file, journal):
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    assert findings(run) == [("cut off", "aaaaaaaaaaaa", 4, "its end is cut off: record 4 is missing")]
    file.write_bytes(lines[0])
    assert findings(run) == [("cut off", "aaaaaaaaaaaa", 2, "its end is cut off: records 2 to 4 are missing")]


def test_a_session_that_was_removed_is_named(run, root, file, journal):
    other = Proxy(root / "state" / "journal", "bbbbbbbbbbbb")
    other.at = journal.at
    other.call()
    keeper(root).look()
    file.write_bytes(
        b"".join(line for line in file.read_bytes().splitlines(keepends=True) if b"bbbbbbbbbbbb" not in line)
    )
    assert findings(run) == [("removed", "bbbbbbbbbbbb", 2, "the session is gone: the daemon had seen 2 records of it")]


def test_a_day_that_was_removed_is_named_but_not_one_whose_time_was_over(run, root, file, journal):
    for age, session in ((3, "b" * 12), (40, "c" * 12)):
        other = Proxy(root / "state" / "journal", session)
        other.at = time.time() - age * 86_400
        other.call()
        keeper(root).look()
        (old,) = {path for path in file.parent.iterdir() if path != file}
        old.unlink()
    keeper(root).look()
    (found,) = findings(run)
    assert found == ("removed", None, None, "the day is gone: the daemon had seen records of 1 session")


def test_the_whole_journal_gone_is_no_empty_journal(run, seen, file):
    file.unlink()
    assert (run("audit", "verify").status, "the day is gone" in run("audit", "verify").out) == (1, True)


def test_a_journal_that_was_written_anew_is_named(run, seen, file, root):
    file.unlink()
    again = Proxy(root / "state" / "journal", "aaaaaaaaaaaa")
    again.at = time.time() - 10
    for _ in range(3):
        again.call("other_tool")
    assert findings(run) == [("changed", "aaaaaaaaaaaa", 4, "it is not the record that the daemon had seen")]


def test_files_by_name_are_checked_by_themselves(run, seen, file):
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    assert run("audit", "verify", file).status == 0
