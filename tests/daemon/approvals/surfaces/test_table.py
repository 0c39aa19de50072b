import pytest

from mcpgov.daemon.approvals.effects import Offer, Withdraw
from mcpgov.daemon.approvals.surfaces.table import Row, Surfaces
from tests.helpers.questions import question

OFFER = Offer(question(), ("app", "desktop", "terminal"), "4f1d", "4f1d-1", 25.0)
WITHDRAW = Withdraw(question(), ("app", "desktop", "page"), "answered")


def broken(*_):
    raise RuntimeError("no display")


def rows(told):
    return [
        Row("app", lambda: True, lambda effect: told.append("app"), lambda effect: told.append("-app")),
        Row("desktop", broken, broken, broken),
        Row("terminal", lambda: True, lambda effect: told.append("terminal"), lambda effect: None),
        Row("command", lambda: False, lambda effect: None, lambda effect: None),
    ]


def test_a_row_that_fails_takes_nothing_with_it():
    told, failed = [], []
    surfaces = Surfaces(rows(told), lambda *what: failed.append(what))
    assert surfaces.at_the_desk() == ("terminal",)
    surfaces.offer(OFFER)
    assert told == ["app", "terminal"]
    assert failed == [("4f1d-1", "desktop", "RuntimeError: no display")]
    problems = surfaces.withdraw(WITHDRAW)
    assert told[-1] == "-app"
    assert problems == ["desktop: RuntimeError: no display", "page: KeyError: 'page'"]


def test_a_row_of_no_known_surface_is_a_mistake():
    with pytest.raises(ValueError, match="no such surface: letter"):
        Surfaces([Row("letter", broken, broken, broken)], broken)
