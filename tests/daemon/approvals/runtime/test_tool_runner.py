import sys

import pytest

from mcpgov.daemon.approvals.runtime.tool_runner import ToolRunner
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from tests.helpers.daemons import turn_until


@pytest.fixture
def reactor(tmp_path):
    made = Reactor(Log(tmp_path / "log"))
    yield made
    made.close()


def python(code):
    return [sys.executable, "-c", code]


def test_what_a_tool_printed_and_how_it_ended_is_told_once(reactor):
    told = []
    run = ToolRunner(reactor)
    run(python("print('7'); print('once'); raise SystemExit(3)"), lambda *given: told.append(given))
    turn_until(reactor, lambda: told)
    assert told == [(b"7\nonce\n", 3)]
    run.close()


def test_what_it_has_printed_so_far_is_there_before_it_ends_and_a_closed_one_tells_nothing(reactor):
    told = []
    run = ToolRunner(reactor)
    tool = run(python("print('7', flush=True); input()"), lambda *given: told.append(given))
    tool2 = run(python("import time; print('8', flush=True); time.sleep(600)"), lambda *given: told.append(given))
    turn_until(reactor, tool2.printed)
    tool2.close()
    tool2.close()
    turn_until(reactor, lambda: told)  # the first one has no input to wait for
    assert (told, tool.printed()) == ([(b"7\n", 1)], b"7\n")


def test_the_end_of_the_daemon_ends_every_tool(reactor):
    told = []
    run = ToolRunner(reactor)
    tool = run(python("import time; print('8', flush=True); time.sleep(600)"), lambda *given: told.append(given))
    turn_until(reactor, tool.printed)
    run.close()
    assert told == []


def test_a_tool_that_prints_without_end_failed(reactor, monkeypatch):
    monkeypatch.setattr("mcpgov.daemon.children.child.MOST_OUTPUT", 10)
    told = []
    ToolRunner(reactor)(python("print('x' * 100)"), lambda *given: told.append(given))
    turn_until(reactor, lambda: told)
    assert told == [(b"", -1)]


def test_a_tool_that_is_not_there_is_an_error_at_once(reactor):
    with pytest.raises(OSError, match="nothing"):
        ToolRunner(reactor)(["/nothing/there"], lambda *_given: None)
