"""The usual lines: what the fast paths take, and what they leave to the long way."""

import json

import pytest

from mcpgov.core.messages import wire
from mcpgov.core.session import fast_lines
from mcpgov.core.session.session import Policy
from mcpgov.core.session.session_state import BrokenOff
from mcpgov.core.session.verdict import Judge
from tests.helpers.counting_guard import Counter, under_counter
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    NOTHING,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    line,
    policy,
    request,
    result,
    server,
)

TOOLS_ONLY = {"action": "allow", "tool": ["**"]}


def test_a_plain_call_that_names_allow_goes_out_as_it_came():
    talk = Playbook(TOOLS_ONLY)
    data = line(call(1, "read", path="a", n=1, f=1.50, t=True, z=None))
    assert talk.from_client(data)[1] == ("server", data, 1)
    talk >> client(call("a", "read", path="b")) << Forward(call("a", "read", path="b"))
    assert talk.note == {
        "dir": "client", "method": "tools/call", "action": "allow", "decision": "s-2", "tool": "read", "rule": "r1",
        "kind": "policy", "revision": "rev", "args": {"path": "b"}, "service": "fs", "operation": "read",
    }  # fmt: skip


def test_the_short_and_the_long_way_leave_the_same_record():
    talk = Playbook(TOOLS_ONLY)
    talk >> client(call(1, "read", path="b", n=2))
    short = talk.note
    escaped = line(call(2, "read", path="b", n=2)).replace(b"read", b"re\\u0061d")
    talk >> client(escaped)
    assert {**talk.note, "decision": "s-1"} == short


@pytest.mark.parametrize("args", [{"a": "sk-abc"}, {"a": "x" * 200}, {"a": []}, {"a": {}}])
def test_values_that_need_a_look_take_the_long_way_and_pass(args):
    talk = Playbook(TOOLS_ONLY)
    talk >> client(call(1, "read", **args)) << Forward(call(1, "read", **args))


def test_a_call_like_one_before_is_told_from_it_by_its_values_only(monkeypatch):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 0)
    talk = Playbook(TOOLS_ONLY)
    for ident, path, n in ((1, "a", 1), (2, "b", 2), ("x", "c", 3)):
        talk >> client(call(ident, "read", path=path, n=n)) << Forward(call(ident, "read", path=path, n=n))
        assert talk.note["args"] == {"path": path, "n": n}
    assert len(talk.session.fast.call_forms) == 2  # one with a number for its id, one with a text
    for ident, path, n in ((3, "sk-abc", 1), (4, "b", -2), (0, "c", 3)):
        talk >> client(call(ident, "read", path=path, n=n)) << Forward(call(ident, "read", path=path, n=n))
    talk >> client(call(2, "read", path="b", n=2))
    assert talk.reply["error"]["message"] == "the id is in use by an open request"


@pytest.mark.parametrize(
    ("text", "short"),
    [("é", True), ("x" * 5000, True), ("x" * fast_lines.LONGEST_CALL, False), ("\u2028", False)],
)
def test_what_is_not_short_and_plain_takes_the_long_way(text, short):
    talk = Playbook(TOOLS_ONLY)
    data = json.dumps(call(1, "read", path=text), ensure_ascii=text == "\u2028").encode()
    assert (Playbook(TOOLS_ONLY).session.quick_call(data.replace(b"\\u2028", text.encode())) is not None) is short
    assert talk.from_client(data)[1] == ("server", data, 1)


def test_shapes_are_remembered_within_bounds():
    talk = Playbook(TOOLS_ONLY)
    for at in range(fast_lines.MOST_SHAPES + 2):
        talk >> client(call(at, f"tool{at}")) << Forward(call(at, f"tool{at}"))
    assert len(talk.session.fast.shapes) == 2


def test_what_is_no_text_or_breaks_while_its_values_are_looked_at_takes_the_long_way(monkeypatch):
    talk = Playbook({"action": "deny", "args": [[["a"], ["/keys/**"]]]}, TOOLS_ONLY)
    assert talk.session.quick_call(b'{"id":\xff}') is None
    data = line(call(1, "read", a="/x"))
    assert talk.session.quick_call(data) is not None
    for problem in (RecursionError, MemoryError, BrokenOff):
        monkeypatch.setattr(Judge, "before_guards", lambda *_, problem=problem: raises(problem))
        assert talk.session.quick_call(line(call(2, "read", a="/y"))) is None


def raises(problem):
    raise problem


def test_a_call_without_arguments_whose_names_do_not_decide_is_recorded_without_any():
    talk = Playbook({"action": "allow", "tool": ["**"], "when": "true"})
    talk >> client(call(1, "read")) << Forward(call(1, "read"))
    assert "args" not in talk.note


def test_forms_are_made_ever_more_seldom():
    talk = Playbook(ALLOW_ALL)
    learned = [talk.session.fast.learns([]) for _ in range(300)]
    assert [at for at, made in enumerate(learned, 1) if made] == [*range(64, 81), 128, 256]


def test_a_policy_that_begins_to_watch_answers_judges_those_on_their_way():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1, "read")) >> client(call(2, "other", a=[1])) >> client(request(3, "ping"))
    talk.session.forget_shapes()
    talk.session.policy = Policy(policy({"action": "deny", "tool": ["read"], "contains": ["bad"]}, ALLOW_ALL))
    talk.session.forget_shapes()
    talk.session.forget_shapes()
    talk >> server(result(1, text="bad"))
    assert talk.reply["result"]["isError"] is True
    talk >> server(result(2, text="bad")) << Reply(result(2, text="bad"))
    talk >> server(result(3, text="bad")) << Reply(result(3, text="bad"))


@pytest.mark.parametrize("size", [wire.LARGE_LINE, wire.LONG_LINE, 10])
def test_an_answer_of_any_size_goes_out_as_it_came(size):
    talk = Playbook(TOOLS_ONLY)
    for ident in (1, 2):
        answer = json.dumps(result(ident, text="x" * size)).encode()
        talk >> client(call(ident))
        assert talk.from_server(answer)[-1] == ("client", answer, None)


def test_an_answer_like_one_before_is_told_from_it_by_its_values_only(monkeypatch):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 0)
    talk = Playbook(TOOLS_ONLY)
    for ident in range(1, 8):
        talk >> client(call(ident))
    for ident, text in ((1, "x"), (2, "é \n"), (3, "\u2028"), (4, "y")):
        answer = result(ident, content=[{"type": "text", "text": text}])
        talk >> server(json.dumps(answer, ensure_ascii=False).encode()) << Reply(answer)
    failed = result(5, content=[{"type": "text", "text": "x"}], isError=True)
    talk >> server(failed) << Reply(failed)
    assert talk.note["error"] is True
    talk >> server(result(5, content=[{"type": "text", "text": "x"}])) << NOTHING
    assert len(talk.session.fast.answer_forms) == 3
    long = result(6, text="x" * (1 << 16))
    assert talk.session.quick_answer(json.dumps(long).encode()) is None
    talk >> server(long) << Reply(long)
    many = result(7, n=[*range(99)])
    talk >> server(many) << Reply(many)


def test_answers_that_never_repeat_are_taken_apart_ever_more_seldom():
    talk = Playbook(TOOLS_ONLY)
    for ident in range(1, 40):
        answer = result(ident, **{f"k{ident}": 1})
        talk >> client(call(ident)) >> server(answer) << Reply(answer)
    assert len(talk.session.fast.answer_forms) == 4


def test_what_the_fast_path_cannot_judge_it_leaves_to_the_long_way():
    talk = Playbook({"action": "deny", "args": [[["a"], ["/keys/**"]]]}, TOOLS_ONLY)
    for data in (call(1, "read", password="x"), call(1, "read", a="/keys/x"), call(1, "re\nad")):
        assert talk.session.quick_call(line(data)) is None
    assert talk.session.quick_call(line(call(1, "read", a="x"))) is not None
    assert talk.session.quick_answer(b'{"jsonrpc":"2.0","id":1,"result":{}\xff}') is None


@pytest.mark.parametrize("first_form", [0, 99])
def test_many_lines_are_read_at_once_as_far_as_they_are_plain(monkeypatch, first_form):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", first_form)
    session = Playbook({"action": "deny", "tool": ["rm"]}, TOOLS_ONLY).session
    calls = [call(1, "read", path="a"), call("2", "list", n=5), call(3, "read", path="b"), call(4, "rm"), call(5)]
    text, notes = "".join(f"{line(message).decode()}\n" for message in calls), []
    assert text[session.quick_calls(text, notes) :].startswith(line(calls[3]).decode())
    assert [json.loads(f"{{{note}}}")["decision"] for note in notes] == ["s-1", "s-2", "s-3"]
    assert session.latest(3) == [1, "2", 3]
    results = [result(3, x="a"), result("2", x='"\n', isError=True), result(1, x="b"), result(9, x="c")]
    for some in (results[:1], results[1:]):
        text, notes = "".join(f"{line(message).decode()}\n" for message in some), []
        assert text[session.quick_answers(text, notes) :] == (text.splitlines(True)[-1] if len(some) > 1 else "")
    assert [("error" in json.loads(f"{{{note}}}")) for note in notes] == [True, False]
    assert session.open_requests == 0


def test_an_answer_that_is_no_json_is_left_to_the_long_way(monkeypatch):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 0)
    talk = Playbook(TOOLS_ONLY) >> client(call(1)) >> client(call(2)) >> server(result(1, text="x"))
    assert talk.session.quick_answer(line(result(2, text="x")).replace(b'"x"', b'"\\x"')) is None
    assert talk.session.open_requests == 1


KEYS_DENIED = {"action": "deny", "args": [[["a"], ["/keys/**"]]]}


class CountingJudge:
    """How often the rules were asked."""

    def __init__(self, monkeypatch):
        self.asked, verdict = 0, Judge.before_guards

        def counted(judge, *call):
            self.asked += 1
            return verdict(judge, *call)

        monkeypatch.setattr(Judge, "before_guards", counted)


@pytest.mark.parametrize("value", ["/home/u/x", "see: /home/u/x", "a\nb: é", "back\\slash: x"])
def test_values_that_needed_a_look_are_judged_once_while_their_links_stay(monkeypatch, value):
    judge = CountingJudge(monkeypatch)
    talk = Playbook(KEYS_DENIED, TOOLS_ONLY)
    for ident in range(1, 6):
        talk >> client(call(ident, "read", a=value)) << Forward(call(ident, "read", a=value))
    assert judge.asked == 2, "at first sight, and once more to learn what its verdict depends on"
    records = [{**note, "decision": "", "us": 0} for note in talk.notes[-5:]]
    assert records == records[:1] * 5
    talk >> client(call(6, "list", a=value)) << Forward(call(6, "list", a=value))
    assert judge.asked == 3


def test_a_link_that_moved_is_followed_before_the_same_values_pass_again(monkeypatch):
    judge, links = CountingJudge(monkeypatch), {"/home/u/link": "/srv"}
    talk = Playbook(KEYS_DENIED, TOOLS_ONLY)
    talk.session.policy.rules.world.readlink = links.get
    talk.session.forget_shapes()
    for ident in (1, 2, 3):
        talk >> client(call(ident, "read", a="/home/u/link/x")) << Forward(call(ident, "read", a="/home/u/link/x"))
    assert judge.asked == 2
    links["/home/u/link"] = "/keys"
    talk >> client(call(4, "read", a="/home/u/link/x"))
    assert talk.note["action"] == "deny"
    links["/home/u/link"] = "/srv"
    for ident in (5, 6, 7):
        talk >> client(call(ident, "read", a="/home/u/link/x")) << Forward(call(ident, "read", a="/home/u/link/x"))
    asked = judge.asked
    talk >> client(call(8, "read", a="/home/u/link/x")) << Forward(call(8, "read", a="/home/u/link/x"))
    assert judge.asked == asked
    talk.session.policy.forget_links()  # the rules' own directories may lie elsewhere now
    talk >> client(call(9, "read", a="/home/u/link/x")) << Forward(call(9, "read", a="/home/u/link/x"))
    assert judge.asked == asked + 1


def test_only_so_many_values_are_kept_and_none_that_is_long_or_asks_much(monkeypatch):
    monkeypatch.setattr(fast_lines, "MOST_LOOKED_AT", 2)
    monkeypatch.setattr(fast_lines, "LONGEST_KEPT", 400)
    session = Playbook(KEYS_DENIED, TOOLS_ONLY).session
    kept = []
    for ident, value in enumerate(["/a", "/b", "/c", "/" + "x" * 500, "/d" * 90, 1.5, ["/x"], [1.0]]):
        for again in range(2):
            assert session.quick_call(line(call(f"{ident}.{again}", "read", a=value, b="/y"))) is not None
        kept.append(sum(known is not None for known in session.fast._looked.values()))
        assert len(session.fast._looked) <= 2
    assert kept == [1, 2, 1, 1, 1, 1, 1, 1]


def test_only_lines_that_are_clean_to_a_guard_take_the_short_way():
    talk, guard = under_words()
    assert talk.session.quick_call(line(call(1, a="b"))) is not None
    assert talk.session.quick_call(line(call(2, a="SECRET"))) is None
    assert talk.session.quick_answer(line(result(1, a="SECRET"))) is None
    assert talk.session.quick_answer(line(result(1, a="b"))) is not None
    assert guard.read == []
    guard.mode = "fail"
    assert talk.session.quick_call(line(call(3, a="b"))) is None


@pytest.fixture
def counted():
    talk = Playbook(none=True)
    talk.session.policy = under_counter(Counter(), TOOLS_ONLY)
    return talk


def actions(notes):
    return [json.loads(f"{{{note}}}")["action"] for note in notes]


def test_calls_that_a_guard_counts_and_their_answers_take_the_fast_path(counted):
    session = counted.session
    assert [actions(session.quick_call(line(call(ident, a="b")))) for ident in range(1, 6)] == [
        ["allow"], ["allow"], ["allow"], ["allow"], ["allow", "warned"],
    ]  # fmt: skip
    assert session.quick_call(line(call(6, a="b"))) is None, "the guard denies it, which takes the long way"
    assert actions(session.quick_answer(line(result(1, isError=True)))) == ["answered", "charged"]
    assert session.quick_answer(line(result(2, taskId="t"))) is None
    assert session.quick_answer(line(result(7))) is None


def test_forms_of_lines_count_like_what_is_parsed(counted, monkeypatch):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 0)
    session, parsed = counted.session, []
    monkeypatch.setattr(session.fast, "_plain_call", lambda *_: parsed.append(1))
    assert session.quick_call(line(call(1, a="b", n=1))) is None
    monkeypatch.undo()
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 0)
    assert actions(session.quick_call(line(call(1, a="b", n=1)))) == ["allow"]
    monkeypatch.setattr(session.fast, "_plain_call", lambda *_: parsed.append(2))
    found = [actions(session.quick_call(line(call(ident, a="c", n=ident))) or []) for ident in range(2, 6)]
    assert (found, parsed) == ([["allow"], ["allow"], ["allow"], ["allow", "warned"]], [1])
    assert session.quick_call(line(call(6, a="b", n=1))) is None, "the guard denies it"
    opened = session.client.requests.by_id
    assert (opened[2].call.params, opened[2].call.args) == (
        {"name": "read", "arguments": {"a": "c", "n": 2}}, {"a": "c", "n": 2},
    )  # fmt: skip
    assert isinstance(opened[4], tuple), "nobody has to hear of its end"


def test_values_that_need_a_look_are_counted_each_time(counted):
    for ident in range(1, 4):
        assert counted.session.quick_call(line(call(ident, a="/x/y"))) is not None
    assert [actions(counted.session.quick_answer(line(result(ident))))[1] for ident in range(1, 4)] == ["charged"] * 3


def test_no_line_takes_the_fast_path_once_a_guard_has_failed(counted, monkeypatch):
    session = counted.session
    assert session.quick_call(line(call(1, "echo"))) is not None
    monkeypatch.setattr(Counter, "settle", lambda *_: raises(ZeroDivisionError))
    assert session.quick_call(line(call(2))) is not None
    session.server_gone("gone")
    assert session.quick_call(line(call(3, "echo"))) is None


def test_an_answer_whose_request_waits_for_more_than_a_count_takes_the_long_way(counted):
    counted >> client(request(1, "tools/list"))
    assert counted.session.quick_call(line(call(2))) is not None
    assert counted.session.quick_answer(line(result(1, tools=[]))) is None
