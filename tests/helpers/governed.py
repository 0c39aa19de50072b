"""A scratch home with the real daemon in it: started, asked, killed, started again. Ours lies below a root."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcpgov.daemon.control import line_client
from mcpgov.places import Places
from tests.helpers.daemons import entries
from tests.helpers.talks import PATIENCE, wait_for
from tests.real.apps import Scratch

NO_SERVICE = "the daemon ends when you log out: no login service runs it"


class Governed(Scratch):
    """`python` runs mcpgov; another one runs another installation."""

    def __init__(self, base: Path, python: str = sys.executable) -> None:
        super().__init__(base / "home")
        self.python = python
        self.places = Places(base / "r")
        self.config = self.home / ".claude.json"
        self.process: subprocess.Popen[bytes] | None = None
        self.policy()

    # --- the installation

    def env(self) -> dict[str, str]:
        return {**super().env(), "MCPGOV_ROOT": str(self.places.root)}

    def mcpgov(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self.run(self.python, "-I", "-m", "mcpgov", *words, check=check)

    def policy(self, text: str = 'default = "allow"\n') -> None:
        self.written(self.places.policy_file(), text)

    def settings(self, text: str) -> None:
        self.written(self.places.settings_file, text)

    @staticmethod
    def written(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text)
        path.chmod(0o600)

    @property
    def launcher(self) -> str:
        return str(self.places.launcher)

    # --- the daemon

    def start(self, *words: str) -> None:
        """Start it, by `words` if not as usual."""
        usual = (self.python, "-I", "-m", "mcpgov", "daemon", "run", "--log-level", "debug")
        self.process = subprocess.Popen(words or usual, env=self.env(), cwd=self.work, stderr=subprocess.DEVNULL)

    def ready(self) -> None:
        """Wait until it answers and has read its settings."""
        wait_for(lambda: (self.asked() or {}).get("clients"), "the daemon's start")

    def kill(self, number: int = signal.SIGKILL) -> int:
        """End it; how it ended."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    @contextlib.contextmanager
    def daemon(self) -> Iterator["Governed"]:
        try:
            self.start()
            self.ready()
            yield self
        finally:
            self.end()

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def asked(self) -> dict[str, Any] | None:
        """Its status; None: it does not answer."""
        try:
            return json.loads(line_client.request(self.places.socket, "status", timeout=PATIENCE)["text"])
        except line_client.ControlError:
            return None

    def status(self) -> dict[str, Any]:
        found = self.asked()
        assert found is not None
        return found

    def ask(self, op: str) -> dict[str, Any]:
        return line_client.request(self.places.socket, op, timeout=PATIENCE)

    def complaints(self) -> list[str]:
        """What status says is wrong, but for the missing login service."""
        return [problem["what"] for problem in self.status()["problems"] if problem["what"] != NO_SERVICE]

    def states(self) -> dict[str, str]:
        return {server["name"]: server["state"] for server in self.status()["servers"]}

    def servers(self) -> dict[str, str]:
        """The states as `mcpgov servers` has them."""
        told = json.loads(self.mcpgov("servers", "--json").stdout)["servers"]
        return {server["name"]: server["state"] for server in told}

    def history(self) -> dict[str, list[str]]:
        """What happened to each server, as `mcpgov history` has it."""
        found: dict[str, list[str]] = {}
        for event in json.loads(self.mcpgov("history", "--json", "-n", "10000").stdout)["events"]:
            found.setdefault(event["name"], []).append(event["event"])
        return found

    def logged(self, event: str) -> list[dict[str, Any]]:
        return [entry for entry in entries(self.places.log / "daemon.jsonl") if entry["event"] == event]

    # --- the config

    def found(self) -> Any:
        """The client's config, read as the client does: it is whole at every instant."""
        return json.loads(self.config.read_bytes())

    def bare(self) -> list[str]:
        """The local servers that the client would start without us."""
        table = self.found()
        lists = [table.get("mcpServers", {})]
        lists += [project.get("mcpServers", {}) for project in table.get("projects", {}).values()]
        return [
            name
            for servers in lists
            for name, entry in servers.items()
            if "command" in entry and entry["command"] != self.launcher
        ]

    def replace(self, text: str) -> None:
        """As a careful client writes."""
        scratch = self.config.with_name(f".claude.json.tmp.{os.getpid()}")
        scratch.write_text(text)
        os.replace(scratch, self.config)

    def leftovers(self) -> list[str]:
        """What a killed writer has left beside the configs."""
        names = (str(path.relative_to(self.home)) for path in self.home.rglob("*"))
        return sorted(name for name in names if ".mcpgov." in name or ".tmp." in name or name.endswith(".lock"))
