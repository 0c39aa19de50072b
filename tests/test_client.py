"""The helper for authors of servers, and the example: a governed server that asks before it deletes."""

import asyncio
import sys
from pathlib import Path

import pytest

from mcpgov.client import Governor, GovernorError, usual_command
from tests.helpers.serving import POLICY, GovernedServing, Serving

EXAMPLE = Path(__file__).parents[1] / "scripts" / "examples" / "asks_before_deleting.py"


@pytest.fixture
def serving(tmp_path):
    return Serving(tmp_path)


def governor(serving, monkeypatch):
    for name, value in serving.environ.items():
        monkeypatch.setenv(name, value)
    return Governor(serving.command)


def test_every_question_has_a_typed_answer(serving, monkeypatch):
    async def talk():
        async with governor(serving, monkeypatch) as gov:
            allowed = await gov.check_intent("file_read", "/srv/a")
            asks = await gov.check_intent("file_write", "/srv/a")
            given = await gov.request_permission("/srv/a", "write", "to save it", 20)
            event = await gov.report_action("file_write", "/srv/a", "success", "wrote it", {"bytes": 3})
            policy = await gov.get_policy(tool="write_file")
            return allowed, asks, given, event, policy

    with serving.daemon(), serving.person(lambda _view: ("once", "")):
        allowed, asks, given, event, policy = asyncio.run(talk())
        assert serving.wait_for_record(event_id=event)["details"] == {"bytes": 3}
    assert (bool(allowed), allowed.risk_level, allowed.suggestions) == (True, "Low", ())
    assert (bool(asks), len(asks.suggestions) > 0) == (False, True)
    assert (bool(given), given.scope) == (True, "once")
    assert policy["rules"][0]["action"] == "prompt"


def test_whatever_goes_wrong_is_an_error_and_never_a_yes(serving, monkeypatch):
    async def talk():
        with pytest.raises(GovernorError, match="comes first"):
            await Governor(["x"]).check_intent("file_read", "/a")
        with pytest.raises(GovernorError, match="cannot be reached"):
            async with Governor(["/no/such/program"]):
                pass
        async with governor(serving, monkeypatch) as gov:
            with pytest.raises(GovernorError, match="wildcards"):
                await gov.request_permission("/srv/*", "write", "all of it")
            for _ in range(100):
                await gov.check_intent("file_read", "/srv/a")
            with pytest.raises(GovernorError, match="Rate limit") as limited:
                await gov.check_intent("file_read", "/srv/a")
            assert limited.value.retry_after > 0

    asyncio.run(talk())


def test_it_reaches_a_server_over_http_with_its_token(serving):
    async def talk(token):
        async with Governor(url=serving.url, token=token) as gov:
            return await gov.check_intent("file_read", "/srv/a")

    with serving.http():
        assert asyncio.run(talk(serving.tokens.first_text()))
        with pytest.raises(GovernorError):
            asyncio.run(talk("wrong"))


def test_the_usual_command_is_the_installed_one(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert usual_command() == [sys.executable, "-m", "mcpgov", "serve"]
    (tmp_path / "mcpgov").write_text("#!/bin/sh\n")
    (tmp_path / "mcpgov").chmod(0o755)
    assert usual_command() == [str(tmp_path / "mcpgov"), "serve"]


def test_the_example_asks_a_person_and_the_yes_holds_for_its_calls(tmp_path):
    """`remove` is asked about by the rule; the server asks by itself for the file, and its next call passes by that."""
    policy = POLICY.replace('operation = ["write", "delete"]', 'operation = ["delete"]')
    governed = GovernedServing(tmp_path, policy)
    governed.prepare()
    victims = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for victim in victims:
        victim.write_text("x")

    async def talk():
        async with governed.through_proxy("cleaner", EXAMPLE) as client:
            return [await client.call_tool("remove", {"path": str(victim)}) for victim in victims]

    def answer(view):
        # The first call is asked about by the proxy; what the server then asks for by itself is refused for `b`.
        return ("no", "") if "permission to delete" in view.headline and "b.txt" in view.headline else ("once", "")

    with governed.daemon(), governed.person(answer) as seen:
        first, second = asyncio.run(talk())
        record = governed.wait_for_record(reported=True)
    assert first.content[0].text == "deleted"
    assert second.content[0].text.startswith("not deleted")
    assert (victims[0].exists(), victims[1].exists()) == (False, True)
    assert record["caller"] == "cleaner"
    assert [view.headline.split(" ")[:3] for view in seen] == [
        ["cleaner", "wants", "to"], ["cleaner", "asks", "for"], ["cleaner", "wants", "to"], ["cleaner", "asks", "for"],
    ]  # fmt: skip
