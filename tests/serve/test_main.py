"""The process: its end, its token file, who may reach it, many callers at once."""

import asyncio
import json
import os
import signal
import socket
import ssl
import stat
import subprocess
import urllib.error
import urllib.request

import psutil
import pytest

from mcpgov.daemon.serve.serve_requests import CallerAnswer
from mcpgov.daemon_client import DaemonGone
from mcpgov.serve.main import StdioCaller
from tests.helpers import certificates
from tests.helpers.serving import INTENT, Serving
from tests.helpers.talks import PATIENCE, wait_for


@pytest.fixture
def serving(tmp_path):
    return Serving(tmp_path)


def status(request, context=None):
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_stdio_ends_with_its_input_and_leaves_no_process(serving):
    with subprocess.Popen(
        serving.command, env=serving.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["result"]["serverInfo"]["name"] == "mcpgov"
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def test_the_token_is_in_a_private_file_and_printed_only_on_request(serving):
    with serving.http() as process:
        first = serving.tokens.first
        assert stat.S_IMODE(os.stat(first).st_mode) == 0o600
        token = serving.tokens.first_text()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert token.encode() not in out + err
    with serving.http("--print-token") as process:
        assert process.stdout.readline().decode().strip() == token


def test_a_page_of_another_origin_and_a_guess_get_nowhere(serving):
    with serving.http():
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

        def post(**headers):
            given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
            return status(urllib.request.Request(serving.url, body, given))

        right = f"Bearer {serving.tokens.first_text()}"
        assert post() == 401
        assert [post(Authorization=f"Bearer mcpgov_{at}") for at in range(20)] == [401] * 20
        assert post(Authorization=right, Origin="https://evil.example") == 403
        assert post(Authorization=right, Host="evil.example") == 403
        assert post(Authorization=right) != 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "a.example", "0"])
def test_beyond_this_machine_nothing_is_served_without_tls(serving, host):
    for more in ([], ["--install"]):
        words = [*serving.command, "--http", "--port", "0", "--host", host, *more]
        done = subprocess.run(words, env=serving.environ, capture_output=True, timeout=60)
        assert (done.returncode, b"needs `--tls-cert`" in done.stderr) == (64, True)
    assert not serving.tokens.file.exists()
    assert not (serving.tokens.file.parent / "install.json").exists()


def own_address():
    """An address of this machine that is not its first loopback one, where there is one beyond loopback that."""
    for found in (each for many in psutil.net_if_addrs().values() for each in many):
        if found.family == socket.AF_INET and not found.address.startswith("127."):
            return found.address
    return "127.0.0.2"


def test_with_tls_another_address_is_served_and_nothing_but_tls(serving, tmp_path):
    address = own_address()
    cert, _ = certificates.make(tmp_path, address)
    context = ssl.create_default_context(cafile=str(cert))
    body, usual = stateless_call("checkIntent", INTENT)

    def post(url, **headers):
        given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
        request = urllib.request.Request(url, body, given)
        return status(request, context if url.startswith("https") else None)

    with serving.http("--host", address, "--tls-cert", str(cert), "--tls-key", str(tmp_path / "key.pem")):
        port = serving.url.split(":")[2].split("/")[0]
        assert serving.url == f"https://{address}:{port}/mcp"
        right = f"Bearer {serving.tokens.first_text()}"
        assert (post(serving.url), post(serving.url, Authorization=right)) == (401, 200)
        assert post(serving.url, Authorization=right, Host=f"evil.example:{port}") == 403
        assert post(serving.url, Authorization=right, Origin=f"http://{address}:{port}") == 403
        assert post(serving.url, Authorization=right, Origin=f"https://{address}:{port}") == 200
        with pytest.raises(OSError, match=r".+"):
            post(serving.url.replace("https", "http"), Authorization=right)
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex(("127.0.0.1", int(port))) != 0


def test_a_certificate_that_cannot_be_used_is_told_in_a_sentence(serving, tmp_path):
    cert, _ = certificates.make(tmp_path)
    (tmp_path / "other.pem").write_text("no key")
    for key in (tmp_path / "other.pem", tmp_path / "none.pem", cert):
        words = ["--http", "--port", "0", "--host", "127.0.0.2", "--tls-cert", str(cert), "--tls-key", str(key)]
        done = subprocess.run([*serving.command, *words], env=serving.environ, capture_output=True, timeout=60)
        assert (done.returncode, b"Traceback" in done.stderr, b"serving" in done.stderr) == (1, False, False)


def test_a_port_that_is_taken_is_told(serving):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        words = ["--http", "--port", str(taken.getsockname()[1])]
        done = subprocess.run([*serving.command, *words], env=serving.environ, capture_output=True, timeout=60)
    assert (done.returncode, b"cannot listen on port" in done.stderr) == (1, True)


def stateless_call(tool, arguments, ident=1):
    """The body and the headers of a call in the stateless era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    return body, {**headers, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}


def test_whoever_sends_too_much_or_without_a_token_reads_why(serving):
    with serving.http():
        for token, status, size in ((serving.tokens.first_text(), 413, 12_000_000), ("guess", 401, 4_000_000)):
            with socket.create_connection(("127.0.0.1", int(serving.url.split(":")[2].split("/")[0])), 20) as sock:
                head = f"POST /mcp HTTP/1.1\r\nHost: {serving.url.split('/')[2]}\r\nAuthorization: Bearer {token}\r\n"
                sock.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode() + b"x" * size)
                found = b""
                while piece := sock.recv(65536):
                    found += piece
            assert found.startswith(f"HTTP/1.1 {status} ".encode())


ASKS = {"resource": "/srv/a", "operation": "write", "justification": "j", "timeout_seconds": 60}


@pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])
def test_the_question_of_a_caller_that_vanished_is_taken_back(serving, era):
    """A yes that comes later makes no grant."""
    token = serving.tokens.add("fs", "fs")

    async def sent(body, headers, wait=True):
        host = serving.url.split("/")[2]
        reader, writer = await asyncio.open_connection(*host.split(":"))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{lines}"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        if not wait:
            return writer
        found = (await reader.readuntil(b"\r\n\r\n")).decode()
        writer.close()
        return found

    async def talk(seen):
        body, headers = stateless_call("requestPermission", ASKS)
        if era != "2026-07-28":
            usual = {name: headers[name] for name in ("Content-Type", "Accept")}
            hello = {"protocolVersion": era, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
            begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
            head = await sent(json.dumps(begin).encode(), usual)
            session = next(
                line.split(": ")[1] for line in head.splitlines() if line.lower().startswith("mcp-session-id")
            )
            headers = {**usual, "Mcp-Session-Id": session, "MCP-Protocol-Version": era}
            await sent(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(), headers)
            asks = {"name": "requestPermission", "arguments": ASKS}
            body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asks}).encode()
        writer = await sent(body, headers, wait=False)
        await asyncio.to_thread(wait_for, lambda: seen, "the question", 30)
        writer.close()

    with serving.daemon(), serving.http(), serving.person(lambda _view: None) as seen:
        asyncio.run(talk(seen))
        serving.wait_for_record(action="withdrawn", question=seen[0].number, why="whoever asked has gone")


def test_five_hundred_callers_at_once_get_their_answers(serving):
    tokens = [serving.tokens.add(f"t{at}") for at in range(10)]

    async def one(port, at):
        body, usual = stateless_call("checkIntent", INTENT, at)
        headers = "".join(f"{name}: {value}\r\n" for name, value in usual.items())
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {tokens[at % 10]}\r\n{headers}"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        found = await reader.read()
        writer.close()
        return json.loads(found.partition(b"\r\n\r\n")[2])

    async def talk(port):
        return await asyncio.gather(*(one(port, at) for at in range(500)))

    with serving.http():
        found = asyncio.run(talk(int(serving.url.split(":")[2].split("/")[0])))
    assert [answer["id"] for answer in found] == list(range(500))
    assert all(answer["result"]["structuredContent"]["allowed"] for answer in found)


def test_the_daemon_keeps_an_installed_server_running_and_ends_it_again(serving):
    words = serving.command[:-1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def mcpgov(*given):
        return subprocess.run([*words, *given], env=serving.environ, capture_output=True, check=True, timeout=60)

    def listens():
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", port)) == 0

    with serving.daemon():
        mcpgov("serve", "--install", "--port", str(port))
        wait_for(listens, "the service", 30)
        mcpgov("serve", "--uninstall")
        wait_for(lambda: not listens(), "its end", 30)


def test_an_installed_server_whose_port_is_taken_says_so_and_runs_once_it_is_free(serving):
    words = serving.command[:-1]

    def mcpgov(*given):
        return subprocess.run([*words, *given], env=serving.environ, capture_output=True, timeout=60, check=False)

    with serving.daemon():
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = mcpgov("serve", "--install", "--port", str(port))
            cause = f"cannot listen on port {port}: another program has it".encode()
            assert (done.returncode, cause in done.stderr, b"serve --uninstall" in done.stderr) == (1, True, True)
            assert cause in mcpgov("status").stdout
            found = mcpgov("doctor")
            assert (found.returncode, cause in found.stdout) == (1, True)
        wait_for(lambda: listens(port), "the service", 60)
        done = mcpgov("serve", "--install", "--port", str(port))
        assert (done.returncode, b"keeps it running" in done.stdout) == (0, True)


def test_where_it_listens_everywhere_a_name_that_can_be_used_is_told(serving, tmp_path):
    cert, _ = certificates.make(tmp_path)
    with serving.http("--host", "0.0.0.0", "--tls-cert", str(cert), "--tls-key", str(tmp_path / "key.pem")):
        assert serving.url.split("/")[2].split(":")[0] == os.uname().nodename


def test_a_start_with_tokens_that_others_may_write_says_that_none_is_valid(serving):
    serving.tokens.ensure(1.0)
    serving.tokens.file.chmod(0o666)
    command = [*serving.command, "--http", "--port", "0"]
    with subprocess.Popen(command, env=serving.environ, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert b"no token is valid: others may write" in process.stderr.readline()
        process.terminate()


def test_options_that_exclude_each_other_are_told(serving):
    for given, why in ((["--print-token"], b"is for `--http`"), (["--install", "--uninstall"], b"exclude each other")):
        done = subprocess.run(
            [*serving.command, *given], env=serving.environ, capture_output=True, timeout=60, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert (done.returncode, why in done.stderr) == (64, True)


def test_who_calls_is_asked_again_until_it_is_a_governed_server():
    answers = [DaemonGone("no"), CallerAnswer("app x", client="cursor"), CallerAnswer("fs", "fs", "cursor", "/p")]
    asked, now = [], [0.0]

    class Port:
        async def ask(self, request, timeout=0.0):
            asked.append(timeout)
            found = answers.pop(0)
            if isinstance(found, Exception):
                raise found
            return found

    caller = StdioCaller(Port(), lambda: now[0])

    async def talk():
        found = []
        for moment in (0.0, 1.0, 5.0, 10.0, 20.0):
            now[0] = moment
            party = await caller(None)
            found.append((party.name, party.server, party.client))
        return found

    assert asyncio.run(talk()) == [
        ("stdio", "", ""), ("stdio", "", ""), ("stdio", "", "cursor"), ("stdio", "fs", "cursor"),
        ("stdio", "fs", "cursor"),
    ]  # fmt: skip
    assert asked == [1.0] * 3  # a daemon that hangs is not waited for longer


def test_a_request_that_is_under_way_is_answered_before_the_end(serving):
    body, usual = stateless_call("checkIntent", INTENT)
    with serving.http() as process:
        port = int(serving.url.rsplit(":", 1)[1].partition("/")[0])
        lines = [f"{name}: {value}" for name, value in usual.items()]
        lines += [f"Authorization: Bearer {serving.tokens.first_text()}", f"Content-Length: {len(body)}"]
        head = ["POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{port}", "Expect: 100-continue", *lines, "", ""]
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as under_way:
            under_way.sendall("\r\n".join(head).encode())
            assert under_way.recv(4096).startswith(b"HTTP/1.1 100 ")
            process.send_signal(signal.SIGTERM)
            wait_for(lambda: not listens(port), "the end of listening")
            under_way.sendall(body)
            assert under_way.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert process.wait(PATIENCE) == -signal.SIGTERM, "it ends in order, and by the signal it was sent"


def listens(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
