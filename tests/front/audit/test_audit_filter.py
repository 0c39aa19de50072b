import datetime
from argparse import ArgumentParser

import pytest

from mcpgov import journal_reader
from mcpgov.errors import UsageError
from mcpgov.front.audit import audit_filter
from mcpgov.front.audit.audit_filter import Filter, moment, newest
from mcpgov.journal_reader import Damage
from tests.helpers.journals import NOON, Proxy


def made(*words, now=NOON):
    parser = ArgumentParser()
    audit_filter.add_filters(parser)
    return Filter(parser.parse_args(words), now)


@pytest.fixture
def where(tmp_path):
    """A journal of two servers."""
    place = str(tmp_path / "journal")
    first = Proxy(place, "aaaaaaaaaaaa", "fs", client="claude")
    second = Proxy(place, "bbbbbbbbbbbb", "git[hub]", client="zed")
    first.call("read_file")
    first.call("delete_file", action="deny", rule="no-delete")
    second.at = first.at
    second.call("read_repo")
    second.pass_on("tools/list")
    return place


@pytest.mark.parametrize(
    ("words", "tools"),
    [
        ([], ["read_file", "delete_file", "read_repo", ""]),
        (["--server", "fs"], ["read_file", "delete_file"]),
        (["--rule", "no-*"], ["delete_file"]),
        (["--rule", "(default)"], []),
        (["--text", "DELETE_"], ["delete_file"]),
        (["--text", "git[hub"], ["read_repo", ""]),
        (["--text", "chain"], []),
        (["--server", "f*"], ["read_file", "delete_file"]),
        (["--server", "git[hub]"], ["read_repo", ""]),
        (["--server", "git[*"], ["read_repo", ""]),
        (["--server", "F?"], []),
        (["--client", "ze?"], ["read_repo", ""]),
        (["--client", "zed"], ["read_repo", ""]),
        (["--tool", "read_*"], ["read_file", "read_repo"]),
        (["--tool", "read_file"], ["read_file"]),
        (["--method", "tools/*"], ["read_file", "delete_file", "read_repo", ""]),
        (["--method", "*list*"], [""]),
        (["--action", "deny"], ["delete_file"]),
        (["--action", "answered"], ["read_file", "read_repo"]),
        (["--session", "a*"], ["read_file", "delete_file"]),
        (["--session", "bbbbbbbbbbbb"], ["read_repo", ""]),
        (["--since", "0s"], ["read_file", "delete_file", "read_repo", ""]),
        (["--until", "1s"], []),
        (["--server", "fs", "--action", "deny"], ["delete_file"]),
    ],
)
def test_each_filter_finds_its_records(where, words, tools):
    wanted = made(*words)
    found = newest(journal_reader.read_back(wanted.files(where), Damage(), holding=wanted.holding), wanted, 100)
    assert [row.piece.text("tool") for row in found] == tools
    streamed = [piece.text("tool") for piece in audit_filter.fitting(where, wanted, Damage())]
    assert list(dict.fromkeys(streamed)) == list(dict.fromkeys(tools))


def test_a_call_has_the_round_trip_of_its_answer(where):
    wanted = made("--tool", "read_*")
    rows = newest(journal_reader.read_back(journal_reader.files(where), Damage()), wanted, 100)
    assert [(row.round_trip, row.failed, row.data["round_trip_us"]) for row in rows] == [(1500, False, 1500)] * 2


def test_only_the_newest_are_kept_and_the_order_of_one_write_stays(tmp_path):
    proxy = Proxy(tmp_path / "j")
    for number in range(5):
        proxy.write({"method": f"m{number}", "action": "passed"}, {"method": f"n{number}", "action": "passed"})
    found = newest(journal_reader.read_back(journal_reader.files(str(tmp_path / "j")), Damage()), made(), 3)
    assert [row.piece.text("method") for row in found] == ["n3", "m4", "n4"]


def test_answers_without_end_are_not_all_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr("mcpgov.front.audit.audit_counts.MOST_OPEN", 2)
    proxy = Proxy(tmp_path / "j")
    for _ in range(4):
        proxy.call(answer=None)
    for number in range(1, 5):
        proxy.write({"action": "answered", "decision": f"{proxy.session}-{number}", "round_trip_us": number})
    found = newest(journal_reader.read_back(journal_reader.files(str(tmp_path / "j")), Damage()), made(), 9)
    assert [row.round_trip for row in found] == [1, 2, None, None]


LOCAL = datetime.datetime.fromtimestamp(NOON)


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("90s", False, LOCAL - datetime.timedelta(seconds=90)),
        ("15m", False, LOCAL - datetime.timedelta(minutes=15)),
        ("2h", False, LOCAL - datetime.timedelta(hours=2)),
        ("3d", False, LOCAL - datetime.timedelta(days=3)),
        ("1w", True, LOCAL - datetime.timedelta(weeks=1)),
        ("2026-11-10", False, datetime.datetime(2026, 11, 10)),
        ("2026-11-10", True, datetime.datetime(2026, 11, 10, 23, 59, 59, 999_999)),
        ("yesterday", False, datetime.datetime.combine(LOCAL.date() - datetime.timedelta(days=1), datetime.time())),
        ("Today", False, datetime.datetime.combine(LOCAL.date(), datetime.time())),
        ("09:30", False, datetime.datetime.combine(LOCAL.date(), datetime.time(9, 30))),
        ("2026-11-10T09:30", True, datetime.datetime(2026, 11, 10, 9, 30)),
        ("2026-11-10 09:30:05", True, datetime.datetime(2026, 11, 10, 9, 30, 5)),
    ],
)
def test_times_are_read_as_people_write_them(text, end, expected):
    assert moment(text, NOON, end=end) == expected.timestamp()


def test_a_time_with_a_zone_means_that_zone():
    assert moment("2026-11-16T12:00Z", 0.0) == moment("2026-11-16t14:00+02:00", 0.0) == NOON


@pytest.mark.parametrize("text", ["", "soon", "2x", "25:00", "2026-13-01", "99999999d", "-1h"])
def test_what_is_no_time_is_a_usage_error_with_examples(text):
    with pytest.raises(UsageError, match="is no time") as caught:
        moment(text, NOON)
    assert "2026-11-16" in caught.value.hint


def test_an_end_before_the_beginning_is_a_usage_error():
    with pytest.raises(UsageError, match="`--since 1h` is later than `--until 2h`"):
        made("--since", "1h", "--until", "2h")
