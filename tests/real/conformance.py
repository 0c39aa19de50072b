"""The official conformance suite, run against a URL or a client; and what is put between the two.

Law: loopback only, and nothing that was started here outlives its `with`.
"""

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from mcpgov.places import Places
from mcpgov.remote_servers import keep_port
from tests.real.harness import HERE, SDK_PYTHON, TOOLS, clean_env, need

SUITE = TOOLS / "node-conformance" / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
GATEWAY = TOOLS / "node-gateway" / "node_modules" / "supergateway" / "dist" / "index.js"
SERVER = HERE / "conformance_server.py"
OLDEST_NODE = 22
UP_WITHIN = 30.0
SUITE_TIMEOUT = 400
SCENARIO_MS = 90_000
GONE_IN = 6.0
# `server-tools-list-2026-11-18T03-07-59-156Z`; a client's result has no word in front, and a slash in it is a folder.
RESULT = re.compile(r"(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")

Checks = list[tuple[str, str]]
Score = dict[str, Checks]


def newer_node() -> str:
    """A Node that the suite runs on: the one npm brought, else the machine's own."""
    for found in (TOOLS / "node-newer" / "node_modules").glob("node-*/bin/node"):
        return str(found)
    own = shutil.which("node")
    if own is not None:
        said = subprocess.run([own, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
        if int(said.lstrip("v").partition(".")[0]) >= OLDEST_NODE:
            return own
    pytest.skip(f"REAL PART MISSING: no Node {OLDEST_NODE} (run scripts/realparts)")


def run_suite(place: Path, *words: str, **env: str) -> Score:
    """The suite's own checks by scenario, each as its name and status. Its exit status says no more than they do."""
    out = place / "results"
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(
        [newer_node(), need(SUITE), *words, "-o", str(out)], env={**clean_env(place), **env}, cwd=place,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SUITE_TIMEOUT, check=False,
    )  # fmt: skip
    print(done.stdout, done.stderr)  # shown with a test that fails
    found = {}
    for file in sorted(out.rglob("checks.json")):
        name = RESULT.fullmatch(file.parent.relative_to(out).as_posix())
        assert name is not None, file
        checks = json.loads(file.read_text("utf-8"))
        found[name[1]] = sorted((each["id"], each["status"]) for each in checks if each["status"] != "INFO")
    assert found, (done.stdout, done.stderr)
    return found


def passed(checks: Checks) -> bool:
    return bool(checks) and {status for _, status in checks} <= {"SUCCESS", "SKIPPED"}


def server_score(place: Path, url: str, revision: str) -> Score:
    """Every scenario of a revision. One that fails is run once more alone: the suite gives a server 500 ms to speak,
    which a machine that runs other tests beside it may need for itself."""
    how = ("server", "--url", url, "--spec-version", revision, "--timeout", str(SCENARIO_MS))
    found = run_suite(place, *how, "--suite", "all")
    for name in [name for name, checks in found.items() if not passed(checks)]:
        found |= run_suite(place, *how, "--scenario", name)
    return found


def differences(direct: Score, ours: Score) -> dict[str, dict[str, list[str]]]:
    """What each side says of a scenario that the other does not, so that a loss has its scenario's and check's name."""
    found = {}
    for name in sorted(direct.keys() | ours.keys()):
        before, now = direct.get(name, []), ours.get(name, [])
        if before != now:
            found[name] = {
                "direct": [f"{each}: {status}" for each, status in before if (each, status) not in now],
                "ours": [f"{each}: {status}" for each, status in now if (each, status) not in before],
            }
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def until_up(port: int, process: subprocess.Popen[str], log: Path) -> None:
    end = time.monotonic() + UP_WITHIN
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text("utf-8", "replace")
            assert time.monotonic() < end, "nothing listens: " + log.read_text("utf-8", "replace")
            time.sleep(0.02)


@contextmanager
def started(place: Path, name: str, command: list[str], **env: str) -> Iterator[subprocess.Popen[str]]:
    """A child that ends with this block, and everything below it."""
    log = place / f"{name}.log"
    with open(log, "w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            command, env={**clean_env(place), **env}, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, text=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        process.stdin.close()
        process.terminate()
        _gone, alive = psutil.wait_procs(family, timeout=GONE_IN)
        for each in alive:
            each.kill()
        process.stdout.close()
        process.wait(GONE_IN)


@contextmanager
def served(place: Path, kind: str = "http") -> Iterator[str]:
    """The suite's server by itself; its URL."""
    command = [need(SDK_PYTHON), str(SERVER), kind]
    with started(place, f"server-{kind}", command) as process:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), (place / f"server-{kind}.log").read_text("utf-8", "replace")
        yield url


@contextmanager
def on_stdio(place: Path) -> Iterator[list[str]]:
    """The same server as a command on stdio, which starts at once."""
    path = str(place / "server.sock")
    with started(place, "server-stdio", [need(SDK_PYTHON), str(SERVER), path]) as process:
        assert process.stdout.readline().strip() == path
        yield [sys.executable, "-I", "-S", str(HERE / "stdio_to_socket.py"), path]


def listener(root: Path) -> list[str]:
    """The command of our listener by hand; `{port}` stands for its port, and the URL follows."""
    mcpgov = str(Path(sys.executable).with_name("mcpgov"))
    words = ["proxy", "--server", "conformance", "--listen", "127.0.0.1:{port}", "--url"]
    return [mcpgov, "--root", str(root), *words]


@contextmanager
def listening(place: Path, root: Path, url: str) -> Iterator[str]:
    """Our listener by hand in front of `url`; its own URL."""
    port = free_port()
    command = [each.replace("{port}", str(port)) for each in listener(root)]
    with started(place, "listener", [*command, url]) as process:
        until_up(port, process, place / "listener.log")
        yield f"http://127.0.0.1:{port}/mcp"


@contextmanager
def gateway(place: Path, command: list[str]) -> Iterator[str]:
    """A server on stdio, made one on HTTP by another's bridge: a process for each session."""
    port = free_port()
    words = ["--stateful", "--outputTransport", "streamableHttp", "--port", str(port), "--logLevel", "none"]
    with started(place, "gateway", [newer_node(), need(GATEWAY), *words, "--stdio", shlex.join(command)]) as process:
        until_up(port, process, place / "gateway.log")
        yield f"http://127.0.0.1:{port}/mcp"


def client_score(place: Path, revision: str, scenarios: tuple[str, ...], through: list[str] | None = None) -> Score:
    """The SDK's client in the suite's client scenarios, through the listener of this command if there is one."""
    command = f"{need(SDK_PYTHON)} {HERE / 'conformance_client.py'}"
    how = ("client", "--command", command, "--spec-version", revision, "--timeout", str(SCENARIO_MS))
    found: Score = {}
    for name in scenarios:
        found |= run_suite(place, *how, "--scenario", name, CONFORMANCE_LISTENER=json.dumps(through or []))
    return found


@contextmanager
def serving_remotes(place: Path, root: Path) -> Iterator[None]:
    """The service of all remote servers, without a daemon."""
    port = free_port()
    keep_port(Places(root).remote_port, port)
    mcpgov = str(Path(sys.executable).with_name("mcpgov"))
    with started(place, "remotes", [mcpgov, "--root", str(root), "remote", "run"]) as process:
        until_up(port, process, place / "remotes.log")
        yield


def auth_score(place: Path, revision: str, scenario: str, root: Path | None = None) -> Checks:
    """The SDK's client, which signs in itself, in one login scenario; with a root through its service."""
    command = f"{need(SDK_PYTHON)} {HERE / 'conformance_auth_client.py'}"
    how = ("client", "--command", command, "--spec-version", revision, "--timeout", str(SCENARIO_MS))
    wrap = [sys.executable, str(HERE / "passthrough_entry.py"), str(root)] if root else []
    found = run_suite(place, *how, "--scenario", f"auth/{scenario}", CONFORMANCE_WRAP=json.dumps(wrap))
    return found[f"auth/{scenario}"]
