"""The real Claude Code and its own lists: the servers it starts are the same with and without us."""

import json
from pathlib import Path

import pytest

from tests.real.apps import Scratch

MANY = ("plain", "variable", "other")
IN_PROJECT = ("work/.claude/settings.json", "work/.claude/settings.local.json")


def started(scratch: Scratch) -> set[str]:
    """The servers that Claude Code connects to."""
    lines = scratch.client("claude", "mcp", "list").splitlines()
    return {line.split(":")[0] for line in lines if "✔ Connected" in line}


def trust(scratch: Scratch) -> None:
    """As its dialog would note it."""
    path = scratch.home / ".claude.json"
    held = json.loads(path.read_text())
    held["projects"] = {str(scratch.work): {"hasTrustDialogAccepted": True}}
    path.write_text(json.dumps(held))


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def test_the_users_deny_list_stops_the_same_servers_after_a_wrap(tmp_path: Path) -> None:
    place = ".claude/settings.json"
    scratch = Scratch(tmp_path.resolve() / "home")
    scratch.policy()
    scratch.run("git", "init", "--quiet", str(scratch.work))
    command, script, data = scratch.filesystem()
    scratch.client("claude", "mcp", "add", "-s", "user", "plain", "--", command, script, data)
    scratch.client("claude", "mcp", "add", "-s", "user", "variable", "--", command, f"${{FSJS:-{script}}}", data)
    scratch.client("claude", "mcp", "add", "other", "--", command, script, f"{data}/.")
    assert started(scratch) == set(MANY)
    write(scratch.home / place, {"deniedMcpServers": [{"serverCommand": [command, script, data]}]})
    assert started(scratch) == {"other"}
    scratch.mcpgov("sync")
    assert started(scratch) == {"other"}
    told = {row["name"]: row for row in json.loads(scratch.mcpgov("servers", "--json").stdout)["servers"]}
    assert {name: told[name]["state"] for name in MANY} == {
        "plain": "native", "variable": "native", "other": "governed",
    }  # fmt: skip
    assert all(str(scratch.home / place) in told[name]["reason"] for name in MANY[:2])


@pytest.mark.parametrize("place", IN_PROJECT)
def test_a_projects_deny_list_stops_its_own_server_and_leaves_no_server_of_the_user_ungoverned(
    tmp_path: Path, place: str
) -> None:
    scratch = Scratch(tmp_path.resolve() / "home")
    scratch.policy()
    scratch.run("git", "init", "--quiet", str(scratch.work))
    command, script, data = scratch.filesystem()
    scratch.client("claude", "mcp", "add", "-s", "user", "mine", "--", command, script, data)
    scratch.client("claude", "mcp", "add", "local", "--", command, script, data)
    write(scratch.home / place, {"deniedMcpServers": [{"serverCommand": [command, script, data]}]})
    scratch.mcpgov("sync")
    told = {row["name"]: row for row in json.loads(scratch.mcpgov("servers", "--json").stdout)["servers"]}
    assert {name: told[name]["state"] for name in told} == {"mine": "governed", "local": "native"}
    assert "local" not in started(scratch)


def test_a_server_of_a_projects_own_file_connects_through_us_and_stays_off_where_it_is_off(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path.resolve() / "home")
    scratch.policy()
    command, *args = scratch.filesystem()
    for name in ("shared", "off"):
        scratch.client("claude", "mcp", "add", "-s", "project", name, "--", command, *args)
    trust(scratch)
    approved = {"enabledMcpjsonServers": ["shared"], "disabledMcpjsonServers": ["off"]}
    write(scratch.work / ".claude" / "settings.local.json", approved)
    config = scratch.work / ".mcp.json"
    before = config.read_bytes()
    assert started(scratch) == {"shared"}
    scratch.mcpgov("wrap", "--all", "--config", str(config))
    assert json.loads(config.read_text())["mcpServers"]["shared"]["command"] == scratch.launcher
    assert started(scratch) == {"shared"}
    listed = json.loads(scratch.mcpgov("servers", "--config", str(config), "--json").stdout)["servers"]
    assert {row["name"]: row["state"] for row in listed} == {"shared": "governed", "off": "disabled"}
    scratch.mcpgov("unwrap", "--all", "--config", str(config))
    assert config.read_bytes() == before
