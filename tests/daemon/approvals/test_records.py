from mcpgov.core.approvals.grants import grant_of
from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.daemon.approvals.records import choice_fields, entry, grant_entry
from tests.core.approvals.test_grants import RESOURCE, TOOL
from tests.helpers.questions import permission, question


def test_a_record_names_the_call_and_the_question_it_hangs_on():
    assert entry("joined", question(), "77aa-3", surface="", after=None, who="me") == {
        "dir": "approval", "method": "tools/call", "action": "joined", "decision": "77aa-3", "question": "4f1d-1",
        "server": "github", "client": "claude-code", "tool": "delete_repository",
        "rule": "ask-deletes", "who": "me",
    }  # fmt: skip
    assert "tool" not in entry("asked", question(target=""), "4f1d-1")


def test_an_answer_is_recorded_with_its_term_and_scope():
    assert choice_fields(NO) == {"answer": "no"}
    assert choice_fields(YES_ONCE) == {"answer": "yes", "term": "once", "scope": "exact"}
    assert choice_fields(Choice(True, "time", "tool", 900.0))["seconds"] == 900.0


def test_a_grants_record_tells_what_it_is_bound_to():
    made = grant_entry("grant ended", grant_of(TOOL), why="expired", number="")
    assert (made["grant"], made["until"], made["why"], "number" in made) == ("g1", 1060.0, "expired", False)


def test_a_resource_is_recorded_as_one():
    asked = entry("asked", permission(), "4f1d-p1")
    assert (asked["resource"], "tool" in asked) == ("/srv/a", False)
    made = grant_entry("grant made", grant_of(RESOURCE))
    assert (made["resource"], "tool" in made, made["method"]) == ("/srv/a", False, "permission/write")
