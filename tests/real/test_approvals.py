"""A person is asked inside a real app: the SDK's client with us, a real daemon and a real server, in both eras."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from mcpgov.daemon.control import line_client
from tests.helpers.daemons import CODE
from tests.helpers.talks import wait_for
from tests.real.harness import ALLOW_ALL, ASKING, EVERYTHING, Bench, clean_env

ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
GREEN = {"action": "accept", "content": {"colour": "green"}}
HELLO = ["call", "ask", {}]


def asks(tool: str, more: str = "") -> str:
    rule = f'[[rule]]\nname = "sure"\naction = "prompt"\ntool = "{tool}"\n{more}\n'
    return ALLOW_ALL.replace("[[rule]]", rule + "[[rule]]", 1)


def said(word: str) -> dict[str, object]:
    return {"action": "accept", "content": {"decision": word}}


def person(answer: object) -> dict[str, object]:
    """Answers our question so, and the server's own with a colour."""
    return {"elicitation": {"by field": {"decision": answer, "colour": GREEN}}}


def text(answer: dict) -> str:
    return "\n".join(part.get("text", "") for part in answer["result"]["content"])


@pytest.fixture
def run_daemon(bench: Bench) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []
    socket = bench.root / "run" / "daemon.sock"

    def answers() -> bool:
        try:
            line_client.request(socket, "ping")
        except line_client.ControlError:
            return False
        return True

    def start(waits: float = 20.0) -> subprocess.Popen[bytes]:
        settings = bench.root / "config" / "settings.toml"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(f"[approvals.timeout]\nother = {waits}\n", "utf-8")
        settings.chmod(0o600)
        process = subprocess.Popen([sys.executable, "-c", CODE, str(bench.root)], env=clean_env(bench.home))
        running.append(process)
        wait_for(answers, "the daemon's answer")
        wait_for(lambda: json.loads(line_client.request(socket, "status")["text"])["clients"], "the settings")
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(15)
    (bench.root / "config" / "settings.toml").unlink(missing_ok=True)


@ERAS
@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        (said("once"), True),
        (said("session"), True),
        (said("deny"), False),
        ({"action": "decline"}, False),
        ({"action": "cancel"}, False),
        ({"action": "accept"}, False),
        ({"action": "accept", "content": {"decision": "always"}}, False),
        ("error", False),
    ],
)
def test_only_a_yes_lets_the_call_pass(bench, run_daemon, mode, answer, passes):
    run_daemon()
    report = bench.talk(ASKING, bench.governed(ASKING, asks("ask")), [HELLO], mode=mode, **person(answer))
    if answer == "error" and mode != "legacy":
        assert "error" in report.results[0]  # the SDK gives up, and does not repeat the call
        return
    answered = text(report.results[0])
    assert (answered == "the colour is green") is passes
    if not passes:
        assert answered.startswith("Permission denied: ")
    questions = [asked for asked in report.seen["elicitation"] if "decision" in asked["requestedSchema"]["properties"]]
    assert len(questions) == 1
    assert "asking wants to run ask" in questions[0]["message"]


@ERAS
def test_a_yes_for_the_session_is_not_asked_again_and_a_single_one_is(bench, run_daemon, mode):
    run_daemon()
    for word, asked in (("session", 1), ("once", 2)):
        steps = [["tools"], HELLO, HELLO]
        report = bench.talk(ASKING, bench.governed(ASKING, asks("ask")), steps, mode=mode, **person(said(word)))
        assert [text(answer) for answer in report.results[1:]] == ["the colour is green"] * 2
        found = [each for each in report.seen["elicitation"] if "decision" in each["requestedSchema"]["properties"]]
        assert len(found) == asked


def test_an_app_that_never_answers_is_denied_in_time_and_told_how_to_go_on(bench, run_daemon):
    run_daemon(waits=1.5)
    command = bench.governed(EVERYTHING, asks("echo"))
    steps = [["call with progress", "echo", {"message": "x"}], ["call", "get-sum", {"a": 1, "b": 2}]]
    report = bench.talk(EVERYTHING, command, steps, mode="legacy", **person("never"))
    assert text(report.results[0]).startswith(
        "Permission denied: nobody answered in 1.5 s. Ask the user to run: mcpgov"
    )
    assert "3" in text(report.results[1])
    actions = [note["action"] for note in bench.journal() if note["dir"] == "approval"]
    assert actions == ["asked", "offered", "expired"]


@ERAS
def test_a_rule_for_the_desk_alone_does_not_ask_in_the_app(bench, run_daemon, mode):
    run_daemon()
    command = bench.governed(ASKING, asks("ask", 'ask = ["desk"]'))
    report = bench.talk(ASKING, command, [HELLO], mode=mode, **person(said("once")))
    assert "nobody can be asked now" in text(report.results[0])
    assert report.seen["elicitation"] == []


@ERAS
def test_without_a_daemon_nobody_waits(bench, mode):
    command = bench.governed(ASKING, asks("ask"))
    began = time.monotonic()
    report = bench.talk(ASKING, command, [HELLO], mode=mode, **person(said("once")))
    assert time.monotonic() - began < 20
    assert "Ask the user to run: mcpgov allow asking ask, then try again" in text(report.results[0])


def test_what_happened_is_on_record(bench, run_daemon):
    run_daemon()
    bench.talk(ASKING, bench.governed(ASKING, asks("ask")), [HELLO], mode="legacy", **person(said("once")))
    (number,) = [note["decision"] for note in bench.journal() if note["action"] == "prompt"]
    story = [(note["dir"], note["action"]) for note in bench.journal() if note.get("decision") == number]
    assert sorted(story) == sorted([
        ("client", "prompt"), ("approval", "asked"), ("approval", "offered"), ("approval", "question answered"),
        ("client", "resumed"), ("approval", "dispatched"), ("server", "answered"),
    ]), json.dumps(story)  # fmt: skip


ABOUT_ANSWERS = {
    "text": 'tool = "ask"\ncontains = ["colour is"]',  # what the server answered
    "inside": 'method = "elicitation/create"',  # what it asks for: a request, or inside its result
}


@ERAS
@pytest.mark.parametrize("rule", ABOUT_ANSWERS)
@pytest.mark.parametrize(("word", "passes"), [("once", True), ("deny", False)])
def test_what_a_server_answers_or_asks_in_it_passes_with_a_yes_in_the_app(bench, run_daemon, mode, rule, word, passes):
    run_daemon()
    held = f'[[rule]]\nname = "sure"\naction = "prompt"\n{ABOUT_ANSWERS[rule]}\n'
    policy = ALLOW_ALL.replace("[[rule]]", f"{held}[[rule]]", 1)
    report = bench.talk(ASKING, bench.governed(ASKING, policy), [HELLO], mode=mode, **person(said(word)))
    assert ("the colour is green" in json.dumps(report.results[0])) is passes
    questions = [asked for asked in report.seen["elicitation"] if "decision" in asked["requestedSchema"]["properties"]]
    wants = "hand over the answer of ask" if rule == "text" else "ask you something"
    assert [f"asking wants to {wants}" in asked["message"] for asked in questions] == [True]
