"""Real clients add servers with URLs: wrapped where port and probe are known, and given back as they were written.

The listener itself is not part of this: what is checked is what the clients read and write.
"""

import json
import sys
from pathlib import Path

import pytest

from mcpgov.remote_servers import OPEN, ProbeResult, RemoteServer, keep_port, keep_probe, load_servers, wrapped_url
from tests.real.apps import Scratch

URL = "https://example.invalid/mcp"
PORT = 20001
ADDS = {
    "claude": ("claude-code", ".claude.json", (
        ("mcp", "add", "-s", "user", "-t", "http", "web", URL, "-H", "X-A: b"),
        ("mcp", "add", "-s", "user", "-t", "sse", "stream", URL),
        ("mcp", "add", "-t", "http", "local", URL),
    )),
    "gemini": ("gemini", ".gemini/settings.json", (
        ("mcp", "add", "-s", "user", "-t", "http", "web", URL),
        ("mcp", "add", "-s", "user", "-t", "sse", "stream", URL),
    )),
    "opencode": ("opencode", ".config/opencode/opencode.json*", (
        ("mcp", "add", "web", "--url", URL, "--header", "X-A=b"), ("mcp", "add", "local", "--url", URL),
    )),
    "codex": ("codex", ".codex/config.toml", (
        ("mcp", "add", "web", "--url", URL), ("mcp", "add", "local", "--url", URL),
    )),
}  # fmt: skip


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    found = Scratch(tmp_path.resolve() / "home")
    found.policy()
    state = remote_state(found)
    keep_port(state / "port.json", PORT)
    keep_probe(state / "probes", URL, ProbeResult(OPEN, 1.0))
    return found


def remote_state(scratch: Scratch) -> Path:
    mac = "Library/Application Support/mcpgov"
    return scratch.home / (mac if sys.platform == "darwin" else ".local/state/mcpgov") / "remote"


def registered(scratch: Scratch) -> dict[str, RemoteServer]:
    return {server.name: server for server in load_servers(remote_state(scratch) / "servers").values()}


def states(scratch: Scratch, client: str) -> dict[str, str]:
    found = json.loads(scratch.mcpgov("servers", "--json", "--client", client).stdout)["servers"]
    return {row["name"]: row["state"] for row in found}


@pytest.mark.parametrize("name", ADDS)
def test_what_a_client_added_is_wrapped_survives_its_next_write_and_comes_back(scratch: Scratch, name: str) -> None:
    client, file, adds = ADDS[name]
    for add in adds[:-1]:
        scratch.client(name, *add)
    config = next(path for path in scratch.home.glob(file) if path.suffix != ".bak")
    before = config.read_bytes()
    scratch.mcpgov("sync", "--client", client)
    assert set(states(scratch, client).values()) == {"governed"}
    servers = registered(scratch)
    assert all(wrapped_url(PORT, server) in config.read_text() for server in servers.values())
    assert config.stat().st_mode & 0o77 == 0
    scratch.mcpgov("unwrap", "--all", "--client", client)
    assert (config.read_bytes(), registered(scratch)) == (before, {})

    scratch.mcpgov("sync", "--client", client)
    scratch.client(name, *adds[-1])  # the client writes its file with our URLs in it
    scratch.mcpgov("sync", "--client", client)
    assert set(states(scratch, client).values()) == {"governed"}
    assert len(registered(scratch)) == len(adds)
    scratch.mcpgov("unwrap", "--all", "--client", client)
    assert config.read_text().count(URL) == len(adds)
    assert "127.0.0.1" not in config.read_text()


def test_claude_code_shows_a_wrapped_server_at_our_address(scratch: Scratch) -> None:
    for add in ADDS["claude"][2]:
        scratch.client("claude", *add)
    scratch.mcpgov("sync")
    for name, server in registered(scratch).items():
        shown = scratch.client("claude", "mcp", "get", name)
        assert wrapped_url(PORT, server) in shown, shown
        assert f"Type: {server.transport}" in shown, shown


def test_codex_reads_the_wrapped_url(scratch: Scratch) -> None:
    scratch.client("codex", *ADDS["codex"][2][0])
    scratch.mcpgov("sync", "--client", "codex")
    found = scratch.client("codex", "mcp", "get", "web", "--json")
    assert f'"url": "{wrapped_url(PORT, registered(scratch)["web"])}"' in found


def test_a_server_we_added_is_one_that_the_client_knows(scratch: Scratch) -> None:
    scratch.mcpgov("add", "web", "--url", URL)
    shown = scratch.client("claude", "mcp", "get", "web")
    assert wrapped_url(PORT, registered(scratch)["web"]) in shown, shown
    scratch.mcpgov("add", "other", "--url", URL, "--client", "codex")
    assert "127.0.0.1" in scratch.client("codex", "mcp", "get", "other", "--json")
