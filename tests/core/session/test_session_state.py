"""What the parts of a session share."""

from mcpgov.core.session.session_policy import Who
from mcpgov.core.session.session_state import State
from mcpgov.core.session.tool_list import Pins, ToolList
from tests.helpers.playbook import (
    Playbook,
    call,
    client,
    digest,
    line,
    request,
    server,
)


def test_calls_are_the_clients_requests_that_got_a_verdict():
    talk = Playbook({"action": "allow", "tool": ["**"]})
    talk >> client(request(1, "initialize"))
    talk >> client(request(2, "tools/list"))
    talk >> client(request(3, "ping"))
    assert (talk.session.state.calls, talk.session.judged) == (0, 3)
    talk >> client(call(4, "read", path="b"))
    talk >> client(line(call(5, "read")).replace(b"read", b"re\\u0061d"))
    talk >> client(request(6, "resources/read", uri="file:///x"))
    talk >> server(request("a", "sampling/createMessage"))
    assert (talk.session.state.calls, talk.session.state.denied) == (3, 1)


def test_what_was_decided_and_denied_is_counted():
    talk = Playbook(none=True)
    (talk >> client(call(1)))
    (talk >> client(call(2)))
    assert (talk.session.judged, talk.session.state.denied, talk.session.state.errors) == (2, 2, 0)


def test_requests_are_numbered_and_calls_are_known_by_their_names():
    listing = ToolList(Pins(), "log")
    listing.annotations["t"] = {"readOnlyHint": True}
    state = State(Who("fs", "cursor", "/p", "s"), None, listing, digest, iter(range(9)).__next__, digest)
    assert [state.next_number, state.number(), state.number(), state.calls] == ["s-1", "s-1", "s-2", 2]
    named, other = state.call_of("tools/call", "t"), state.call_of("ping", None)
    assert (named.tool, named.args, named.annotations, named.project) == ("t", {}, {"readOnlyHint": True}, "/p")
    assert (other.method, other.tool, other.args) == ("ping", None, None)
