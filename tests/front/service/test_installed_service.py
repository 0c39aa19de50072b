import json

import pytest

from mcpgov.daemon.control.line_client import NoSocket
from mcpgov.daemon.status.model import KeptService
from mcpgov.front.service import installed_service
from mcpgov.front.service.installed_service import NO_SIGN, look, why_not_running

TAKEN = "it ended with status 1: cannot listen"


@pytest.fixture
def says(monkeypatch, tmp_path):
    """What the daemon says, one answer after another; the last one again and again."""

    def says(*rows):
        left = [{"name": "serve", **row} if row else None for row in rows]

        def ask(_socket):
            row = left.pop(0) if len(left) > 1 else left[0]
            return json.dumps({"services": [{"name": "page", "state": "running"}, *([row] if row else [])]})

        monkeypatch.setattr(installed_service.fast_status, "ask", ask)
        monkeypatch.setattr(installed_service, "PAUSE", 0.0)
        monkeypatch.setattr(installed_service, "PATIENCE", 0.2)
        return tmp_path

    return says


def test_it_runs_once_it_has_settled(says):
    assert why_not_running(says(None, {"state": "starting", "pid": 1}, {"state": "running", "pid": 1}), None) == ""


def test_one_that_was_there_before_has_to_be_another_run(says):
    before = KeptService("serve", "running", 1)
    well = {"state": "backing off", "reason": "it ended with status 0"}
    told = {"state": "running", "pid": 1, "reason": TAKEN}, well, {"state": "starting", "pid": 2, "reason": TAKEN}
    assert why_not_running(says(*told, {"state": "running", "pid": 2}), before) == ""
    assert why_not_running(says(told[0]), before) == NO_SIGN


@pytest.mark.parametrize("state", ["backing off", "failed"])
def test_a_failure_is_told_with_its_reason(says, state):
    assert why_not_running(says({"state": "starting"}, {"state": state, "reason": TAKEN}), None) == TAKEN


def test_without_a_daemon_or_an_entry_there_is_nothing_to_see(says, monkeypatch):
    folder = says({"state": "running", "pid": 7, "since": 5})
    assert look(folder) == KeptService("serve", "running", 7, 5)
    assert look(says(None)) is None

    def gone(_socket):
        raise NoSocket("no")

    monkeypatch.setattr(installed_service.fast_status, "ask", gone)
    assert look(folder) is None
