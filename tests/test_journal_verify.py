import json

import pytest

from mcpgov import journal_reader, journal_verify
from mcpgov.journal_verify import Verifier
from tests.helpers.journals import Proxy, half

DAY = 86_400


@pytest.fixture
def where(tmp_path):
    return tmp_path / "journal"


def verify(where, **how):
    verifier = Verifier(**how)
    found = [remark for path in journal_reader.files(str(where)) for remark in verifier.check(path)]
    return [(one.kind, one.file[-16:], one.line, one.session[:1], one.seq) for one in [*found, *verifier.finish()]]


def file(where, day=16):
    return where / f"2026-11-{day}.jsonl"


def edit(where, change, day=16):
    """Change the lines of a file."""
    lines = file(where, day).read_bytes().splitlines()
    file(where, day).write_bytes(b"".join(line + b"\n" for line in change(lines)))


@pytest.fixture
def five(where):
    proxy = Proxy(where, project="/p")
    for tool in ("a", "b", "c", "d", "e"):
        proxy.call(tool, answer=None)
    return proxy


def test_a_journal_of_many_sessions_over_midnight_is_whole(where):
    first, second = Proxy(where, "aaaaaaaaaaaa"), Proxy(where, "bbbbbbbbbbbb", "Ünï \udc80", client="")
    for _ in range(3):
        first.call()
        second.call(args={"text": "é\n\u2028"})
        second.write({"dir": "client", "action": "passed"}, {"dir": "server", "action": "passed"})
    first.at = second.at = first.at + DAY
    first.call()
    second.call()
    verifier = Verifier()
    assert [remark for path in journal_reader.files(str(where)) for remark in verifier.check(path)] == []
    assert list(verifier.finish()) == []
    assert (verifier.files, verifier.sessions, verifier.records) == (2, 2, 22)


def test_a_changed_record_is_named(where, five):
    edit(where, lambda lines: [line.replace(b'"tool":"c"', b'"tool":"x"') for line in lines])
    assert verify(where) == [("changed", "2026-11-16.jsonl", 3, "a", 3)]


def test_a_changed_first_record_is_named(where, five):
    edit(where, lambda lines: [line.replace(b'"tool":"a"', b'"tool":"x"') for line in lines])
    assert verify(where) == [("changed", "2026-11-16.jsonl", 1, "a", 1)]


def test_a_record_with_a_digest_made_anew_breaks_the_next_one(where, five):
    def forge(lines):
        before = json.loads(lines[1])["chain"]
        body = lines[2].replace(b'"tool":"c"', b'"tool":"x"').partition(b',"chain"')[0]
        return [*lines[:2], body + f',"chain":"{journal_verify.link(before, body)}"}}'.encode(), *lines[3:]]

    edit(where, forge)
    assert verify(where) == [("changed", "2026-11-16.jsonl", 4, "a", 4)]


def test_a_removed_record_is_named_by_the_number_that_is_missing(where, five):
    edit(where, lambda lines: [*lines[:2], *lines[3:]])
    assert verify(where) == [("missing", "2026-11-16.jsonl", 3, "a", 3)]


def test_several_removed_records_are_one_finding(where, five):
    edit(where, lambda lines: [lines[0], lines[4]])
    verifier = Verifier()
    assert list(verifier.check(str(file(where)))) == []
    (found,) = verifier.finish()
    assert (found.text, found.line, found.is_finding) == ("records 2 to 4 are missing before this line", 2, True)


def test_two_records_that_changed_places_are_one_finding(where, five):
    edit(where, lambda lines: [lines[0], lines[2], lines[1], *lines[3:]])
    assert verify(where) == [("moved", "2026-11-16.jsonl", 3, "a", 2)]


def test_a_session_with_its_first_two_records_swapped_is_found(where, five):
    edit(where, lambda lines: [lines[1], lines[0], *lines[2:]])
    assert verify(where) == [("moved", "2026-11-16.jsonl", 2, "a", 1)]


def test_a_record_moved_to_the_end_is_one_finding_of_that_record(where, five):
    edit(where, lambda lines: [lines[0], *lines[2:], lines[1]])
    assert verify(where) == [("moved", "2026-11-16.jsonl", 5, "a", 2)]


def test_a_repeated_record_is_found_also_one_of_a_write_of_two(where, five):
    edit(where, lambda lines: [*lines[:3], lines[1], *lines[3:]])
    assert verify(where) == [("repeated", "2026-11-16.jsonl", 4, "a", 2)]
    edit(where, lambda lines: [*lines[:3], *lines[4:]])
    assert verify(where) == []
    five.write({"dir": "client", "action": "passed"}, {"dir": "server", "action": "passed"})
    edit(where, lambda lines: [*lines, lines[-2]])
    assert verify(where) == [("repeated", "2026-11-16.jsonl", 8, "a", 6)]


def test_a_record_moved_into_another_session_is_found_in_both(where, five):
    other = Proxy(where, "bbbbbbbbbbbb")
    other.call(answer=None)
    edit(where, lambda lines: [line.replace(b"a" * 12, b"b" * 12) if b'"tool":"b"' in line else line for line in lines])
    assert [(kind, session, seq) for kind, _, _, session, seq in verify(where)] == [
        ("moved", "b", 1), ("missing", "a", 2),
    ]  # fmt: skip


def test_a_line_that_is_no_record_and_a_record_without_digest_are_damage(where, five):
    edit(where, lambda lines: [*lines[:4], b"rubbish", lines[4].partition(b',"chain"')[0] + b"}"])
    assert verify(where) == [
        ("damaged", "2026-11-16.jsonl", 5, "", 0), ("damaged", "2026-11-16.jsonl", 6, "a", 5),
    ]  # fmt: skip


def test_a_record_cut_in_half_by_hand_is_missing(where, five):
    edit(where, lambda lines: [*lines[:2], lines[2][:50], *lines[3:]])
    assert [found[0] for found in verify(where)] == ["torn", "missing"]


def test_a_half_line_from_a_full_disk_is_a_remark_and_no_finding(where, five):
    half(five, {"dir": "client", "action": "passed"})
    five.at += 1
    five.call(answer=None)
    assert verify(where) == [("torn", "2026-11-16.jsonl", 6, "", 0)]
    assert not journal_verify.Remark("torn", "", 0, "").is_finding


@pytest.mark.parametrize("more", [-2, -1, 0, 1, 40])
def test_whole_records_before_a_half_one_did_not_count_and_are_no_finding(where, five, more):
    note, before = {"dir": "client", "action": "passed"}, file(where).stat().st_size
    five.write(note)
    line = file(where).stat().st_size - before
    five.at += 1
    half(five, (note, note), line + more)
    five.at += 1
    five.call(answer=None)
    five.call(answer=None)
    # From its last bracket on a record can be read, with or without the line break after it.
    expected = {-2: ["torn"], -1: ["rewound"], 0: ["rewound"], 1: ["torn", "rewound"], 40: ["torn", "rewound"]}
    assert [kind for kind, *_ in verify(where)] == expected[more]


def test_a_full_disk_at_midnight_leaves_no_finding(where, five):
    half(five, {"dir": "client", "action": "passed"})
    five.at += DAY
    five.call(answer=None)
    assert verify(where) == [("torn", "2026-11-16.jsonl", 6, "", 0)]


def test_a_removed_file_in_the_middle_is_missing_records(where, five):
    for _ in range(2):
        five.at += DAY
        five.call(answer=None)
    file(where, 17).unlink()
    assert verify(where) == [("missing", "2026-11-18.jsonl", 1, "a", 6)]


def test_a_removed_oldest_file_is_a_finding_unless_its_time_was_over(where, five):
    five.at += DAY
    five.call(answer=None)
    file(where).unlink()
    assert verify(where) == [("missing", "2026-11-17.jsonl", 1, "a", 1)]
    assert verify(where, expired=True) == [("older", "2026-11-17.jsonl", 1, "a", 1)]


@pytest.mark.parametrize("gone", [1, 3])
@pytest.mark.parametrize("before", [False, True])
def test_a_removed_beginning_is_a_finding_unless_its_time_was_over(where, five, gone, before):
    if before:
        Proxy(where / "other", "bbbbbbbbbbbb")
        old = Proxy(where, "bbbbbbbbbbbb")
        old.at -= DAY
        old.call(answer=None)
    edit(where, lambda lines: lines[gone:])
    assert verify(where) == [("missing", "2026-11-16.jsonl", 1, "a", 1)]
    assert verify(where, expired=True) == [("older", "2026-11-16.jsonl", 1, "a", 1)]


def test_a_file_that_cannot_be_read_is_a_finding(where):
    (where / "2026-11-16.jsonl").mkdir(parents=True)
    assert verify(where) == [("unreadable", "2026-11-16.jsonl", 0, "", 0)]
