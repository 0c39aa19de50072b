import shlex
import time

import pytest

from mcpgov.core.audit.audit_preview import preview
from mcpgov.core.json.values import dumps
from mcpgov.daemon.approvals import records
from mcpgov.fingerprints import Fingerprints
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from tests.helpers.held_calls import HeldCalls
from tests.helpers.journals import Proxy, digest_text
from tests.test_tool_store import seen, tool

POLICY = """\
default = "deny"
[[rule]]
name = "no-keys"
action = "deny"
args."*" = "/keys/**"
message = "keys stay where they are"
[[rule]]
name = "reading"
action = "allow"
tool = "read_*"
[[rule]]
name = "notes"
action = "allow"
resource = "notes://**"
[services.git]
read = "allow"
write = "prompt"
"""


@pytest.fixture
def revision(run, policy):
    policy(POLICY)
    return run("policy", "explain", "--server", "fs", "--tool", "x", "--json").json["revision"]


@pytest.fixture
def proxy(root, revision):
    made = Proxy(root / "state" / "journal")
    made.at = time.time() - 10
    return made


def test_a_decision_is_told_again_with_record_answer_rule_and_line(run, proxy, revision, root):
    ident = proxy.call("read_file", args={"path": "/a"}, revision=revision, answer=1500)
    done = run("why", ident)
    lines = done.out.splitlines()
    (path,) = (root / "state" / "journal").iterdir()
    assert (done.status, done.err, lines[0]) == (0, "", "ALLOW  read_file on fs")
    for line in (
        "by          rule `reading`",
        "session     aaaaaaaaaaaa, client claude",
        'arguments   {"path":"/a"}',
        "decided in  42 µs",
        "answer      answered, after 1.5 ms",
        f"record      {path}:1",
        "judged again by the policy in force now: the same policy, as then",
        f"by          rule `reading`, {root}/config/policy.toml:7",
    ):
        assert line in lines


def test_json_holds_record_answers_place_and_explanation(run, proxy, revision, root):
    ident = proxy.call("delete_it", action="deny", rule=None, args={"path": "/a"}, revision=revision)
    found = run("why", ident, "--json").json
    keys = ("version", "command", "ok", "decision", "answers", "same_policy", "remark", "line")
    assert [found[key] for key in keys] == [1, "why", True, ident, [], True, "", 1]
    assert found["record"]["tool"] == "delete_it"
    assert (found["now"]["action"], found["now"]["rule"]) == ("deny", None)
    assert [step["rule"] for step in found["now"]["trace"]][:2] == ["no-keys", "reading"]


def test_another_policy_and_another_verdict_are_said_plainly(run, proxy, policy, revision):
    ident = proxy.call("read_file", args={"path": "/a"}, revision=revision)
    policy('default = "deny"\n')
    done = run("why", ident)
    assert "judged again by the policy in force now: another policy than then, not as then" in done.out
    assert (done.status, run("why", ident, "--json").json["same_policy"]) == (0, False)


def test_arguments_that_were_masked_or_cut_are_not_judged_again(run, proxy, revision):
    masked = proxy.call(
        "read_file", args={"token": "***"}, digest=digest_text("x"), masked=["token"], revision=revision
    )
    done = run("why", masked)
    assert "masked      token" in done.out
    assert "not judged again: the record holds its arguments masked or cut" in done.out
    assert run("why", masked, "--json").json["now"] is None


def test_a_salted_digest_of_the_arguments_on_record_is_known_on_this_machine(run, proxy, root, revision):
    args = {"path": "/a"}
    assert run("why", proxy.call("read_file", args=args, digest="0:0", revision=revision), "--json").json["now"] is None
    assert not (root / "state" / "salt").exists()
    digest = Fingerprints(str(root / "state" / "salt")).of(dumps(args))
    ident = proxy.call("read_file", args=args, digest=digest, revision=revision)
    assert run("why", ident, "--json").json["now"]["rule"] == "reading"


def test_a_call_without_arguments_on_record_is_judged_without_any(run, proxy, revision):
    ident = proxy.call("read_file", revision=revision)
    assert run("why", ident, "--json").json["now"]["rule"] == "reading"


@pytest.mark.parametrize(
    ("method", "more", "rule"),
    [
        ("resources/read", {"uris": ["notes://a"]}, "notes"),
        ("subscriptions/listen", {"uris": ["notes://a"]}, "notes"),
        ("prompts/get", {"prompt": "greet", "args": {"x": "/keys/a"}}, "no-keys"),
        ("sampling/createMessage", {"dir": "server", "args": {"messages": []}}, None),
    ],
)
def test_other_methods_are_judged_again_too(run, proxy, revision, method, more, rule):
    proxy.write({"dir": "client", "method": method, "action": "deny", "decision": "aaaaaaaaaaaa-9", "rule": None,
                 "kind": "unauthorized", "revision": revision, "us": 1} | more)  # fmt: skip
    found = run("why", "aaaaaaaaaaaa-9", "--json").json
    assert (found["remark"], found["now"]["rule"]) == ("", rule)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"method": "resources/read", "uris": preview(["u" * 121], [])}, "the record does not hold the request whole"),
        ({"method": "resources/read", "uris": preview(["sk-123"], [])}, "the record does not hold the request whole"),
        ({"method": "resources/read", "uris": preview(["u"] * 21, [])}, "the record does not hold the request whole"),
        ({"method": "completion/complete"}, "the record does not hold the request whole"),
        ({"method": "tools/call", "tool": "t" * 200}, "the name is cut in the record"),
        ({"method": "tools/call", "tool": "t", "kind": "pin"}, "the pins decided; `mcpgov tools` shows what changed"),
        ({"method": "ping", "action": "passed"}, "no rule was asked"),
        ({"method": "resources/read", "uris": [5]}, "the record is odd: `uri` must be a string"),
    ],
)
def test_what_cannot_be_judged_again_says_why(run, proxy, more, told):
    proxy.write({"dir": "client", "action": "deny", "decision": "aaaaaaaaaaaa-9", "rule": None, "us": 1} | more)
    done = run("why", "aaaaaaaaaaaa-9")
    assert (done.status, f"\nnot judged again: {told}\n" in done.out) == (0, True)


def test_a_policy_that_is_broken_now_still_shows_the_record(run, proxy, policy):
    ident = proxy.call("read_file", args={})
    policy("default = [")
    done = run("why", ident)
    assert done.status == 0
    assert "\nnot judged again: " in done.out


def test_annotations_the_proxy_has_seen_count_as_they_did(run, root, revision):
    proxy = Proxy(root / "state" / "journal", server="git")
    seen(root / "state" / "tools", "git", [tool("read_log", annotations={"destructiveHint": True})])
    ident = proxy.call("get_log", args={}, action="allow", rule="services.git.read", revision=revision)
    other = proxy.call("read_log", args={}, action="prompt", rule="services.git.write", revision=revision)
    assert run("why", ident, "--json").json["now"]["operation"] == "read"
    assert run("why", other, "--json").json["now"]["operation"] == "write"


def test_the_last_call_that_was_stopped_needs_no_id(run, proxy, revision):
    proxy.call("one", action="deny", rule=None)
    last = proxy.call("two", action="prompt", rule=None)
    proxy.call("read_three")
    assert run("why", "last", "--json").json["decision"] == last


def test_a_failed_answer_and_one_that_was_stopped_are_told(run, proxy):
    ident = proxy.call("read_file", answer=None)
    assert "answer      none on record" in run("why", ident).out
    proxy.write({"dir": "server", "action": "deny", "decision": ident, "rule": "no", "why": "w", "round_trip_us": 9})
    proxy.write({"dir": "server", "action": "failed", "decision": ident, "why": "the server is gone"})
    proxy.write({"dir": "server", "action": "answered", "decision": ident, "error": True, "round_trip_us": 9})
    out = run("why", ident).out
    for line in (
        "answer      deny: w, after 9 µs",
        "answer      failed: the server is gone",
        "answer      an error, after 9 µs",
    ):
        assert f"\n{line}\n" in out


@pytest.mark.parametrize("ident", ["aaaaaaaaaaaa-99", "x", "", '"', "\udc80"])
def test_an_unknown_decision_is_an_error_with_a_hint(run, proxy, ident):
    proxy.call(args={"fake": f'"decision":"{ident}"'})
    done = run("why", ident)
    assert (done.status, done.out) == (1, "")
    assert done.err.endswith("hint: `mcpgov audit show --action deny` tells the ids of calls that were stopped\n")


def test_the_project_of_a_call_is_told_and_its_policy_judges_too(run, root, revision, tmp_path):
    (tmp_path / ".mcpgov.toml").write_text('[[rule]]\nname = "narrow"\naction = "deny"\ntool = "read_*"\n')
    (tmp_path / ".mcpgov.toml").chmod(0o600)
    ident = Proxy(root / "state" / "journal", project=str(tmp_path)).call("read_file", args={}, revision=revision)
    assert f"\nproject     {tmp_path}\n" in run("why", ident).out
    assert run("why", ident, "--json").json["now"]["rule"] == "narrow"


def test_nothing_was_stopped_is_told(run):
    assert run("why", "last").err.startswith("mcpgov: no call on record was stopped\n")


def test_a_record_of_another_session_that_claims_the_id_does_not_count(run, root, proxy):
    ident = proxy.call("read_file")
    Proxy(root / "state" / "journal", "bbbbbbbbbbbb").write({"action": "allow", "tool": "forged", "decision": ident})
    assert run("why", ident, "--json").json["record"]["tool"] == "read_file"


def test_without_an_id_it_is_the_last_call_that_was_stopped(run, proxy, revision):
    proxy.call("delete_file", action="deny", rule=None)
    proxy.call("run_shell", action="prompt", rule="ask")
    proxy.call("read_file")
    out = run("why").out
    assert out.startswith("PROMPT  run_shell on fs\n")
    assert "by          rule `ask`\nso          denied: nobody could be asked\n" in out
    assert run("why", "--json").json["decision"] == run("why", "last", "--json").json["decision"] == "aaaaaaaaaaaa-2"


def test_the_line_that_would_let_it_pass_is_ready_to_paste_and_does_it(run, proxy, revision):
    ident = proxy.call("write_file", action="deny", rule=None, args={"path": "/srv/a b", "n": 1}, revision=revision)
    done = run("why", ident)
    line = "mcpgov allow --arg 'path=/srv/a b' fs write_file"
    assert done.out.endswith(f"\nto let such calls pass:\n  {line}\n")
    assert run("why", ident, "--json").json["allow"] == line
    assert run(*shlex.split(line)[1:], "--yes").status == 0
    after = run("why", ident, "--json").json
    assert (after["now"]["action"], after["allow"]) == ("allow", None)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"digest": "0" * 32}, "mcpgov allow fs delete_x"),
        ({"kind": "pin"}, "mcpgov tools --accept=delete_x fs"),
        ({"server": "", "digest": "0" * 32}, None),
    ],
)
def test_what_cannot_be_judged_again_is_offered_by_its_names(run, proxy, more, line):
    ident = proxy.call("delete_x", action="deny", rule=None, args={"path": "…"}, **more)
    assert run("why", ident, "--json").json["allow"] == line


def test_what_a_project_denies_as_well_is_not_offered(run, root, revision, tmp_path):
    (tmp_path / ".mcpgov.toml").write_text('[[rule]]\naction = "deny"\ntool = "write_*"\n')
    proxy = Proxy(root / "state" / "journal", project=str(tmp_path))
    ident = proxy.call("write_file", action="deny", rule=None, args={}, revision=revision)
    assert run("why", ident, "--json").json["allow"] is None


# --- calls that were held


@pytest.fixture
def held(root):
    return HeldCalls(Places(root).journal, time.time() - 60)


def told(out):
    """The lines of the story, without the times."""
    lines = out.partition("what happened\n")[2].partition("\n\n")[0].splitlines()
    return [line.partition(" s  ")[2] for line in lines if line.startswith("  +")]


def test_the_whole_story_of_an_approved_call_is_told(run, policy, held):
    policy('[[rule]]\nname = "ask-deletes"\naction = "prompt"\ntool = "delete_*"\n')
    number = held.allowed()
    done = run("why", number)
    assert done.out.startswith(
        "PROMPT  delete_x on github\nby          rule `ask-deletes`\nso          a person's yes let"
    )
    assert told(done.out) == [
        "a person is asked",
        "offered in the app, on the desktop, for 25 s",
        "allowed once on the command line by pid 7, after 3.2 s",
        "judged again by the policy then in force, and sent to the server, after 3.3 s",
    ]
    assert "answer      answered, after 1.5 ms\n" in done.out
    found = run("why", number, "--json").json
    assert (found["outcome"], [event["action"] for event in found["story"]][:2]) == ("allowed", ["asked", "offered"])


def test_a_refused_an_expired_a_withdrawn_and_a_waiting_call_are_told_apart(run, policy, held):
    policy('default = "prompt"\n')
    refused, late, gone, waits = held.refused(), held.ask(), held.ask(), held.ask()
    held.note(records.EXPIRED, late, wait=25)
    held.deny(late, "timeout", "nobody answered")
    assert f"still       mcpgov approve {late} lets the next try pass, for 9 min " in run("why", late).out
    held.answer(late, event=records.LATE)
    held.note(records.WITHDRAWN, gone, why="cancelled")
    out = run("why", refused).out
    assert "so          denied: a person said no\n" in out
    assert told(out)[2:] == ["denied on the command line by pid 7, after 3.2 s", "denied: no"]
    out = run("why", late).out
    assert "so          denied: nobody answered in time\n" in out
    assert "still " not in out
    assert told(out)[2:] == [
        "nobody answered in 25 s: denied",
        "denied: nobody answered",
        "allowed once on the command line by pid 7, after 3.2 s; too late for the call, it counts for the next try",
    ]
    assert told(run("why", gone).out)[2:] == ["withdrawn: cancelled"]
    out = run("why", waits).out
    assert f"so          it waits for an answer\nanswer it   mcpgov approve {waits}\n" in out


def test_a_late_yes_is_offered_only_for_what_the_daemon_remembers(run, policy, held):
    policy('default = "prompt"\n')
    for number in (held.proxy.call("delete_x", action="prompt", rule=None), held.ask()):
        held.deny(number, "unreachable", "its daemon does not run, or has gone")
        out = run("why", number).out
        assert "so          denied: nobody could be asked\n" in out
        assert "still " not in out


def test_a_call_that_waited_with_an_equal_question_tells_that_ones_answer(run, policy, held):
    policy('default = "prompt"\n')
    first = held.ask()
    second = held.proxy.call("delete_x", action="prompt", rule=None)
    held.note(records.ASKED, second)
    held.note(records.JOINED, second, first)
    held.answer(first)
    held.resume(first), held.resume(second)
    assert told(run("why", second).out) == [
        "offered in the app, on the desktop, for 25 s",
        "a person is asked",
        f"the same is asked already: it waits with question {first}",
        "allowed once on the command line by pid 7, after 3.2 s",
        "judged again by the policy then in force, and sent to the server, after 3.3 s",
    ]


def test_the_last_stopped_call_is_none_that_a_person_let_pass(run, policy, held):
    policy('default = "prompt"\n')
    refused = held.refused()
    held.allowed()
    assert run("why", "--json").json["decision"] == refused


def test_the_story_of_a_held_answer_is_told_from_both_ends(run, policy, held):
    policy('[[rule]]\nname = "odd"\naction = "prompt"\ncontains = ["x"]\n[[rule]]\naction = "allow"\ntool = "*"\n')
    call, question = held.answer_held()
    out = run("why", call).out
    assert out.startswith("ALLOW  read_page on github\n")
    lines = [
        "a person is asked",
        "allowed once on the command line by pid 7, after 3.2 s",
        "judged again by the policy then in force, and handed over to the app, after 3.3 s",
    ]
    assert told(out) == [f"its answer is held, by rule `odd`: mcpgov why {question}", *lines]
    done = run("why", question)
    assert done.out.startswith(
        "PROMPT  the answer of read_page on github\nby          rule `odd`\nso          a person's yes"
    )
    assert f"inside      the answer to call {call}\n" in done.out
    assert told(done.out) == lines
    assert "not judged again: the journal does not hold what a server answered" in done.out
    assert "mcpgov allow" not in done.out


def test_what_the_guards_noted_of_a_call_is_told(run, proxy, revision):
    ident = proxy.call("read_file", args={"path": "/a"}, revision=revision, answer=1500)
    about = {"dir": "proxy", "method": "tools/call", "decision": ident}
    proxy.write({**about, "action": "charged", "charges": [["money", "2026-11", 2_500_000]]})
    proxy.write({**about, "action": "warned", "budget": "money", "spent": "8", "limit": "10"})
    shown = run("why", ident).out
    assert "guard       charged: 2.5 of `money` in 2026-11" in shown
    assert "guard       `money` reached 8 of 10" in shown
    found = run("why", ident, "--json").json
    assert [note["action"] for note in found["guards"]] == ["charged", "warned"]
    assert [answer["action"] for answer in found["answers"]] == ["answered"]


def test_a_call_that_a_budget_stopped_names_the_budget_and_how_to_raise_it(run, proxy, policy, root):
    policy('default = "allow"\n[[budget]]\nname = "money"\nlimit = 1\nper = "total"\n')
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend("money", "total", 1_000_000)
    ledger.close()
    ident = proxy.call("read_file", action="deny", rule="money", kind="budget", why="1 of 1 of `money` are spent")
    shown = run("why", ident).out
    assert "by          budget `money`\nbecause     1 of 1 of `money` are spent" in shown
    assert "as then" in shown
    assert "mcpgov budget raise money AMOUNT" in shown


@pytest.mark.parametrize(
    ("row", "key", "share"),
    [('each = "server"', "money\x1ffs", "fs"), ('each = "client"', "money\x1fclaude", "claude")],
)
def test_the_raise_that_is_offered_names_the_share(run, proxy, policy, root, row, key, share):
    policy(f'default = "allow"\n[[budget]]\nname = "money"\nlimit = 1\nper = "total"\n{row}\n')
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend(key, "total", 1_000_000)
    ledger.close()
    ident = proxy.call("read_file", action="deny", rule="money", kind="budget", why="1 of 1 of `money` are spent")
    assert run("why", ident, "--json").json["allow"] == f"mcpgov budget raise money AMOUNT --share {share}"


def test_a_raise_is_offered_also_where_the_call_costs_more_than_the_limit_and_nothing_is_counted(run, proxy, policy):
    policy('default = "allow"\n[[budget]]\nname = "money"\nlimit = 1\ncost = 2\nper = "day"\neach = "server"\n')
    ident = proxy.call("read_file", action="deny", rule="money", kind="budget", why="this call costs 2, 1 are left")
    assert run("why", ident, "--json").json["allow"] == "mcpgov budget raise money AMOUNT --share fs"


def test_a_sessions_budget_is_judged_as_in_the_session_of_the_decision(run, proxy, policy, root):
    policy('default = "allow"\n[[budget]]\nname = "money"\nlimit = 1\nper = "session"\n')
    ledger = Ledger(str(Places(root).ledger))
    ledger.reserve([BudgetClaim("money", "money", f"session {proxy.session}", 1_000_000, 1_000_000)])
    ident = proxy.call("read_file", action="deny", rule="money", kind="budget", why="1 of 1 of `money` are spent")
    found = run("why", ident, "--json").json
    assert (found["now"]["action"], found["now"]["rule"]) == ("deny", "money")
    assert found["allow"] == f"mcpgov budget raise money AMOUNT --share {proxy.session}"
    ledger.end_session(f"session {proxy.session}")
    ledger.close()
    shown = run("why", ident).out
    assert "as then" in shown
    assert f"`money` counts no more for {proxy.session}; a new session begins with all of it" in shown


def test_a_call_that_a_guard_asked_about_says_what_the_guard_saw(run, proxy):
    seen = {"signals": [{"pack": "instructions", "score": 0.94}]}
    ident = proxy.call("read_file", action="prompt", rule="(signals)", why="its description looks odd", data=seen)
    shown = run("why", ident).out
    assert "by          rule `(signals)`\nbecause     its description looks odd" in shown
