"""The verdict: rules, pins, earlier denials, guards; and what a denied request gets to hear."""

import pytest

from mcpgov.core.decision import Decision
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.session import Policy
from mcpgov.core.session.tool_list import Pins
from mcpgov.core.session.verdict import READ_OTHERWISE, AnswerPart, AskFirst, Judge
from tests.helpers.compiled import FakeHooks
from tests.helpers.line_guard import WordGuard, under_words, words_policy
from tests.helpers.playbook import (
    ALLOW_ALL,
    META,
    YES,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    error,
    policy,
    request,
    result,
    server,
)


class Failing:
    """A guard that breaks."""

    def when(self, source):
        def broken(call, service, operation):
            raise ZeroDivisionError

        return broken

    pattern = None


def test_a_policy_that_fails_denies_and_the_conversation_goes_on():
    rules = policy(
        {"action": "deny", "tool": ["broken"], "when": "x"}, {"action": "allow", "tool": ["**"]}, hooks=Failing()
    )
    talk = Playbook(none=True)
    talk.session.policy = Policy(rules)
    (talk >> client(call(1, "broken")))
    text = talk.reply["result"]["content"][0]["text"]
    said = "Permission denied: broken blocked by governance: the policy failed: ZeroDivisionError"
    assert text == f"{said} (what to do: mcpgov why s-1)"
    talk >> client(call(2)) << Forward(call(2))


def test_without_a_policy_everything_but_hello_is_denied():
    talk = Playbook(none=True)
    talk >> client(request(1, "initialize")) << Forward(request(1, "initialize"))
    talk >> client(request(2, "ping")) << Forward(request(2, "ping"))
    talk >> client(request(3, "server/discover")) << Forward(request(3, "server/discover"))
    denied = error(4, -32003, "Tool not authorized (what to do: mcpgov why s-4)", kind="unauthorized", decision="s-4")
    talk >> client(request(4, "tools/list")) << Reply(denied)
    talk >> client(call(5))
    assert talk.reply["result"]["isError"] is True
    assert talk.note == {
        "dir": "client", "method": "tools/call", "action": "deny", "decision": "s-5", "tool": "read", "rule": None,
        "kind": "unauthorized", "revision": "", "service": "fs", "operation": "read", "why": "no policy is in force",
    }  # fmt: skip


CUTS = {"action": "redact", "contains": ["secret"], "description": "no secrets"}


def test_what_contains_found_is_cut_and_the_rest_of_the_text_stays():
    talk = Playbook(CUTS, ALLOW_ALL)
    params = b'{"name":"read","arguments":{"a":"a secret","n":[-0,1.50]}}'
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params
    (_, (kind, body, ident)) = talk.from_client(line)
    assert (kind, body, ident) == ("server", line.replace(b"secret", b"[REDACTED]"), 1)


def test_the_record_shows_what_went_out():
    talk = Playbook(CUTS, ALLOW_ALL)
    talk >> client(call(1, "read", a="a secret")) << Forward(call(1, "read", a="a [REDACTED]"))
    assert (talk.note["action"], talk.note["rule"], talk.note["args"]) == ("redact", "r1", {"a": "a [REDACTED]"})


def test_what_cannot_be_cut_is_denied():
    talk = Playbook(CUTS, ALLOW_ALL)
    talk >> client(call(1, "read", secret="x"))
    said = "Permission denied: read blocked by governance: no secrets (what to do: mcpgov why s-1)"
    assert talk.reply["result"]["content"][0]["text"] == said
    talk >> client(request(2, "resources/read", uri="file:///secret"))
    assert talk.reply["error"]["data"] == {"kind": "policy", "rule": "r1", "action": "blocked", "decision": "s-2"}


TOOLS_ONLY = {"action": "allow", "tool": ["**"]}


NO_DELETE = {"action": "deny", "tool": ["delete"], "message": "hands off"}


def denied(ident, text, tool="delete", modern=False, **decision):
    body = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": {"mcpgov/decision": decision}}
    return Reply(result(ident, **body, **({"resultType": "complete"} if modern else {})))


def test_a_denied_call_never_reaches_the_server():
    talk = Playbook(NO_DELETE, TOOLS_ONLY)
    decision = {"code": -32001, "kind": "policy", "rule": "r1", "action": "blocked"}
    text = "Permission denied: delete blocked by governance: hands off (what to do: mcpgov why s-{})"
    talk >> client(call(1, "delete")) << denied(1, text.format(1), **decision, decision="s-1")
    talk >> client(call(2, "delete", META)) << denied(2, text.format(2), modern=True, **decision, decision="s-2")
    talk >> client(call(3)) << Forward(call(3))


@pytest.mark.parametrize(
    ("how", "as_error"),
    [
        ({"deny_as": "error"}, True),
        ({"server_deny_as": {"fs": "error"}}, True),
        ({"server_deny_as": {"other": "error"}}, False),
    ],
)
def test_how_a_denied_call_is_answered_is_the_policys_choice(how, as_error):
    talk = Playbook(NO_DELETE, TOOLS_ONLY, **how)
    talk >> client(call(1, "delete"))
    assert ("error" in talk.reply) == as_error


def test_what_no_rule_allows_is_not_authorized():
    talk = Playbook(default="deny")
    text = "Permission denied: read blocked by governance: no rule allows it (what to do: mcpgov why s-1)"
    talk >> client(call(1)) << denied(1, text, code=-32003, kind="unauthorized", decision="s-1")


def test_a_log_passes_and_is_flagged():
    talk = Playbook({"action": "log", "tool": ["read"]})
    talk >> client(call(1)) << Forward(call(1))
    assert (talk.note["action"], talk.note["rule"]) == ("log", "r1")


@pytest.mark.parametrize(("rules", "default"), [([{"action": "prompt", "tool": ["read"]}], "deny"), ([], "prompt")])
def test_a_question_nobody_can_answer_is_a_denial_with_the_reason(rules, default):
    talk = Playbook(*rules, default=default, deny_as="error")
    rule = "r1" if rules else None
    message = "Blocked by mcpgov policy: nobody can be asked about this (what to do: mcpgov why s-1)"
    data = {"kind": "policy", "rule": rule, "action": "denied", "decision": "s-1"}
    talk >> client(call(1)) << Reply(error(1, -32001, message, **data))
    assert (talk.note["action"], talk.note["kind"]) == ("prompt", "policy")


def test_a_project_narrows():
    talk = Playbook(TOOLS_ONLY, narrow=[NO_DELETE])
    talk >> client(call(1, "delete"))
    assert talk.reply["result"]["isError"] is True
    talk >> client(call(2)) << Forward(call(2))


def test_redaction_of_user_and_project_add_up():
    cuts = [{"action": "redact", "contains": [word]} for word in ("one", "two")]
    talk = Playbook(cuts[0], TOOLS_ONLY, narrow=[cuts[1]])
    talk >> client(call(1, "read", a="one two")) << Forward(call(1, "read", a="[REDACTED] [REDACTED]"))


def test_a_held_tool_stays_denied_by_the_rule_that_denies_it():
    talk = Playbook(NO_DELETE, {"action": "prompt", "tool": ["ask"]}, TOOLS_ONLY, pin="deny", pins=Pins({}))
    kinds = {}
    for ident, tool in enumerate(("delete", "ask", "read")):
        talk >> client(call(ident, tool))
        kinds[tool] = talk.reply["result"]["_meta"]["mcpgov/decision"]["kind"]
    assert kinds == {"delete": "policy", "ask": "pin", "read": "pin"}


# --- everything that judges, in one order


class Strict(Guard):
    def check(self, call, *, sends):
        return Decision("prompt", "strict", "policy", "sure?", "rev")

    def scan(self, call, result, *, is_error):
        return Decision("deny", "strict", "policy", "not that", "rev") if result == {"text": "bad"} else None


class Hooks(FakeHooks):
    def guards(self, names, heads, world):
        return Guards([Strict()])


@pytest.mark.parametrize(
    ("tool", "verdict"),
    [("delete", ("deny", "r1")), ("new", ("deny", None)), ("read", ("prompt", "strict"))],
)
def test_rules_and_pins_and_guards_judge_in_order_and_the_strictest_holds(tool, verdict):
    pins = Pins({"delete": {}, "read": {}})
    talk = Playbook(NO_DELETE, TOOLS_ONLY, hooks=Hooks(), needs=["strict"], pins=pins, pin="deny")
    talk >> client(call(1, tool))
    assert (talk.note["action"], talk.note["rule"]) == verdict


def test_requests_of_the_server_are_judged_by_rules_and_guards():
    talk = Playbook(ALLOW_ALL, hooks=Hooks(), needs=["strict"], pins=Pins({}), pin="deny")
    talk >> server(request(1, "sampling/createMessage", inputResponses={}))
    assert (talk.note["action"], talk.note["rule"]) == ("prompt", "strict")


def test_what_answers_a_denied_input_request_is_denied():
    talk = Playbook(TOOLS_ONLY) >> client(call(1, "read", META))
    talk >> server(result(1, inputRequests={"k": {"method": "sampling/createMessage"}}))
    for ident, method, name in ((2, "tools/call", "read"), (3, "tools/list", None)):
        params = {"name": name} if name else {}
        talk >> client(request(ident, method, **params, inputResponses={"k": {}}, _meta=META))
        assert talk.note["why" if not name else "kind"] in ("it answers a request that was denied", "policy")


def test_answers_are_judged_by_rules_and_guards_and_what_fails_is_a_denial(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    rules = ({"action": "log", "contains": ["bad"]}, TOOLS_ONLY)
    talk = Playbook(*rules) >> client(call(1)) >> server(result(1, text="bad"))
    assert talk.note["action"] == "log"
    talk = Playbook(*rules, hooks=Hooks(), needs=["contains", "strict"], asks=True)
    talk >> client(call(1))
    talk.resume("s-1", YES)
    talk >> server(result(1, text="bad"))
    assert (talk.note["action"], talk.note["rule"]) == ("deny", "strict")
    talk = Playbook(*rules) >> client(call(1))
    monkeypatch.setattr(Policy, "judge_answer", broken)
    talk >> server(result(1, text="fine"))
    assert "the policy failed: ZeroDivisionError" in talk.reply["result"]["content"][0]["text"]


def test_while_everything_is_locked_no_governed_request_passes():
    talk = Playbook(ALLOW_ALL) >> client(call(1)) << Forward(call(1))
    talk.session.locked = True
    for ident in (2, 3):
        talk >> client(call(ident))
        assert talk.reply["result"]["_meta"]["mcpgov/decision"] == {
            "code": -32001, "kind": "locked", "decision": f"s-{ident}"
        }  # fmt: skip
        assert (talk.note["action"], talk.note["kind"]) == ("deny", "locked")
    talk >> client(request(4, "tools/list")) << Forward(request(4, "tools/list"))
    talk >> server(request("q", "sampling/createMessage", messages=[]))
    assert talk.reply["error"]["data"]["kind"] == "locked"
    talk.session.locked = False
    talk >> client(call(5)) << Forward(call(5))


def test_a_changed_tool_is_asked_about_before_a_rule_asks():
    rules = NO_DELETE, {"action": "prompt", "tool": ["ask"]}, TOOLS_ONLY
    talk = Playbook(*rules, pin="prompt", pins=Pins({}), asks=True)
    for ident, tool in enumerate(("ask", "read")):
        talk >> client(call(ident, tool))
        assert (talk.questions[-1].decision.kind, talk.questions[-1].decision.rule) == ("pin", None)
    talk >> client(call(9, "delete"))
    assert talk.reply["result"]["_meta"]["mcpgov/decision"]["kind"] == "policy"


def test_a_part_of_an_answer_that_asks_tells_its_guards_how_it_ended():
    settled = []

    class Told(Guard):
        def settle(self, call, outcome):
            settled.append((call, outcome))

    asks = AnswerPart(("result", "k"), "s-2", "call", Decision("prompt", "r", "policy", "", ""), Guards([Told()]))
    passes = AnswerPart((), "s-3", "call", None)
    for part in AskFirst([asks, passes]).parts:
        part.settle("denied")
    assert (asks.asks, passes.asks, settled) == (True, False, [("call", "denied")])


# --- lines that a guard reads


def test_a_denial_of_the_guard_that_reads_lines_joins_the_verdict():
    talk, _ = under_words("deny", deny_as="error")
    talk >> client(call(1, word="SECRET"))
    assert (talk.reply["error"]["code"], talk.reply["error"]["data"]["found"]) == (-32002, ["word"])
    assert (talk.note["args"], talk.note["pii"], talk.note["rule"]) == ({"word": "[mark]"}, "deny", "words")
    talk, _ = under_words("deny", rules=({"id": "no", "action": "deny", "tool": ["**"]},))
    talk >> client(call(1, word="SECRET"))
    assert talk.note["rule"] == "no"


def test_what_could_not_be_read_is_not_shown():
    talk, _ = under_words("fail")
    talk >> client(call(1, word="SECRET"))
    assert (talk.note["action"], talk.note["tool"]) == ("deny", "…")
    assert talk.note["why"] == "the guard WordGuard failed: ZeroDivisionError"
    assert (talk.note["method"], talk.note["args"]) == ("tools/call", {})
    talk >> client(request(2, "resources/read", uri="a://SECRET"))
    assert "SECRET" not in str(talk.notes)


def test_a_message_of_the_wrong_shape_is_read_all_the_same():
    talk, guard = under_words()
    talk >> client(request(1, "tools/call", name=5, arguments="SECRET"))
    assert guard.read == [("client", "tools/call", None)]
    assert "SECRET" not in str(talk.notes)


def test_a_large_message_is_shown_as_its_record_may_be():
    talk, _ = under_words("log")
    text = "x" * (1 << 20)
    talk >> client(call(1, long=text, word="SECRET"))
    assert talk.note["args"]["word"] == "[mark]"
    assert talk.effects[0][1]["params"]["arguments"]["word"] == "SECRET"


def test_an_input_request_is_read_once_more_as_what_it_is():
    ask = {"method": "elicitation/create", "params": {"message": "SECRET", "requestedSchema": {}}}
    for mode, passes in (("log", True), ("deny", False)):
        talk, guard = under_words(mode)
        talk >> client(call(1, meta=META))
        talk >> server(result(1, resultType="input_required", inputRequests={"a": ask}, requestState="s"))
        assert ("isError" not in talk.reply["result"]) is passes
        assert "SECRET" not in str(talk.notes)
    assert ("server", "elicitation/create", None) not in guard.read
    judge = Judge(talk.session.state)
    for mode, kind in (("cut", "pii"), ("log", None)):
        guard.mode = mode
        part = call_of("elicitation/create", ask["params"])
        judge.read_part(part, ask)
        assert (part.screened.decision and part.screened.decision.kind) == kind
        assert part.shown.params["message"] == "[mark]"
    plain = call_of("elicitation/create", {"message": "hello"})
    judge.read_part(plain, {"method": "elicitation/create", "params": plain.params})
    assert plain.screened is None
    guard.is_clean = lambda line, memory: False
    judge.read_part(plain, {"method": "elicitation/create", "params": plain.params})
    assert plain.screened is None


def test_a_held_request_is_read_again_by_the_policy_of_then():
    talk, guard = under_words("log")
    judge = Judge(talk.session.state)
    text = '{"a":"SECRET"}'
    held = call_of("tools/call", {"name": "read"})
    assert judge.read_again("client", held, '{"a":"b"}', held.screened) is None
    held.screened = guard.screen("client", held, text, {})
    assert judge.read_again("client", held, text, held.screened) is None
    guard.mode = "cut"
    assert judge.read_again("client", held, text, held.screened).message == READ_OTHERWISE
    guard.mode = "deny"
    assert judge.read_again("client", held, text, held.screened).kind == "pii"
    held.screened = None
    assert judge.read_again("client", held, text, held.screened).kind == "pii"
    held.screened = WordGuard().screen("client", held, text, {})
    talk.session.policy = words_policy()
    assert judge.read_again("client", held, held.screened.text, held.screened).message == READ_OTHERWISE
    assert judge.hidden("SECRET") == "SECRET"
    note = {"why": "SECRET"}
    judge.hide(note)
    judge.attach(held)
    assert note == {"why": "SECRET"}


def test_a_held_answer_is_read_again_with_what_is_known_of_its_call():
    talk, _ = under_words("deny")
    judge = Judge(talk.session.state)
    talk >> client(call(1))
    request = talk.session.client.requests.forwarded(1)
    assert judge.answer_again(request, '{"a":"SECRET"}', None).kind == "pii"
    request.call = None
    assert judge.answer_again(request, '{"a":"SECRET"}', None).kind == "pii"
    assert judge.answer_again(request, '{"a":"b"}', None) is None
    talk.session.policy = words_policy()
    assert judge.answer_again(request, '{"a":"SECRET"}', None) is None
