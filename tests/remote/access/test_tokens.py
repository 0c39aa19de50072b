"""AccessTokens of a child: kept, renewed ahead, one child at a time."""

import asyncio
import json
import sys

import pytest

from mcpgov.remote.access import tokens
from mcpgov.remote.access.tokens import AccessTokens, NoToken
from tests.helpers.remote_rooms import run


class Child:
    """A command that prints what the test says, and writes down how it was called."""

    def __init__(self, folder):
        self.said, self.called = folder / "said", folder / "called"
        code = "import sys; open(sys.argv[1], 'a').write(' '.join(sys.argv[3:]) + '\\n'); "
        code += "print(open(sys.argv[2]).read())"
        self.command = [sys.executable, "-c", code, str(self.called), str(self.said)]

    def says(self, value):
        self.said.write_text(value if isinstance(value, str) else json.dumps(value))

    @property
    def calls(self):
        return self.called.read_text().splitlines() if self.called.exists() else []


@pytest.fixture
def child(tmp_path):
    return Child(tmp_path)


def test_a_token_is_fetched_once_for_all_who_wait_and_kept_until_it_ends(child):
    now = [1000.0]

    async def scenario():
        made = AccessTokens(child.command, lambda: now[0])
        child.says({"access_token": "a", "expires_at": 2000, "token_type": "bearer"})
        assert await asyncio.gather(*(made.get("d") for _ in range(5))) == ["Bearer a"] * 5
        now[0] = 1939.0
        assert await made.get("d") == "Bearer a"
        child.says({"access_token": "b", "expires_at": None, "token_type": "DPoP"})
        now[0] = 1941.0
        assert await made.get("d") == "DPoP b"
        now[0] += tokens.UNKNOWN_LIFE + 1
        assert await made.get("d") == "DPoP b"
        assert child.calls == ["--url-digest d"] * 3

    run(scenario())


def test_a_token_that_was_refused_is_refreshed_once(child):
    async def scenario():
        made = AccessTokens(child.command)
        child.says({"access_token": "old"})
        old = await made.get("d")
        child.says({"access_token": "new"})
        assert await asyncio.gather(*(made.get("d", instead_of=old) for _ in range(3))) == ["Bearer new"] * 3
        assert await made.get("d", instead_of=old) == "Bearer new"
        assert child.calls == ["--url-digest d", "--url-digest d --refresh"]

    run(scenario())


@pytest.mark.parametrize(
    "said", ["nothing", "[]", {"error": "no login", "hint": "mcpgov login x"}, {"access_token": "a\nb"}]
)
def test_what_is_no_token_is_none_and_not_asked_again_at_once(child, said):
    now = [0.0]

    async def scenario():
        made = AccessTokens(child.command, lambda: now[0])
        child.says(said)
        for _ in range(2):
            with pytest.raises(NoToken):
                await made.get("d")
        assert len(child.calls) == 1
        now[0] = tokens.FAILED_FOR + 1
        child.says({"access_token": "x"})
        assert await made.get("d") == "Bearer x"
        made.forget("d")
        assert (await made.get("d"), len(child.calls)) == ("Bearer x", 3)

    run(scenario())


def test_a_command_that_cannot_be_started_or_does_not_end_gives_no_token(child, monkeypatch):
    async def scenario():
        for command in ([], ["/nonexistent"]):
            with pytest.raises(NoToken):
                await AccessTokens(command).get("d")
        monkeypatch.setattr(tokens, "TIMEOUT", 0.2)
        with pytest.raises(NoToken, match="does not answer"):
            await AccessTokens([sys.executable, "-c", "import time; time.sleep(60)"]).get("d")

    run(scenario())
