"""`mcpgov serve` for real clients: the official conformance suite, Claude Code, the SDK for TypeScript."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.serving import Serving
from tests.real.apps import Scratch
from tests.real.conformance import passed, run_suite, started
from tests.real.harness import TOOLS, need

ROOT = Path(__file__).parents[2]
SNIPPET = ROOT / "scripts" / "examples" / "ask-mcpgov.ts"
# Scenarios that ask for no tool, prompt or resource of the suite's own.
GENERIC = {
    "2025-06-18": ("server-initialize", "server-session-lifecycle", "ping", "tools-list"),
    "2025-11-25": ("server-initialize", "server-session-lifecycle", "ping", "tools-list", "dns-rebinding-protection",
                   "server-sse-multiple-streams"),
    "2026-07-28": ("tools-list", "dns-rebinding-protection", "server-sse-multiple-streams", "http-header-validation",
                   "input-required-result-unsupported-methods", "server-stateless", "caching"),
}  # fmt: skip
# Checks inside them that call a tool, or list prompts and resources, that only the suite's own server has.
OF_ITS_OWN_TOOLS = {
    "server-stateless": {
        "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-missing-capability-http-400",
        "sep-2575-server-no-log-without-loglevel", "sep-2575-server-rejects-undeclared-capability",
    },
    "caching": {
        "sep-2549-prompts-list-caching-hints", "sep-2549-resources-list-caching-hints",
        "sep-2549-resources-templates-list-caching-hints",
    },
}  # fmt: skip


@pytest.mark.parametrize("revision", GENERIC)
def test_the_suites_generic_scenarios_pass_whole(tmp_path: Path, revision: str) -> None:
    serving = Serving(tmp_path / "s")
    place = tmp_path / "suite"
    place.mkdir()
    command = [sys.executable, str(ROOT / "tests" / "real" / "serve_http.py"), str(serving.root)]
    with started(place, "serve", command, PYTHONPATH=str(ROOT)) as process:
        url = process.stdout.readline().strip()
        for name in GENERIC[revision]:
            how = ("server", "--url", url, "--spec-version", revision, "--timeout", "90000", "--scenario", name)
            checks = run_suite(place, *how)[name]
            own = OF_ITS_OWN_TOOLS.get(name, set())
            assert passed([(check, status) for check, status in checks if check not in own]), (name, checks)


def installed(home: Scratch) -> str:
    """Our program on a PATH of the app, as an installation has it."""
    program = Path(sys.executable).with_name("mcpgov")
    if not program.exists():
        pytest.skip("REAL PART MISSING: mcpgov is not installed beside this interpreter")
    return f"{program.parent}:{os.environ['PATH']}"


class WithProgram(Scratch):
    def env(self) -> dict[str, str]:
        return {**super().env(), "PATH": installed(self), "MCP_TIMEOUT": "60000"}


def test_claude_code_connects_to_it_and_it_is_never_wrapped(tmp_path: Path) -> None:
    scratch = WithProgram(tmp_path / "home")
    scratch.policy()
    scratch.client("claude", "mcp", "add", "--scope", "user", "gov", "--", "mcpgov", "serve")
    listed = scratch.client("claude", "mcp", "list")
    assert "gov: mcpgov serve" in listed
    assert "✔ Connected" in listed
    config = scratch.home / ".claude.json"
    before = json.loads(config.read_text())["mcpServers"]
    scratch.mcpgov("wrap", "--all")
    assert json.loads(config.read_text())["mcpServers"] == before
    (row,) = json.loads(scratch.mcpgov("servers", "--json").stdout)["servers"]
    assert (row["name"], row["state"], row["reason_code"]) == ("gov", "native", "own-server")
    assert "mcpgov's own server" in scratch.mcpgov("servers").stdout


def test_the_snippet_in_typescript_asks_and_hears_the_person(tmp_path: Path) -> None:
    modules = Path(need(TOOLS / "node" / "node_modules" / "@modelcontextprotocol" / "sdk" / "package.json")).parents[2]
    serving = Serving(tmp_path)
    (tmp_path / "node_modules").symlink_to(modules)
    node = need(TOOLS / "node-newer" / "node_modules" / ".bin" / "node")  # which strips types
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "ask.ts").write_text(SNIPPET.read_text())
    env = {**serving.environ, "MCPGOV_COMMAND": " ".join(serving.command)}

    def answer(view):
        return ("once", "") if "a.txt" in view.headline else ("no", "")

    with serving.daemon(), serving.person(answer) as seen:
        done = subprocess.run(
            [node, "ask.ts", "/srv/a.txt", "/srv/b.txt", "/srv/*", "/" + "a" * 9000], cwd=tmp_path, env=env,
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    assert json.loads(done.stdout) == [True, False, False, False]
    assert len(seen) == 2
