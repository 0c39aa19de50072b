"""`[privacy]` in a conversation: what passes, what is cut, what is denied, what comes back."""

import json
import re
from pathlib import Path

import pytest

from mcpgov.core.approvals.asking import question_about
from mcpgov.core.approvals.held_requests import allowed
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.session import Policy
from mcpgov.guards.screening.guard import PrivacyGuard
from tests.helpers.playbook import (
    META,
    NOTHING,
    YES,
    Ask,
    Forward,
    Reply,
    call,
    client,
    error,
    line,
    notification,
    request,
    result,
    server,
)
from tests.helpers.private_samples import samples
from tests.helpers.screened import CARD, MAIL, OTHER_MAIL, REDACT, SSN, conversation, rules_of, written

DENY = '[privacy]\nparams = "deny"\nresults = "deny"\n'
LOG = '[privacy]\nparams = "log"\nresults = "log"\n'


@pytest.fixture
def converse(tmp_path):
    return lambda text=REDACT, **more: conversation(tmp_path, text, **more)


def said(text):
    return {"content": [{"type": "text", "text": text}]}


def everything(talk):
    """All that the journal has got."""
    return json.dumps(talk.notes)


# --- arguments


def test_a_value_in_the_arguments_denies_the_call_and_is_told_by_its_kind_alone(converse):
    talk = converse(f'deny_as = "error"\n{DENY}')
    talk >> client(call(1, to=MAIL, card=CARD))
    assert talk.reply["error"]["code"] == -32002
    assert talk.reply["error"]["message"].startswith("PII in tool params: private data in the parameters: email")
    data = talk.reply["error"]["data"]
    assert (data["kind"], data["found"]) == ("pii", ["email", "credit_card"])
    assert MAIL not in everything(talk) + json.dumps(talk.reply)
    assert talk.note["pii"] == {"action": "deny", "found": {"email": 1, "credit_card": 1}, "rule": "privacy"}
    assert (talk.note["action"], talk.note["kind"], talk.note["rule"]) == ("deny", "pii", "privacy")
    assert talk.note["args"] == {"to": "[email-1]", "card": "[credit_card-1]"}


def test_a_denied_call_is_a_result_that_the_model_can_read(converse):
    talk = converse(DENY) >> client(call(1, to=MAIL))
    body = talk.reply["result"]
    assert body["isError"] is True
    assert "private data in the parameters: email" in body["content"][0]["text"]
    assert body["_meta"]["mcpgov/decision"]["code"] == -32002


def test_arguments_are_cut_and_every_other_character_stays(converse):
    raw = (
        b'{ "jsonrpc":"2.0", "id":1,"method":"tools/call","params":{"name":"read","arguments":'
        b'{"a":1.0,"b":12345678901234567890,"z":"\\u00e9\\/","to":"x <%s>", "e":1E5, "n":null}}}' % MAIL.encode()
    )
    talk = converse()
    effects = talk.session.from_client(raw)
    assert effects[-1].line == raw.replace(MAIL.encode(), b"[email-1]")


def test_what_is_only_logged_passes_as_it_is_and_is_masked_in_the_record(converse):
    talk = converse(LOG) >> client(call(1, to=MAIL)) << Forward(call(1, to=MAIL))
    assert talk.note["args"] == {"to": "[email-1]"}
    assert talk.note["pii"] == {"action": "log", "found": {"email": 1}, "rule": "privacy"}
    talk >> server(result(1, **said(MAIL))) << Reply(result(1, **said(MAIL)))
    assert MAIL not in everything(talk)


def test_a_journal_of_everything_does_not_show_it_either(tmp_path, converse):
    talk = converse(LOG)
    talk.session.policy.audit = "full"
    talk >> client(call(1, to=MAIL)) << Forward(call(1, to=MAIL))
    assert talk.note["args"] == {"to": "[email-1]"}


def test_clean_calls_and_answers_take_the_short_way(converse):
    talk = converse()
    for ident in range(3):
        assert talk.session.quick_call(line(call(ident, path="a.txt"))) is not None
        assert talk.session.quick_answer(line(result(ident, **said("nothing here")))) is not None
    assert talk.session.quick_call(line(call(9, to=MAIL))) is None


def test_a_dirty_answer_to_a_call_of_the_short_way_is_read(converse):
    talk = converse() >> client(call(1, path="a.txt"))
    assert talk.session.client.requests.by_id[1][0] == "read"
    talk >> server(result(1, **said(f"from {MAIL}"))) << Reply(result(1, **said("from [email-1]")))
    assert talk.note["pii"] == {"action": "redact", "found": {"email": 1}, "rule": "privacy"}


def test_lines_of_a_batch_stop_at_none_that_is_clean(converse):
    talk = converse()
    text = "".join(line(call(ident, path="a")).decode() + "\n" for ident in range(3))
    notes = []
    assert talk.session.quick_calls(text, notes) == len(text)
    assert len(notes) == 3
    assert talk.session.quick_calls(text.replace('"id":1', f'"x":"{MAIL}","id":1'), []) == 0


# --- stable, and back to the same server


def test_one_value_has_one_placeholder_and_comes_back_to_the_server(converse):
    talk = converse() >> client(call(1))
    talk >> server(result(1, **said(f"{MAIL}, {OTHER_MAIL}, {MAIL}")))
    talk << Reply(result(1, **said("[email-1], [email-2], [email-1]")))
    (
        talk
        >> client(call(2, to="[email-2]", note="for [email-1]."))
        << Forward(call(2, to=OTHER_MAIL, note=f"for {MAIL}."))
    )
    assert talk.note["args"] == {"to": "[email-2]", "note": "for [email-1]."}
    assert talk.note["pii"] == {"action": "log", "found": {}, "restored": 2}
    talk >> server(result(2, **said(f"sent to {OTHER_MAIL}"))) << Reply(result(2, **said("sent to [email-2]")))
    assert MAIL not in everything(talk)
    assert OTHER_MAIL not in everything(talk)


def test_a_key_comes_back_to_the_server_as_a_value_does(converse):
    talk = converse() >> client(call(1)) >> server(result(1, structuredContent={MAIL: 1}))
    talk << Reply(result(1, structuredContent={"[email-1]": 1}))
    sent = client(call(2, **{"[email-1]": {"[email-1] b": 2}}, body='{"[email-1]":3}'))
    talk >> sent << Forward(call(2, **{MAIL: {f"{MAIL} b": 2}}, body=f'{{"{MAIL}":3}}'))
    assert talk.note["args"] == {"[email-1]": {"[email-1] b": 2}, "body": '{"[email-1]":3}'}
    assert MAIL not in everything(talk)


def test_the_last_words_of_a_server_are_hidden_in_its_errors_and_records(converse):
    talk = converse(DENY) >> client(call(1)) >> client(call(2))
    talk.take(talk.session.request_failed(1, f"ended: user {MAIL} ssn {SSN}"))
    talk << Reply(error(1, -32603, "ended: user [email] ssn [ssn]"))
    assert talk.note["why"] == "ended: user [email] ssn [ssn]"
    talk.take(talk.session.server_gone(f"card {CARD}")) << Reply(error(2, -32603, "card [credit_card]"))
    effects = talk.session.unjudged(line(call(3)), f"by {MAIL}")
    assert MAIL not in everything(talk) + "".join(
        str(getattr(each, "note", getattr(each, "line", ""))) for each in effects
    )


def test_without_restore_a_placeholder_stays_what_it_is(converse):
    talk = converse(REDACT.replace("true", "false")) >> client(call(1))
    talk >> server(result(1, **said(MAIL))) >> client(call(2, to="[email-1]")) << Forward(call(2, to="[email-1]"))


def test_a_value_that_only_the_client_has_sent_is_never_restored(converse):
    talk = converse() >> client(call(1, to=MAIL)) << Forward(call(1, to="[email-1]"))
    talk >> server(result(1, **said("done: [email-1]"))) << Reply(result(1, **said("done: [email-1]")))
    talk >> client(call(2, to="[email-1]")) << Forward(call(2, to="[email-1]"))


def test_another_conversation_restores_nothing(tmp_path, converse):
    talk = converse() >> client(call(1)) >> server(result(1, **said(MAIL)))
    other = conversation(tmp_path, REDACT, who=("other", "cursor", ""))
    other.session.policy = talk.session.policy
    other >> client(call(1, to="[email-1]")) << Forward(call(1, to="[email-1]"))


def test_rules_judge_what_the_server_will_get(converse):
    policy = f'default = "allow"\n[[rule]]\naction = "deny"\nargs.to = "alice*"\n{REDACT}'
    talk = converse(policy) >> client(call(1)) >> server(result(1, **said(MAIL)))
    talk >> client(call(2, to="[email-1]"))
    assert talk.note["action"] == "deny"
    assert talk.note["args"] == {"to": "[email-1]"}
    assert MAIL not in everything(talk)


def test_a_placeholder_that_a_server_forges_stands_for_itself(converse):
    talk = converse() >> client(call(1)) >> server(result(1, **said(MAIL))) << Reply(result(1, **said("[email-1]")))
    talk >> client(call(2)) >> server(result(2, **said("post [email-1]!")))
    talk << Reply(result(2, **said("post [literal-1]!")))
    talk >> client(call(3, text="[literal-1] [email-1]")) << Forward(call(3, text=f"[email-1] {MAIL}"))


def test_a_placeholder_that_is_forged_before_its_time_is_not_given_later(converse):
    talk = (
        converse() >> client(call(1)) >> server(result(1, **said("[email-1]"))) << Reply(result(1, **said("[email-1]")))
    )
    talk >> client(call(2)) >> server(result(2, **said(MAIL))) << Reply(result(2, **said("[email-2]")))


def test_a_restored_value_is_escaped_where_json_is_inside_a_text(converse):
    key = samples()["pem"]
    talk = converse() >> client(call(1)) >> server(result(1, **said(json.dumps({"pem": key}))))
    talk << Reply(result(1, **said('{"pem": "[private_key-1]"}')))
    talk >> client(call(2, body='{"k":"[private_key-1]"}'))
    sent = talk.effects[0][1]["params"]["arguments"]["body"]
    assert json.loads(sent) == {"k": key}


# --- every text of a result


@pytest.mark.parametrize(
    ("body", "passes"),
    [
        (said(MAIL), said("[email-1]")),
        ({"structuredContent": {"a": [{"b": MAIL}]}}, {"structuredContent": {"a": [{"b": "[email-1]"}]}}),
        ({"structuredContent": {MAIL: 1}}, {"structuredContent": {"[email-1]": 1}}),
        (
            {"content": [{"type": "resource", "resource": {"uri": f"x://a?by={MAIL}", "text": SSN}}]},
            {"content": [{"type": "resource", "resource": {"uri": "x://a?by=[email-1]", "text": "[ssn-1]"}}]},
        ),
        ({"content": [], "_meta": {"by": MAIL}}, {"content": [], "_meta": {"by": "[email-1]"}}),
        ({"content": [], "nextCursor": MAIL}, {"content": [], "nextCursor": MAIL}),
        (said(json.dumps({"mail": MAIL}).replace("@", "\\u0040")), said('{"mail": "[email-1]"}')),
        ({"structuredContent": {"ssn": "219098765"}}, {"structuredContent": {"ssn": "[ssn-1]"}}),
    ],
)  # fmt: skip
def test_every_text_of_a_result_is_read(converse, body, passes):
    talk = converse() >> client(call(1)) >> server(written(result(1, **body))) << Reply(result(1, **passes))
    assert MAIL not in everything(talk)


def test_errors_and_their_data_are_read(converse):
    talk = converse() >> client(call(1)) >> server(error(1, -5, f"no user {MAIL}", who=MAIL))
    talk << Reply(error(1, -5, "no user [email-1]", who="[email-1]"))


def test_escapes_hide_nothing(converse):
    text = MAIL.replace("@", "\\u0040").replace("a", "\\u0061")
    raw = b'{"jsonrpc":"2.0","id":1,"result":{"t":"%s"}}' % text.encode()
    converse() >> client(call(1)) >> server(raw) << Reply(result(1, t="[email-1]"))


def test_lines_of_json_in_a_text_stay_json(converse):
    rows = "\n".join(f'{{"from":"Bob \\u003c{MAIL}\\u003e","to":"\\n{MAIL}\\t","n":{n}}}' for n in range(2))
    talk = converse() >> client(call(1)) >> server(result(1, **said(rows)))
    passed = rows.replace(MAIL, "[email-1]")
    talk << Reply(result(1, **said(passed)))
    assert [json.loads(row)["from"] for row in passed.split("\n")] == ["Bob <[email-1]>"] * 2
    talk >> client(call(2, to="[email-1]")) << Forward(call(2, to=MAIL))


def test_a_value_in_colour_is_the_value(converse):
    talk = converse() >> client(call(1)) >> server(result(1, **said(f"{MAIL} \x1b[31m{MAIL}\x1b[0m")))
    talk << Reply(result(1, **said("[email-1] \x1b[31m[email-1]\x1b[0m")))


def test_a_number_that_is_a_card_denies_because_no_number_can_stand_for_it(converse):
    talk = converse() >> client(call(1)) >> server(result(1, structuredContent={"card": 4111111111111111}))
    assert "private data in the result: credit_card" in talk.reply["result"]["content"][0]["text"]
    talk >> client(call(2)) >> server(result(2, structuredContent={"id": 4111111111111112, "x": [1.0]}))
    talk << Reply(result(2, structuredContent={"id": 4111111111111112, "x": [1.0]}))


def test_a_number_that_its_key_calls_an_orders_passes(converse):
    number = 4413259095674763
    rows = {"orderId": number, "invoice_number": str(number), "ids": [number, number], "note": f"Order #{number}"}
    talk = converse() >> client(call(1)) >> server(result(1, structuredContent=rows))
    talk << Reply(result(1, structuredContent=rows))
    (
        talk
        >> client(call(2))
        >> server(result(2, content=[json.dumps(rows)]))
        << Reply(result(2, content=[json.dumps(rows)]))
    )
    talk >> client(call(3)) >> server(result(3, structuredContent={"cards": [number]}))
    assert "credit_card" in talk.reply["result"]["content"][0]["text"]


def test_a_number_that_is_only_logged_passes(converse):
    talk = converse(LOG) >> client(call(1, card=4111111111111111)) << Forward(call(1, card=4111111111111111))
    assert talk.note["args"] == {"card": "[credit_card-1]"}


def test_a_name_or_a_uri_that_a_request_is_for_cannot_be_cut(converse):
    talk = converse() >> client(request(1, "resources/read", uri=f"crm://a?by={MAIL}"))
    assert (talk.reply["error"]["code"], talk.reply["error"]["data"]["found"]) == (-32002, ["email"])
    talk >> client(request(2, "prompts/get", name=MAIL))
    assert talk.reply["error"]["code"] == -32002
    assert MAIL not in everything(talk)


def test_a_resource_that_was_listed_by_a_placeholder_can_be_read(converse):
    talk = converse() >> client(request(1, "resources/list"))
    talk >> server(result(1, resources=[{"uri": f"crm://a?by={MAIL}", "name": "a"}]))
    talk << Reply(result(1, resources=[{"uri": "crm://a?by=[email-1]", "name": "a"}]))
    assert talk.note["listed"] == ["crm://a?by=[email-1]"]
    talk >> client(request(2, "resources/read", uri="crm://a?by=[email-1]"))
    talk << Forward(request(2, "resources/read", uri=f"crm://a?by={MAIL}"))
    assert talk.note["uris"] == ["crm://a?by=[email-1]"]


def test_a_denied_result_is_replaced_by_a_denial(converse):
    talk = converse(DENY) >> client(call(1)) >> server(result(1, **said(MAIL)))
    found = talk.reply["result"]["_meta"]["mcpgov/decision"]
    assert (found["code"], found["kind"], found["found"]) == (-32002, "pii", ["email"])
    (
        talk
        >> client(request(2, "resources/read", uri="a://b"))
        >> server(result(2, contents=[{"uri": "a://b", "text": MAIL}]))
    )
    assert talk.reply["error"]["message"].startswith("PII in tool result: private data in the result: email")
    assert MAIL not in everything(talk) + json.dumps(talk.effects)


# --- the other messages


def test_requests_of_the_server_and_the_answers_to_them(converse):
    ask = request(7, "sampling/createMessage", messages=[{"role": "user", "content": {"type": "text", "text": MAIL}}])
    cut = json.loads(json.dumps(ask).replace(MAIL, "[email-1]"))
    talk = converse() >> server(ask) << Reply(cut)
    assert MAIL not in everything(talk)
    talk >> client(result(7, content={"type": "text", "text": f"write to [email-1] and {OTHER_MAIL}"}))
    talk << Forward(result(7, content={"type": "text", "text": f"write to {MAIL} and [email-2]"}))
    assert talk.note["pii"] == {"action": "redact", "found": {"email": 1}, "rule": "privacy", "restored": 1}


def test_denied_requests_of_the_server_and_denied_answers_to_them(converse):
    talk = converse(DENY) >> server(request(7, "elicitation/create", message=MAIL, requestedSchema={}))
    (kind, told), *_ = talk.effects
    assert (kind, told["error"]["code"], told["error"]["data"]["found"]) == ("server", -32002, ["email"])
    talk >> server(request(8, "sampling/createMessage", messages=[])) >> client(result(8, content=MAIL))
    (kind, told), *_ = talk.effects
    assert (kind, told["error"]["code"]) == ("server", -32002)
    assert (talk.note["action"], talk.note["kind"]) == ("deny", "pii")
    assert MAIL not in everything(talk)


def test_notifications_of_both_sides(converse):
    talk = converse() >> server(notification("notifications/message", level="info", data=MAIL))
    talk << Reply(notification("notifications/message", level="info", data="[email-1]"))
    talk >> server(notification("notifications/progress", progressToken=1, progress=1, message=MAIL))
    talk << Reply(notification("notifications/progress", progressToken=1, progress=1, message="[email-1]"))
    talk >> client(notification("notifications/progress", progressToken=1, progress=1, message=f"[email-1] {SSN}"))
    talk << Forward(notification("notifications/progress", progressToken=1, progress=1, message=f"{MAIL} [ssn-1]"))


def test_denied_notifications_are_dropped_except_those_that_everything_needs(converse):
    talk = converse(DENY) >> server(notification("notifications/message", data=MAIL)) << NOTHING
    assert talk.note["action"] == "dropped"
    assert talk.note["why"] == "private data in the result: email"
    talk >> client(notification("notifications/progress", message=MAIL)) << NOTHING
    talk >> client(notification("notifications/cancelled", requestId=5, reason=MAIL))
    talk << Forward(notification("notifications/cancelled", requestId=5, reason="[email-1]"))


def test_a_handshake_is_cut_and_not_denied(converse):
    params = {"protocolVersion": "2025-11-25", "capabilities": {"card": 4111111111111111}, "clientInfo": {"name": MAIL}}
    talk = converse(DENY) >> client(request(1, "initialize", **params))
    cut = {**params, "capabilities": {"card": 0}, "clientInfo": {"name": "[email-1]"}}
    talk << Forward(request(1, "initialize", **cut))


def test_the_words_about_tools_are_cut_and_their_schemas_stay(converse):
    schema = {"type": "object", "properties": {"to": {"type": "string", "enum": [MAIL], "description": f"as {MAIL}"}}}
    tools = [{"name": "mail", "description": f"Ask {OTHER_MAIL}", "inputSchema": schema}]
    talk = converse(DENY) >> client(request(1, "tools/list")) >> server(result(1, tools=tools))
    (listed,) = talk.reply["result"]["tools"]
    assert listed["description"] == "Ask [email]"
    assert listed["inputSchema"]["properties"]["to"] == {"type": "string", "enum": [MAIL], "description": "as [email]"}
    later = converse(DENY, pins=talk.session.tool_list.pins)
    later >> server(notification("notifications/message", data="x@widgets.org"))
    later >> client(request(1, "tools/list")) >> server(result(1, tools=tools))
    assert "changed" not in later.note


def test_of_a_tool_the_store_keeps_no_value_and_the_same_whatever_is_done_to_findings(converse):
    schema = {"type": "object", "properties": {"to": {"default": MAIL, "description": f"as {MAIL}"}}}
    tool = {"name": "send", "title": f"for {MAIL}", "description": f"SSN {SSN}", "inputSchema": schema}
    digests = set()
    for mode in (LOG, REDACT, DENY):
        talk = converse(mode) >> client(request(1, "tools/list")) >> server(result(1, tools=[tool]))
        kept = talk.session.tool_list.pins.accepted["send"]
        assert (MAIL in json.dumps(kept), SSN in json.dumps(kept)) == (False, False)
        assert kept["definition"]["description"] == "SSN [ssn]"
        digests.add(kept["digest"])
        assert (MAIL in talk.reply["result"]["tools"][0]["title"]) is (mode == LOG)
    assert len(digests) == 1


def test_tasks_and_news_of_them(converse):
    talk = converse() >> client(call(1, task={"ttl": 1})) >> server(result(1, task={"taskId": "t1"}))
    talk >> client(request(2, "tasks/result", taskId="t1")) >> server(result(2, **said(MAIL)))
    talk << Reply(result(2, **said("[email-1]")))
    talk >> server(notification("notifications/tasks/status", taskId="t1", statusMessage=MAIL))
    talk << Reply(notification("notifications/tasks/status", taskId="t1", statusMessage="[email-1]"))


# --- the stateless revision


def test_input_requests_and_their_answers_in_the_stateless_revision(converse):
    ask = {"method": "elicitation/create", "params": {"message": f"is it {MAIL}?", "requestedSchema": {}}}
    asks = {"resultType": "input_required", "inputRequests": {"a": ask}, "requestState": "eyJhbGciOiJIUzI1NiJ9"}
    talk = converse() >> client(call(1, meta=META)) >> server(result(1, **asks))
    cut = json.loads(json.dumps(asks).replace(MAIL, "[email-1]"))
    talk << Reply(result(1, **cut))
    retry = request(
        2, "tools/call", name="read", arguments={}, _meta=META, requestState=asks["requestState"],
        inputResponses={"a": {"action": "accept", "content": {"mail": "[email-1]"}}},
    )  # fmt: skip
    talk >> client(retry) << Forward(json.loads(json.dumps(retry).replace("[email-1]", MAIL)))
    assert MAIL not in everything(talk)


def test_a_rule_for_the_method_of_an_input_request_holds_inside_of_results(converse):
    policy = '[privacy]\nresults = "log"\n[[privacy.rule]]\nmethod = "elicitation/create"\nresults = "MODE"\n'
    ask = {"method": "elicitation/create", "params": {"message": MAIL, "requestedSchema": {}}}
    for mode in ("deny", "redact"):
        talk = converse(policy.replace("MODE", mode)) >> client(call(1, meta=META))
        talk >> server(result(1, resultType="input_required", inputRequests={"a": ask}, requestState="s"))
        assert talk.reply["result"]["isError"] is True
        assert MAIL not in everything(talk) + json.dumps(talk.reply)
    talk = converse(policy.replace("MODE", "log")) >> client(call(1, meta=META))
    talk >> server(result(1, resultType="input_required", inputRequests={"a": ask}, requestState="s"))
    assert talk.reply["result"]["inputRequests"] == {"a": ask}
    assert MAIL not in everything(talk)


# --- rules, layers


def test_the_first_rule_that_names_direction_and_kind_decides(converse):
    talk = converse(
        '[privacy]\nparams = "deny"\nresults = "redact"\nallow = ["*@example.com"]\n'
        '[[privacy.rule]]\ntool = "export_*"\nkinds = ["email"]\nresults = "log"\n'
        '[[privacy.rule]]\noperation = "read"\nparams = "off"\n'
        '[privacy.patterns]\nemployee_id = "re:EMP-[0-9]{6}"\n'
    )
    talk >> client(call(1, "export_users", to="x@example.com")) << Forward(call(1, "export_users", to="x@example.com"))
    talk >> server(result(1, **said(f"{MAIL} {SSN} EMP-123456")))
    talk << Reply(result(1, **said(f"{MAIL} [ssn-1] [employee_id-1]")))
    assert talk.note["pii"]["found"] == {"email": 1, "ssn": 1, "employee_id": 1}
    talk >> client(call(2, "read_file", path=MAIL)) << Forward(call(2, "read_file", path=MAIL))
    talk >> client(call(3, "write_file", path="EMP-123456"))
    assert talk.note["action"] == "deny"


def test_patterns_of_the_user_see_every_number(converse):
    talk = converse('[privacy]\nparams = "deny"\nresults = "redact"\n[privacy.patterns]\npin = "re:[0-9]{6}"\n')
    for at, value in enumerate((123456, 123456.0, {"k": 123456}, [123456], "123456"), 2):
        talk >> client(call(at, q=value))
        assert talk.note["action"] == "deny"
        assert "123456" not in json.dumps(talk.note)
    talk >> client(call(9)) >> server(result(9, structuredContent={"pin": 123456}))
    assert talk.reply["result"]["_meta"]["mcpgov/decision"]["found"] == ["pin"]


def test_a_short_value_of_a_pattern_stands_in_no_record(converse):
    talk = converse('[privacy]\nresults = "log"\n[privacy.patterns]\npin = "re:^[0-9]{3}$"\n')
    talk >> server(b"123")
    assert talk.note["line"] == "[pin]"


def test_of_several_layers_the_strictest_holds_and_a_project_may_only_narrow(converse):
    managed = 'default = "allow"\n[privacy]\nkinds = ["ssn"]\nparams = "deny"\n'
    talk = converse(
        '[privacy]\nparams = "log"\nallow = ["**"]',
        managed=managed,
        project='[privacy]\nkinds = ["email"]\nparams = "redact"\n',
    )
    talk >> client(call(1, a=MAIL)) << Forward(call(1, a="[email-1]"))
    talk >> client(call(2, a=SSN))
    assert (talk.note["kind"], talk.note["rule"]) == ("pii", "managed:privacy")
    talk >> client(call(3, a=CARD)) << Forward(call(3, a=CARD))


# --- people


def test_a_question_shows_what_the_record_shows_and_the_yes_is_for_what_is_sent(converse):
    policy = f'default = "allow"\n[[rule]]\naction = "prompt"\ntool = "send"\n{REDACT}'
    talk = converse(policy, asks=True) >> client(call(1)) >> server(result(1, **said(MAIL)))
    talk >> client(call(2, "send", to="[email-1]")) << Ask("s-2")
    asked, _ = question_about(talk.session.state, talk.questions[-1])
    assert (asked["shown"], asked["args"]) == ({"to": "[email-1]"}, None)
    assert MAIL not in json.dumps(asked)
    talk.resume("s-2", YES) << Forward(call(2, "send", to=MAIL))
    assert MAIL not in everything(talk)


def test_a_yes_does_not_hold_where_the_policy_lets_less_pass_meanwhile(tmp_path, converse):
    text = 'default = "allow"\n[[rule]]\naction = "prompt"\ntool = "send"\n'
    for later in (DENY, REDACT):
        talk = converse(text + LOG, asks=True) >> client(call(1, "send", to=MAIL)) << Ask("s-1")
        grant = talk.grant("s-1")
        talk.session.policy = Policy(rules_of(tmp_path, text + later))
        talk.take(talk.session.resume("s-1", allowed(grant, 1_000_001.0)))
        assert talk.reply["result"]["isError"] is True
        assert MAIL not in everything(talk)


def test_an_answer_that_asks_is_shown_without_what_was_found(converse):
    policy = f'default = "allow"\n[[rule]]\naction = "prompt"\ntool = "**"\ncontains = ["magic"]\n{LOG}'
    talk = converse(policy, asks=True) >> client(call(1)) >> server(result(1, **said(f"magic {MAIL}"))) << Ask("s-2")
    asked, _ = question_about(talk.session.state, talk.questions[-1])
    assert "[email-1]" in json.dumps(asked["shown"])
    assert MAIL not in json.dumps(asked)
    talk.resume("s-2", YES) << Reply(result(1, **said(f"magic {MAIL}")))
    assert MAIL not in everything(talk)


# --- what fails, what is no message


def test_a_detector_that_fails_denies_and_shows_nothing(converse, monkeypatch):
    talk = converse()
    monkeypatch.setattr(PrivacyGuard, "screen", lambda *_: 1 / 0)
    talk >> client(call(1, to=MAIL))
    assert talk.reply["result"]["isError"] is True
    assert "the guard PrivacyGuard failed: ZeroDivisionError" in everything(talk)
    assert MAIL not in everything(talk)
    talk >> client(call(2)) >> server(result(2, **said(MAIL)))
    assert talk.reply["result"]["isError"] is True
    monkeypatch.setattr(PrivacyGuard, "is_clean", lambda *_: 1 / 0)
    talk >> client(call(3))
    assert talk.reply["result"]["isError"] is True


def test_what_is_no_message_reaches_record_and_stderr_without_its_values(converse):
    talk = converse() >> server(f"user {MAIL} logged in".encode())
    assert talk.effects == [("stderr", b"user [email] logged in")]
    assert talk.note["line"] == "user [email] logged in"


def test_a_value_that_a_text_writes_with_escapes_is_cut_whole_and_is_the_same_value(converse):
    at = MAIL.replace("@", "\\u0040")
    texts = [f'{{"a":"{at}"}}\n{{"b":"{at}"}}', f'```json\n{{"a": "{at}"}}\n```', f"so: {at} {MAIL}", f'{{"a":"{at}"}}']
    for text in texts:
        talk = converse() >> client(call(1)) >> server(result(1, **said(text)))
        talk << Reply(result(1, **said(text.replace(at, "[email-1]").replace(MAIL, "[email-1]"))))
        talk >> client(call(2, to="[email-1]")) << Forward(call(2, to=MAIL))
        assert talk.note["pii"]["restored"] == 1
        logged = converse(LOG) >> client(call(1)) >> server(result(1, **said(text)))
        logged << Reply(result(1, **said(text)))
    allowed = converse(REDACT + f'allow = ["{MAIL}"]\n') >> client(call(1)) >> server(result(1, **said(texts[0])))
    allowed << Reply(result(1, **said(texts[0])))


def test_explain_tells_what_would_be_done_to_call_and_answer(tmp_path):
    rules = rules_of(tmp_path, f'default = "allow"\n{REDACT}kinds = ["email", "ssn"]\n')
    policy = Policy(rules)
    subject = conversation(tmp_path, REDACT).session.state.call_of("tools/call", "read")
    guard = policy.guards.lines
    subject.params = {"name": "read", "arguments": {"to": MAIL}}
    assert guard.explain(subject) == [
        {"guard": "privacy", "name": "privacy", "verdict": "redact", "why": "in the parameters: email (1)",
         "found": ["email"]},
        {"guard": "privacy", "name": "privacy", "verdict": "allow", "why": "in results, redact: email, ssn"},
    ]  # fmt: skip


def test_explain_calls_a_denial_what_it_is_and_not_what_is_only_for_answers(tmp_path):
    subject = call_of("tools/call", {"name": "read", "arguments": {"to": MAIL}})
    for params, verdicts in (("deny", [("deny", "pii"), ("allow", None)]), ("off", [("allow", None)])):
        text = f'default = "allow"\n[privacy]\nparams = "{params}"\nresults = "deny"\n'
        told = Policy(rules_of(tmp_path, text)).guards.explain(subject)
        assert [(row["verdict"], row.get("kind")) for row in told] == verdicts
        assert MAIL not in str(told)


def test_an_answer_is_explained_with_what_would_go_on(tmp_path):
    text = f'default = "allow"\n{REDACT}[[privacy.rule]]\nkinds = ["ssn"]\nresults = "deny"\n'
    guards, subject = Policy(rules_of(tmp_path, text)).guards, call_of("tools/call", {"name": "read"})
    row = {
        "guard": "privacy",
        "name": "privacy",
        "verdict": "redact",
        "why": "in the result: email (1)",
        "found": ["email"],
    }
    content = {"content": [{"type": "text", "text": MAIL}]}
    assert guards.explain_answer(subject, content) == ([row], {"content": [{"type": "text", "text": "[email-1]"}]})
    assert guards.explain_answer(subject, {"content": []}) == ([], {"content": []})
    (denied,), _ = guards.explain_answer(subject, {**content, "structuredContent": {"ssn": "536-22-8741"}})
    assert (denied["name"], denied["verdict"], denied["kind"]) == ("privacy-rule-1", "deny", "pii")
    assert denied["found"] == ["ssn"]  # the address alone would not be denied


ASKING = {
    "sampling/createMessage": {"messages": [{"role": "user", "content": {"type": "text", "text": MAIL}}]},
    "elicitation/create": {"message": f"is it {MAIL}?", "requestedSchema": {}},
    "roots/list": {"_meta": {"note": MAIL}},
}


@pytest.mark.parametrize("method", ASKING)
def test_what_a_server_asks_is_explained_by_what_is_done_to_results_and_its_answer_by_params(tmp_path, method):
    subject = call_of(method, ASKING[method])
    for params, results in (("deny", "off"), ("off", "deny")):
        text = f'default = "allow"\n[privacy]\nparams = "{params}"\nresults = "{results}"\nkinds = ["email"]\n'
        talk = conversation(tmp_path, text) >> server(request("q", method, **ASKING[method]))
        guards = talk.session.policy.guards
        told = [(row["verdict"], row["why"]) for row in guards.explain(subject)]
        passed = talk.effects[-1][0] == "client"
        assert passed is (results == "off")
        asked, answered = ("deny", "in the result: email (1)"), ("allow", "in params, deny: email")
        assert told == ([answered] if passed else [asked])
        assert guards.judged(subject) is subject
        rows, _ = guards.explain_answer(subject, {"content": {"type": "text", "text": MAIL}})
        assert [row["verdict"] for row in rows] == (["deny"] if passed else [])


# --- a labelled set: structured content, escapes, events


ROOT = Path(__file__).resolve().parents[3]
CASES = [json.loads(each) for each in (ROOT / "tests/cases/privacy_messages.jsonl").read_text("utf-8").splitlines()]
FORMS = {
    "compact": lambda message: json.dumps(message, separators=(",", ":")),
    "spaced": json.dumps,
    "escaped": lambda message: escaped(json.dumps(message)),
}


def escaped(text):
    """Every letter, digit and sign inside of strings as an escape."""
    return re.sub(r'"((?:[^"\\]|\\.)*)"', lambda match: json_escapes(json.loads(match[0])), text)


def json_escapes(text):
    return '"' + "".join(f"\\u{ord(sign):04x}" if sign.isascii() else sign for sign in text) + '"'


def filled(value, known):
    if isinstance(value, str):
        for name, sample in known.items():
            value = value.replace(f"{{{name}}}", sample)
        return value
    if isinstance(value, dict):
        return {filled(key, known): filled(item, known) for key, item in value.items()}
    return [filled(item, known) for item in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    policy = Policy(rules_of(tmp_path_factory.mktemp("labelled"), f'default = "allow"\n{REDACT}'))
    return policy.guards.lines


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(CASES.index(case)))
def test_the_labelled_messages(reader, case, form):
    known = samples(CASES.index(case))
    known["ssn_digits"] = known["ssn"].replace("-", "")
    message = filled(case["message"], known)
    method = message.get("method", "tools/call")
    text = FORMS[form](message)
    params = message.get("params", {}) if method == "tools/call" else {}
    found = reader.screen(case["sender"], call_of(method, params or {"name": "t"}), text, {})
    assert (found.note["pii"]["found"] if found is not None else {}) == case["found"]
    if case["found"]:
        assert not reader.is_clean(text.encode(), {})
        assert len(json.loads(found.text)) == len(message)
        still = json.dumps({key: each for key, each in json.loads(found.text).items() if key != "id"})
        values = [known[name] for name in known if f"{{{name}}}" in json.dumps(case["message"])]
        protocol = "nextCursor" in still or "progressToken" in still
        assert protocol or not any(json.dumps(value)[1:-1] in still for value in values)


# --- what a message is for


def test_a_value_in_a_notifications_method_drops_it(converse):
    talk = converse()
    for sender in (client, server):
        talk >> sender(notification(f"notifications/{MAIL}"))
        talk << NOTHING
    assert MAIL not in everything(talk)


def test_a_value_in_a_method_or_a_tools_name_reaches_no_error(converse):
    talk = converse()
    talk >> client(request(1, f"x/{MAIL}"))
    assert talk.reply["error"]["code"] == -32601
    assert MAIL not in json.dumps(talk.reply)
    talk >> client(call(2, MAIL))
    assert talk.reply["result"]["_meta"]["mcpgov/decision"]["kind"] == "pii"
    assert MAIL not in json.dumps(talk.reply) + everything(talk)


def test_a_tools_name_that_is_let_pass_is_in_no_record_of_its_answer_either(converse):
    talk = converse(LOG)
    talk >> client(call(1, MAIL)) << Forward(call(1, MAIL))
    talk >> server(result(1)) << Reply(result(1))
    assert len([note for note in talk.notes if note["action"] == "answered"]) == 1
    assert MAIL not in everything(talk)


def test_no_value_is_put_back_into_a_tools_name(converse):
    talk = converse()
    talk >> client(call(1)) >> server(result(1, **said(MAIL)))
    talk >> client(call(2, "[email-1]")) << Forward(call(2, "[email-1]"))
    talk >> server(result(2))
    assert MAIL not in everything(talk)
