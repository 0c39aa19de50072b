"""Effects: told apart by type, equal by their parts."""

from mcpgov.core.session import effects
from mcpgov.core.session.effects import filled
from tests.helpers.playbook import (
    ALLOW_ALL,
    Ask,
    Playbook,
    Show,
    call,
    client,
    request,
    result,
    server,
)


def test_a_line_that_was_lent_is_filled_in_where_it_goes_out():
    released = bytearray()
    made = [effects.Record("n"), effects.Reply(released), effects.Forward(b"", 1)]
    assert filled(made, released, "text") == [effects.Record("n"), effects.Reply(b"text"), effects.Forward(b"", 1)]


def test_equal_effects_have_one_type_and_equal_parts():
    assert effects.Forward(b"a", 1) == effects.Forward(b"a", 1) != effects.Forward(b"a", 2)
    assert effects.Forward(b"a") != effects.Reply(b"a")
    assert effects.Withdraw("s-1", "cancelled") != "s-1"
    assert repr(effects.Record({"a": 1})) == "Record({'a': 1},)"


def test_a_question_has_what_is_to_be_asked():
    talk = Playbook({"action": "prompt", "tool": ["**"]}, asks=True, who=("fs", "cursor", "/p"))
    talk >> client(call(1, "delete_file", path="/a")) << Ask("s-1")
    (asked,) = talk.questions
    called, decision = asked.call, asked.decision
    assert (asked.sender, called.server, called.client, called.project) == ("client", "fs", "cursor", "/p")
    assert (called.tool, called.operation, called.args) == ("delete_file", "delete", {"path": "/a"})
    assert (decision.rule, decision.action, decision.revision) == ("r1", "prompt", "rev")


def test_pins_and_what_is_shown_are_effects_too():
    talk = Playbook(ALLOW_ALL) >> client(request(1, "tools/list")) >> server(result(1, tools=[]))
    assert talk.saved == 1
    talk >> server(b"no message") << Show(b"no message")


def test_what_is_told_of_a_question_are_effects_too():
    assert effects.AppAnswer("s-1", "once") == effects.AppAnswer("s-1", "once", "")
    assert effects.Parked("s-1") != effects.Dispatched("s-1")
    assert effects.Dispatched("s-1", "it moved").why == "it moved"
