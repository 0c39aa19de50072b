"""A home of its own with the real daemon in it, and what that daemon costs. Linux: it is read off /proc."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mcpgov.daemon.control import line_client

MCPGOV = str(Path(sys.executable).with_name("mcpgov"))
ALLOW = '[[rule]]\naction = "allow"\ntool = "*"\n\n[[rule]]\naction = "allow"\nmethod = "*"\n'
TICK = os.sysconf("SC_CLK_TCK")
TROUBLE = ("error", "warning")


def server(number: int) -> dict[str, object]:
    return {"type": "stdio", "command": "uvx", "args": ["mcp-server-git", "--repository", f"/r/{number}"], "env": {}}


class Live:
    def __init__(self, base: Path) -> None:
        self.home, self.root = base / "home", base / "root"
        self.log = self.root / "state" / "log" / "daemon.jsonl"
        self.launcher = str(self.root / "bin" / "mcpgov-proxy")
        self.claude = self.home / ".claude.json"
        self.cursor = self.home / ".cursor" / "mcp.json"
        self.desktop = self.home / ".config" / "Claude" / "claude_desktop_config.json"
        self.codex = self.home / ".codex" / "config.toml"
        for file in (self.claude, self.cursor, self.desktop, self.codex, self.root / "config" / "x"):
            file.parent.mkdir(parents=True, exist_ok=True)
        self.environ = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip
        self.pid = 0

    def usual(self) -> None:
        """What many people have: a few servers, a few projects."""
        projects = {f"/home/user/p{at}": {"history": ["a few words"] * 40, "mcpServers": {}} for at in range(12)}
        put(self.claude, {"mcpServers": {f"a{at}": server(at) for at in range(4)}, "projects": projects})
        put(self.desktop, {"mcpServers": {f"b{at}": server(at) for at in range(3)}})
        put(self.cursor, {"mcpServers": {f"c{at}": server(at) for at in range(2)}})
        self.policy(ALLOW)

    def policy(self, text: str) -> None:
        file = self.root / "config" / "policy.toml"
        file.write_text(text, "utf-8")
        file.chmod(0o600)

    @contextlib.contextmanager
    def daemon(self) -> Iterator[subprocess.Popen[bytes]]:
        words = [MCPGOV, "--root", str(self.root), "daemon", "run"]
        with open(self.root / "stderr", "wb") as err:
            process = subprocess.Popen(words, env=self.environ, stdin=subprocess.DEVNULL, stdout=err, stderr=err)
        self.pid = process.pid
        try:
            wait_for(self.answers, "the daemon's answer")
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def answers(self) -> bool:
        try:
            return bool(self.ask("ping"))
        except line_client.ControlError:
            return False

    def ask(self, op: str) -> dict[str, object]:
        return line_client.request(self.root / "run" / "daemon.sock", op, timeout=10.0)

    def status(self) -> dict:
        return json.loads(str(self.ask("status")["text"]))

    def states(self) -> set[str]:
        return {entry["state"] for entry in self.status()["servers"]}

    def governed(self) -> bool:
        return self.states() == {"governed"}

    def trouble(self) -> list[str]:
        """What its log complains of, in all of its parts."""
        parts = sorted(self.log.parent.glob("daemon*.jsonl"))
        lines = [json.loads(line) for part in parts for line in part.read_text("utf-8").splitlines()]
        return [f"{line['level']}: {line['event']}: {_why(line)}" for line in lines if line["level"] in TROUBLE]

    # --- what it costs

    def rss(self) -> float:
        """MB."""
        return rss(self.pid)

    def cpu(self) -> float:
        """Seconds of all its threads and of the children that have ended."""
        return cpu(self.pid)

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))


def _why(line: dict) -> str:
    return str(line.get("reason") or line.get("problem") or "")


def cpu(pid: int) -> float:
    """Seconds of all threads of a process, and of its children that have ended."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    return own + (int(fields[13]) + int(fields[14])) / TICK


def rss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def put(file: Path, value: object) -> None:
    """As clients write: a new file in the place of the old one."""
    scratch = file.with_name(f"{file.name}.tmp.{os.getpid()}")
    scratch.write_text(json.dumps(value, indent=2), "utf-8")
    os.replace(scratch, file)


def wait_for(true: Callable[[], object], what: str, patience: float = 30.0, pause: float = 0.02) -> None:
    if not came(true, patience, pause):
        raise SystemExit(f"{what} did not come")


def came(true: Callable[[], object], patience: float, pause: float = 0.1) -> bool:
    end = time.monotonic() + patience
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
