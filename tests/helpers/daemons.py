"""Parts of the daemon for tests: a loop in a thread, a clock that is set, a home with a daemon in it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcpgov.daemon.control import line_client
from mcpgov.daemon.log import Log
from mcpgov.daemon.log_reader import LogReader
from mcpgov.daemon.reactor import Reactor
from tests.helpers.talks import PATIENCE, wait_for

CODE = "import sys; from pathlib import Path; from mcpgov.places import Places; from mcpgov.daemon.run import serve; "
CODE += "sys.exit(serve(Places(Path(sys.argv[1])), 'debug'))"


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def entries(log: Log | Path) -> list[dict[str, Any]]:
    book = LogReader(log.path if isinstance(log, Log) else log)
    try:
        return book.last(10_000, lambda _entry: True)
    finally:
        book.close()


def events(log: Log | Path) -> list[Any]:
    return [entry["event"] for entry in entries(log)]


@contextlib.contextmanager
def turning(reactor: Reactor) -> Iterator[None]:
    """The loop runs in a thread of its own."""
    thread = threading.Thread(target=reactor.run)
    thread.start()
    try:
        yield
    finally:
        reactor.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def turn_until(reactor: Reactor, true: Any, what: str = "it") -> Any:
    """The loop turns in this thread, without ever waiting long for nothing."""
    reactor.part("test", lambda: 0.01, lambda: None)
    return wait_for(lambda: reactor.turn() or true(), what)


class Home:
    """A home of its own with a root of its own, and the daemon in it as a process."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home = base / "home"
        self.root = base / "root"
        for place in (self.home, self.root / "config"):
            place.mkdir(parents=True)
        self.socket = self.root / "run" / "daemon.sock"
        self.log = self.root / "state" / "log" / "daemon.jsonl"
        self.policy = self.root / "config" / "policy.toml"
        self.environ = {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    code = ""  # what the daemon runs, where that is not CODE

    @contextlib.contextmanager
    def daemon(self, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
        words = [sys.executable, "-c", self.code or CODE, str(self.root)]
        with subprocess.Popen(words, env={**self.environ, **environ}, stderr=subprocess.PIPE) as process:
            try:
                wait_for(lambda: self.answers() or process.poll() is not None, "the daemon's answer")
                yield process
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                    try:
                        process.wait(PATIENCE)
                    except subprocess.TimeoutExpired:
                        process.kill()

    def answers(self) -> bool:
        try:
            line_client.request(self.socket, "ping")
        except line_client.ControlError:
            return False
        return True

    def ask(self, op: str, **fields: Any) -> dict[str, Any]:
        return line_client.request(self.socket, op, timeout=PATIENCE, **fields)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.ask("status")["text"])
        return found

    def logged(self, event: str) -> list[dict[str, Any]]:
        return [entry for entry in entries(self.log) if entry["event"] == event]

    def write_policy(self, text: str) -> None:
        self.policy.write_text(text, "utf-8")
        self.policy.chmod(0o600)
