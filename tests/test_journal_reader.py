import os

import pytest

from mcpgov import journal_reader
from mcpgov.journal_reader import BLANK, DAMAGED, RECORD, TORN, Damage, Follower
from tests.helpers.journals import NOON, Proxy, half

DAY = 86_400


@pytest.fixture
def where(tmp_path):
    return tmp_path / "journal"


def seqs(found):
    return [(piece.data["session"][0], piece.data["seq"]) for piece in found]


def kinds(path):
    return [(piece.line, piece.kind) for piece in journal_reader.lines(str(path))]


def test_a_journal_that_is_not_there_has_no_files(where):
    assert journal_reader.files(str(where)) == []


def test_files_come_by_day_and_part_and_nothing_else_counts(where):
    where.mkdir()
    for name in (
        "2026-11-16.10.jsonl",
        "2026-11-16.2.jsonl",
        "2026-11-16.jsonl",
        "2026-11-15.jsonl",
        "notes.txt",
        "a.jsonl",
    ):
        (where / name).touch()
    names = [os.path.basename(path) for path in journal_reader.files(str(where))]
    assert names == ["2026-11-15.jsonl", "2026-11-16.jsonl", "2026-11-16.2.jsonl", "2026-11-16.10.jsonl"]
    assert journal_reader.in_order([str(where / name) for name in reversed(names)]) == [
        str(where / name) for name in names
    ]


def test_a_file_whose_day_cannot_hold_the_time_asked_for_is_not_opened(where):
    where.mkdir()
    for day in (14, 15, 16, 17):
        (where / f"2026-11-{day}.jsonl").touch()

    def days(since, until):
        return [path[-8:-6] for path in journal_reader.files(str(where), since, until)]

    assert days(NOON, None) == ["16", "17"]
    assert days(None, NOON - DAY) == ["14", "15"]
    assert days(NOON - 43_200, NOON) == ["15", "16"], "a proxy may be a moment late to open the new day's file"
    assert days(-1e300, 1e300) == ["14", "15", "16", "17"]


def test_files_given_by_other_names_keep_their_order():
    assert journal_reader.in_order(["b.jsonl", "a.jsonl", "b.jsonl"]) == ["b.jsonl", "a.jsonl"]


def test_records_are_read_in_order_and_in_reverse(where):
    proxy = Proxy(where)
    for _ in range(700):  # more than a block
        proxy.call()
    paths, damage = journal_reader.files(str(where)), Damage()
    forward = [piece.data for piece in journal_reader.read(paths, damage)]
    assert [data["seq"] for data in forward] == list(range(1, 1401))
    assert [piece.data for piece in journal_reader.read_back(paths, damage)] == forward[::-1]
    assert (damage.torn, damage.damaged, damage.files, damage.notes) == (0, 0, [], [])


def test_only_lines_that_hold_a_text_are_read_if_asked_so(where):
    proxy = Proxy(where)
    proxy.call("read_file")
    proxy.call("list_dir")
    paths = journal_reader.files(str(where))
    holding = b'"tool":"list_dir"'
    assert seqs(journal_reader.read(paths, Damage(), holding)) == [("a", 3), ("a", 4)]
    assert seqs(journal_reader.read_back(paths, Damage(), holding=holding)) == [("a", 4), ("a", 3)]


def test_parts_of_a_day_are_merged_by_time(where, monkeypatch):
    first, second = Proxy(where, "aaaaaaaaaaaa"), Proxy(where, "bbbbbbbbbbbb")
    first.pass_on("ping")
    monkeypatch.setattr("mcpgov.live.journal_writer.LARGEST", 1)
    second.at = NOON + 0.5
    second.pass_on("ping")
    monkeypatch.undo()
    assert [os.path.basename(path) for path in journal_reader.files(str(where))] == [
        "2026-11-16.jsonl",
        "2026-11-16.1.jsonl",
    ]
    first.at = NOON + 0.9
    first.pass_on("ping")
    paths = journal_reader.files(str(where))
    assert seqs(journal_reader.read(paths, Damage())) == [("a", 1), ("b", 1), ("a", 2)]
    assert seqs(journal_reader.read_back(paths, Damage())) == [("a", 2), ("b", 1), ("a", 1)]


def test_half_a_line_is_told_from_a_damaged_one(where):
    proxy = Proxy(where)
    proxy.call(answer=None)
    half(proxy, {"dir": "client", "action": "passed"})
    proxy.call(answer=None)
    path = where / "2026-11-16.jsonl"
    with path.open("ab") as file:
        file.write(b'\x00\x00garbage\n{"time":1}\n\n[1]\n' + b"[" * 100_000 + b"\n")
    assert kinds(path) == [
        (1, RECORD), (2, TORN), (3, RECORD), (4, DAMAGED), (5, TORN), (6, BLANK), (7, DAMAGED), (8, DAMAGED),
    ]  # fmt: skip
    damage = Damage()
    assert seqs(journal_reader.read([str(path)], damage)) == [("a", 1), ("a", 2)]
    assert (damage.torn, damage.damaged) == (2, 3)
    assert damage.notes == [
        "3 damaged lines left out",
        "2 half-written lines left out: `mcpgov audit verify` tells where",
    ]


@pytest.mark.parametrize("keep", [1, 7, 8, 9, 60, 130])
def test_a_record_that_another_proxy_glued_to_half_a_line_is_not_lost(where, keep):
    first, second = Proxy(where, "aaaaaaaaaaaa"), Proxy(where, "bbbbbbbbbbbb")
    half(first, {"dir": "client", "action": "passed", "args": {"x": {"time": 1}}}, keep)
    second.call(answer=None, args={"y": {"time": 2}})
    first.call(answer=None)
    path = where / "2026-11-16.jsonl"
    assert kinds(path) == [(1, TORN), (1, RECORD), (2, BLANK), (3, RECORD)]
    assert seqs(journal_reader.read([str(path)], Damage())) == [("b", 1), ("a", 1)]
    assert seqs(journal_reader.read_back([str(path)], Damage())) == [("a", 1), ("b", 1)]


def test_a_record_with_its_end_that_cannot_be_read_is_damaged_not_torn(where):
    proxy = Proxy(where)
    proxy.call(answer=None)
    path = where / "2026-11-16.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"dir":"client"', b'"dir":client'))
    assert kinds(path) == [(1, DAMAGED)]


@pytest.mark.parametrize(
    "line",
    [
        b'{"time":1,"session":"a","seq":true}',
        b'{"time":"1","session":"a","seq":1}',
        b'{"time":1,"session":1,"seq":1}',
    ],
)
def test_an_object_without_the_fields_of_a_record_is_none(line):
    assert [piece.kind for piece in journal_reader.pieces("f", 1, line)] != [RECORD]


def test_a_line_over_the_limit_is_damaged_and_the_next_one_is_read(where, monkeypatch):
    monkeypatch.setattr(journal_reader, "LONGEST", 2000)
    monkeypatch.setattr(journal_reader, "BLOCK", 500)
    proxy = Proxy(where)
    proxy.call(answer=None)
    proxy.call(answer=None, args={"x": "y" * 9000})
    proxy.call(answer=None)
    path = where / "2026-11-16.jsonl"
    assert kinds(path) == [(1, RECORD), (2, DAMAGED), (3, RECORD)]
    damage = Damage()
    assert seqs(journal_reader.read_back([str(path)], damage)) == [("a", 3), ("a", 1)]


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_read(where):
    Proxy(where).pass_on("ping")
    (where / "2026-11-15.jsonl").mkdir()
    damage = Damage()
    assert seqs(journal_reader.read(journal_reader.files(str(where)), damage)) == [("a", 1)]
    assert damage.notes == [f"cannot read `{where}/2026-11-15.jsonl`: is a directory"]


def test_a_follower_tells_each_new_record_once_across_midnight_and_parts(where, monkeypatch):
    proxy = Proxy(where)
    proxy.pass_on("ping")
    follower = Follower(str(where), Damage())
    assert follower.poll() == []
    proxy.pass_on("ping")
    assert seqs(follower.poll()) == [("a", 2)]
    proxy.at += DAY
    proxy.pass_on("ping")
    monkeypatch.setattr("mcpgov.live.journal_writer.LARGEST", 1)
    other = Proxy(where, "bbbbbbbbbbbb")
    other.at = proxy.at
    other.pass_on("ping")
    assert seqs(follower.poll()) == [("a", 3), ("b", 1)]
    assert follower.poll() == []


def test_a_follower_waits_for_the_rest_of_a_line(where):
    proxy = Proxy(where)
    proxy.pass_on("ping")
    path = where / "2026-11-16.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:30])
    follower = Follower(str(where), Damage())
    assert follower.ends == {str(path): len(whole)}
    assert follower.poll() == []
    with path.open("ab") as file:
        file.write(whole[30:])
    assert seqs(follower.poll()) == [("a", 1)]


def test_a_follower_survives_files_that_come_go_and_shrink(where, monkeypatch):
    follower = Follower(str(where), Damage())
    assert follower.poll() == []
    proxy = Proxy(where)
    proxy.pass_on("ping")
    proxy.pass_on("ping")
    assert seqs(follower.poll()) == [("a", 1), ("a", 2)]
    path = where / "2026-11-16.jsonl"
    path.write_bytes(path.read_bytes().partition(b"\n")[0] + b"\n")
    assert seqs(follower.poll()) == [("a", 1)]
    path.unlink()
    assert follower.poll() == []


def test_the_end_of_a_file_without_a_line_break_is_its_beginning(tmp_path):
    (tmp_path / "one").write_bytes(b"x" * (journal_reader.BLOCK + 10))
    assert Follower(str(tmp_path / "one"), Damage()).ends == {str(tmp_path / "one"): 0}
    (tmp_path / "link").symlink_to(tmp_path / "none")
    assert Follower(str(tmp_path / "link"), Damage()).ends == {str(tmp_path / "link"): 0}


def test_the_days_of_a_journal(tmp_path):
    for name in ("2026-11-17.jsonl", "2026-11-18.1.jsonl", "2026-11-18.jsonl", "other"):
        (tmp_path / name).write_text("")
    assert journal_reader.days(str(tmp_path)) == ["2026-11-17", "2026-11-18"]
    assert journal_reader.days(str(tmp_path / "other")) == []
