"""What the journal says is spent, kept beside the ledger."""

import os
import time

import pytest

from mcpgov.front.budgets.recorded_spending import KEPT, KEPT_SESSION
from mcpgov.front.budgets.spending_checkpoint import LAG, SpendingCheckpoint, keep_checkpoint
from mcpgov.front.context import Context
from mcpgov.guards.ledger.disk.accounts import Standing
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_session import JournalSession
from mcpgov.places import Places

DAY = 86_400.0
NOON = 1_794_830_400.0  # 2026-11-16T12:00:00Z
PLACE = ("b", "total")


class Room:
    """A journal, and the checkpoint of it; each look begins with the file."""

    def __init__(self, base):
        self.journal, self.path, self.now = base / "journal", base / "spending.json", NOON
        self.session = JournalSession(str(self.journal), {"session": "s", "client": "", "server": ""})

    def spend(self, amount, **more):
        period = more.pop("period", PLACE[1])
        note = {"action": "charged", "charges": [[PLACE[0], period, amount]], **more}
        assert self.session.write(note, self.now)

    def keep(self):
        found = SpendingCheckpoint.load(self.path)
        found.read_on(self.journal, self.now)
        found.save(self.path, self.now)

    def drop(self):
        for path in self.journal.glob("*.jsonl"):
            path.unlink()

    def spent(self, **more):
        found = SpendingCheckpoint.load(self.path)
        found.read_on(self.journal, **more)
        return {place: row[0] for place, row in found.spending.rows().items()}

    @property
    def file(self):
        (path,) = self.journal.glob("*.jsonl")
        return path


@pytest.fixture
def room(tmp_path):
    return Room(tmp_path)


def test_every_record_counts_once_however_often_it_is_kept(room):
    for amount in (1, 2, 4):
        room.spend(amount)
        room.keep()
        assert room.spent() == room.spent(again=True) == {PLACE: sum((1, 2, 4)[: amount.bit_length()])}


def test_days_that_are_gone_are_remembered(room):
    room.spend(1)
    room.keep()
    room.drop()
    room.now += DAY
    room.spend(2)
    assert room.spent() == {PLACE: 3}
    room.keep()
    assert room.spent() == {PLACE: 3}


def test_what_may_not_be_on_the_disk_yet_is_left_for_later(room):
    room.spend(1)
    room.now += 10
    room.spend(2)
    found = SpendingCheckpoint()
    found.read_on(room.journal, room.now - 5)
    assert [row[0] for row in found.spending.rows().values()] == [1]
    found.read_on(room.journal)
    assert [row[0] for row in found.spending.rows().values()] == [3]


def test_a_record_of_a_clock_that_was_set_back_since_stops_nothing(room):
    room.now += 30 * DAY
    room.spend(1)
    room.now -= 30 * DAY
    room.keep()
    assert room.spent() == {PLACE: 1}
    assert "total" in room.path.read_text()


def test_half_a_line_is_read_when_it_is_whole(room):
    room.spend(1)
    whole = room.file.read_bytes()
    room.file.write_bytes(whole[:-5])
    room.keep()
    room.file.write_bytes(whole)
    assert room.spent() == {PLACE: 1}


def test_another_file_of_the_same_name_is_read_from_its_beginning(room):
    room.spend(1)
    room.keep()
    room.drop()
    room.spend(2)
    room.spend(2)
    assert room.spent() == {PLACE: 5}


def test_damaged_lines_and_files_are_told(room):
    room.spend(1)
    with room.file.open("ab") as file:
        file.write(b'{"charges" odd\n')
    (room.journal / "2026-11-17.jsonl").mkdir()
    found = SpendingCheckpoint()
    found.read_on(room.journal)
    assert "2026-11-17.jsonl" in found.unknown()
    assert "damaged line" in found.unknown()


def test_what_nobody_asks_for_any_more_is_not_kept(room):
    for period in ("total", "2026-11-16", "session a"):
        room.spend(1, period=period)
    for days, left in ((KEPT_SESSION, 3), (1, 2), (KEPT, 1)):
        room.now += days * DAY
        room.keep()
        room.drop()
        assert len(room.spent()) == left


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 1, "spending": {"rows": [[1]]}}',
                                  '{"format": 1, "spending": 3}', '{"format": 2}'])  # fmt: skip
def test_what_is_no_checkpoint_is_none(room, text):
    room.spend(1)
    room.path.write_text(text)
    assert room.spent() == {PLACE: 1}


def test_days_may_be_gone_where_the_oldest_is_as_old_as_days_are_kept_or_the_last_that_was_read_is_missing(room):
    found = SpendingCheckpoint()
    assert found.lacks(room.journal, 30, room.now)
    room.spend(1)
    assert not found.lacks(room.journal, 30, room.now)
    assert found.lacks(room.journal, 30, room.now + 29 * DAY)
    assert found.lacks(room.journal, 1, room.now)
    found.read_on(room.journal)
    assert not found.lacks(room.journal, 1, room.now)
    room.drop()
    room.now += DAY
    room.spend(1)
    assert found.lacks(room.journal, 30, room.now)


def test_what_the_ledger_has_beyond_is_taken_from_it(room):
    room.spend(5)
    found = SpendingCheckpoint()
    found.read_on(room.journal)
    found.lift([Standing(*PLACE, 3, 9, 2), Standing("c", "p", 7, 0, 0, 1)], room.now)
    assert found.spending.rows() == {PLACE: (5, 2, 0), ("c", "p"): (7, 0, 1)}


def test_the_first_checkpoint_of_a_journal_whose_days_are_gone_begins_with_the_ledger(root, policy):
    policy("")
    context, places = Context(str(root)), Places(root)
    ledger = Ledger(str(places.ledger))
    ledger.spend(*PLACE, 5)
    now = time.time()
    keep_checkpoint(context, ledger, now)
    assert SpendingCheckpoint.load(places.ledger_spending).spending.rows() == {PLACE: (5, 0, 0)}
    JournalSession(str(places.journal), {"session": "s", "client": "", "server": ""}).write(
        {"action": "charged", "charges": [[*PLACE, 2]]}
    )
    keep_checkpoint(context, ledger, now + LAG + 5)
    assert SpendingCheckpoint.load(places.ledger_spending).spending.rows() == {PLACE: (7, 0, 0)}
    before = os.stat(places.ledger_spending).st_ino
    keep_checkpoint(context, ledger, now + LAG + 6)
    assert os.stat(places.ledger_spending).st_ino == before
    ledger.close()
