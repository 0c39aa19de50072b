"""The clients: where each keeps its servers, and what an entry looks like there. Pure: a table.

To add a client, add a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LINUX, MACOS = "linux", "darwin"
JSON, JSONC, TOML, YAML = "json", "jsonc", "toml", "yaml"
Place = tuple[str, ...]

# How an entry names its program: `command` + `args`; one array; an object `command: {path, args}`.
PAIR, ARRAY, NESTED = "pair", "array", "nested"


@dataclass(frozen=True, slots=True)
class Listed:
    """Files below the home (`*`: as many as there are) whose servers are told, and why they are not governed."""

    pattern: str
    places: tuple[Place, ...]
    why: str


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
    # Further user-level files, below the home or below what `variable` names: with `*`, as many as there are.
    more: tuple[str, ...] = ()
    # Files whose servers are told and never touched.
    listed: dict[str, tuple[Listed, ...]] | None = None
    # Files of one client are laid over each other, member by member: an entry may be a part of one elsewhere.
    layered: bool = False
    # Without a `type`, an entry with both a command and a URL starts the command.
    command_first: bool = False


def _both(*files: str) -> dict[str, tuple[str, ...]]:
    return {LINUX: files, MACOS: files}


def _below_config(*files: str) -> dict[str, tuple[str, ...]]:
    """Files in the directory where desktop apps keep their settings."""
    return {
        LINUX: tuple(f".config/{file}" for file in files),
        MACOS: tuple(f"Library/Application Support/{file}" for file in files),
    }


def _code(rest: str, *more: str) -> dict[str, tuple[str, ...]]:
    """A file in the user directory of VS Code and its kin, and others below the home."""
    found = _below_config(*(f"{editor}/User/{rest}" for editor in EDITORS))
    return {system: (*files, *more) for system, files in found.items()}


def _listed(found: dict[str, tuple[str, ...]], place: Place, why: str) -> dict[str, tuple[Listed, ...]]:
    return {system: tuple(Listed(file, (place,), why) for file in files) for system, files in found.items()}


EDITORS = ("Code", "Code - Insiders", "VSCodium")
EXTENSION = "an extension of the app: its package is replaced by updates, so it is told and not wrapped"
NO_YAML = "this format is not supported: YAML cannot be edited without risk to its comments"
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
        listed=_listed(_below_config("Claude/extensions-installations.json"), ("extensions", "*"), EXTENSION),
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
        places=(("mcpServers", "*"), ("servers", "*")),
        default=True,
        project_files=(".cursor/mcp.json",),
    ),
    Client(
        "vscode",
        "VS Code",
        _below_config("Code/User/mcp.json"),
        dialect=JSONC,
        places=(("servers", "*"),),
        project_files=(".vscode/mcp.json",),
    ),
    Client(
        "vscode-insiders",
        "VS Code Insiders",
        _below_config("Code - Insiders/User/mcp.json"),
        dialect=JSONC,
        places=(("servers", "*"),),
    ),
    Client("vscodium", "VSCodium", _below_config("VSCodium/User/mcp.json"), dialect=JSONC, places=(("servers", "*"),)),
    Client(
        "windsurf",
        "Windsurf",
        _both(".codeium/windsurf/mcp_config.json"),
        project_files=(".windsurf/mcp_config.json", ".windsurf/mcp.json"),
    ),
    Client(
        "gemini",
        "Gemini CLI",
        _both(".gemini/settings.json"),
        dialect=JSONC,
        project_files=(".gemini/settings.json",),
        switched_off=(("mcp", "excluded"),),
        switched_on=(("mcp", "allowed"),),
        listed=_listed(_both(".gemini/extensions/*/gemini-extension.json"), ("mcpServers", "*"), EXTENSION),
    ),
    Client(
        "qwen",
        "Qwen Code",
        _both(".qwen/settings.json"),
        dialect=JSONC,
        project_files=(".qwen/settings.json",),
        switched_off=(("mcp", "excluded"),),
        switched_on=(("mcp", "allowed"),),
    ),
    Client(
        "antigravity",
        "Antigravity",
        _both(".gemini/antigravity/mcp_config.json", ".gemini/config/mcp_config.json"),
        dialect=JSONC,
    ),
    Client(
        "codex",
        "Codex",
        _both(".codex/config.toml"),
        dialect=TOML,
        places=(("mcp_servers", "*"),),
        variable=("CODEX_HOME", "config.toml"),
        project_files=(".codex/config.toml",),
        more=(".codex/*.config.toml",),
        layered=True,
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
        "kilo-cli",
        "Kilo CLI",
        _both(".config/kilo/kilo.json", ".config/kilo/kilo.jsonc"),
        dialect=JSONC,
        places=(("mcp", "*"), ("mcp", "servers", "*")),
        project_files=("kilo.json", "kilo.jsonc"),
    ),
    Client(
        "crush",
        "Crush",
        _both(".config/crush/crush.json"),
        places=(("mcp", "*"),),
        project_files=("crush.json", ".crush.json"),
    ),
    Client(
        "copilot",
        "Copilot CLI",
        _both(".copilot/mcp-config.json"),
        dialect=JSONC,
        project_files=(".github/mcp.json",),
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
    Client(
        "kilocode",
        "Kilo Code",
        _code("globalStorage/kilocode.kilo-code/settings/mcp_settings.json"),
        project_files=(".kilocode/mcp.json",),
    ),
    Client(
        "trae",
        "Trae",
        _below_config("Trae/User/mcp.json"),
        dialect=JSONC,
        project_files=(".trae/mcp.json",),
    ),
    Client(
        "junie",
        "JetBrains Junie",
        _both(".junie/mcp/mcp.json"),
        dialect=JSONC,
        project_files=(".junie/mcp/mcp.json",),
    ),
    Client("warp", "Warp", _both(".warp/.mcp.json"), dialect=JSONC, project_files=(".warp/.mcp.json",)),
    Client("factory", "Factory", _both(".factory/mcp.json"), dialect=JSONC, project_files=(".factory/mcp.json",)),
    Client("mcphub", "mcphub.nvim", _both(".config/mcphub/servers.json"), dialect=JSONC),
    Client(
        "amazonq",
        "Amazon Q",
        _both(".aws/amazonq/mcp.json", ".aws/amazonq/default.json"),
        project_files=(".amazonq/mcp.json",),
        more=(".aws/amazonq/cli-agents/*.json",),
    ),
    Client("firebase-studio", "Firebase Studio", _both(), dialect=JSONC, project_files=(".idx/mcp.json",)),
    Client(
        "goose",
        "Goose",
        _both(),
        dialect=YAML,
        places=(("extensions", "*"),),
        listed=_listed(_both(".config/goose/config.yaml"), ("extensions", "*"), NO_YAML),
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
    places=(
        ("mcpServers", "*"),
        ("servers", "*"),
        ("context_servers", "*"),
        ("projects", "*", "mcpServers", "*"),
        ("mcp", "*"),
        ("mcp", "servers", "*"),
        ("mcp.servers", "*"),
    ),
)
OTHER_TOML = Client("other", "another client", _both(), dialect=TOML, places=(("mcp_servers", "*"),))
OTHER_YAML = Client("other", "another client", _both(), dialect=YAML, places=())

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


def patterns_of(client: Client, home: str, environ: Mapping[str, str]) -> list[str]:
    """Where further user-level files of a client may be, with `*` in the names."""
    usual = [f"{home}/{pattern}" for pattern in client.more]
    moved = environ.get(client.variable[0], "") if client.variable[0] else ""
    if not moved.startswith("/"):
        return usual
    return [*(f"{moved.rstrip('/')}/{pattern.rsplit('/', 1)[-1]}" for pattern in client.more), *usual]


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
    if file.endswith((".yaml", ".yml")):
        return OTHER_YAML
    return OTHER_TOML if file.endswith(".toml") else OTHER
