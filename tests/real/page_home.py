"""A scratch home with mcpgov installed and at work in it, apps that call, and the local page: for tests and pictures.

Law: nothing outlives it; the tester's own home is not touched.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.helpers.talks import wait_for
from tests.real.browser import Browser, Tab
from tests.real.harness import HERE, TIMEOUT, clean_env

CLAUDE_CODE = ".claude.json"
START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "app", "version": "1"}}
POLICY = """default = "deny"

[[rule]]
name = "no-deletes"
action = "deny"
tool = "delete_*"
description = "nothing is deleted here"

[[rule]]
name = "ask-writes"
action = "prompt"
tool = ["write_*", "send_*"]
message = "it changes something"

[[rule]]
name = "reads"
action = "allow"
tool = "*"
"""
ASKABLE = "document.querySelector('.open-questions:not([aria-busy])')"
SETTLED = "performance.now() - window.asked > 700"  # once `window.asked` is when a question came
# A question waits for the test, however busy the machine is.
PATIENT = "[approvals]\ntimeout = {claude-code = 300}\nmax_per_minute = 1000\n"


def tool(name: str, description: str = "", **properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {"name": name, "description": description or f"{name} of the server", "inputSchema": schema}


TOOLS = [tool("read_note", path="string"), tool("write_note", path="string"), tool("delete_note", path="string")]


class App:
    """An app's conversation with one governed server."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        pipe = subprocess.PIPE
        self._number = 0
        # A session of its own: nothing that the test starts is suspected to be its child.
        self.process = subprocess.Popen(
            command, env=env, cwd=cwd, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.ask("initialize", START)
        self.tools = self.ask("tools/list", {})["result"]["tools"]

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        while line := self.process.stdout.readline():
            said = json.loads(line)
            if said.get("id") == self._number:
                return said
        raise AssertionError("the server has gone")

    def call(self, name: str, **args: Any) -> str:
        """The text that the app gets to see."""
        said = self.ask("tools/call", {"name": name, "arguments": args})
        return said["result"]["content"][0]["text"]

    def flood(self, count: int, name: str, **args: Any) -> None:
        """So many calls, without waiting for an answer between two."""
        first, self._number = self._number + 1, self._number + count
        reader = threading.Thread(target=lambda: [self.process.stdout.readline() for _ in range(count)])
        reader.start()
        for number in range(first, first + count):
            params = {"name": name, "arguments": {**args, "number": number}}
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        reader.join(TIMEOUT)
        assert not reader.is_alive(), "the calls were not all answered"

    def begin(self, name: str, **args: Any) -> "HeldCall":
        return HeldCall(lambda: self.call(name, **args))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(TIMEOUT)


class HeldCall(threading.Thread):
    """A call that may have to wait for a person."""

    def __init__(self, call: Any) -> None:
        super().__init__(daemon=True)
        self._call = call
        self._said: list[str] = []
        self.start()

    def run(self) -> None:
        self._said.append(self._call())

    def answer(self) -> str:
        self.join(TIMEOUT)
        assert self._said, "the call still waits"
        return self._said[0]


class PageHome:
    """`servers`: of each app's config file, the servers and their tools, or the whole entry of one."""

    def __init__(self, place: Path, policy: str = POLICY, settings: str = PATIENT) -> None:
        self.home = place / "home"
        self.home.mkdir(parents=True)
        self.env = clean_env(self.home)
        self.policy = self.home / ".config" / "mcpgov" / "policy.toml"
        self._tools = place / "tools"
        self._tools.mkdir()
        self._apps: list[App] = []
        self._wanted = policy
        self._settings = settings

    def install(self, servers: dict[str, dict[str, Any]]) -> None:
        for file, named in servers.items():
            entries = {name: self._entry(name, tools) for name, tools in named.items()}
            (self.home / file).parent.mkdir(parents=True, exist_ok=True)
            (self.home / file).write_text(json.dumps({"mcpServers": entries}), "utf-8")
        self.policy.parent.mkdir(parents=True)
        self.policy.with_name("settings.toml").write_text(self._settings, "utf-8")
        self.policy.with_name("settings.toml").chmod(0o600)
        done = self.mcpgov("install", "--yes", "--quiet")
        assert done.returncode == 0, done.stderr
        self.write_policy(self._wanted)

    def _entry(self, name: str, tools: Any) -> dict[str, Any]:
        if isinstance(tools, dict):
            return tools
        self.give_tools(name, tools)
        return {"command": sys.executable, "args": [str(HERE / "page_server.py"), str(self._file(name))]}

    def _file(self, server: str) -> Path:
        return self._tools / f"{server.encode().hex()[:60]}.json"

    def give_tools(self, server: str, tools: list[dict[str, Any]]) -> None:
        self._file(server).write_text(json.dumps(tools), "utf-8")

    def write_policy(self, text: str) -> None:
        self.policy.write_text(text, "utf-8")
        self.policy.chmod(0o600)
        revision = self.said("policy", "show")["revision"]
        wait_for(lambda: self.said("status")["policy"]["revision"] == revision, "the policy in force")

    def mcpgov(self, *words: str) -> subprocess.CompletedProcess[str]:
        run = [str(Path(sys.executable).with_name("mcpgov")), *words]
        return subprocess.run(run, env=self.env, capture_output=True, text=True, timeout=TIMEOUT, check=False)

    def said(self, *words: str) -> dict[str, Any]:
        done = self.mcpgov(*words, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def app(self, server: str, file: str = CLAUDE_CODE) -> App:
        entry = json.loads((self.home / file).read_text("utf-8"))["mcpServers"][server]
        app = App([entry["command"], *entry["args"]], self.env, self.home)
        self._apps.append(app)
        return app

    def open(self, browser: Browser, **window: Any) -> Tab:
        """The page as a person gets it: the address and the code that are printed."""
        made = self.said("open", "--print")
        assert made["ok"], made
        tab = browser.tab(**window)
        tab.goto(made["url"])
        tab.fill("#code", made["code"])
        tab.click("button[type=submit]")
        tab.see("#views a")
        # From now on somebody can be asked: the daemon knows this page. A call before that is denied at once.
        tab.until(ASKABLE)
        return tab

    def close(self) -> None:
        for app in self._apps:
            app.close()
        done = self.mcpgov("uninstall", "--yes", "--quiet")
        assert done.returncode == 0, done.stderr


def question(tab: Tab, text: str) -> None:
    """Waits until a question with this text may be answered: no key counts in its first moment."""
    tab.until(f"document.querySelector('.question.active')?.textContent.includes({json.dumps(text)})")
    tab.run("window.asked = performance.now()")
    tab.until(SETTLED)


@contextmanager
def page_home(place: Path, policy: str = POLICY, **servers: Any) -> Iterator[PageHome]:
    """One app with these servers; closed whatever happens."""
    made = PageHome(place, policy)
    try:
        made.install({CLAUDE_CODE: dict(servers)})
        yield made
    finally:
        made.close()
