"""What dead processes held: spent, but for calls that were provably never sent."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import mcpgov
from mcpgov import journal_reader
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.front.budgets.ledger_repair import charges
from mcpgov.front.budgets.orphaned_holds import DAY, KEPT, ended_sessions, release_orphaned, said_of
from mcpgov.guards.ledger.budget_states import BudgetStates
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.disk.accounts import HeldAmount
from mcpgov.guards.ledger.disk.clocks import process_start
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_reader import Damage
from mcpgov.journal_session import JournalSession

ROOM = Path(mcpgov.__file__).parents[1]
HERE = process_start()
DEAD = 2**22 + 1


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(str(tmp_path / "state" / "ledger.sqlite"))
    yield made
    made.close()


@pytest.fixture
def journal(tmp_path):
    session = JournalSession(str(tmp_path / "journal"), {"session": "aa", "client": "", "server": "fs"})

    def write(action, number, **more):
        assert session.write({"dir": "client", "method": "tools/call", "action": action, "decision": number, **more})

    return write


def hold(ledger, call, pid=DEAD, start=HERE):
    ledger._process = (pid, start)
    ledger.reserve([BudgetClaim("b", "b", "p", 10**9, 5)], call)


def used(ledger):
    return [(each.spent, each.held) for each in ledger.standing()]


def test_a_call_without_a_record_was_not_sent_and_returns(ledger, journal, tmp_path):
    journal("allow", "aa-1")
    hold(ledger, "aa-1")
    hold(ledger, "aa-2")
    assert release_orphaned(ledger, tmp_path / "journal") == 2
    assert used(ledger) == [(5, 0)]


@pytest.mark.parametrize(("action", "sent"), [("prompt", False), ("deny", False), ("resumed", True), ("log", True)])
def test_a_call_that_only_asked_was_not_sent(ledger, journal, tmp_path, action, sent):
    journal("prompt", "aa-1")
    journal(action, "aa-1")
    hold(ledger, "aa-1")
    release_orphaned(ledger, tmp_path / "journal")
    assert used(ledger) == [(5 if sent else 0, 0)]


def test_without_the_records_of_its_session_nothing_is_proved(ledger, journal, tmp_path):
    hold(ledger, "aa-1")
    hold(ledger, "")
    release_orphaned(ledger, tmp_path / "journal")
    assert used(ledger) == [(10, 0)]


def test_after_a_restart_of_the_machine_nothing_is_proved(ledger, journal, tmp_path):
    journal("allow", "aa-1")
    hold(ledger, "aa-2", os.getpid(), "0000:" + HERE.partition(":")[2])
    assert release_orphaned(ledger, tmp_path / "journal") == 1
    assert used(ledger) == [(5, 0)]


def test_a_damaged_journal_proves_nothing(ledger, journal, tmp_path):
    journal("allow", "aa-1")
    (path,) = (tmp_path / "journal").glob("*.jsonl")
    with path.open("ab") as file:
        file.write(b'{"session":"aa", odd\n')
    hold(ledger, "aa-2")
    release_orphaned(ledger, tmp_path / "journal")
    assert used(ledger) == [(5, 0)]


def test_a_process_that_lives_keeps_what_it_holds(ledger, journal, tmp_path):
    hold(ledger, "aa-1", os.getpid())
    assert release_orphaned(ledger, tmp_path / "journal") == 0
    assert used(ledger) == [(0, 5)]


def test_a_pid_that_is_anothers_by_now_is_told_by_its_start(ledger, journal, tmp_path):
    boot, _, ticks = HERE.partition(":")
    hold(ledger, "", os.getpid(), f"{boot}:{int(ticks) - 1}")
    assert release_orphaned(ledger, tmp_path / "journal") == 1


def test_where_no_start_is_known_a_process_that_began_after_the_hold_is_another(ledger, journal, tmp_path):
    class Elsewhere:
        def look(self, pid):
            return this_machine().look(os.getpid())

    held = HeldAmount("aa-1/1", "b", "p", 5, 7, "", 0)
    began = this_machine().look(os.getpid()).start
    assert release_orphaned(_Holding([held]), tmp_path / "journal", Elsewhere()) == 1
    held.made = int((began + 10) * 1e6)
    assert release_orphaned(_Holding([held]), tmp_path / "journal", Elsewhere()) == 0
    assert said_of([held], tmp_path / "journal") == (set(), set())


class _Holding:
    """A ledger with these holds."""

    def __init__(self, held):
        self.held = held

    def holds(self):
        return self.held

    def release(self, dead, unsent, record):
        assert dead == self.held


def test_what_a_dead_process_held_is_on_record_as_charged(ledger, journal, tmp_path):
    journal("allow", "aa-1")
    for call in ("aa-1", "aa-2", ""):
        hold(ledger, call)
    release_orphaned(ledger, tmp_path / "journal")
    assert charges(tmp_path / "journal") == {("b", "p"): (10, 0, 0)}
    assert used(ledger) == [(10, 0)]


def test_a_charge_that_the_dead_process_had_recorded_is_not_recorded_again(ledger, journal, tmp_path):
    journal("allow", "aa-1")
    journal("charged", "aa-1", charges=[["b", "p", 5]])
    hold(ledger, "aa-1", start="0000:1")
    release_orphaned(ledger, tmp_path / "journal")
    assert charges(tmp_path / "journal") == {("b", "p"): (5, 0, 0)}
    assert used(ledger) == [(5, 0)]


def test_whoever_dies_between_the_record_and_the_release_counts_once(ledger, journal, tmp_path):
    hold(ledger, "aa-1")
    with pytest.MonkeyPatch.context() as dying:
        dying.setattr(BudgetStates, "write", lambda *_given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            release_orphaned(ledger, tmp_path / "journal")
    assert used(ledger) == [(0, 5)]
    release_orphaned(ledger, tmp_path / "journal")
    assert used(ledger) == [(5, 0)]
    assert charges(tmp_path / "journal") == {("b", "p"): (5, 0, 0)}


def test_what_cannot_be_put_on_record_stays_held(ledger, tmp_path):
    (tmp_path / "journal").write_text("no directory")
    hold(ledger, "aa-1")
    release_orphaned(ledger, tmp_path / "journal")
    assert used(ledger) == [(0, 5)]


# Claims, puts the call on record, then sends it, which is a line in a file that all append to. As a proxy does.
PROXY = """
import os, sys
from mcpgov.guards.ledger.budget_states import BudgetStates
from mcpgov.guards.ledger.claims import BudgetClaim, Hold
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_session import JournalSession
root, session = sys.argv[1:]
ledger = Ledger(f"{root}/state/ledger.sqlite")
journal = JournalSession(f"{root}/journal", {"session": session, "client": "", "server": "fs"})
server = os.open(f"{root}/server", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
journal.write({"dir": "client", "method": "initialize", "action": "passed"})
print("ready", flush=True)
for at in range(200):
    number = f"{session}-{at}"
    hold = ledger.reserve([BudgetClaim("b", "b", "p", 1000, 1)], number)
    if not isinstance(hold, Hold):
        break
    assert journal.write({"dir": "client", "method": "tools/call", "action": "allow", "decision": number})
    os.write(server, f"{number}\\n".encode())
    ledger.settle(hold, [1])
"""


def test_processes_that_are_killed_at_random_never_spend_more_than_there_is(tmp_path):
    ledger, journal = Ledger(str(tmp_path / "state" / "ledger.sqlite")), tmp_path / "journal"
    chance = random.Random(14)
    living, born = [], 0
    while born < 40 or living:
        while born < 40 and len(living) < 12:
            command = [sys.executable, "-c", textwrap.dedent(PROXY), str(tmp_path), f"{born:012x}"]
            living.append(subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOM))
            born += 1
        victim = living.pop(chance.randrange(len(living)))
        victim.stdout.readline()
        if chance.random() < 0.7:
            victim.send_signal(signal.SIGKILL)
        victim.wait(timeout=60)
        victim.stdout.close()
        release_orphaned(ledger, journal)
    sent = (tmp_path / "server").read_text().split()
    assert len(sent) == len(set(sent)) <= 1000
    paths = journal_reader.files(str(journal))
    records = [piece.text("decision") for piece in journal_reader.read(paths, Damage(), b'"allow"')]
    # What is on record may have been sent, and is spent; what is not on record is not.
    assert used(ledger) == [(len(records), 0)]
    assert set(records) >= {piece.text("decision") for piece in journal_reader.read(paths, Damage(), b'"charges"')}
    assert set(sent) <= set(records)
    ledger.close()


def test_a_session_has_ended_with_its_process_or_when_it_is_said(tmp_path):
    clock = [10**15]
    ledger = Ledger(str(tmp_path / "l.sqlite"), wall=lambda: clock[0])
    places = {"here": (os.getpid(), HERE), "dead": (DEAD, HERE), "left": (os.getpid(), HERE)}
    for name, ledger._process in places.items():
        ledger.reserve([BudgetClaim("b", "b", f"session {name}", 10**9, 5)])
    ledger.end_session("session left")
    ledger.spend("b", "session unknown", 1)
    assert ended_sessions(ledger) == {"session dead", "session left"}
    clock[0] += DAY + 1
    assert ended_sessions(ledger) == {"session dead", "session left", "session unknown"}
    assert len(ledger.sessions()) == 4
    clock[0] += KEPT
    assert len(ended_sessions(ledger)) == 3
    assert [each.period for each in ledger.sessions()] == ["session here"]
    ledger.close()
