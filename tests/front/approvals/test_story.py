import pytest

from mcpgov.daemon.approvals import records
from mcpgov.front.approvals.story import belongs, event_text, outcome, question_number, story, takes_late_yes


def event(action, number="a-1", time=5.0, **more):
    return {"dir": "approval", "action": action, "decision": number, "question": number, "time": time, **more}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (event(records.ASKED), "a person is asked"),
        (event(records.JOINED, question="b-1"), "the same is asked already: it waits with question b-1"),
        (event(records.OFFERED, surfaces=["app", "later"], wait=25.0), "offered in the app, later, for 25 s"),
        (event(records.OFFERED), "offered nowhere, for its time"),
        (event(records.EXPIRED, wait=25), "nobody answered in 25 s: denied"),
        (event(records.WITHDRAWN, why="cancelled"), "withdrawn: cancelled"),
        (event(records.DISPATCHED), "sent to the server"),
        (event(records.NOT_DISPATCHED, why="the policy moved"), "not sent: the policy moved"),
        (event(records.TOO_MANY, why="5 open"), "not asked, denied: 5 open"),
        (event(records.UNREACHABLE), "nobody could be asked: denied"),
        (event(records.OBJECTED, why="x"), "an answer that does not count: x"),
        (event(records.ANSWERED, answer="no", surface="app"), "denied in the app"),
        (
            event(records.ANSWERED, answer="yes", term="time", scope="tool", seconds=900, surface="terminal", who="u"),
            "allowed for 15 min, this tool in `mcpgov approvals --watch` by u",
        ),
        (
            event(records.LATE, answer="yes", surface="command", after_ms=40_000),
            "allowed once on the command line, after 40.0 s; too late for the call, it counts for the next try",
        ),
        (event(records.GRANT_MADE, grant="g", term="session", scope="tool"), "grant g: for this session, this tool"),
        (event(records.GRANT_MADE, grant="g", term="time", scope="folder"), "grant g: for a time, this folder"),
        (event(records.GRANT_MADE, grant="g", term="time", scope="odd"), "grant g: for a time, odd"),
        (event(records.GRANT_USED, "b-1", grant="g", call="a-1"), "allowed without a question, by grant g (once)"),
        (event(records.GRANT_USED, grant="g", call="b-1"), "its grant g let call b-1 pass"),
        (event(records.GRANT_ENDED, grant="g", why="used"), "grant g ended: used"),
        (
            {"action": "resumed", "waited_us": 1_500_000},
            "judged again by the policy then in force, and sent to the server, after 1.5 s",
        ),
        ({"action": "deny", "why": "no"}, "denied: no"),
        ({"action": "something new", "why": "x"}, "something new: x"),
        ({}, ""),
    ],
)  # fmt: skip
def test_every_record_has_its_words(record, told):
    assert event_text(record, "a-1") == told


@pytest.mark.parametrize(
    ("events", "word"),
    [
        ([records.ASKED, records.OFFERED], "waiting"),
        ([records.OFFERED, records.ANSWERED, "resumed"], "allowed"),
        ([records.OFFERED, records.ANSWERED, records.DISPATCHED], "allowed"),
        ([records.OFFERED, records.EXPIRED], "timeout"),
        ([records.OFFERED, records.WITHDRAWN], "withdrawn"),
        ([records.TOO_MANY], "denied"),
        ([records.UNREACHABLE], "unreachable"),
        ([], "unreachable"),
        (["deny"], "denied"),
    ],
)
def test_what_became_of_a_call_is_one_word(events, word):
    assert outcome([event(each) for each in events]) == word
    assert outcome([event("deny", answer="refused")]) == "refused"


def test_a_call_that_waited_with_another_ones_question_belongs_to_that_story():
    found = [event(records.ASKED, "a-2", question="a-2"), event(records.JOINED, "a-2", question="a-1")]
    assert (question_number(found, "a-2"), question_number(found[:1], "a-2")) == ("a-1", "a-2")
    assert belongs(event(records.ANSWERED, "a-1"), "a-2", "a-1")
    assert not belongs(event(records.DISPATCHED, "a-1"), "a-2", "a-1")
    assert belongs(event(records.GRANT_USED, "b-1", call="a-2"), "a-2", "a-1")
    assert not belongs(event(records.GRANT_USED, "a-1", call="b-1"), "a-2", "a-1")
    assert belongs({"dir": "client", "action": "resumed", "decision": "a-2"}, "a-2", "a-1")
    assert not belongs({"dir": "client", "action": "prompt", "decision": "a-2"}, "a-2", "a-1")


def test_lines_come_in_the_order_of_time_and_say_the_sending_once():
    found = [
        {"dir": "client", "action": "resumed", "decision": "a-1", "time": 9.0},
        event(records.DISPATCHED, time=9.1),
        event(records.ASKED),
        {"action": "x"},
    ]
    assert [(line.event, line.after) for line in story(found, "a-1", 5.0)] == [
        ("x", 0.0),
        ("asked", 0.0),
        ("resumed", 4.0),
    ]


def test_what_became_of_an_answer_says_nothing_of_the_call_itself():
    held = {"dir": "server", "action": "prompt", "decision": "a-2", "answer_to": "a-1", "rule": "odd"}
    refused = {"dir": "server", "action": "deny", "decision": "a-2", "answer_to": "a-1", "answer": "refused"}
    found = [{"dir": "client", "action": "resumed", "decision": "a-1"}, held, event(records.EXPIRED, "a-2"), refused]
    assert (outcome(found), outcome(found[2:]), takes_late_yes(found)) == ("allowed", "refused", False)
    assert event_text(held) == "its answer is held, by rule `odd`: mcpgov why a-2"
    passed = {"dir": "server", "action": "resumed", "decision": "a-2", "answer_to": "a-1"}
    assert event_text(passed) == "judged again by the policy then in force, and handed over to the app"
