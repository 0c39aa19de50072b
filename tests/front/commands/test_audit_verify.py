import time

import pytest

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
        0, "4 records of 1 session in 1 file: every chain is whole\n",
    )  # fmt: skip
    assert run("audit", "verify", "--json").json == {
        "version": 1, "command": "audit verify", "ok": True, "files": [str(file)], "records": 4, "sessions": 1,
        "found": 0, "findings": [], "remarks": [],
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
