"""Real servers, a real client, and us between them: where the parts are, how a conversation is started and ended.

Law: nothing of the tester's environment reaches a child; no process of a conversation outlives it.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

HERE = Path(__file__).parent
TOOLS = HERE.parents[1] / ".tools"
SDK_PYTHON = TOOLS / "venv-mcp" / "bin" / "python"
SERVERS_BIN = TOOLS / "venv-servers" / "bin"
TIMEOUT = 120
GONE_IN = 6.0  # the contract says 2 s
MARK = "REAL_PARTS_MARK"

ALLOW_ALL = """
default = "deny"
[[rule]]
name = "everything"
action = "allow"
method = ["tools/call", "resources/read", "resources/subscribe", "subscriptions/listen", "prompts/get",
          "sampling/createMessage", "elicitation/create"]
"""


def need(path: Path) -> str:
    """The path of an installed part; without it the test is skipped, loudly."""
    if not path.exists():
        pytest.skip(f"REAL PART MISSING: {path.relative_to(TOOLS.parent)} (run scripts/realparts)")
    return str(path)


class Server(NamedTuple):
    """One real server: how it is started in a directory, what it needs there, and what it is asked."""

    name: str
    command: Callable[[Path], list[str]]
    prepare: Callable[[Path, dict[str, str]], None]
    env: Callable[[Path], dict[str, str]]


def node(name: str, *words: str) -> list[str]:
    script = need(TOOLS / "node" / "node_modules" / "@modelcontextprotocol" / f"server-{name}" / "dist" / "index.js")
    found = shutil.which("node")
    if found is None:
        pytest.skip("REAL PART MISSING: there is no `node` on the PATH")
    return [found, script, *words]


def _files(work: Path, _env: dict[str, str]) -> None:
    for name, text in (
        ("open/a.txt", "alpha\nbeta\n"),
        ("open/ünïcode \u2028.txt", "λ — 日本\u2028語\n"),
        ("secret/key.txt", "the secret\n"),
        ("secretive/b.txt", "not so secret\n"),
    ):
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (work / "link").symlink_to("secret")
    (work / "open" / "alias.txt").symlink_to("../secret/key.txt")


def _repository(work: Path, env: dict[str, str]) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(work), *words], env={**clean_env(work.parent), **env}, check=True, timeout=30)

    (work / "one.txt").write_text("one\n")
    git("init", "--quiet", "--initial-branch=main")
    git("add", "one.txt")
    git("commit", "--quiet", "--message=first")
    (work / "one.txt").write_text("one, changed\n")
    (work / "two.txt").write_text("two\n")


def _git_env(_work: Path) -> dict[str, str]:
    # Fixed names and dates: the same commit has the same hash, with us and without.
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _IDENTITY.items()}
    return {**who, "GIT_CONFIG_NOSYSTEM": "1"}


_IDENTITY = {"NAME": "Tester", "EMAIL": "tester@example.test", "DATE": "2024-02-03T04:05:06+00:00"}


def _nothing(_work: Path, _env: dict[str, str]) -> None:
    return


def _no_env(_work: Path) -> dict[str, str]:
    return {}


FILESYSTEM = Server("filesystem", lambda work: node("filesystem", str(work)), _files, _no_env)
EVERYTHING = Server("everything", lambda _work: node("everything"), _nothing, _no_env)
MEMORY = Server(
    "memory", lambda _work: node("memory"), _nothing, lambda work: {"MEMORY_FILE_PATH": str(work / "memory.jsonl")}
)
GIT = Server(
    "git", lambda work: [need(SERVERS_BIN / "mcp-server-git"), "--repository", str(work)], _repository, _git_env
)
TIME = Server(
    "time", lambda _work: [need(SERVERS_BIN / "mcp-server-time"), "--local-timezone", "Asia/Tokyo"], _nothing, _no_env
)
ASKING = Server("asking", lambda _work: [need(SDK_PYTHON), str(HERE / "asking_server.py")], _nothing, _no_env)


def clean_env(home: Path) -> dict[str, str]:
    """All a child gets to see of the tester's environment is where programs are."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb", "USER": "tester"}


class Report(NamedTuple):
    """What the SDK client says of one conversation."""

    revision: str
    server: dict[str, Any]
    results: list[dict[str, Any]]
    seen: dict[str, list[Any]]
    err: str


class Driver:
    """The process that runs the SDK client, one conversation after the other."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [need(SDK_PYTHON), str(HERE / "driver.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_env(home), text=True,
        )  # fmt: skip

    def report(self, job: dict[str, Any]) -> dict[str, Any]:
        guard = threading.Timer(TIMEOUT, self.process.kill)
        guard.start()
        try:
            print(json.dumps(job), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        finally:
            guard.cancel()
        return json.loads(line) if line else {"failed": "the driver was stopped: the conversation took too long"}

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(TIMEOUT)


class Bench:
    """One test's own home and work directory. The root, with launcher and compiled policies, serves many in turn."""

    def __init__(self, place: Path, root: Path, driver: Callable[[], Driver]) -> None:
        self._driver = driver
        self.errors = place / "stderr.txt"
        self.home = place / "home"
        self.work = self.home / "work"
        self.root = root
        self.policy_file = self.root / "config" / "policy.toml"
        self.home.mkdir()
        self.policy_file.parent.mkdir(exist_ok=True)
        for remembered in ("journal", "heads", "tools"):
            shutil.rmtree(root / "state" / remembered, ignore_errors=True)
        self.mark = uuid.uuid4().hex

    def mcpgov(self, *words: str) -> subprocess.CompletedProcess[str]:
        run = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(self.root), *words]
        return subprocess.run(
            run, env=clean_env(self.home), capture_output=True, text=True, timeout=TIMEOUT, check=False
        )

    def governed(self, server: Server, policy: str = ALLOW_ALL) -> list[str]:
        """The command a client would be given: the launcher in front of the server's own command."""
        self.policy_file.write_text(policy, "utf-8")
        self.policy_file.chmod(0o600)
        launcher = self.root / "bin" / "mcpgov-proxy"
        if not launcher.exists():
            made = self.mcpgov("launcher", "--quiet-path")
            assert (made.returncode, made.stdout) == (0, f"{launcher}\n"), made.stderr
        words = ["--server", server.name, "--policy", str(self.policy_file), "--", *self.direct(server)]
        return [str(launcher), *words]

    def direct(self, server: Server) -> list[str]:
        return server.command(self.work)

    def prepared(self, server: Server) -> dict[str, str]:
        """The work directory as at the beginning, and what the server's environment gets beyond the usual."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        env = server.env(self.work)
        server.prepare(self.work, env)
        return {**env, "HOME": str(self.home), MARK: self.mark}

    def talk(self, server: Server, command: list[str], steps: list[list[Any]], **job: Any) -> Report:
        """A conversation of the SDK client with `command`. Nothing that it started is left when this returns."""
        env = self.prepared(server)
        job = {"command": command, "env": env, "cwd": str(self.work), "errors": str(self.errors), "mode": "auto", **job}
        report = self._driver().report({**job, "steps": steps})
        left = self.left_over()
        said = self.errors.read_text("utf-8", "replace")
        assert "failed" not in report, f"{report['failed']}\n{said}"
        assert left == []
        return Report(**report, err=said)

    def running(self) -> list[psutil.Process]:
        """Every process that carries this bench's mark in its environment."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == self.mark:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def left_over(self) -> list[str]:
        """Who is still there once the time to go has passed."""
        _gone, alive = psutil.wait_procs(self.running(), timeout=GONE_IN)
        return [str(process) for process in alive]

    def journal(self) -> list[dict[str, Any]]:
        files = sorted((self.root / "state" / "journal").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text("ascii").splitlines()]

    def decisions(self, method: str = "tools/call") -> list[dict[str, Any]]:
        """One record per judged request; the answer's record is another."""
        return [note for note in self.journal() if note["method"] == method and note["action"] != "answered"]

    @contextmanager
    def raw(self, server: Server, command: list[str], answers: dict[str, Any] | None = None) -> Iterator["Raw"]:
        """A client that sees lines as they are, over plain pipes."""
        env = {**clean_env(self.home), **self.prepared(server)}
        with subprocess.Popen(
            command, env=env, cwd=self.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            guard = threading.Timer(TIMEOUT, process.kill)
            guard.start()
            try:
                yield Raw(process, answers or {})
                process.stdin.close()
                # A server of its own may wait for an answer that never comes; we may not let it.
                if command[0].startswith(str(self.root)):
                    process.wait(GONE_IN)
            finally:
                guard.cancel()
                process.kill()
        assert self.left_over() == []


class Raw:
    """Asks one thing at a time and keeps the answer's bytes; what the server asks meanwhile, a table answers."""

    def __init__(self, process: subprocess.Popen[bytes], answers: dict[str, Any]) -> None:
        self.process = process
        self._answers = answers
        self._next = 0

    def tell(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> bytes:
        self._next += 1
        self.tell({"id": self._next, "method": method, "params": params})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if "method" not in message and message["id"] == self._next:
                return line
            if "method" in message and "id" in message:
                self.tell({"id": message["id"], "result": self._answers[message["method"]]})
        raise AssertionError(f"the server ended before it answered `{method}`")
