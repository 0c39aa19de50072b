"""Questions in a real daemon: proxies that are only their link, people at the control socket."""

import contextlib
import json
import os
import signal
import sys
import threading

import pytest

from mcpgov import journal_reader
from mcpgov.daemon.control.approval_requests import (
    ApproveRequest,
    DenyRequest,
    GrantsRequest,
    LockRequest,
    QuestionsRequest,
    RevokeRequest,
    SuggestionsRequest,
    UnlockRequest,
    WatchQuestionsRequest,
)
from mcpgov.daemon.control.client import Subscription, ask
from mcpgov.daemon.control.line_client import ControlError
from mcpgov.journal_verify import Verifier
from tests.helpers.askers import Asker, refusals
from tests.helpers.daemons import Home
from tests.helpers.linked_proxies import LinkedProxy
from tests.helpers.talks import PATIENCE, wait_for


@pytest.fixture
def home(tmp_path):
    """Without any tools of a desktop."""
    made = Home(tmp_path)
    made.environ["PATH"] = str(tmp_path / "no-tools")
    return made


@pytest.fixture
def desk(home):
    """A daemon, and somebody who watches."""
    with home.daemon(), watcher(home) as watching:
        yield watching


@contextlib.contextmanager
def watcher(home, interactive=True):
    """Somebody who watches, and is known to."""
    with Subscription(home.socket, WatchQuestionsRequest(interactive)) as watching:
        wait_for(watching.ready, "the first snapshot")
        yield watching


def settle(home, text):
    """Settings, known to the daemon."""
    (home.root / "config" / "settings.toml").write_text(text)


def journal(home):
    folder = home.root / "state" / "journal"
    lines = [line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def story(home, number="4f1d-1"):
    return [record["action"] for record in journal(home) if record.get("decision") == number]


def whole(home):
    verifier = Verifier()
    folder = str(home.root / "state" / "journal")
    found = [remark for path in journal_reader.files(folder) for remark in verifier.check(path)]
    return [*found, *verifier.finish()]


def waiting(home):
    return [view.number for view in ask(home.socket, QuestionsRequest()).waiting]


def test_a_yes_at_the_desk_brings_the_proxy_a_grant_for_exactly_that_call(home, desk):
    with LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1)
        assert proxy.push("waits") == {"op": "waits", "number": "4f1d-1", "wait": 50.0}
        (view,) = ask(home.socket, QuestionsRequest()).waiting
        assert view.headline.startswith("github wants to run delete_repository (delete): ")
        given = ask(home.socket, ApproveRequest("4f1d-1"))
        assert (given.late, given.grant) == (False, "")
        answer = proxy.answer(asked)
        assert (answer["ok"], answer["verdict"]) == (True, "allow")
        grant = answer["grant"]
        assert (grant["term"], grant["scope"], grant["args_digest"], grant["tool_digest"]) == (
            "once", "exact", "a1", "d1",
        )  # fmt: skip
        assert proxy.report("dispatched", number="4f1d-1")["ok"]
    assert story(home) == ["asked", "offered", "question answered", "dispatched"]
    (said,) = [record for record in journal(home) if record["action"] == "question answered"]
    assert (said["surface"], said["answer"], said["who"], said["term"]) == (
        "command",
        "yes",
        f"pid {os.getpid()}",
        "once",
    )
    assert whole(home) == []


def test_a_no_denies_and_says_who(home, desk):
    with LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1)
        proxy.push("waits")
        ask(home.socket, DenyRequest("4f1d-1", "terminal"))
        answer = proxy.answer(asked)
    assert (answer["verdict"], answer["answer"], answer["grant"]) == ("deny", "refused", None)
    assert answer["text"] == "Permission denied: delete_repository was refused by the user (mcpgov why 4f1d-1)"


def test_with_nobody_to_ask_it_is_denied_at_once_and_a_late_yes_lets_the_retry_pass(home):
    with home.daemon(), LinkedProxy(home.socket) as proxy:
        answer = proxy.answer(proxy.ask(1))
        assert (answer["verdict"], answer["answer"]) == ("deny", "unreachable")
        assert answer["text"].endswith("Ask the user to run: mcpgov approve 4f1d-1, then try again")
        given = ask(home.socket, ApproveRequest("4f1d-1"))
        assert (given.late, given.grant) == (True, "4f1d-1")
        other = proxy.answer(proxy.ask(2, args_digest="a2"))
        assert other["verdict"] == "deny"
        moved = proxy.answer(proxy.ask(3, tool_digest="d2"))
        assert moved["verdict"] == "deny"
        retried = proxy.answer(proxy.ask(4))
        assert (retried["verdict"], retried["grant"]["id"]) == ("allow", "4f1d-1")
        assert proxy.answer(proxy.ask(5))["verdict"] == "deny"
    assert story(home)[-3:] == ["question answered late", "grant made", "grant used"]
    assert whole(home) == []


def test_nobody_answers_in_time(home):
    settle(home, "[approvals.timeout]\nother = 1\nclaude-code = 1\n")
    with home.daemon(), watcher(home), LinkedProxy(home.socket) as proxy:
        wait_for(lambda: home.logged("launcher written"), "the settings")
        asked = proxy.ask(1)
        assert proxy.push("waits")["wait"] == 1.0
        answer = proxy.answer(asked)
        assert (answer["verdict"], answer["answer"]) == ("deny", "timeout")
        assert answer["text"].startswith(
            "Permission denied: nobody answered in 1 s. Ask the user to run: mcpgov approve"
        )
        assert ask(home.socket, ApproveRequest("4f1d-1")).late
        assert proxy.answer(proxy.ask(2))["verdict"] == "allow"
    assert story(home)[:3] == ["asked", "offered", "expired"]


def test_the_app_is_asked_and_its_answer_counts_and_what_else_it_says_does_not(home):
    with home.daemon(), LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1, app="request")
        params = proxy.push("elicit")["params"]
        assert params["requestedSchema"]["properties"]["decision"]["enum"] == ["once", "session", "deny"]
        assert proxy.report("app", number="77aa-1", word="once")["ok"] is False
        assert proxy.report("app", number="4f1d-9", word="once")["error"] == "the question is over"
        assert proxy.report("app", number="4f1d-1", word="session")["ok"]
        answer = proxy.answer(asked)
        assert (answer["verdict"], answer["grant"]["term"], answer["grant"]["session"]) == ("allow", "session", "4f1d")
        assert proxy.answer(proxy.ask(2))["verdict"] == "allow"
        assert [grant.grant for grant in ask(home.socket, GrantsRequest()).grants] == ["4f1d-1"]
        proxy.close()
        wait_for(lambda: not ask(home.socket, GrantsRequest()).grants, "the end of the session's grant")


def test_an_app_that_says_nothing_leaves_the_question_to_nobody(home):
    with home.daemon(), LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1, app="request")
        proxy.push("elicit")
        proxy.report("app", number="4f1d-1", word="", why="cancelled")
        assert proxy.answer(asked)["answer"] == "unreachable"


def test_a_request_that_asks_in_its_result_is_parked_and_the_retry_brings_the_answer(home):
    with home.daemon(), LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1, app="result", version="2026-07-28")
        proxy.push("elicit")
        assert proxy.report("parked", number="4f1d-1")["ok"]
        assert proxy.answer(asked)["verdict"] == "parked"
        brought = {"number": "4f1d-1", "word": "once"}
        answer = proxy.answer(proxy.ask(2, app="result", version="2026-07-28", brought=brought))
        assert (answer["verdict"], answer["grant"]["term"]) == ("allow", "once")


def test_a_cancel_and_the_proxys_death_withdraw(home, desk):
    with LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1)
        proxy.push("waits")
        proxy._send({"op": "cancel", "id": asked})
        wait_for(lambda: not waiting(home), "the withdrawal")
        proxy.ask(2)
        proxy.push("waits")
        assert waiting(home) == ["4f1d-2"]
    wait_for(lambda: not waiting(home), "the end of the question")
    assert (story(home)[-1], story(home, "4f1d-2")[-1]) == ("withdrawn", "withdrawn")
    with pytest.raises(ControlError, match="it was answered, or is over"):
        ask(home.socket, ApproveRequest("4f1d-2"))


def test_a_server_that_asks_too_much_is_denied(home):
    settle(home, "[approvals]\nmax_open = 2\n")
    with home.daemon(), watcher(home), LinkedProxy(home.socket) as proxy:
        wait_for(lambda: home.logged("launcher written"), "the settings")
        for at in (1, 2):
            proxy.ask(at, args_digest=f"a{at}")
            proxy.push("waits")
        answer = proxy.answer(proxy.ask(3, args_digest="a3"))
        assert (answer["verdict"], answer["reason_code"]) == ("deny", "too_many_questions")
        proxy.ask(4, args_digest="a1")
        assert proxy.push("waits")["number"] == "4f1d-4"  # an equal one is no new one
        (first, _) = ask(home.socket, QuestionsRequest()).waiting
        assert (first.numbers, first.calls) == (("4f1d-1", "4f1d-4"), 2)


def test_killed_with_a_question_open_the_next_daemon_asks_anew_and_knows_the_grants(home):
    with home.daemon() as process, watcher(home), LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1)
        proxy.push("waits")
        ask(home.socket, ApproveRequest("4f1d-1", "time", "tool", 900.0))
        assert proxy.answer(asked)["grant"]["term"] == "time"
        proxy.ask(2, target="other")
        proxy.push("waits")
        process.send_signal(signal.SIGKILL)
        with pytest.raises((EOFError, ConnectionError)):
            proxy.push("never")
        process.wait(PATIENCE)
    with home.daemon(), LinkedProxy(home.socket) as proxy:
        assert proxy.answer(proxy.ask(3, args_digest="a9"))["grant"]["id"] == "4f1d-1"
        assert proxy.answer(proxy.ask(4, target="other"))["verdict"] == "deny"
        (grant,) = ask(home.socket, GrantsRequest()).grants
        assert (grant.grant, grant.scope, grant.target) == ("4f1d-1", "tool", "delete_repository")
        revoked = ask(home.socket, RevokeRequest(("4f1d-1", "none")))
        assert (revoked.revoked, revoked.unknown) == (("4f1d-1",), ("none",))
        assert proxy.answer(proxy.ask(5, args_digest="a9"))["verdict"] == "deny"
    assert whole(home) == []


def test_a_daemon_that_stops_withdraws_its_questions_with_that_reason(home):
    with home.daemon() as process, LinkedProxy(home.socket) as proxy, watcher(home) as watching:
        asked = proxy.ask(1)
        proxy.push("waits")
        process.send_signal(signal.SIGTERM)
        answer = proxy.answer(asked)
        assert (answer["verdict"], answer["reason_code"]) == ("deny", "withdrawn")
        assert "mcpgov's daemon stops" in answer["text"]
        assert process.wait(PATIENCE) == 0
        shown = list(watching)
        assert shown[-1].waiting == ()
    assert story(home)[-1] == "withdrawn"
    assert whole(home) == []


def test_of_a_desk_an_app_and_a_clock_that_race_one_answers(home):
    settle(home, "[approvals]\nmax_per_minute = 1000\n")
    with home.daemon(), watcher(home), LinkedProxy(home.socket) as proxy:
        wait_for(lambda: home.logged("launcher written"), "the settings")
        given = []

        def at_the_desk(number):
            with contextlib.suppress(ControlError):
                given.append(ask(home.socket, ApproveRequest(number) if number[-1] in "02468" else DenyRequest(number)))

        for at in range(1, 51):
            asked = proxy.ask(at, app="request", args_digest=f"a{at}")
            proxy.push("elicit")
            desk = threading.Thread(target=at_the_desk, args=(f"4f1d-{at}",))
            desk.start()
            said = proxy.report("app", number=f"4f1d-{at}", word="session" if at % 3 else "deny")
            desk.join(PATIENCE)
            given += [said] if said["ok"] else []
            assert proxy.answer(asked)["verdict"] in ("allow", "deny")
            assert len(given) == at
    answered = [record["question"] for record in journal(home) if record["action"] == "question answered"]
    assert answered == [f"4f1d-{at}" for at in range(1, 51)]


def test_watchers_see_every_change_and_with_the_last_of_them_gone_nobody_is_asked(home):
    with home.daemon(), LinkedProxy(home.socket) as proxy:
        with watcher(home) as watching:
            asked = proxy.ask(1)
            seen = []
            wait_for(lambda: seen.extend(watching.ready(1.0)) or any(shown.waiting for shown in seen), "the question")
        assert proxy.answer(asked)["answer"] == "unreachable"
        with watcher(home, interactive=False):
            assert proxy.answer(proxy.ask(2))["answer"] == "unreachable"


def test_status_shows_open_questions_first_with_what_to_type(home, desk):
    with LinkedProxy(home.socket) as proxy:
        proxy.ask(1)
        proxy.push("waits")
        first = home.status()["problems"][0]
        assert first["what"].startswith("github wants to run delete_repository (delete): ")
        assert first["hint"].startswith("mcpgov approve 4f1d-1")
        assert home.status()["questions"][0]["number"] == "4f1d-1"


def test_the_lock_denies_everything_survives_a_restart_and_is_on_record(home):
    with home.daemon(), watcher(home), LinkedProxy(home.socket) as proxy:
        asked = proxy.ask(1)
        proxy.push("waits")
        assert ask(home.socket, LockRequest("lunch")).changed
        assert "mcpgov was locked" in proxy.answer(asked)["text"]
        answer = proxy.answer(proxy.ask(2))
        assert (answer["verdict"], answer["reason_code"]) == ("deny", "locked")
        with pytest.raises(ControlError, match="mcpgov is locked"):
            ask(home.socket, ApproveRequest("4f1d-1"))
        assert not ask(home.socket, LockRequest()).changed
    with home.daemon():
        found = home.status()
        assert found["locked"]
        assert (found["problems"][0]["what"], found["problems"][0]["hint"]) == (
            "mcpgov is locked, every call is denied (lunch)",
            "mcpgov unlock",
        )
        assert ask(home.socket, UnlockRequest()).changed
        assert not home.status()["locked"]
    commands = [record["method"] for record in journal(home) if record["dir"] == "command"]
    assert commands == ["mcpgov lock", "mcpgov unlock"]
    assert whole(home) == []


def test_three_equal_yeses_suggest_a_rule(home, desk):
    with LinkedProxy(home.socket) as proxy:
        for at in (1, 2, 3):
            asked = proxy.ask(at, args_digest=f"a{at}")
            proxy.push("waits")
            ask(home.socket, ApproveRequest(f"4f1d-{at}"))
            assert proxy.answer(asked)["verdict"] == "allow"
        proxy.ask(4)
        proxy.push("waits")
        assert ask(home.socket, QuestionsRequest()).waiting[0].suggests
        (habit,) = ask(home.socket, SuggestionsRequest()).habits
        assert (habit.target, habit.yeses, habit.number) == ("delete_repository", 3, "4f1d-3")


def test_what_is_not_understood_is_no_question_and_no_answer(home, desk):
    with LinkedProxy(home.socket) as proxy:
        assert proxy.report("ask", question={"number": "x"})["error"] == "no question: not a question"
        other = proxy.ask(1, server="x")
        proxy.push("waits")
        assert proxy.report("ask", question={}, version=1)["ok"] is False
        assert proxy.answer(proxy.ask(1, server="x"))["error"] == "`4f1d-1` is asked already"
        proxy.session = "77aa"
        assert proxy.answer(proxy.ask(1))["error"] == "a question of another session"
        assert proxy.report("approve", number="4f1d-1")["error"] == "`approve` is not for proxies"
        assert other not in proxy.answers
    for request in (ApproveRequest("none-1"), ApproveRequest("4f1d-1", "time", "exact", 5.0)):
        with pytest.raises(ControlError):
            ask(home.socket, request)
    with pytest.raises(ControlError, match="only a linked proxy asks"):
        home.ask("parked", number="4f1d-1")


ANSWER = """
import sys
from mcpgov.daemon.control.client import ask
from mcpgov.daemon.control.approval_requests import *
from mcpgov.daemon.control.line_client import ControlError
wanted = {"approve": ApproveRequest("4f1d-1"), "unlock": UnlockRequest(), "grants": GrantsRequest()}
try:
    print(ask(sys.argv[1], wanted[sys.argv[2]]))
except ControlError as error:
    print(error)
    sys.exit(7)
"""


@pytest.mark.parametrize("kind", ["plain", "setsid", "fork", "daemon"])
@pytest.mark.parametrize("what", ["approve", "unlock", "grants"])
def test_a_child_of_an_app_cannot_answer_however_it_detaches(home, desk, tmp_path, kind, what):
    app = Asker(tmp_path, home.home, "claude")
    with LinkedProxy(home.socket) as proxy:
        proxy.ask(1)
        proxy.push("waits")
        status, out, err = app.ask(kind, sys.executable, "-c", ANSWER, home.socket, what, PYTHONPATH=os.getcwd())
        assert (status, "refused" in out, err) == (7, True, "")
        assert waiting(home) == ["4f1d-1"]
    (record,) = refusals(home.root / "state" / "journal")
    assert (record["method"], record["action"]) == (f"mcpgov {what}", "refused")
