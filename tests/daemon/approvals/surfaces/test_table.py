import pytest

from mcpgov.daemon.approvals.effects import OfferQuestion, WithdrawQuestion
from mcpgov.daemon.approvals.surfaces.table import SurfaceRow, Surfaces
from tests.helpers.questions import question

OFFER = OfferQuestion(question(), ("app", "desktop", "terminal"), "4f1d", "4f1d-1", 25.0)
WITHDRAW = WithdrawQuestion(question(), ("app", "desktop", "page"), "answered")


def broken(*_):
    raise RuntimeError("no display")


def rows(told):
    return [
        SurfaceRow("app", lambda: True, lambda effect: told.append("app"), lambda effect: told.append("-app")),
        SurfaceRow("desktop", broken, broken, broken),
        SurfaceRow("terminal", lambda: True, lambda effect: told.append("terminal"), lambda effect: None),
        SurfaceRow("command", lambda: False, lambda effect: None, lambda effect: None),
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
        Surfaces([SurfaceRow("letter", broken, broken, broken)], broken)
