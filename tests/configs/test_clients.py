import pytest

from mcpgov.configs.clients import (
    BY_NAME,
    CLIENTS,
    DEFAULT,
    JSON,
    LINUX,
    MACOS,
    MANAGED,
    OTHER,
    OTHER_TOML,
    OTHER_YAML,
    client_of,
    config_files,
    files_of,
    patterns_of,
)


def test_every_client_has_a_name_of_its_own_and_places_on_both_systems():
    names = [client.name for client in CLIENTS]
    assert len(names) == len(set(names))
    for client in CLIENTS:
        assert client.title
        assert set(client.files) == {LINUX, MACOS}
        assert all(client.files.values()) or client.project_files or client.listed


CONFIG = {LINUX: ".config", MACOS: "Library/Application Support"}
EDITORS = ("Code", "Code - Insiders", "VSCodium")
DESKTOP = {LINUX: ".config/Claude", MACOS: "Library/Application Support/Claude"}


@pytest.mark.parametrize("system", [LINUX, MACOS])
def test_every_file_of_every_client_by_name(system):
    config = CONFIG[system]
    code, insiders, codium = (f"{config}/{editor}/User" for editor in EDITORS)

    def stored(rest):
        return tuple(f"{editor}/globalStorage/{rest}" for editor in (code, insiders, codium))

    assert {client.name: (client.files[system], client.project_files) for client in CLIENTS} == {
        "claude-desktop": ((f"{DESKTOP[system]}/claude_desktop_config.json",), ()),
        "claude-code": ((".claude.json",), (".mcp.json",)),
        "cursor": ((".cursor/mcp.json",), (".cursor/mcp.json",)),
        "vscode": ((f"{code}/mcp.json",), (".vscode/mcp.json",)),
        "vscode-insiders": ((f"{insiders}/mcp.json",), ()),
        "vscodium": ((f"{codium}/mcp.json",), ()),
        "windsurf": (
            (".codeium/windsurf/mcp_config.json",),
            (".windsurf/mcp_config.json", ".windsurf/mcp.json"),
        ),
        "qwen": ((".qwen/settings.json",), (".qwen/settings.json",)),
        "antigravity": ((".gemini/antigravity/mcp_config.json", ".gemini/config/mcp_config.json"), ()),
        "kilo-cli": ((".config/kilo/kilo.json", ".config/kilo/kilo.jsonc"), ("kilo.json", "kilo.jsonc")),
        "crush": ((".config/crush/crush.json",), ("crush.json", ".crush.json")),
        "kilocode": (stored("kilocode.kilo-code/settings/mcp_settings.json"), (".kilocode/mcp.json",)),
        "trae": ((f"{config}/Trae/User/mcp.json",), (".trae/mcp.json",)),
        "junie": ((".junie/mcp/mcp.json",), (".junie/mcp/mcp.json",)),
        "warp": ((".warp/.mcp.json",), (".warp/.mcp.json",)),
        "factory": ((".factory/mcp.json",), (".factory/mcp.json",)),
        "mcphub": ((".config/mcphub/servers.json",), ()),
        "amazonq": ((".aws/amazonq/mcp.json", ".aws/amazonq/default.json"), (".amazonq/mcp.json",)),
        "firebase-studio": ((), (".idx/mcp.json",)),
        "goose": ((), ()),
        "gemini": ((".gemini/settings.json",), (".gemini/settings.json",)),
        "codex": ((".codex/config.toml",), (".codex/config.toml",)),
        "opencode": (
            (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
            ("opencode.json", "opencode.jsonc"),
        ),
        "copilot": ((".copilot/mcp-config.json",), (".github/mcp.json",)),
        "zed": ((".config/zed/settings.json",), (".zed/settings.json",)),
        "cline": (
            (
                *stored("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
                ".cline/data/settings/cline_mcp_settings.json",
            ),
            (),
        ),
        "roo": (
            stored("rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            (".roo/mcp.json",),
        ),
        "lmstudio": ((".lmstudio/mcp.json", ".cache/lm-studio/mcp.json"), ()),
        "kiro": ((".kiro/settings/mcp.json",), (".kiro/settings/mcp.json",)),
    }


def test_what_an_administrator_writes_lies_where_the_client_looks():
    assert MANAGED == {
        LINUX: (("claude-code", "/etc/claude-code/managed-mcp.json"),),
        MACOS: (("claude-code", "/Library/Application Support/ClaudeCode/managed-mcp.json"),),
    }


def test_which_clients_are_strict_about_comments():
    assert {client.name for client in CLIENTS if client.dialect == JSON} == {
        "claude-desktop", "claude-code", "windsurf", "cline", "roo", "crush", "kilocode", "amazonq",
    }  # fmt: skip


def test_files_that_are_only_told_of_and_why():
    told = {client.name: client.listed[LINUX] for client in CLIENTS if client.listed}
    assert {name: [(row.pattern, row.places) for row in rows] for name, rows in told.items()} == {
        "claude-desktop": [(".config/Claude/extensions-installations.json", (("extensions", "*"),))],
        "gemini": [(".gemini/extensions/*/gemini-extension.json", (("mcpServers", "*"),))],
        "goose": [(".config/goose/config.yaml", (("extensions", "*"),))],
    }
    assert all(row.why for rows in told.values() for row in rows)
    (mac,) = BY_NAME["claude-desktop"].listed[MACOS]
    assert mac.pattern == "Library/Application Support/Claude/extensions-installations.json"


def test_profiles_and_agents_are_files_of_their_client_where_a_variable_has_moved_them_too():
    codex = BY_NAME["codex"]
    assert patterns_of(codex, "/h", {}) == ["/h/.codex/*.config.toml"]
    assert patterns_of(codex, "/h", {"CODEX_HOME": "/c/"}) == ["/c/*.config.toml", "/h/.codex/*.config.toml"]
    assert patterns_of(BY_NAME["amazonq"], "/h", {}) == ["/h/.aws/amazonq/cli-agents/*.json"]
    assert patterns_of(BY_NAME["cursor"], "/h", {}) == []


def test_three_are_on_by_default():
    assert DEFAULT == ("claude-desktop", "claude-code", "cursor")


@pytest.mark.parametrize("system", [LINUX, MACOS])
def test_no_two_clients_share_a_file_and_all_lie_below_the_home(system):
    files = config_files("/home/u", system)
    assert len(files) == len(set(files))
    assert all(file.startswith("/home/u/") and ".." not in file for file in files)


def test_places_differ_by_system():
    assert "/h/.config/Claude/claude_desktop_config.json" in config_files("/h", "linux")
    assert "/h/Library/Application Support/Claude/claude_desktop_config.json" in config_files("/h", "darwin")
    assert "/h/.claude.json" in config_files("/h", "linux")


def test_an_unknown_system_is_taken_for_linux():
    assert config_files("/h", "freebsd14") == config_files("/h", "linux")


def test_a_variable_moves_a_file_and_the_usual_one_still_counts():
    claude, cline = BY_NAME["claude-code"], BY_NAME["cline"]
    assert files_of(claude, "/h", LINUX, {"CLAUDE_CONFIG_DIR": "/c/"}) == ["/c/.claude.json", "/h/.claude.json"]
    assert files_of(claude, "/h", LINUX, {"CLAUDE_CONFIG_DIR": "relative"}) == ["/h/.claude.json"]
    assert files_of(cline, "/h", LINUX, {"CLINE_MCP_SETTINGS_PATH": "/c/x.json"})[0] == "/c/x.json"
    assert files_of(BY_NAME["zed"], "/h", LINUX, {}) == ["/h/.config/zed/settings.json"]


@pytest.mark.parametrize(
    ("file", "client"),
    [
        ("/h/.claude.json", BY_NAME["claude-code"]),
        ("/elsewhere/.claude.json", BY_NAME["claude-code"]),
        ("/p/.mcp.json", BY_NAME["claude-code"]),
        ("/h/.cursor/mcp.json", BY_NAME["cursor"]),
        ("/p/.cursor/mcp.json", BY_NAME["cursor"]),
        ("/p/.vscode/mcp.json", BY_NAME["vscode"]),
        ("/p/opencode.jsonc", BY_NAME["opencode"]),
        ("/p/.roo/mcp.json", BY_NAME["roo"]),
        ("/h/.cline/data/settings/cline_mcp_settings.json", BY_NAME["cline"]),
        ("/p/servers.json", OTHER),
        ("/p/servers.toml", OTHER_TOML),
        ("/p/servers.yaml", OTHER_YAML),
        ("/p/servers.yml", OTHER_YAML),
        ("/p/.kilocode/mcp.json", BY_NAME["kilocode"]),
        ("/p/.crush.json", BY_NAME["crush"]),
        ("/p/.github/mcp.json", BY_NAME["copilot"]),
        ("/p/.idx/mcp.json", BY_NAME["firebase-studio"]),
    ],
)
def test_a_file_is_known_by_its_place_or_its_name(file, client):
    assert client_of(file, "/h", LINUX) is client
