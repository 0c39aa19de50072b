"""Guards: what judges after the rules, and hears of the end of each request."""

import pytest

from mcpgov.core.approvals.held_requests import Resolution
from mcpgov.core.decision import Decision
from mcpgov.core.rules.call import Call, call_of
from mcpgov.core.rules.rule import Literal
from mcpgov.core.session.guard import Guard, Guards, LineGuard, Missing, Screened, stricter
from mcpgov.core.session.session import Policy
from tests.helpers.compiled import FakeHooks, ruleset
from tests.helpers.line_guard import WordGuard, under_words
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


def test_every_guard_tells_what_it_would_say_and_nothing_comes_of_it():
    class Telling(Guard):
        def explain(self, call):
            return [{"guard": "budget", "name": "b", "verdict": "allow", "why": call.tool}]

    class Failing(Guard):
        def explain(self, call):
            raise ZeroDivisionError

    asked = Call("tools/call", {})
    asked.tool = "read"
    found = Guards([Telling(), Guard(), Failing(), Missing("m", "gone")]).explain(asked)
    failed = {"guard": "guard", "verdict": "deny", "kind": "policy"}
    assert found == [
        {"guard": "budget", "name": "b", "verdict": "allow", "why": "read"},
        {**failed, "name": "Failing", "why": "the guard Failing failed: ZeroDivisionError"},
        {**failed, "name": "m", "why": "the guard `m` cannot be loaded: gone"},
    ]


class Noting(Guard):
    """Has something to say whenever it is asked."""

    def __init__(self):
        self.notes = []

    def check(self, call, *, sends):
        self.notes.append({"action": "checked"})

    def scan(self, call, result, *, is_error):
        self.notes.append({"action": "scanned"})

    def unasked(self, call):
        self.notes.append({"action": "unasked"})

    def settle(self, call, outcome):
        self.notes.append({"action": outcome})


class NotingAnswers(Noting):
    def answered(self, call, answer, *, is_error):
        self.notes.append({"action": "heard"})


def noted(talk):
    return [(note["decision"], note["action"]) for note in talk.notes if note["dir"] == "proxy"]


def test_a_note_names_the_call_it_is_about_also_where_calls_overlap():
    talk = guarded(Noting()) >> client(call(1)) >> client(call(2))
    talk >> server(result(1)) >> client(call(3)) >> server(result(3)) >> server(result(2))
    assert noted(talk) == [
        ("s-1", "checked"), ("s-2", "checked"), ("s-1", "scanned"), ("s-1", "answered"), ("s-3", "checked"),
        ("s-3", "scanned"), ("s-3", "answered"), ("s-2", "scanned"), ("s-2", "answered"),
    ]  # fmt: skip


def test_what_a_guard_notes_at_an_answer_or_where_nobody_can_be_asked_is_recorded():
    talk = guarded(NotingAnswers()) >> client(call(1)) >> server(result(1))
    assert [action for _, action in noted(talk)] == ["checked", "heard", "scanned", "answered"]
    talk = guarded(Noting(), rules=(ASKING,)) >> client(call(1))
    assert "unasked" in [action for _, action in noted(talk)]


def test_notes_stand_before_what_goes_out():
    talk = guarded(Noting()) >> client(call(1))
    (first, second, third) = talk.session.from_client(line(call(2)))
    assert (first.note["action"], second.note["action"], third.line) == ("allow", "checked", line(call(2)))


def test_every_end_has_its_note_also_where_no_answer_comes():
    talk = guarded(Noting())
    for ident in (1, 2, 3, 4):
        talk >> client(call(ident))
    talk.take(talk.session.request_dropped(1))
    talk.take(talk.session.request_denied(2, Decision("deny", "r", "policy", "", "rev")))
    talk.take(talk.session.request_failed(3, "cut off"))
    talk.take(talk.session.server_gone("gone"))
    ends = [(number, action) for number, action in noted(talk) if action != "checked"]
    assert ends == [("s-1", "cancelled"), ("s-2", "denied"), ("s-3", "server gone"), ("s-4", "server gone")]


def test_requests_of_the_server_and_what_a_person_refuses_are_noted_too():
    talk = guarded(Noting()) >> server(request(1, "sampling/createMessage")) >> client(result(1))
    assert noted(talk) == [("s-1", "checked"), ("s-1", "answered")]
    asked = guarded(Noting(), rules=({"action": "prompt", "tool": ["**"]},), asks=True) >> client(call(1))
    asked.resume("s-1", Resolution("refused", "no"))
    asked >> client(call(2))
    asked.take(asked.session.client_gone())
    assert noted(asked) == [("s-1", "checked"), ("s-1", "denied"), ("s-2", "checked"), ("s-2", "withdrawn")]


def test_conversations_that_share_a_guard_keep_their_notes_apart():
    policy = Policy(ruleset(ALLOW_ALL, hooks=GuardHooks(Noting()), needs=["budget"], deny_as="error"))
    one, two = Playbook(none=True), Playbook(none=True)
    one.session.policy = two.session.policy = policy
    one >> client(call(1))
    two >> client(call(1)) >> server(result(1))
    one.take(one.session.server_gone("gone"))
    assert noted(one) == [("s-1", "checked"), ("s-1", "server gone")]
    assert noted(two) == [("s-1", "checked"), ("s-1", "scanned"), ("s-1", "answered")]


def test_a_call_that_belongs_to_no_conversation_leaves_no_note():
    guards = Guards([Noting()])
    assert guards.check(Call("tools/call", {}), Decision("allow", None, "default", "", "rev")).action == "allow"


class Counting(Guard):
    """Counts the questions that people are asked, and lets `most` of them be asked."""

    def __init__(self, most=9):
        self.asked, self.sent, self.most = [], [], most

    def check(self, call, *, sends):
        self.sent += [call.tool or call.method] if sends else []

    def asks(self, call):
        self.asked.append(call.tool or call.method)
        return Decision("deny", "q", "rate_limit", "too many", "") if len(self.asked) > self.most else None


ASKING = {"action": "prompt", "tool": ["**"]}


def test_a_question_is_counted_once_and_a_denial_comes_instead_of_it():
    guard = Counting(most=1)
    talk = guarded(guard, rules=(ASKING,), asks=True) >> client(call(1)) << Ask("s-1")
    talk.resume("s-1", YES) << Forward(call(1))
    assert (guard.asked, guard.sent) == (["read"], ["read"])
    talk >> client(call(2))
    assert talk.reply["error"]["data"]["kind"] == "rate_limit"
    assert talk.notes[-1]["action"] == "deny"


def test_what_is_sent_without_a_question_counts_as_none():
    guard = Counting()
    guarded(guard) >> client(call(1))
    assert (guard.asked, guard.sent) == ([], ["read"])


def test_a_guard_that_asks_makes_those_behind_it_wait_for_the_yes():
    guard = Counting()
    talk = guarded(Budget("prompt"), guard, asks=True) >> client(call(1)) << Ask("s-1")
    assert (guard.asked, guard.sent) == (["read"], [])
    talk.resume("s-1", YES)
    assert (guard.asked, guard.sent) == (["read"], ["read"])


def test_a_question_about_an_answer_is_counted_too():
    guard = Counting()
    rules = ({"action": "prompt", "contains": ["bad"], "tool": ["**"]}, ALLOW_ALL)
    talk = guarded(guard, rules=rules, asks=True) >> client(call(1)) >> server(result(1, text="bad"))
    talk.resume(talk.effects[0][1], YES) << Reply(result(1, text="bad"))
    assert guard.asked == ["read"]


def test_what_a_server_asks_inside_its_answer_is_sent_after_the_yes():
    guard = Counting()
    rules = ({"action": "prompt", "method": ["elicitation/create"]}, ALLOW_ALL)
    talk = guarded(guard, rules=rules, asks=True) >> client(call(1, "read", META))
    talk >> server(result(1, inputRequests={"k": {"method": "elicitation/create", "params": {}}}))
    assert (guard.asked, guard.sent) == (["elicitation/create"], ["read"])
    talk.resume(talk.effects[0][1], YES)
    assert (guard.asked, guard.sent) == (["elicitation/create"], ["read", "elicitation/create"])


class OfOneTool(Noting):
    def concerns(self, call):
        if call.tool == "odd":
            raise ZeroDivisionError
        return call.tool == "write"


def test_calls_that_concern_no_guard_take_the_fast_path_and_the_others_do_not():
    talk = guarded(OfOneTool())
    assert talk.session.quick_call(line(call(1))) is not None
    assert talk.session.quick_answer(line(result(1))) is not None
    assert talk.session.quick_call(line(call(2, "write"))) is None
    assert talk.session.quick_call(line(call(3, "odd"))) is None
    talk >> client(call(4, "write")) >> server(result(4))
    assert [action for _, action in noted(talk)] == ["checked", "scanned", "answered"]


def test_a_guard_that_cannot_say_whether_a_call_concerns_it_is_asked_about_it():
    guards = Guards([OfOneTool()])
    concerned = {
        tool: guards.concerns(call_of("tools/call", {"name": tool}, "fs")) for tool in ("read", "write", "odd")
    }
    assert concerned == {"read": False, "write": True, "odd": True}


def test_a_guard_that_has_failed_is_asked_about_every_call():
    talk = guarded(OfOneTool(), Budget("fail"))
    talk >> client(call(1))
    assert talk.session.quick_call(line(call(2))) is None


# --- guards that read lines


def test_a_guard_that_reads_lines_does_not_make_every_answer_worth_a_look():
    talk, _ = under_words()
    assert (talk.session.policy.reads_lines, talk.session.policy.watches_answers) == (True, False)
    assert Guards([Budget(), WordGuard()]).watch_answers
    needing = WordGuard()
    needing.needs_call = True
    assert Guards([needing]).watch_answers
    assert (needing.concerns(call_of("ping", {})), WordGuard().concerns(call_of("ping", {}))) == (True, False)
    assert not Guards([WordGuard()]).watch_answers


def test_without_such_a_guard_every_line_is_clean():
    guards = Guards([Budget()])
    assert guards.is_clean(b"SECRET", {})
    assert guards.hidden("SECRET", {}) == "SECRET"


def test_one_that_fails_denies_and_shows_nothing():
    guards = Guards([WordGuard("fail")])
    assert not guards.is_clean(b"", {})
    found = guards.screen("client", call_of("ping", {}), "SECRET", {})
    assert (found.text, found.shown, found.decision.action) == ("SECRET", "", "deny")
    assert found.decision.message == "the guard WordGuard failed: ZeroDivisionError"
    assert guards.hidden({"a": ["SECRET", 1]}, {}) == {"…": ["…", 1]}


def test_what_a_record_says_is_hidden_at_every_depth():
    guards = Guards([WordGuard()])
    assert guards.hidden({"SECRET": ["a SECRET", {"b": "SECRET", "n": 1.5}]}, {}) == {
        "[mark]": ["a [mark]", {"b": "[mark]", "n": 1.5}]
    }
    assert isinstance(guards.screen("client", call_of("ping", {}), "SECRET", {}), Screened)


def test_whoever_reads_lines_says_how():
    bare = LineGuard()
    with pytest.raises(NotImplementedError):
        bare.is_clean(b"", {})
    with pytest.raises(NotImplementedError):
        bare.screen("client", None, "", {})
    with pytest.raises(NotImplementedError):
        bare.hidden("", {})


def test_what_a_guard_has_found_goes_on_record_whoever_has_the_last_word():
    rule, found = Decision("deny", "r", "policy", "no", "rev"), Decision("log", "g", "k", "", "", data={"n": 1})
    told = stricter(rule, found)
    assert (told.action, told.rule, told.message, told.data) == ("deny", "r", "no", {"n": 1})
    assert stricter(found, rule).data == {"n": 1}
    assert stricter(found, None) is found
    assert stricter(found, Decision("allow", "r", "policy", "", "rev")) is found


def test_a_clean_line_concerns_a_guard_of_lines_only_where_it_needs_the_call():
    guard = LineGuard()
    assert not guard.concerns(Call("tools/call", {}))
    guard.needs_call = True
    assert guard.concerns(Call("tools/call", {}))


class Listener(Guard):
    """Hears what is answered and what ends."""

    def __init__(self, fails=False):
        self.heard, self.fails = [], fails

    def scan(self, call, result, *, is_error):
        self.heard.append("scanned")

    def answered(self, call, answer, *, is_error):
        self.heard.append((answer, is_error))
        if self.fails:
            raise ZeroDivisionError

    def session_ended(self, session):
        self.heard.append(session)


def test_guards_hear_the_answer_as_it_came_before_it_is_judged_and_also_where_it_is_denied():
    first, second = Budget(found="deny"), Listener()
    talk = guarded(first, second) >> client(call(1)) >> server(result(1, text="x 42"))
    assert ("spent" in code(talk), second.heard) == (True, [({"text": "x 42"}, False)])
    (
        talk
        >> server(request(9, "sampling/createMessage"))
        >> client({"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": ""}})
    )
    assert second.heard[1:] == [({"code": 1, "message": ""}, True)]


def test_a_guard_that_fails_at_an_answer_denies_it():
    talk = guarded(Listener(fails=True)) >> client(call(1)) >> server(result(1))
    assert "the guard Listener failed" in code(talk)


def test_a_guard_that_fails_at_a_scan_denies_and_the_next_one_is_not_asked():
    guard, behind = Budget(), Budget()
    guard.scan = lambda call, result, is_error: 1 / 0
    behind.scan = lambda call, result, is_error: behind.checked.append("scanned")
    talk = guarded(guard, behind) >> client(call(1)) >> server(result(1, text="x"))
    assert "the guard Budget failed: ZeroDivisionError" in code(talk)
    assert "scanned" not in behind.checked


def test_a_guard_that_fails_at_the_end_of_a_conversation_denies_in_others():
    guard = Listener()
    guard.session_ended = lambda session: 1 / 0
    guards = Guards([guard])
    guards.session_ended("s")
    assert guards.is_broken


def test_whether_a_guard_has_to_hear_of_the_end_it_says_itself_and_one_that_fails_is_told():
    call = call_of("tools/call", {"name": "t", "arguments": {}})
    failing, quiet = Guard(), Guard()
    failing.hears_the_end = lambda call: 1 / 0
    quiet.hears_the_end = lambda call: False
    found = [Guards(each).hear_the_end(call) for each in ([Guard()], [quiet, LineGuard()], [failing], [quiet, Guard()])]
    assert found == [True, False, True, True]


def test_guards_hear_of_the_end_of_a_conversation():
    guard = Listener()
    Guards([Guard(), guard]).session_ended("s")
    assert guard.heard == ["s"]


def test_a_guard_hears_that_nobody_could_be_asked():
    told = []
    guard = Counting()
    guard.unasked = lambda call: told.append(call.tool)
    guarded(guard, rules=(ASKING,)) >> client(call(1))
    asked = guarded(guard, rules=(ASKING,), asks=True) >> client(call(2, "write"))
    asked.resume("s-1", Resolution("timeout", "late"))
    assert told == ["read"]


class Cutting(LineGuard):
    """Cuts the tool's name, or fails."""

    def __init__(self, *, fails=False):
        self.fails = fails

    def judged(self, call):
        if self.fails:
            raise RuntimeError
        return call_of(call.method, {"name": "cut"})

    def explain_answer(self, call, result):
        if self.fails:
            raise RuntimeError
        return [{"guard": "cutting"}], "cut"


def test_for_people_a_call_is_as_the_guard_of_lines_leaves_it():
    call = call_of("tools/call", {"name": "whole"})
    for guards in (Guards([Guard()]), Guards([LineGuard()]), Guards([Cutting(fails=True)])):
        assert guards.judged(call) is call
    assert Guards([Cutting()]).judged(call).tool == "cut"


def test_for_people_an_answer_is_explained_by_the_guard_of_lines():
    call = call_of("tools/call", {"name": "whole"})
    assert Guards([Guard()]).explain_answer(call, "it") == ([], "it")
    assert Guards([LineGuard()]).explain_answer(call, "it") == ([], "it")
    assert Guards([Cutting()]).explain_answer(call, "it") == ([{"guard": "cutting"}], "cut")
    ((row,), passes) = Guards([Cutting(fails=True)]).explain_answer(call, "it")
    assert (row["verdict"], row["guard"], passes) == ("deny", "guard", "it")
