import time

import pytest

from mcpgov import journal_reader
from mcpgov.errors import McpgovError
from mcpgov.front.audit.decision_records import last_stopped, records_of, whole_params
from mcpgov.journal_reader import Damage
from tests.helpers.held_calls import HeldCalls


@pytest.fixture
def held(tmp_path):
    return HeldCalls(tmp_path, time.time() - 60)


def test_verdict_answers_and_events_are_told_apart(held, tmp_path):
    held.refused()
    number = held.allowed({"repo": "acme/site"})
    record, answers, events = records_of(journal_reader.files(str(tmp_path)), number, Damage())
    assert (record.text("action"), [each.text("action") for each in answers]) == ("prompt", ["answered"])
    assert [each["action"] for each in events] == ["asked", "offered", "question answered", "resumed", "dispatched"]
    assert records_of(journal_reader.files(str(tmp_path)), "none-1", Damage()) == (None, [], [])


def test_the_last_stopped_call_is_found_or_missed_with_a_hint(held, tmp_path):
    with pytest.raises(McpgovError, match="no call on record was stopped"):
        last_stopped(journal_reader.files(str(tmp_path)), Damage())
    refused = held.refused()
    held.allowed()
    assert last_stopped(journal_reader.files(str(tmp_path)), Damage()) == refused


def test_the_parameters_of_a_call_are_given_where_the_record_holds_them_whole(held, tmp_path):
    number = held.ask({"repo": "acme/site"})
    record, _, _ = records_of(journal_reader.files(str(tmp_path)), number, Damage())
    assert whole_params("tools/call", record, str(tmp_path / "salt")) == {
        "name": "delete_x", "arguments": {"repo": "acme/site"},
    }  # fmt: skip
    record.data = {**record.data, "args": {"repo": "***"}}
    assert "masked or cut" in whole_params("tools/call", record, str(tmp_path / "salt"))


def test_the_story_of_a_held_answer_is_told_with_its_call_and_alone(held, tmp_path):
    call, question = held.answer_held()
    paths = journal_reader.files(str(tmp_path))
    record, answers, events = records_of(paths, call, Damage())
    assert (record.text("action"), [each.text("action") for each in answers]) == ("allow", ["answered"])
    assert [each["action"] for each in events] == ["prompt", "asked", "question answered", "resumed"]
    record, answers, events = records_of(paths, question, Damage())
    assert (record.text("action"), answers) == ("prompt", [])
    assert [each["action"] for each in events] == ["asked", "question answered", "resumed"]
