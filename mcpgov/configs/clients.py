"""The clients: where each stores its servers, and what an entry looks like there. Pure: a table, one row per client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LINUX, MACOS = "linux", "darwin"
JSON, JSONC, TOML, YAML = "json", "jsonc", "toml", "yaml"
Place = tuple[str, ...]

# Shapes of an entry's command line: `command` + `args`; one array; an object `command: {path, args}`.
PAIR, ARRAY, NESTED = "pair", "array", "nested"


@dataclass(frozen=True, slots=True)
class Listed:
    """Files below the home (`*`: any name) whose servers are listed but not governed, and why."""

    pattern: str
    places: tuple[Place, ...]
    why: str


@dataclass(frozen=True, slots=True)
class UrlShape:
    """How an app writes a server with a URL: the key of the URL, the `type` of both transports ("": no `type`).

    `sse` None: it does not speak legacy SSE. `sse_key`: where that has a key of its own.
    """

    key: str = "url"
    http: str = ""
    sse: str | None = ""
    headers: str = "headers"
    sse_key: str = ""


PLAIN_URL, TYPED_URL = UrlShape(), UrlShape(http="http", sse="sse")


@dataclass(frozen=True, slots=True)
class Client:
    """One AI app. Files are relative to the home unless absolute; `*` in a place is any key."""

    name: str
    title: str
    files: dict[str, tuple[str, ...]]
    dialect: str = JSON
    places: tuple[Place, ...] = (("mcpServers", "*"),)
    default: bool = False
    # The app creates a directory `<file>.lock` while it writes.
    uses_lock_directory: bool = False
    # An environment variable that moves the file: its name, and the file below its value ("": the value is the file).
    variable: tuple[str, str] = ("", "")
    # Files in a project's directory; often committed, so changed only on request.
    project_files: tuple[str, ...] = ()
    # Lists of server names that the app does not start: in its own files, or in `switched_off_file`.
    switched_off: tuple[Place, ...] = ()
    switched_off_file: str = ""
    # Lists of the only server names that it starts.
    switched_on: tuple[Place, ...] = ()
    # Further user-level files, below the home or the value of `variable`; `*`: any name.
    more: tuple[str, ...] = ()
    # Files whose servers are listed and never changed.
    listed: dict[str, tuple[Listed, ...]] | None = None
    # The app merges its files as layers, key by key: an entry may be only a part of a server.
    layered: bool = False
    # Without a `type`, an entry with both a command and a URL starts the command.
    command_first: bool = False
    # How it writes a server with a URL; None: its file cannot hold one.
    url: UrlShape | None = PLAIN_URL


def _on_both(*files: str) -> dict[str, tuple[str, ...]]:
    """The same files on Linux and macOS."""
    return {LINUX: files, MACOS: files}


def _in_app_data(*files: str) -> dict[str, tuple[str, ...]]:
    """Files in the directory where desktop apps keep their settings."""
    return {
        LINUX: tuple(f".config/{file}" for file in files),
        MACOS: tuple(f"Library/Application Support/{file}" for file in files),
    }


def _in_editors(path: str, *more: str) -> dict[str, tuple[str, ...]]:
    """A file in the user directory of VS Code and its forks, and others below the home."""
    per_system = _in_app_data(*(f"{editor}/User/{path}" for editor in EDITORS))
    return {system: (*files, *more) for system, files in per_system.items()}


def _listed(files: dict[str, tuple[str, ...]], place: Place, why: str) -> dict[str, tuple[Listed, ...]]:
    return {system: tuple(Listed(file, (place,), why) for file in names) for system, names in files.items()}


EDITORS = ("Code", "Code - Insiders", "VSCodium")
EXTENSION = "an extension of the app: its package is replaced by updates, so it is told and not wrapped"
NO_YAML = "this format is not supported: YAML cannot be edited without risk to its comments"
CLINE = ".cline/data/settings/cline_mcp_settings.json"  # of its command line
MCP_SERVERS, SERVERS = ("mcpServers", "*"), ("servers", "*")
MCP_KEY = (("mcp", "*"), ("mcp", "servers", "*"))
EXCLUDED, ALLOWED = (("mcp", "excluded"),), (("mcp", "allowed"),)

# fmt: off
CLIENTS = (
    Client("claude-desktop", "Claude Desktop", _in_app_data("Claude/claude_desktop_config.json"), default=True,
           listed=_listed(_in_app_data("Claude/extensions-installations.json"), ("extensions", "*"), EXTENSION),
           url=None),
    Client("claude-code", "Claude Code", _on_both(".claude.json"), default=True, uses_lock_directory=True,
           command_first=True, places=(MCP_SERVERS, ("projects", "*", "mcpServers", "*")),
           variable=("CLAUDE_CONFIG_DIR", ".claude.json"), project_files=(".mcp.json",), url=TYPED_URL),
    Client("cursor", "Cursor", _on_both(".cursor/mcp.json"), JSONC, (MCP_SERVERS, SERVERS), default=True,
           project_files=(".cursor/mcp.json",)),
    Client("vscode", "VS Code", _in_app_data("Code/User/mcp.json"), JSONC, (SERVERS,),
           project_files=(".vscode/mcp.json",), url=TYPED_URL),
    Client("vscode-insiders", "VS Code Insiders", _in_app_data("Code - Insiders/User/mcp.json"), JSONC, (SERVERS,),
           url=TYPED_URL),
    Client("vscodium", "VSCodium", _in_app_data("VSCodium/User/mcp.json"), JSONC, (SERVERS,), url=TYPED_URL),
    Client("windsurf", "Windsurf", _on_both(".codeium/windsurf/mcp_config.json"),
           project_files=(".windsurf/mcp_config.json", ".windsurf/mcp.json"), url=UrlShape("serverUrl")),
    Client("gemini", "Gemini CLI", _on_both(".gemini/settings.json"), JSONC,
           project_files=(".gemini/settings.json",), switched_off=EXCLUDED, switched_on=ALLOWED,
           listed=_listed(_on_both(".gemini/extensions/*/gemini-extension.json"), MCP_SERVERS, EXTENSION),
           url=TYPED_URL),
    Client("qwen", "Qwen Code", _on_both(".qwen/settings.json"), JSONC,
           project_files=(".qwen/settings.json",), switched_off=EXCLUDED, switched_on=ALLOWED,
           url=UrlShape("httpUrl", sse_key="url")),
    Client("antigravity", "Antigravity",
           _on_both(".gemini/antigravity/mcp_config.json", ".gemini/config/mcp_config.json"), JSONC,
           url=UrlShape("serverUrl")),
    Client("codex", "Codex", _on_both(".codex/config.toml"), TOML, (("mcp_servers", "*"),), layered=True,
           variable=("CODEX_HOME", "config.toml"), project_files=(".codex/config.toml",),
           more=(".codex/*.config.toml",), url=UrlShape(sse=None, headers="http_headers")),
    Client("opencode", "opencode", _on_both(".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
           JSONC, MCP_KEY, project_files=("opencode.json", "opencode.jsonc"),
           url=UrlShape(http="remote", sse="remote")),
    Client("kilo-cli", "Kilo CLI", _on_both(".config/kilo/kilo.json", ".config/kilo/kilo.jsonc"),
           JSONC, MCP_KEY, project_files=("kilo.json", "kilo.jsonc"), url=UrlShape(http="remote", sse="remote")),
    Client("crush", "Crush", _on_both(".config/crush/crush.json"), places=(("mcp", "*"),),
           project_files=("crush.json", ".crush.json"), url=TYPED_URL),
    Client("copilot", "Copilot CLI", _on_both(".copilot/mcp-config.json"), JSONC,
           project_files=(".github/mcp.json",),
           switched_off=(("disabledMcpServers",),), switched_off_file=".copilot/settings.json", url=TYPED_URL),
    Client("zed", "Zed", _on_both(".config/zed/settings.json"), JSONC, (("context_servers", "*"),),
           project_files=(".zed/settings.json",)),
    Client("cline", "Cline",
           _in_editors("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", CLINE),
           variable=("CLINE_MCP_SETTINGS_PATH", ""), url=UrlShape(http="streamableHttp", sse="sse")),
    Client("roo", "Roo", _in_editors("globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
           project_files=(".roo/mcp.json",), url=UrlShape(http="streamable-http", sse="sse")),
    Client("kilocode", "Kilo Code", _in_editors("globalStorage/kilocode.kilo-code/settings/mcp_settings.json"),
           project_files=(".kilocode/mcp.json",), url=UrlShape(http="streamable-http", sse="sse")),
    Client("trae", "Trae", _in_app_data("Trae/User/mcp.json"), JSONC, project_files=(".trae/mcp.json",)),
    Client("junie", "JetBrains Junie", _on_both(".junie/mcp/mcp.json"), JSONC,
           project_files=(".junie/mcp/mcp.json",)),
    Client("warp", "Warp", _on_both(".warp/.mcp.json"), JSONC, project_files=(".warp/.mcp.json",)),
    Client("factory", "Factory", _on_both(".factory/mcp.json"), JSONC, project_files=(".factory/mcp.json",),
           url=TYPED_URL),
    Client("mcphub", "mcphub.nvim", _on_both(".config/mcphub/servers.json"), JSONC),
    Client("amazonq", "Amazon Q", _on_both(".aws/amazonq/mcp.json", ".aws/amazonq/default.json"),
           project_files=(".amazonq/mcp.json",), more=(".aws/amazonq/cli-agents/*.json",), url=TYPED_URL),
    Client("firebase-studio", "Firebase Studio", _on_both(), JSONC, project_files=(".idx/mcp.json",)),
    Client("goose", "Goose", _on_both(), YAML, (("extensions", "*"),),
           listed=_listed(_on_both(".config/goose/config.yaml"), ("extensions", "*"), NO_YAML), url=None),
    Client("lmstudio", "LM Studio", _on_both(".lmstudio/mcp.json", ".cache/lm-studio/mcp.json"), JSONC),
    Client("kiro", "Kiro", _on_both(".kiro/settings/mcp.json"), JSONC, project_files=(".kiro/settings/mcp.json",)),
)
# fmt: on
BY_NAME = {client.name: client for client in CLIENTS}
DEFAULT = tuple(client.name for client in CLIENTS if client.default)

# A file given by hand that belongs to no known client: every place any client uses.
ANY_PLACES = (MCP_SERVERS, SERVERS, ("context_servers", "*"), ("projects", "*", "mcpServers", "*"))
OTHER = Client("other", "another client", _on_both(), JSONC, (*ANY_PLACES, *MCP_KEY, ("mcp.servers", "*")))
OTHER_TOML = Client("other", "another client", _on_both(), TOML, (("mcp_servers", "*"),))
OTHER_YAML = Client("other", "another client", _on_both(), YAML, ())

# Written by an administrator: read for the report, never changed.
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
    """Patterns (with `*`) of a client's further user-level files."""
    usual = [f"{home}/{pattern}" for pattern in client.more]
    moved = environ.get(client.variable[0], "") if client.variable[0] else ""
    if not moved.startswith("/"):
        return usual
    return [*(f"{moved.rstrip('/')}/{pattern.rsplit('/', 1)[-1]}" for pattern in client.more), *usual]


def files_of(client: Client, home: str, system: str, environ: Mapping[str, str]) -> list[str]:
    """A client's user-level files: where a variable has moved them, and the usual places."""
    usual = [f"{home}/{file}" for file in client.files[system_key(system)]]
    variable, rest = client.variable
    moved = environ.get(variable, "") if variable else ""
    if not moved.startswith("/"):
        return usual
    return [f"{moved.rstrip('/')}/{rest}" if rest else moved, *usual]


def client_of(file: str, home: str, system: str) -> Client:
    """The client a file belongs to, by its path or name; else OTHER, which has every place."""
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
