"""A shared budget from end to end: the real daemon, its lender, a real proxy, on every engine."""

import json
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.governed import Governed
from tests.helpers.talks import Talk, end_all, server, wait_for
from tests.real.engines import ENGINES, SECRET, EngineServer, running

LONG = 30.0
POLICY = """
default = "allow"
deny_as = "error"
[[budget]]
name = "money"
limit = 6
per = "day"
"""


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> Iterator[EngineServer]:
    with running(request.param) as found:
        yield found


@pytest.fixture
def governed(tmp_path: Path, engine: EngineServer) -> Iterator[Governed]:
    made = Governed(tmp_path.resolve())
    made.policy(POLICY)
    made.settings(f'ledger = "{engine.url}"\nledger_namespace = "{uuid.uuid4().hex}"\nnotices = false\n')
    with made.daemon() as found:
        wait_for(lambda: (found.status().get("engine") or {}).get("state") == "reached", "the lender", LONG)
        yield found


@pytest.fixture
def talk(governed: Governed) -> Iterator[Talk]:
    mark = uuid.uuid4().hex
    words = [governed.launcher, "--server", "fs", "--", *server("echo", mark)]
    pipe = subprocess.PIPE
    wait_for(lambda: Path(governed.launcher).exists(), "the launcher", LONG)
    with subprocess.Popen(
        words, env=governed.env(), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0
    ) as one:
        yield Talk(one, mark).begin()
        one.stdin.close()
        one.wait(LONG)
    end_all(mark)


def outcome(talk: Talk) -> str:
    """`passed`, or the kind of the denial."""
    found = talk.call()
    if "result" in found:
        return "passed"
    assert found["error"]["code"] == -32001
    return str(found["error"]["data"]["kind"])


def passed(talk: Talk, calls: int) -> int:
    """How many of so many calls; one that comes while the lender is busy may be tried again."""
    return sum(outcome(talk) == "passed" for _ in range(calls))


def used(budget: dict[str, float]) -> float:
    """A call that has ended is written with the next one: until then it holds what it cost."""
    return budget["spent"] + budget["held"]


def lender(governed: Governed) -> int:
    return next((each["pid"] or 0 for each in governed.status().get("services", ()) if each["name"] == "lender"), 0)


def test_calls_pass_until_the_shared_budget_is_spent_and_a_person_raises_it(governed: Governed, talk: Talk) -> None:
    assert passed(talk, 12) == 6
    denied = talk.call()["error"]
    assert (denied["code"], denied["data"]["kind"], denied["data"]["spent"], denied["data"]["limit"]) == (
        -32001, "budget", 6.0, 6.0,
    )  # fmt: skip
    told = json.loads(governed.mcpgov("budget", "--json").stdout)
    assert (used(told["budgets"][0]), told["shared"]["reached"]) == (6.0, True)
    raised = json.loads(governed.mcpgov("budget", "raise", "money", "2", "--yes", "--json").stdout)
    assert (raised["budget"]["limit"], used(raised["budget"])) == (8.0, 6.0)
    assert wait_for(lambda: outcome(talk) == "passed", "a call after the raise", LONG)
    assert 1 + passed(talk, 12) == 2
    assert used(json.loads(governed.mcpgov("budget", "reset", "money", "--yes", "--json").stdout)["budget"]) == 0.0
    wait_for(lambda: outcome(talk) == "passed", "a call after the reset", LONG)
    notes = [
        json.loads(line) for file in governed.places.journal.glob("*.jsonl") for line in file.read_text().splitlines()
    ]
    assert [(note["raised"], note["reset"]) for note in notes if note.get("action") == "budget changed"] == [
        (2_000_000, False), (0, True),
    ]  # fmt: skip


def test_a_servers_share_is_raised_before_its_first_call(governed: Governed, talk: Talk) -> None:
    governed.policy(POLICY.replace("limit = 6", 'limit = 2\neach = "server"'))
    governed.config.write_text('{"mcpServers": {"fs": {"command": "fs-mcp"}}}')
    unknown = governed.mcpgov("budget", "raise", "money", "3", "--share", "fss", "--yes", check=False)
    assert (unknown.returncode, "did you mean `fs`?" in unknown.stderr) == (1, True)
    raised = json.loads(governed.mcpgov("budget", "raise", "money", "3", "--share", "fs", "--yes", "--json").stdout)
    assert (raised["budget"]["share"], raised["budget"]["limit"], used(raised["budget"])) == ("fs", 5.0, 0.0)
    (shown,) = json.loads(governed.mcpgov("budget", "--json").stdout)["budgets"]
    assert (shown["share"], shown["limit"], shown["raised"]) == ("fs", 5.0, 3.0)
    assert passed(talk, 12) == 5


def test_no_text_of_ours_has_the_password(governed: Governed, talk: Talk) -> None:
    passed(talk, 8)
    shown = [governed.mcpgov(*words).stdout for words in (["status"], ["budget"], ["settings", "show"], ["doctor"])]
    assert "127.0.0.1" in shown[0] + shown[1]
    assert [text for text in shown if SECRET in text] == []
    root = governed.places.root
    assert root is not None
    kept = [path for path in root.rglob("*") if path.is_file() and path != governed.places.settings_file]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []
    processes = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert [line for line in processes.splitlines() if SECRET in line and str(root) in line] == []


def test_a_killed_lender_is_back_and_nothing_is_counted_twice(governed: Governed, talk: Talk) -> None:
    first = passed(talk, 2)
    before = lender(governed)
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: lender(governed) not in (0, before), "another lender", LONG)
    wait_for(lambda: governed.status()["engine"]["state"] == "reached", "the engine", LONG)
    assert first + passed(talk, 14) == 6


def test_an_engine_that_is_gone_is_told_with_what_is_enforced_meanwhile(governed: Governed, talk: Talk) -> None:
    assert outcome(talk) == "passed"
    governed.settings('ledger = "redis://127.0.0.1:1/0"\nnotices = false\n')
    wait_for(lambda: governed.status()["engine"]["state"] == "not-reached", "the other engine", LONG)
    assert any("redis://127.0.0.1:1/0 is not reached since" in told for told in governed.complaints())
    wait_for(lambda: "unavailable" in talk.call()["error"]["data"], "the other policy", LONG)
    governed.settings("notices = false\n")
    wait_for(lambda: "engine" not in governed.status(), "the machine to count for itself", LONG)
    wait_for(lambda: lender(governed) == 0, "the lender's end", LONG)
    assert passed(talk, 12) == 0, "in this period what was lent is spent, and no more"
