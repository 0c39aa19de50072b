import json
import sys

import psutil
import pytest

from mcpgov.daemon.children.child_command import TIMEOUT, ChildCommand, error_field, parse_answer
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from tests.helpers.daemons import Clock, turn_until


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def reactor(tmp_path):
    made = Reactor(Log(tmp_path / "d.jsonl"))
    yield made
    made.close()


def python(code):
    return [sys.executable, "-I", "-S", "-c", code]


def test_what_the_verb_told_is_handed_over(reactor, clock):
    told = []
    errand = ChildCommand(python('print(\'{"ok": true, "x": 1}\')'), reactor, told.append, clock)
    assert (errand.due(), errand.busy) == (None, False)
    errand.run()
    errand.run()
    assert (errand.due(), errand.busy) == (TIMEOUT, True)
    turn_until(reactor, lambda: told)
    assert (told, errand.busy, errand.due()) == ([{"ok": True, "x": 1}], False, None)
    errand.run()
    turn_until(reactor, lambda: len(told) == 2)


def test_a_verb_that_takes_too_long_is_ended(reactor, clock):
    told = []
    errand = ChildCommand(["/bin/sleep", "600"], reactor, told.append, clock)
    errand.run()
    errand.work()
    assert told == []
    clock.now += TIMEOUT
    errand.work()
    assert told == [{"ok": False, "error": {"message": "it took longer than 60 s"}}]
    assert [child for child in psutil.Process().children() if child.name() == "sleep"] == []


def test_a_verb_that_cannot_be_started_is_told(reactor, clock):
    told = []
    ChildCommand(["/no/such/program"], reactor, told.append, clock).run()
    assert told == [{"ok": False, "error": {"message": "cannot start it: no such file or directory"}}]


def test_a_verb_that_talks_without_end_is_ended(reactor, clock, monkeypatch):
    monkeypatch.setattr("mcpgov.daemon.children.child.MOST_OUTPUT", 100_000)
    told = []
    errand = ChildCommand(python("while True: print('x' * 60000)"), reactor, told.append, clock)
    errand.run()
    turn_until(reactor, lambda: told)
    assert (told[0]["ok"], errand.busy) == (False, False)


def test_a_verb_under_way_can_be_given_up(reactor, clock):
    told = []
    errand = ChildCommand(["/bin/sleep", "600"], reactor, told.append, clock)
    errand.run()
    errand.close()
    errand.close()
    errand.work()
    assert (told, errand.busy) == ([], False)


@pytest.mark.parametrize("answer", [{"ok": True, "x": 1}, {"ok": False, "error": {"message": "no"}}])
def test_what_a_verb_answers_is_taken_as_it_is(answer):
    assert parse_answer(json.dumps(answer).encode(), 3) == answer


@pytest.mark.parametrize("out", [b"", b"nonsense", b"[1]", b"{}", b'{"ok": false}', b"[" * 100_000, b"\xff"])
def test_a_verb_without_a_usable_answer_has_failed(out):
    found = parse_answer(out, -9)
    assert found == {"ok": False, "error": {"message": "it ended with status -9"}}
    assert error_field(found) == "it ended with status -9"


def test_without_an_error_all_is_well():
    assert error_field({"ok": True}) == ""
