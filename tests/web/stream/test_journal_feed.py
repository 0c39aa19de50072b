import json
import time

import pytest

from mcpgov.web.stream import journal_feed
from mcpgov.web.stream.journal_feed import BACKLOG, BATCH, JournalFeed

NOW = 1_795_000_000.0


class Book:
    """A journal that is written to."""

    def __init__(self, base):
        self.where, self.seq = base / "journal", 0
        self.where.mkdir()

    def write(self, count=1, moment=NOW, **more):
        day = time.strftime("%Y-%m-%d", time.gmtime(moment))
        with open(self.where / f"{day}.jsonl", "a", encoding="ascii") as file:
            for _ in range(count):
                self.seq += 1
                record = {"time": moment, "session": "s", "seq": self.seq, "dir": "client", "action": "allow", "us": 1,
                          "decision": f"s-{self.seq}", **more}  # fmt: skip
                file.write(json.dumps(record) + "\n")


@pytest.fixture
def book(tmp_path):
    return Book(tmp_path)


def feed(book):
    made = JournalFeed(str(book.where), lambda: NOW)
    made.begin()
    return made


def ids(events):
    return [item["id"] for event in events for item in json.loads(event.data)["items"]]


def test_what_is_added_comes_once(book):
    made = feed(book)
    assert made.poll() == []
    book.write(2)
    assert ids(made.poll()) == ["s-1", "s-2"]
    assert made.poll() == []


def test_before_it_begins_there_is_nothing(book):
    assert JournalFeed(str(book.where)).poll() == []


def test_the_last_calls_come_first(book):
    book.write(BACKLOG + 50)
    book.write(1, action="passed")
    [event] = feed(book).before("")
    assert json.loads(event.data)["backlog"] is True
    assert ids([event]) == [f"s-{number}" for number in range(51, BACKLOG + 52)]


def test_a_browser_that_comes_again_gets_what_it_missed(book):
    book.write(3)
    made = feed(book)
    last = made.before("")[-1].id
    book.write(2)
    made.poll()
    [missed] = made.before(last)
    assert (json.loads(missed.data)["backlog"], ids([missed])) == (False, ["s-4", "s-5"])
    assert json.loads(missed.data)["counted"] is True
    assert missed.id != last
    assert ids(made.before(missed.id)) == []
    for strange in ("other-3", f"{last.partition('-')[0]}-x", "nothing"):
        assert json.loads(made.before(strange)[0].data)["backlog"] is True


def test_what_was_too_long_ago_to_be_kept_is_sent_as_a_whole(book, monkeypatch):
    monkeypatch.setattr(journal_feed, "MOST_KEPT", 3)
    made = feed(book)
    first = made.before("")[-1].id
    book.write(5)
    made.poll()
    [event] = made.before(first)
    assert (json.loads(event.data)["backlog"], ids([event])) == (True, ["s-3", "s-4", "s-5"])


def test_large_records_push_others_out(book, monkeypatch):
    monkeypatch.setattr(journal_feed, "MOST_BYTES", 5000)
    made = feed(book)
    book.write(5, args={"a": "x" * 1900})
    made.poll()
    assert ids(made.before("")) == ["s-4", "s-5"]


def test_many_records_are_several_events(book):
    made = feed(book)
    book.write(BATCH + 1)
    first, second = made.poll()
    assert (first.items, second.items) == (BATCH, 1)
    assert [event.id.partition("-")[2] for event in (first, second)] == [str(BATCH), str(BATCH + 1)]


def test_calls_and_denials_are_counted_by_the_minute(book):
    book.write(2, NOW - 120)
    book.write(1, NOW - 7200)
    made = feed(book)
    book.write(1)
    book.write(1, action="deny")
    made.poll()
    rows = json.loads(made.minutes())["minutes"]
    minute = int(NOW // 60)
    assert len(rows) == 60
    assert [row for row in rows if row[1]] == [[minute - 2, 2, 0], [minute, 2, 1]]


def test_only_so_much_is_read_back(book, monkeypatch):
    monkeypatch.setattr(journal_feed, "MOST_READ", 4)
    book.write(9)
    assert ids(feed(book).before("")) == ["s-6", "s-7", "s-8", "s-9"]
