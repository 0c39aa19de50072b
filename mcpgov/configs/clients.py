"""The clients: where each keeps its servers, and what an entry looks like there. Pure: a table.

To add a client, add a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LINUX, MACOS = "linux", "darwin"
JSON, JSONC, TOML = "json", "jsonc", "toml"
Place = tuple[str, ...]

# How an entry names its program: `command` + `args`; one array; an object `command: {path, args}`.
PAIR, ARRAY, NESTED = "pair", "array", "nested"


@dataclass(frozen=True, slots=True)
class Client:
    """One AI app. Files lie below the home unless absolute; `*` in a place is any key."""

    name: str
    title: str
    files: dict[str, tuple[str, ...]]
    dialect: str = JSON
    places: tuple[Place, ...] = (("mcpServers", "*"),)
    default: bool = False
    # The app makes a directory `<file>.lock` while it writes.
    polite: bool = False
    # A variable that moves the file: its name, and the file below what it names ("" if it names the file itself).
    variable: tuple[str, str] = ("", "")
    # Files in a project's directory, read by this app; they are committed, so only touched on request.
    project_files: tuple[str, ...] = ()
    # Lists of server names that the app does not start: in the same file, or in another one below the home.
    switched_off: tuple[Place, ...] = ()
    switched_off_file: str = ""
    # A list of the names that it starts, where there is one.
    switched_on: tuple[Place, ...] = ()
    # Without a `type`, an entry with both a command and a URL starts the command.
    command_first: bool = False


def _both(*files: str) -> dict[str, tuple[str, ...]]:
    return {LINUX: files, MACOS: files}


def _code(rest: str, *more: str) -> dict[str, tuple[str, ...]]:
    """A file in VS Code's user directory, and others below the home."""
    return {
        LINUX: (f".config/Code/User/{rest}", *more),
        MACOS: (f"Library/Application Support/Code/User/{rest}", *more),
    }


CLINE = ".cline/data/settings/cline_mcp_settings.json"  # of its command line


CLIENTS = (
    Client(
        "claude-desktop",
        "Claude Desktop",
        {
            LINUX: (".config/Claude/claude_desktop_config.json",),
            MACOS: ("Library/Application Support/Claude/claude_desktop_config.json",),
        },
        default=True,
    ),
    Client(
        "claude-code",
        "Claude Code",
        _both(".claude.json"),
        places=(("mcpServers", "*"), ("projects", "*", "mcpServers", "*")),
        default=True,
        polite=True,
        variable=("CLAUDE_CONFIG_DIR", ".claude.json"),
        project_files=(".mcp.json",),
        command_first=True,
    ),
    Client(
        "cursor",
        "Cursor",
        _both(".cursor/mcp.json"),
        dialect=JSONC,
        default=True,
        project_files=(".cursor/mcp.json",),
    ),
    Client(
        "vscode",
        "VS Code",
        _code("mcp.json"),
        dialect=JSONC,
        places=(("servers", "*"),),
        project_files=(".vscode/mcp.json",),
    ),
    Client("windsurf", "Windsurf", _both(".codeium/windsurf/mcp_config.json")),
    Client(
        "gemini",
        "Gemini CLI",
        _both(".gemini/settings.json"),
        dialect=JSONC,
        project_files=(".gemini/settings.json",),
        switched_off=(("mcp", "excluded"),),
        switched_on=(("mcp", "allowed"),),
    ),
    Client(
        "codex",
        "Codex",
        _both(".codex/config.toml"),
        dialect=TOML,
        places=(("mcp_servers", "*"),),
        variable=("CODEX_HOME", "config.toml"),
        project_files=(".codex/config.toml",),
    ),
    Client(
        "opencode",
        "opencode",
        _both(".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
        dialect=JSONC,
        places=(("mcp", "*"), ("mcp", "servers", "*")),
        project_files=("opencode.json", "opencode.jsonc"),
    ),
    Client(
        "copilot",
        "Copilot CLI",
        _both(".copilot/mcp-config.json"),
        dialect=JSONC,
        switched_off=(("disabledMcpServers",),),
        switched_off_file=".copilot/settings.json",
    ),
    Client(
        "zed",
        "Zed",
        _both(".config/zed/settings.json"),
        dialect=JSONC,
        places=(("context_servers", "*"),),
        project_files=(".zed/settings.json",),
    ),
    Client(
        "cline",
        "Cline",
        _code("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", CLINE),
        variable=("CLINE_MCP_SETTINGS_PATH", ""),
    ),
    Client(
        "roo",
        "Roo",
        _code("globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
        project_files=(".roo/mcp.json",),
    ),
    Client("lmstudio", "LM Studio", _both(".lmstudio/mcp.json", ".cache/lm-studio/mcp.json"), dialect=JSONC),
    Client(
        "kiro",
        "Kiro",
        _both(".kiro/settings/mcp.json"),
        dialect=JSONC,
        project_files=(".kiro/settings/mcp.json",),
    ),
)
BY_NAME = {client.name: client for client in CLIENTS}
DEFAULT = tuple(client.name for client in CLIENTS if client.default)

# A file given by hand that belongs to no known client: wherever any of them would look.
OTHER = Client(
    "other",
    "another client",
    _both(),
    dialect=JSONC,
    places=(("mcpServers", "*"), ("servers", "*"), ("context_servers", "*"), ("projects", "*", "mcpServers", "*")),
)
OTHER_TOML = Client("other", "another client", _both(), dialect=TOML, places=(("mcp_servers", "*"),))

# Written by an administrator, read by us for the report, never touched.
MANAGED = {
    LINUX: (("claude-code", "/etc/claude-code/managed-mcp.json"),),
    MACOS: (("claude-code", "/Library/Application Support/ClaudeCode/managed-mcp.json"),),
}


def system_key(system: str) -> str:
    return MACOS if system == MACOS else LINUX


def config_files(home: str, system: str) -> list[str]:
    """Every user-level config file of every known client, whether it exists or not."""
    return [f"{home}/{file}" for client in CLIENTS for file in client.files[system_key(system)]]


def files_of(client: Client, home: str, system: str, environ: Mapping[str, str]) -> list[str]:
    """A client's user-level files: the usual ones, and where a variable has moved them."""
    usual = [f"{home}/{file}" for file in client.files[system_key(system)]]
    variable, rest = client.variable
    moved = environ.get(variable, "") if variable else ""
    if not moved.startswith("/"):
        return usual
    return [f"{moved.rstrip('/')}/{rest}" if rest else moved, *usual]


def client_of(file: str, home: str, system: str) -> Client:
    """Whose file this is, by its place or its name; else one that looks everywhere."""
    for client in CLIENTS:
        if file in files_of(client, home, system, {}):
            return client
    for client in CLIENTS:
        names = (*client.project_files, *(name for name in client.files[system_key(system)] if "/" not in name))
        if any(file.endswith(f"/{name}") for name in names):
            return client
    return OTHER_TOML if file.endswith(".toml") else OTHER
