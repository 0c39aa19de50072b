"""`mcpgov serve` as a process: over stdio by the SDK's client, over HTTP by its own; a person who answers questions."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mcpgov.daemon.control.approval_requests import ApproveRequest, DenyRequest, WatchQuestionsRequest
from mcpgov.daemon.control.client import Subscription, ask
from mcpgov.serve_tokens import ServeTokens
from tests.helpers.daemons import Home
from tests.helpers.talks import PATIENCE, wait_for

MODES = ("auto", "legacy")  # 2026-07-28, and the handshake before it
POLICY = """
default = "deny"
[[rule]]
name = "keys"
action = "deny"
args."*" = "~/.ssh/**"
description = "SSH key access is not allowed"
[[rule]]
name = "asks"
action = "prompt"
operation = ["write", "delete"]
[[rule]]
name = "reads"
action = "allow"
operation = "read"
"""
INTENT = {"description": "d", "action_type": "file_read", "target": "/srv/a"}


class Serving(Home):
    def __init__(self, base: Path, policy: str = POLICY) -> None:
        super().__init__(base)
        self.write_policy(policy)
        self.tokens = ServeTokens(self.root / "state" / "serve")
        self.url = ""
        self.environ["PYTHONPATH"] = str(Path(__file__).parents[2])

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "mcpgov", "--root", str(self.root), "serve"]

    @contextlib.asynccontextmanager
    async def stdio(self, mode: str = "auto") -> AsyncIterator[Client]:
        params = StdioServerParameters(command=self.command[0], args=self.command[1:], env=self.environ)
        with open(os.devnull, "w", encoding="ascii") as nothing:
            async with Client(stdio_client(params, errlog=nothing), mode=mode) as client:
                yield client

    @contextlib.contextmanager
    def http(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """The server over HTTP at a free port; `url` is where."""
        command = [*self.command, "--http", "--port", "0", *words]
        with subprocess.Popen(
            command, env=self.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            try:
                assert process.stderr is not None
                first = process.stderr.readline().decode()
                assert "serving " in first, first
                self.url = first.split("serving ")[1].split(";")[0]
                yield process
            finally:
                process.terminate()
                process.wait(PATIENCE)

    @contextlib.asynccontextmanager
    async def over_http(self, mode: str = "auto", token: str = "") -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token or self.tokens.first_text()}"}
        async with (
            create_mcp_http_client(headers=headers) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client

    @contextlib.contextmanager
    def person(self, answer: Callable[[Any], tuple[str, str] | None]) -> Iterator[list[Any]]:
        """Somebody who watches and answers each question: (term, "") for a yes, ("no", "") for a no, None for nothing.

        Gives the questions that were seen.
        """
        seen: list[Any] = []
        watching = Subscription(self.socket, WatchQuestionsRequest(), timeout=PATIENCE)

        def answers() -> None:
            told: set[str] = set()
            with contextlib.suppress(Exception):
                for shown in watching:
                    for view in shown.waiting:
                        if view.number not in told:
                            told.add(view.number)
                            seen.append(view)
                            self._answer(view, answer(view))

        thread = threading.Thread(target=answers, daemon=True)
        thread.start()
        try:
            yield seen
        finally:
            with contextlib.suppress(OSError):
                watching._sock.shutdown(2)
            thread.join(PATIENCE)
            watching.close()

    def _answer(self, view: Any, said: tuple[str, str] | None) -> None:
        if said is None:
            return
        term, _ = said
        if term == "no":
            ask(self.socket, DenyRequest(view.number, "terminal"), timeout=PATIENCE)
        else:
            seconds = 900.0 if term == "time" else 0.0
            ask(self.socket, ApproveRequest(view.number, term, "exact", seconds, "terminal"), timeout=PATIENCE)

    def records(self) -> list[dict[str, Any]]:
        files = sorted((self.root / "state" / "journal").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text("ascii").splitlines()]

    def wait_for_record(self, **fields: Any) -> dict[str, Any]:
        def found() -> list[dict[str, Any]]:
            return [record for record in self.records() if fields.items() <= record.items()]

        record: dict[str, Any] = wait_for(found, f"a record with {fields}")[0]
        return record


class GovernedServing(Serving):
    """Servers behind proxies of ours that find `mcpgov` on their PATH."""

    def prepare(self) -> None:
        subprocess.run([*self.command[:-1], "launcher"], env=self.environ, check=True, capture_output=True)
        self.environ["MCPGOV_ROOT"] = str(self.root)
        programs = self.base / "bin"
        programs.mkdir()
        (programs / "mcpgov").write_text(f'#!/bin/sh\nexec {sys.executable} -m mcpgov "$@"\n')
        (programs / "mcpgov").chmod(0o755)
        self.environ["PATH"] = f"{programs}:{self.environ['PATH']}"

    @contextlib.asynccontextmanager
    async def through_proxy(self, name: str, script: Path) -> AsyncIterator[Client]:
        launcher = str(self.root / "bin" / "mcpgov-proxy")
        words = ["--server", name, "--", sys.executable, str(script)]
        params = StdioServerParameters(command=launcher, args=words, env=self.environ)
        with open(os.devnull, "w", encoding="ascii") as nothing:
            async with Client(stdio_client(params, errlog=nothing), mode="legacy", read_timeout_seconds=60) as client:
                yield client
