"""The clients and where each keeps its servers. Pure: a table, and how a place is spelled out.

To add a client, add a row.
"""

from __future__ import annotations

from dataclasses import dataclass

LINUX, MACOS = "linux", "darwin"


@dataclass(frozen=True, slots=True)
class Client:
    """One AI app: its user-level config files per system, below the home unless absolute."""

    name: str
    title: str
    files: dict[str, tuple[str, ...]]


def _both(*files: str) -> dict[str, tuple[str, ...]]:
    return {LINUX: files, MACOS: files}


def _code(rest: str) -> dict[str, tuple[str, ...]]:
    """A file in VS Code's user directory."""
    return {
        LINUX: (f".config/Code/User/{rest}",),
        MACOS: (f"Library/Application Support/Code/User/{rest}",),
    }


CLIENTS = (
    Client(
        "claude-desktop",
        "Claude Desktop",
        {
            LINUX: (".config/Claude/claude_desktop_config.json",),
            MACOS: ("Library/Application Support/Claude/claude_desktop_config.json",),
        },
    ),
    Client("claude-code", "Claude Code", _both(".claude.json")),
    Client("cursor", "Cursor", _both(".cursor/mcp.json")),
    Client("vscode", "VS Code", _code("mcp.json")),
    Client("windsurf", "Windsurf", _both(".codeium/windsurf/mcp_config.json")),
    Client("gemini", "Gemini CLI", _both(".gemini/settings.json")),
    Client("codex", "Codex", _both(".codex/config.toml")),
    Client("opencode", "opencode", _both(".config/opencode/opencode.json", ".config/opencode/opencode.jsonc")),
    Client("copilot", "Copilot CLI", _both(".copilot/mcp-config.json")),
    Client("zed", "Zed", _both(".config/zed/settings.json")),
    Client("cline", "Cline", _code("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")),
    Client("roo", "Roo", _code("globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")),
    Client("lmstudio", "LM Studio", _both(".lmstudio/mcp.json", ".cache/lm-studio/mcp.json")),
    Client("kiro", "Kiro", _both(".kiro/settings/mcp.json")),
)


def config_files(home: str, system: str) -> list[str]:
    """Every user-level config file of every known client, whether it exists or not."""
    key = MACOS if system == MACOS else LINUX
    return [f"{home}/{file}" for client in CLIENTS for file in client.files[key]]
