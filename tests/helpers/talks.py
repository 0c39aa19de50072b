"""A proxy as a client starts it: the launcher, real pipes, real servers."""

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from mcpgov.front.main import main

PATIENCE = 15.0  # nothing here takes as long, unless the machine is very busy
SERVERS = str(Path(__file__).parents[1] / "helpers" / "servers.py")
PYTHON = os.path.realpath(sys.executable)
ALLOW_ALL = '[[rule]]\naction = "allow"\ntool = "*"\n[[rule]]\naction = "allow"\nmethod = "*"\n'


def wait_for(true: Callable[[], object], what: str = "it", patience: float = PATIENCE) -> Any:
    end = time.monotonic() + patience
    while not (found := true()):
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.005)
    return found


def marked(mark: str) -> list[psutil.Process]:
    """The living processes that a mark names."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if mark in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def end_all(mark: str) -> None:
    for process in marked(mark):
        with contextlib.suppress(psutil.Error):
            process.kill()


class Place:
    """A root with its launcher, for a home beside it: one for the account's home would be the account's own."""

    def __init__(self, root: Path, policy: str | None = ALLOW_ALL) -> None:
        self.root = root
        home = root.parent / "home"
        home.mkdir(exist_ok=True)
        (root / "config").mkdir(parents=True)
        self.policy = root / "config" / "policy.toml"
        if policy is not None:
            self.write(policy)
        self.launcher = str(root / "bin" / "mcpgov-proxy")
        self.journal = root / "state" / "journal"
        with (
            open(os.devnull, "w", encoding="ascii") as nothing,
            contextlib.redirect_stdout(nothing),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv("HOME", str(home))
            assert main(["--root", str(root), "launcher"]) == 0

    def write(self, text: str) -> None:
        self.policy.write_text(text, "utf-8")
        self.policy.chmod(0o600)

    def records(self) -> list[dict[str, Any]]:
        files = sorted(self.journal.glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text("ascii").splitlines()]


class Talk:
    """One client's conversation through a proxy."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str) -> None:
        self.process = process
        self.mark = mark
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        self.held = b""
        self._id = 0

    def write(self, line: bytes) -> None:
        self.stdin.write(line + b"\n")

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params or {}}
        self.write(json.dumps(message).encode())
        return self._id

    def line(self, patience: float = PATIENCE) -> bytes:
        """The next line; empty at the end."""
        end = time.monotonic() + patience
        pieces = [self.held]
        while b"\n" not in pieces[-1]:
            poll = select.poll()  # a test may have more than a thousand files open
            poll.register(self.stdout, select.POLLIN)
            assert poll.poll(1000 * max(0.0, end - time.monotonic())), "no answer came"
            data = os.read(self.stdout.fileno(), 1 << 20)
            if not data:
                self.held = b""
                return b"".join(pieces)
            pieces.append(data)
        found, _, self.held = b"".join(pieces).partition(b"\n")
        return found

    def receive(self, patience: float = PATIENCE) -> dict[str, Any]:
        return json.loads(self.line(patience))

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        ident = self.send(method, params)
        while (found := self.receive()).get("id") != ident:
            pass
        return found

    def call(self, tool: str = "echo", **args: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": args})

    def begin(self) -> "Talk":
        assert "result" in self.ask("initialize")
        return self

    def close(self) -> None:
        self.stdin.close()

    def end(self) -> int:
        """Close the input, and wait for the end."""
        if not self.stdin.closed:
            self.stdin.close()
        return self.process.wait(PATIENCE)

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode("utf-8", "replace")


def server(habit: str, mark: str, *words: object) -> list[str]:
    return [PYTHON, "-I", "-S", SERVERS, habit, mark, *map(str, words)]


def said(command: list[str], lines: bytes, answers: int, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """What a proxy says to some lines. Its input stays open until so many answers are there: on a busy machine a server
    whose client is gone would be ended before it has spoken."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **more) as process:
        talk = Talk(process, "")
        with contextlib.suppress(BrokenPipeError):  # it may have gone already, for a reason of its own
            talk.stdin.write(lines)
        found = b"".join(talk.line() + b"\n" for _ in range(answers))
        rest, errors = process.communicate(timeout=2 * PATIENCE)
        return subprocess.CompletedProcess(command, process.returncode, found + talk.held + rest, errors)
