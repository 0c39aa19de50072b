"""Losing looks different from removing."""

from dataclasses import dataclass

import pytest

from mcpgov.configs.plan import EntryState
from mcpgov.daemon.watching.vanished import MOST_LOST, WEEK, EntryChanges, FileSnapshot, Lost, VanishedEntries

FILE = "/home/u/.claude.json"
BOX = ("mcpServers",)


@dataclass(frozen=True)
class Entry:
    place: tuple
    state: str = "governed"
    argv: tuple = ()
    client: str = "claude-code"
    file: str = FILE
    transport: str = "stdio"

    @property
    def name(self):
        return self.place[-1]


def entry(name, box=BOX, state="governed"):
    return Entry((*box, name), state, ("npx", name))


def sight(*entries, size=1000, containers=frozenset({BOX}), file=FILE):
    return FileSnapshot(file, size, entries, containers)


def lost(entry, when, reason):
    return Lost(entry.client, FILE, entry.place, entry.name, "stdio", when, reason)


A, B, C = entry("a"), entry("b"), entry("c")


def after(*sights, step=100.0):
    """What the last of these looks says."""
    vanished = VanishedEntries()
    return [vanished.compare(one, number * step) for number, one in enumerate(sights)][-1]


def test_the_first_look_misses_nobody():
    assert after(sight(A, B)) == EntryChanges()


def test_one_of_several_that_is_gone_was_removed():
    assert after(sight(A, B), sight(B)) == EntryChanges(removed=(A,))


def test_the_only_one_that_is_gone_was_removed_if_its_list_is_still_there():
    assert after(sight(A), sight()) == EntryChanges(removed=(A,))


def test_a_governed_one_whose_list_is_gone_is_lost():
    assert after(sight(A), sight(containers=frozenset())) == EntryChanges(
        (lost(A, 100.0, "the list of servers is gone"),)
    )


def test_where_lists_are_not_known_their_end_is_not_guessed():
    assert after(sight(A), sight(containers=None)) == EntryChanges(removed=(A,))


def test_a_native_one_whose_list_is_gone_was_removed():
    native = entry("n", state="native")
    assert after(sight(native), sight(containers=frozenset())) == EntryChanges(removed=(native,))


def test_with_the_file_all_of_it_is_lost():
    gone = after(sight(A, B), sight(size=-1, containers=frozenset()))
    assert gone == EntryChanges((lost(A, 100.0, "the file is gone"), lost(B, 100.0, "the file is gone")))


def test_a_file_that_became_much_smaller_was_reset():
    reset = after(sight(A, B, size=30_000), sight(B, size=2_000))
    assert reset == EntryChanges((lost(A, 100.0, "the file was reset"),))


@pytest.mark.parametrize(("before", "now"), [(3_000, 200), (30_000, 16_000)])
def test_a_file_that_became_somewhat_smaller_was_not_reset(before, now):
    assert after(sight(A, B, size=before), sight(B, size=now)) == EntryChanges(removed=(A,))


def test_two_that_vanish_at_once_and_leave_none_are_lost_even_if_native():
    native = entry("n", state="native")
    reason = "all servers vanished at once"
    assert after(sight(A, native), sight()) == EntryChanges((lost(A, 100.0, reason), lost(native, 100.0, reason)))


def test_the_servers_of_one_project_can_be_lost_alone():
    box = ("projects", "/p", "mcpServers")
    one, two = entry("one", box), entry("two", box)
    reason = "all servers vanished at once"
    gone = after(sight(A, one, two), sight(A, containers=frozenset({BOX, box})))
    assert gone == EntryChanges((lost(one, 100.0, reason), lost(two, 100.0, reason)))


def test_one_that_vanishes_right_after_it_came_is_lost():
    reason = "vanished right after it was added"
    assert after(sight(A), sight(A, B), sight(A, C), step=4.0) == EntryChanges((lost(B, 8.0, reason),))


def test_one_that_was_there_for_a_while_was_removed():
    assert after(sight(A), sight(A, B), sight(A, B), sight(A), step=6.0) == EntryChanges(removed=(B,))


def test_a_clock_set_back_makes_nobody_young():
    vanished = VanishedEntries()
    vanished.compare(sight(A), 100.0)
    vanished.compare(sight(A, B), 100.0)
    assert vanished.compare(sight(A), 50.0) == EntryChanges(removed=(B,))


def test_the_same_server_under_another_name_is_not_lost():
    renamed = Entry((*BOX, "new"), argv=A.argv)
    assert after(sight(A), sight(renamed, containers=frozenset({BOX})), step=1.0) == EntryChanges(removed=(A,))


def test_a_lost_one_that_comes_back_is_not_missed_any_more():
    vanished = VanishedEntries()
    vanished.compare(sight(A, B), 0.0)
    vanished.compare(sight(), 1.0)
    missed = vanished.lost(2.0)
    assert [one.name for one in missed] == ["a", "b"]
    assert vanished.compare(sight(B), 3.0) == EntryChanges(back=(missed[1],))
    assert vanished.lost(4.0) == (missed[0],)


def test_files_do_not_count_for_each_other():
    vanished = VanishedEntries()
    vanished.compare(sight(A, B), 0.0)
    vanished.compare(sight(), 1.0)
    assert vanished.compare(sight(A, B, file="/other"), 2.0) == EntryChanges()
    assert len(vanished.lost(3.0)) == 2


def test_a_file_that_is_looked_at_no_more_loses_nobody():
    vanished = VanishedEntries()
    vanished.compare(sight(A, B), 0.0)
    vanished.forget(FILE)
    assert vanished.compare(sight(), 1.0) == EntryChanges()


def test_after_a_week_nobody_is_missed():
    vanished = VanishedEntries()
    vanished.compare(sight(A, B), 0.0)
    vanished.compare(sight(), 1.0)
    assert len(vanished.lost(WEEK)) == 2
    assert vanished.lost(WEEK + 1.0) == ()


def test_the_lost_outlive_a_restart_the_latest_first_and_not_too_many():
    rows = [{**ROW, "place": [str(number)], "when": number} for number in range(MOST_LOST + 5)]
    vanished = VanishedEntries(rows)
    kept = vanished.rows(1000.0)
    assert [row["when"] for row in kept] == list(range(MOST_LOST + 4, 4, -1))
    assert VanishedEntries(kept).lost(1000.0) == vanished.lost(1000.0)


ROW = {"client": "c", "file": FILE, "place": ["a"], "name": "a", "transport": "stdio", "when": 1, "reason": "r"}


@pytest.mark.parametrize("row", [None, 3, {}, {**ROW, "when": "x"}, {**ROW, "place": None}, {**ROW, "name": 3}])
def test_a_damaged_row_is_left_out(row):
    assert VanishedEntries([row, ROW]).lost(2.0) == (Lost("c", FILE, ("a",), "a", "stdio", 1.0, "r"),)


def test_one_that_vanishes_alone_right_after_it_came_was_removed():
    assert after(sight(A), sight(A, B), sight(A), step=0.5) == EntryChanges(removed=(B,))


def test_it_is_known_whether_an_entry_has_come():
    vanished = VanishedEntries()
    assert not vanished.has_new_entry(sight(A))
    vanished.compare(sight(A), 0.0)
    assert [vanished.has_new_entry(one) for one in (sight(A), sight(A, B), sight(), sight(B))] == [
        False,
        True,
        False,
        True,
    ]


def test_a_lost_entry_can_be_shown_like_one_that_is_there():
    lost = Lost("c", FILE, ("a",), "a", "stdio", 1.0, "r")
    assert lost.as_entry("at 12:00: r") == EntryState(
        "c", FILE, ("a",), "a", "stdio", "lost", "at 12:00: r", (), reason_code="lost"
    )
