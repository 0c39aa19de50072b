"""The clocks of the ledger, and what tells processes apart."""

import subprocess
import sys
import time

from mcpgov.guards.ledger.disk import clocks


def test_the_clock_of_the_machines_start_is_the_same_in_every_process():
    code = "from mcpgov.guards.ledger.disk.clocks import steady_clock; print(steady_clock())"
    before = clocks.steady_clock()
    other = int(subprocess.check_output([sys.executable, "-c", code]))
    assert before <= other <= clocks.steady_clock()


def test_the_clock_of_the_day_counts_from_the_epoch():
    assert abs(clocks.day_clock() / 1_000_000 - time.time()) < 60


def test_two_processes_have_started_differently_on_the_same_start_of_the_machine():
    code = "from mcpgov.guards.ledger.disk.clocks import process_start; print(process_start())"
    other = subprocess.check_output([sys.executable, "-c", code], text=True).strip()
    assert other != clocks.process_start() or other == ""  # not told outside of Linux
    assert other.partition(":")[0] == clocks.this_start() or other == ""


def test_where_the_system_does_not_tell_it_is_empty(monkeypatch):
    def refused(*_):
        raise OSError

    monkeypatch.setattr(clocks, "open", refused, raising=False)
    assert (clocks.process_start(), clocks.this_start()) == ("", "")
