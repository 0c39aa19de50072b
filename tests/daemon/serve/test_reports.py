import pytest

from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.reports import LARGEST_DETAILS, ReportedActions
from mcpgov.daemon.serve.serve_requests import CallerAnswer, CallerRequest, ReportRequest
from mcpgov.errors import McpgovError

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


class Journal(list):
    works = True

    def write(self, entry):
        self.append(entry)
        return self.works


@pytest.fixture
def journal():
    return Journal()


def report(journal, **change):
    usual = {"description": "read it", "action_type": "file_read", "target": "/srv/a", "result": "success"}
    made = ReportedActions(journal, lambda _pid, _token: ServeCaller("fs", "fs", "cursor", "/p", "4f1d"))
    return made.report(ReportRequest(**{**usual, **change}), Caller(7))


def test_a_report_is_a_record_that_nothing_takes_for_a_call(journal):
    answer = report(journal, details={"bytes": 5})
    (entry,) = journal
    assert entry == {
        "dir": "report", "method": "reportAction", "action": "reported", "reported": True,
        "event_id": answer.event_id, "caller": "fs", "event": "file_read", "result": "success",
        "description": "read it", "target": "/srv/a", "details": {"bytes": 5},
    }  # fmt: skip
    assert not {"server", "client", "tool", "decision", "us"} & set(entry)
    assert len(answer.event_id) == 36


def test_secrets_are_masked_and_long_texts_cut(journal):
    report(journal, target=f"https://x.example/?token={SECRET}", details={"password": "hunter2", "n": SECRET})
    assert SECRET not in repr(journal)
    assert "hunter2" not in repr(journal)
    assert "details.password" in journal[0]["masked"]


def test_what_is_too_large_or_cannot_be_written_is_told(journal):
    with pytest.raises(McpgovError, match="longer than"):
        report(journal, details={"x": "y" * LARGEST_DETAILS})
    with pytest.raises(McpgovError, match="cannot be written as JSON"):
        report(journal, details={"x": [float("inf")]})
    assert not journal
    journal.works = False
    with pytest.raises(McpgovError, match="cannot be put on record"):
        report(journal)


def test_a_caller_hears_who_it_is(journal):
    made = ReportedActions(journal, lambda pid, _token: ServeCaller(f"p{pid}", "fs", "cursor", "/p", "4f1d"))
    assert made.caller(CallerRequest(), Caller(7)) == CallerAnswer("p7", "fs", "cursor", "/p")
