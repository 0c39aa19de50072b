"""The habits of the journal, brought by a child."""

import json
import sys
import time

import pytest

from mcpgov.daemon.approvals.habits import Habits
from mcpgov.daemon.approvals.runtime.journal_habits import JournalHabits
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from tests.helpers.questions import question

GOOD = {"server": "github", "target": "delete_repository", "asked_by": "ask-deletes", "yeses": 3, "number": "old-1"}


def told(answer, tmp_path):
    """The habits after a child has said so, and how often they became known."""
    reactor, habits, known = Reactor(Log(str(tmp_path / "log"))), Habits(), []
    code = f"import sys; sys.stdout.write({json.dumps(answer)!r})"
    reader = JournalHabits([sys.executable, "-c", code], reactor, habits, lambda: known.append(1))
    assert reader.due() is None
    reactor.part("habits", lambda: 0.2, reader.work)
    reader.want()
    reader.want()
    assert reader.due() > 0
    until = time.monotonic() + 20
    while not known and time.monotonic() < until:
        reactor.turn()
    reader.want()
    assert reader.due() is None
    reader.close()
    reactor.close()
    return habits, known


@pytest.mark.parametrize(
    "more", [[], [None], [{**GOOD, "yeses": "many"}], [{**GOOD, "server": None}], [{**GOOD, "target": "other"}]]
)
def test_they_are_read_once_and_what_is_odd_is_left_out(more, tmp_path):
    habits, known = told({"ok": True, "habits": [*more, GOOD]}, tmp_path)
    assert (habits.suggests(question()), known) == (True, [1])


@pytest.mark.parametrize("answer", [{"ok": False}, {"ok": True, "habits": "none"}])
def test_without_a_journal_it_counts_from_now_on(answer, tmp_path):
    habits, known = told(answer, tmp_path)
    assert (list(habits), known) == ([], [1])
