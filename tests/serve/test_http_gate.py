import asyncio

import pytest

from mcpgov.serve import http_gate
from mcpgov.serve.answers import GONE
from mcpgov.serve.http_gate import CALLER, LARGEST_BODY, LOOPBACK, AllowedHosts, HttpGate, bearer_token, why_refused
from mcpgov.serve_tokens import ServeTokens

HERE = AllowedHosts(LOOPBACK, 3201)


def scope(*headers, method="POST", path="/mcp", host=b"127.0.0.1:3201"):
    return {"type": "http", "method": method, "path": path, "headers": [(b"host", host), *headers]}


@pytest.fixture(autouse=True)
def no_lingering(monkeypatch):
    monkeypatch.setattr(http_gate, "LINGER", 0.05)


@pytest.fixture
def tokens(tmp_path):
    found = ServeTokens(tmp_path)
    found.ensure(1.0)
    return found


class Spoken:
    """One request through the gate; what the application behind it saw, and what came back."""

    def __init__(self, tokens, asked, *pieces, stalls=False, seconds=5.0):
        self.seen, self.sent = [], []
        self._pieces = list(pieces) or [b""]

        async def app(scope, receive, send):
            self.seen.append((scope[CALLER], (await receive())["body"]))

        async def receive():
            if not self._pieces:
                if stalls:
                    await asyncio.Event().wait()
                return {"type": "http.disconnect"}
            piece = self._pieces.pop(0)
            more = bool(self._pieces) or stalls
            return {"type": "http.request", "body": piece, "more_body": more}

        async def send(message):
            self.sent.append(message)

        asyncio.run(HttpGate(app, tokens, HERE, seconds)(asked, receive, send))

    @property
    def status(self):
        return self.sent[0]["status"] if self.sent else 0

    @property
    def headers(self):
        return dict(self.sent[0]["headers"])


def auth(text):
    return (b"authorization", text.encode())


def test_the_token_decides_who_calls(tokens):
    text = tokens.add("ci", "fs")
    done = Spoken(tokens, scope(auth(f"Bearer {text}"), (b"x-caller", b"github")), b"ab", b"cd")
    caller, body = done.seen[0]
    assert (caller.name, caller.server, caller.token, body) == ("token ci", "fs", text, b"abcd")
    assert done.sent == []


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (auth("Bearer mcpgov_guess"),),
        (auth("Basic dTpw"),),
        (auth("Bearer "),),
        (auth("mcpgov"),),
        (auth("Bearer a"), auth("Bearer b")),
    ],
)
def test_without_a_valid_token_nothing_is_read(tokens, headers):
    done = Spoken(tokens, scope(*headers), stalls=True)
    assert (done.status, done.seen) == (401, [])
    assert done.headers[b"www-authenticate"].startswith(b'Bearer realm="mcpgov"')
    assert done.headers[b"connection"] == b"close"


def test_a_revoked_token_opens_nothing_from_then_on(tokens):
    asked = scope(auth(f"Bearer {tokens.first_text()}"))
    assert Spoken(tokens, asked).status == 0
    tokens.revoke("default")
    assert Spoken(tokens, asked).status == 401


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (scope(host=b"evil.example:3201"), 403),
        (scope(host=b"127.0.0.1:3202"), 403),
        (scope((b"host", b"127.0.0.1:3201")), 403),
        ({"type": "http", "method": "POST", "path": "/mcp", "headers": []}, 403),
        (scope((b"origin", b"https://evil.example")), 403),
        (scope((b"origin", b"null")), 403),
        (scope((b"origin", b"https://127.0.0.1:3201")), 403),
        (scope((b"origin", b"http://127.0.0.1:3201"), (b"origin", b"http://127.0.0.1:3201")), 403),
        (scope(path="/"), 404),
        (scope(path="/mcp/../x"), 404),
        (scope(method="PUT"), 405),
        (scope((b"content-encoding", b"gzip")), 415),
        (scope((b"content-length", str(LARGEST_BODY + 1).encode())), 413),
        (scope((b"content-length", b"-1")), 413),
    ],
)
def test_what_is_not_for_us_is_refused_before_the_token_is_looked_at(tokens, asked, status):
    asked["headers"].append(auth(f"Bearer {tokens.first_text()}"))
    done = Spoken(tokens, asked, stalls=True)
    assert (done.status, done.seen) == (status, [])


def test_our_own_names_and_pages_pass():
    for host in (b"127.0.0.1:3201", b"localhost:3201", b"LOCALHOST:3201", b"[::1]:3201"):
        assert why_refused(scope((b"origin", b"http://" + host), host=host), HERE) is None
    assert why_refused(scope((b"content-encoding", b"identity"), method="GET"), HERE) is None
    assert AllowedHosts(["a.example"], 443, "https").host("a.example")
    wide = AllowedHosts(["a.example"], 3201, "https", any_address=True)
    assert [wide.host(name) for name in ("10.0.0.5:3201", "[fe80::1]:3201", "10.0.0.5:1", "b.example:3201")] == [
        True, True, False, False,
    ]  # fmt: skip


def test_a_body_that_is_too_large_or_too_slow_is_not_waited_for(tokens):
    asked = scope(auth(f"Bearer {tokens.first_text()}"))
    assert Spoken(tokens, asked, b"x" * LARGEST_BODY, b"x").status == 413
    assert Spoken(tokens, asked, b"{", stalls=True, seconds=0.05).status == 408


def test_the_rest_of_what_is_refused_is_read_for_a_while_and_no_more(tokens, monkeypatch):
    monkeypatch.setattr(http_gate, "MOST_THROWN_AWAY", 25)
    done = Spoken(tokens, scope(), *[b"x" * 10] * 9)
    assert (done.status, len(done._pieces)) == (401, 6)
    assert [message.get("more_body", False) for message in done.sent[1:]] == [True, False]
    assert Spoken(tokens, scope(), b"x", b"y")._pieces == []


def test_whoever_asks_hears_that_the_caller_has_gone(tokens):
    told = []

    async def talk():
        left = [{"type": "http.request", "body": b"{}", "more_body": False}] * 2 + [{"type": "http.disconnect"}]

        async def app(scope, receive, _send):
            await receive()
            await asyncio.wait_for(scope[GONE](), 5)
            told.append("gone")
            left.extend([{"type": "http.request", "body": b""}] * 100)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(scope[GONE](), 0.05)

        async def receive():
            return left.pop(0)

        await HttpGate(app, tokens, HERE)(scope(auth(f"Bearer {tokens.first_text()}")), receive, None)

    asyncio.run(talk())
    assert told == ["gone"]


def test_a_bearer_is_read_from_one_header_only():
    assert bearer_token(scope(auth("bearer  abc "))) == "abc"
    assert bearer_token(scope()) == ""


@pytest.mark.parametrize("begun", [False, True])
def test_a_revoked_token_ends_what_is_under_way_with_it_and_nothing_else(tokens, monkeypatch, begun):
    """Where no answer has begun it is refused, else it breaks off."""
    monkeypatch.setattr(http_gate, "LOOK_SECONDS", 0.01)
    gone, stays = tokens.add("gone"), tokens.add("stays")
    ended = []

    async def talk():
        over = asyncio.Event()

        async def app(scope, _receive, send):
            if begun:
                await send({"type": "http.response.start", "status": 200, "headers": []})
            if scope[CALLER].name == "token gone":
                tokens.revoke("gone")
            await over.wait()
            ended.append(scope[CALLER].name)

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def request(token, sent):
            async def send(message):
                sent.append(message)

            await gate(scope(auth(f"Bearer {token}")), receive, send)

        gate = HttpGate(app, tokens, HERE)
        first, second = [], []
        other = asyncio.create_task(request(stays, second))
        await asyncio.wait_for(request(gone, first), 15)
        over.set()
        await asyncio.wait_for(other, 15)
        assert gate._under_way == {}
        return [message.get("status") for message in first]

    assert asyncio.run(talk()) == ([200] if begun else [401, None, None])
    assert ended == ["token stays"]


def test_whoever_ends_the_server_is_not_taken_for_a_revoked_token(tokens):
    async def talk():
        async def app(_scope, _receive, _send):
            await asyncio.Event().wait()

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        gate = HttpGate(app, tokens, HERE)
        task = asyncio.create_task(gate(scope(auth(f"Bearer {tokens.first_text()}")), receive, None))
        while not gate._under_way:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    assert asyncio.run(talk())
