import pytest

from mcpgov.configs.clients import (
    BY_NAME,
    CLIENTS,
    DEFAULT,
    JSONC,
    LINUX,
    MACOS,
    MANAGED,
    OTHER,
    OTHER_TOML,
    client_of,
    config_files,
    files_of,
)


def test_every_client_has_a_name_of_its_own_and_places_on_both_systems():
    names = [client.name for client in CLIENTS]
    assert len(names) == len(set(names))
    for client in CLIENTS:
        assert client.title
        assert set(client.files) == {LINUX, MACOS}
        assert all(client.files.values())


CODE = {LINUX: ".config/Code/User", MACOS: "Library/Application Support/Code/User"}
DESKTOP = {LINUX: ".config/Claude", MACOS: "Library/Application Support/Claude"}


@pytest.mark.parametrize("system", [LINUX, MACOS])
def test_every_file_of_every_client_by_name(system):
    code = CODE[system]
    assert {client.name: (client.files[system], client.project_files) for client in CLIENTS} == {
        "claude-desktop": ((f"{DESKTOP[system]}/claude_desktop_config.json",), ()),
        "claude-code": ((".claude.json",), (".mcp.json",)),
        "cursor": ((".cursor/mcp.json",), (".cursor/mcp.json",)),
        "vscode": ((f"{code}/mcp.json",), (".vscode/mcp.json",)),
        "windsurf": ((".codeium/windsurf/mcp_config.json",), ()),
        "gemini": ((".gemini/settings.json",), (".gemini/settings.json",)),
        "codex": ((".codex/config.toml",), (".codex/config.toml",)),
        "opencode": (
            (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
            ("opencode.json", "opencode.jsonc"),
        ),
        "copilot": ((".copilot/mcp-config.json",), ()),
        "zed": ((".config/zed/settings.json",), (".zed/settings.json",)),
        "cline": (
            (
                f"{code}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                ".cline/data/settings/cline_mcp_settings.json",
            ),
            (),
        ),
        "roo": (
            (f"{code}/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
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


def test_which_clients_take_comments():
    assert {client.name for client in CLIENTS if client.dialect == JSONC} == {
        "cursor", "vscode", "gemini", "opencode", "copilot", "zed", "lmstudio", "kiro",
    }  # fmt: skip


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
    ],
)
def test_a_file_is_known_by_its_place_or_its_name(file, client):
    assert client_of(file, "/h", LINUX) is client
