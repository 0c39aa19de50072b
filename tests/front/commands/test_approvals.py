import json
import os
import select
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from mcpgov.daemon.control.approval_requests import ApproveRequest, DenyRequest, WatchQuestionsRequest
from tests.helpers.asking_daemon import view
from tests.helpers.talks import wait_for
from tests.helpers.terminals import Terminal

SHORT = {"shown": {"repo": "acme/site"}, "paths": [], "hosts": [], "folders": [], "args": {"repo": "acme/site"}}
LINE = 'github wants to run delete_repository (delete): repo = "acme/site"'


def test_open_questions_are_listed_with_what_to_type(run, asking):
    asking.put(view(**SHORT), view("77aa00000000-9", remaining=3.2, calls=2, suggests=True, **SHORT))
    wait_for(lambda: asking.waiting)
    done = run("approvals")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "2 questions wait for you\n"
        "id               left  question\n"
        f"4f1d0c92ab37-12  20 s  {LINE}\n"
        f"77aa00000000-9   3 s   {LINE} (2 calls wait for it; allowed three times: mcpgov approvals suggest)\n"
        "\n"
        "answer: mcpgov approve 4f1d0c92ab37-12, or mcpgov deny …; all of it: mcpgov approvals 4f1d0c92ab37-12\n"
    )


def test_json_holds_all_of_a_question(run, asking):
    asking.put(view(**SHORT), ended=(view("77aa-9", "expired"),))
    wait_for(lambda: asking.waiting)
    found = run("approvals", "--json").json
    (one,) = found["questions"]
    assert (one["number"], one["state"], one["headline"]) == ("4f1d0c92ab37-12", "offered", LINE)
    assert (one["question"]["asked_by"], one["question"]["args"]) == ("ask-deletes", {"repo": "acme/site"})
    assert ([each["number"] for each in found["ended"]], found["locked"]) == (["77aa-9"], False)


def test_with_nothing_asked_that_is_said_and_what_is_over_can_still_be_approved(run, asking):
    assert run("approvals").out == "nothing is asked\n"
    asking.put(
        ended=(view("77aa-9", "expired", late=125.0, **SHORT), view("77aa-8", "withdrawn"), view("77aa-7", "answered"))
    )
    wait_for(lambda: asking.ended)
    assert run("approvals").out == (
        "nothing is asked\n\nover; a yes lets the next try of the same call pass\n"
        f"id      can be approved for  question\n77aa-9  2 min 5 s more       {LINE}\n"
    )


def test_one_question_is_shown_in_full_with_every_answer_it_takes(run, asking):
    asking.put(
        view(), ended=(view("77aa-9", "expired", late=60.0), view("77aa-8", "answered", answer="yes", surface="app"))
    )
    wait_for(lambda: asking.waiting)
    out = run("approvals", "4f1d").out
    for told in ("rule: ask-deletes (/cfg/policy.toml:7), user policy", "path path leads to /etc/x", "20 s left",
                 "longer: --session, --for 15m, --always, each with --folder or --tool",
                 "mcpgov deny 4f1d0c92ab37-12"):  # fmt: skip
        assert f"  {told}" in out
    assert run("approvals", "4f1d", "--json").json["question"]["number"] == "4f1d0c92ab37-12"
    assert "over: nobody answered in time; for 1 min more `mcpgov approve 77aa-9`" in run("approvals", "77aa-9").out
    assert "allowed (app); the whole story: mcpgov why 77aa-8" in run("approvals", "77aa-8").out


def test_a_question_for_the_app_alone_says_so(run, asking):
    asking.put(view(terms=(), scopes=(), ask=["app"]))
    wait_for(lambda: asking.waiting)
    assert "only the app itself may answer it" in run("approvals", "4f1d").out


def test_a_lock_is_told_first(run, asking):
    run("lock")
    assert run("approvals").out.startswith(
        "locked: every call is denied, and nothing is asked, until `mcpgov unlock`\n"
    )


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (
            ["approvals", "99ff-1"],
            1,
            "there is no question `99ff-1`\n  hint: waiting: 4f1d0c92ab37-12, 4f1d0c92ab37-13\n",
        ),
        (["approvals", "4f1d"], 64, "`4f1d` may be any of 4f1d0c92ab37-12, 4f1d0c92ab37-13\n"),
        (["approvals", "sugest"], 64, "no such command: `mcpgov approvals sugest`\n  hint: did you mean `mcpgov appro"),
        (["approvals", "4f1d-12", "--watch"], 64, "`--watch` shows all questions"),
    ],
)
def test_what_names_no_question_is_told_with_a_hint(run, asking, words, status, told):
    asking.put(view(), view("4f1d0c92ab37-13"))
    wait_for(lambda: asking.waiting)
    done = run(*words)
    assert (done.status, done.err[: len(f"mcpgov: {told}")]) == (status, f"mcpgov: {told}")


@pytest.mark.parametrize(
    "words", [["approvals"], ["approvals", "--watch"], ["approve", "4f1d-1"], ["grants", "revoke", "x"]]
)
def test_without_a_daemon_it_is_told_what_to_type(run, words):
    done = run(*words)
    assert (done.status, done.err) == (1, "mcpgov: the daemon is not running\n  hint: mcpgov daemon start\n")


# --- live


@pytest.fixture
def live(root, asking):
    asking.put(view(**SHORT))
    with Terminal(root, "approvals", "--watch") as terminal:
        terminal.until("delete_repository")
        yield terminal


def settled(terminal):
    """The selection has not moved for so long that keys are offered."""
    terminal.until("n deny")
    return terminal


def test_keys_answer_the_selected_question_and_q_leaves(live, asking):
    second = view("77aa00000000-9", **{**SHORT, "target": "read_secrets"})
    asking.put(view(**SHORT), second)
    live.until("2 questions wait for you")
    assert asking.got == [WatchQuestionsRequest(True)]
    settled(live).type("j")
    live.until("> ", lambda screen: any(line.startswith("> ") and "read_secrets" in line for line in screen))
    live.type("n")
    live.until("denied: read_secrets on github (77aa00000000-9)")
    assert asking.got[1:] == [DenyRequest("77aa00000000-9", "terminal")]
    live.until("1 question waits for you")
    settled(live).type("y")
    live.until("allowed once: delete_repository on github (4f1d0c92ab37-12)")
    assert asking.got[2:] == [ApproveRequest("4f1d0c92ab37-12", "once", "exact", 0.0, "terminal")]
    live.until("nothing is asked")
    live.type("q")
    assert live.ended() == 0
    assert live.restored


def test_a_question_that_is_withdrawn_goes_and_a_new_one_comes(live, asking):
    asking.put()
    live.until("nothing is asked")
    asking.put(view("77aa00000000-9", **{**SHORT, "target": "drop_table"}))
    live.until("drop_table")
    assert "delete_repository" not in live.text


def test_a_lock_is_told_until_it_is_gone(live, asking, run):
    run("lock")
    asking.put(view(**SHORT))
    live.until("locked: every call is denied until `mcpgov unlock`")
    run("unlock")
    asking.put(view(**SHORT))
    live.until("unlocked: the policy decides again")


def test_what_the_daemon_cannot_tell_in_full_is_counted_and_not_answered(live, asking):
    asking.put(view(**SHORT), view("77aa00000000-9", question={}))
    live.until("1 more than can be shown in full now: mcpgov approvals")
    assert "77aa00000000-9" not in live.text


def test_a_key_does_not_answer_the_question_that_has_just_taken_the_place_of_another(live, asking):
    settled(live)
    asking.put(view("77aa00000000-9", **{**SHORT, "target": "drop_table"}))
    live.until("drop_table")
    live.until("the questions have just changed")
    live.type("y")
    settled(live)
    assert asking.got == [WatchQuestionsRequest(True)]


def test_a_question_that_the_list_cannot_show_whole_is_shown_in_full_before_a_yes(live, asking):
    asking.put(view("77aa00000000-9"))
    live.until("77aa00000000-9")
    settled(live).type("y")
    live.until("this is all of it: press again to answer")
    live.until("path path leads to /etc/x")
    assert asking.got == [WatchQuestionsRequest(True)]
    live.type("y")
    live.until("allowed once")
    assert len(asking.got) == 2


def test_a_question_mark_shows_all_of_it_and_a_new_size_is_drawn_at_once(live):
    live.type("?")
    live.until("rule: ask-deletes")
    live.resize(40, 10)
    live.until("y allow once", lambda screen: all(len(line) < 40 for line in screen) and len(screen) <= 10)
    live.resize(100, 30)
    live.until("mcpgov approve 4f1d0c92ab37-12")
    live.type("?")
    live.until("show all of it")


def test_what_is_pasted_or_sent_by_special_keys_answers_nothing(live, asking):
    settled(live)
    for at, typed in enumerate(("yes please, all of it", "\x1by", "\r", "\x1b[3~", "Y"), 1):
        live.type(typed)
        asking.put(view(**SHORT, remaining=100.0 * at))  # by the time that is drawn, the keys are read
        live.until(f"> {100 * at:>4} s")
    assert asking.got == [WatchQuestionsRequest(True)]


def test_always_shows_the_rule_first_and_writes_it_only_after_a_yes(root, asking, policy):
    path = policy('[[rule]]\nname = "ask-deletes"\naction = "prompt"\ntool = "delete_*"\n')
    asking.put(view(**SHORT, file=str(path), line=1))
    before = path.read_text()
    with Terminal(root, "approvals", "--watch") as live:
        live.until("delete_repository")
        settled(live).type("w")
        live.until("write this rule?")
        live.until('tool = "delete_repository"')
        live.type("n")
        live.until("no rule was written")
        assert (path.read_text(), len(asking.got)) == (before, 1)
        live.type("w")
        live.until("write this rule?")
        live.type("y")
        live.until("wrote `allow-github-delete_repository`")
    assert path.read_text().endswith(before)
    assert asking.got[1:] == [ApproveRequest("4f1d0c92ab37-12", "always", "tool", 0.0, "terminal")]


def test_a_daemon_that_ends_is_told_and_the_view_stays(live, asking):
    asking.reactor.soon(asking.listener.close)
    live.until("the daemon")
    live.until("nothing is asked")
    live.type("q")
    assert live.ended() == 0


def test_what_the_daemon_refuses_is_told_in_the_view(live, asking):
    asking.refuses = "Claude Code has started it"
    settled(live).type("y")
    live.until("`approve` is refused: Claude Code has started it")
    assert asking.waiting


@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_however_it_ends_the_terminal_is_as_it_was(live, how, status):
    live.process.send_signal(how)
    assert live.ended() == status
    assert live.restored


def test_names_and_arguments_cannot_act_on_the_terminal(live, asking):
    asking.put(view("77aa00000000-9", target="x\x1b[2J\u202e\x9b", shown={"a\x07": "\x1b]0;t\x07"}))
    live.until("77aa00000000-9")
    live.type("?")
    live.until("rule: ask-deletes")
    assert "\\x1b" in live.text or "\\u001b" in live.text
    assert "\x1b]0" not in live.raw.decode("utf-8", "replace")
    assert "\u202e" not in live.text


def test_into_a_pipe_changes_are_lines_and_nothing_waits_for_it(root, asking):
    asking.put(view(**SHORT))
    line = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), "approvals", "--watch"]
    for more, first in (([], b"asked      4f1d0c92ab37-12  github wants"), (["--json"], b'{"questions": [{"number"')):
        with subprocess.Popen([*line, *more], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
            assert select.select([process.stdout], [], [], 15.0)[0]
            assert os.read(process.stdout.fileno(), 65536).startswith(first)
            process.stdout.close()
            assert process.wait(15) == 0
    assert asking.got[-1] == WatchQuestionsRequest(False)


def test_what_became_of_a_question_is_told_into_a_pipe(root, asking):
    from mcpgov.front.commands.approvals import _changes

    shown: dict[str, str] = {}
    asking.waiting = [view(**SHORT), view("77aa-9", **SHORT)]
    assert len(_changes(asking.told(), shown)) == 2
    asking.waiting, asking.ended = [], [view(state="answered", answer="no", **SHORT)]
    lines = [line.text for line in _changes(asking.told(), shown)]
    assert lines == [f"denied     4f1d0c92ab37-12  {LINE}", f"over       77aa-9  {LINE}"]
    assert json.dumps(shown) == "{}"


def test_the_terminal_is_read_key_by_key(live):
    assert not live.mode[3] & termios.ICANON
