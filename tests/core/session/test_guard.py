"""Guards: what judges after the rules, and hears of the end of each request."""

import pytest

from mcpgov.core.approvals.held_requests import Resolution
from mcpgov.core.decision import Decision
from mcpgov.core.rules.rule import Literal
from mcpgov.core.session.guard import Guard, Guards, Missing
from mcpgov.core.session.session import Policy
from tests.helpers.compiled import FakeHooks, ruleset
from tests.helpers.playbook import (
    ALLOW_ALL,
    META,
    NOTHING,
    YES,
    Ask,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    line,
    notification,
    request,
    result,
    server,
)


class Budget(Guard):
    """Says what the test tells it to, and remembers."""

    def __init__(self, action=None, found=None, cuts=()):
        self.action, self.found, self.cuts = action, found, cuts
        self.checked, self.settled = [], []

    def check(self, call, *, sends):
        self.checked.append(call.tool or call.method)
        if self.action == "fail":
            raise ZeroDivisionError
        return Decision(self.action, "budget", "policy", "spent", "rev", self.cuts) if self.action else None

    def settle(self, call, outcome):
        if self.action == "unsettled":
            raise ZeroDivisionError
        self.settled.append((call.tool or call.method, outcome))

    def scan(self, call, result, *, is_error):
        return Decision(self.found, "budget", "policy", "spent", "rev", (Literal("42"),)) if self.found else None


class GuardHooks(FakeHooks):
    def __init__(self, *guards):
        self.made = Guards(list(guards))

    def guards(self, names, heads, world):
        assert (names, [head["revision"] for head in heads]) == (["budget"], ["rev"])
        return self.made


def guarded(*guards, rules=(ALLOW_ALL,), asks=False):
    talk = Playbook(none=True, asks=asks)
    needs = ["budget", "contains"] if any("contains" in rule for rule in rules) else ["budget"]
    talk.session.policy = Policy(ruleset(*rules, hooks=GuardHooks(*guards), needs=needs, deny_as="error"))
    return talk


def code(talk):
    return talk.reply["error"]["message"]


def test_a_guard_with_nothing_to_say_lets_pass_and_hears_the_end_once():
    guard = Budget()
    talk = guarded(guard) >> client(call(1)) << Forward(call(1))
    talk >> server(result(1)) << Reply(result(1))
    assert (guard.checked, guard.settled) == (["read"], [("read", "answered")])
    talk >> server(result(1)) << NOTHING
    assert len(guard.settled) == 1


def test_no_call_takes_the_fast_path_where_the_head_needs_a_guard():
    guard = Budget()
    talk = guarded(guard)
    for ident in range(5):
        assert talk.session.quick_call(line(call(ident))) is None
    assert not talk.session.policy.records_only


def test_a_guard_can_only_make_the_verdict_stricter():
    for action, expected in (("deny", "deny"), ("allow", "log"), ("log", "log")):
        talk = guarded(Budget(action), rules=({"action": "log", "tool": ["**"]},)) >> client(call(1))
        assert talk.note["action"] == expected
    talk = guarded(Budget("allow"), rules=({"action": "deny", "tool": ["**"]},)) >> client(call(1))
    assert talk.note["action"] == "deny"


def test_guards_judge_in_order_and_after_a_denial_nobody_is_asked():
    first, second, third = Budget("log"), Budget("deny"), Budget()
    talk = guarded(first, second, third) >> client(call(1))
    assert "spent" in code(talk)
    assert (first.checked, second.checked, third.checked) == (["read"], ["read"], [])
    assert [guard.settled for guard in (first, second, third)] == [[("read", "denied")]] * 3


def test_a_guard_may_ask_a_person_and_the_yes_holds_for_it():
    guard = Budget("prompt")
    talk = guarded(guard, asks=True) >> client(call(1)) << Ask("s-1")
    talk.resume("s-1", YES) << Forward(call(1))
    talk >> server(result(1)) << Reply(result(1))
    assert (guard.checked, guard.settled) == (["read", "read"], [("read", "answered")])
    talk >> client(call(2))
    talk.resume("s-2", Resolution("timeout", "too late"))
    talk >> client(call(3)) >> client(notification("notifications/cancelled", requestId=3))
    talk >> client(call(4))
    talk.take(talk.session.client_gone())
    assert [outcome for _, outcome in guard.settled] == ["answered", "denied", "cancelled", "withdrawn"]


def test_every_end_of_a_request_is_told():
    guard = Budget()
    talk = guarded(guard)
    for ident in (1, 2, 3):
        talk >> client(call(ident))
    talk.session.unrecorded("client", 1)
    talk >> server(b'{"jsonrpc":"1.0","id":2,"result":{}}')
    talk.take(talk.session.server_gone("gone"))
    assert [outcome for _, outcome in guard.settled] == ["unrecorded", "answered", "server gone"]


def test_requests_of_the_server_are_guarded_too():
    guard = Budget()
    talk = guarded(guard)
    asked = request(1, "sampling/createMessage")
    talk >> server(asked) << Reply(asked)
    talk >> client(result(1)) << Forward(result(1))
    talk >> server(request(2, "roots/list")) >> client(result(2))
    assert (guard.checked, guard.settled) == (["sampling/createMessage"], [("sampling/createMessage", "answered")])
    guard.action = "deny"
    talk >> server(asked)
    assert guard.settled[-1] == ("sampling/createMessage", "denied")


@pytest.mark.parametrize(("action", "outcome"), [(None, "answered"), ("deny", "denied")])
def test_input_requests_inside_results_are_guarded(action, outcome):
    guard = Budget()
    talk = guarded(guard) >> client(call(1, "read", META))
    guard.action = action
    talk >> server(result(1, inputRequests={"k": {"method": "elicitation/create", "params": {}}}))
    assert ("elicitation/create", outcome) in guard.settled


def test_what_is_not_governed_is_no_guards_business():
    guard = Budget("deny")
    talk = guarded(guard) >> client(request(1, "tools/list")) << Forward(request(1, "tools/list"))
    talk >> client(request(2, "ping")) << Forward(request(2, "ping"))
    assert guard.checked == guard.settled == []


def test_a_guard_that_fails_denies_from_then_on():
    guard = Budget("fail")
    talk = guarded(guard) >> client(call(1))
    assert "the guard Budget failed: ZeroDivisionError" in code(talk)
    guard.action = None
    talk >> client(call(2))
    assert "the guard Budget failed" in code(talk)


def test_a_guard_that_cannot_settle_denies_from_then_on():
    guard = Budget("unsettled")
    guard.check = lambda call, sends: None
    talk = guarded(guard) >> client(call(1)) << Forward(call(1))
    talk >> server(result(1)) << Reply(result(1))
    talk >> client(call(2))
    assert "the guard Budget failed" in code(talk)


def test_an_answer_is_scanned_and_stopped_or_cut():
    talk = guarded(Budget(found="deny")) >> client(call(1)) >> server(result(1, text="x 42"))
    assert "spent" in code(talk)
    talk = guarded(Budget(found="redact")) >> client(call(1)) >> server(result(1, text="x 42"))
    talk << Reply(result(1, text="x [REDACTED]"))


def test_the_cuts_of_rules_and_guards_add_up():
    rules = ({"action": "redact", "contains": ["bad"]}, ALLOW_ALL)
    talk = guarded(Budget(found="redact"), rules=rules) >> client(call(1)) >> server(result(1, text="bad 42"))
    talk << Reply(result(1, text="[REDACTED] [REDACTED]"))


def test_answers_on_their_way_when_a_guard_comes_in_force_are_scanned():
    talk = Playbook(ALLOW_ALL) >> client(call(1)) << Forward(call(1))
    guard = Budget(found="deny")
    talk.session.policy = Policy(ruleset(ALLOW_ALL, hooks=GuardHooks(guard), needs=["budget"], deny_as="error"))
    talk >> server(result(1, text="x"))
    assert ("spent" in code(talk), guard.settled) == (True, [])


def test_a_guard_that_cannot_be_had_denies():
    talk = guarded(Missing("budget", "no such thing")) >> client(call(1))
    assert "the guard `budget` cannot be loaded: no such thing" in code(talk)


def test_a_guard_that_leaves_everything_as_it_is_changes_nothing():
    talk = guarded(Guard()) >> client(call(1)) << Forward(call(1))
    talk >> server(result(1)) << Reply(result(1))
