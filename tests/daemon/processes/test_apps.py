import pytest

from mcpgov.configs.clients import CLIENTS
from mcpgov.daemon.processes.apps import IN_CODE, NAMES, PATHS, App, clients_of, nearest
from tests.helpers.trees import made


@pytest.mark.parametrize(
    ("argv", "clients"),
    [
        (("/Applications/Claude.app/Contents/MacOS/Claude",), ("claude-desktop",)),
        (("/usr/lib/claude-desktop/node_modules/electron/dist/electron", "app.asar"), ("claude-desktop",)),
        (("claude",), ("claude-code",)),
        (("node", "/usr/local/bin/claude", "--resume"), ("claude-code",)),
        (("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), ("claude-code",)),
        (("/usr/share/code/code", "--type=utility"), IN_CODE),
        (("/Applications/Visual Studio Code.app/Contents/MacOS/Electron",), IN_CODE),
        (("/x/Code Helper (Plugin).app/Contents/MacOS/Code Helper (Plugin)", "--type=utility"), IN_CODE),
        (("/tmp/.mount_Cursor/usr/share/cursor/cursor",), ("cursor",)),
        (("node", "/usr/bin/gemini"), ("gemini",)),
    ],
)
def test_an_app_is_known_by_its_program_or_script(argv, clients):
    assert clients_of(made(2, 1, *argv)) == clients


@pytest.mark.parametrize(
    "argv", [(), ("bash",), ("git", "claude"), ("grep", "-claude"), ("vi", "/home/me/claude.md"), ("Electron",)]
)
def test_what_only_mentions_an_app_is_none(argv):
    assert clients_of(made(2, 1, *argv)) == ()


def test_a_program_without_a_command_line_is_known_by_its_name():
    assert clients_of(made(2, name="Cursor")) == ("cursor",)


def test_the_nearest_app_above_counts():
    shell, claude, code = made(4, 3, "bash"), made(3, 2, "claude"), made(2, 1, "/usr/share/code/code")
    assert nearest([shell, claude, code]) == App(claude, ("claude-code",))
    assert nearest([shell]) is None


def test_every_name_in_the_tables_is_a_client_of_ours():
    named = {client for clients in (*NAMES.values(), *PATHS.values()) for client in clients}
    assert named <= {client.name for client in CLIENTS}


@pytest.mark.parametrize(
    ("argv", "clients"),
    [
        (("node", "--max-old-space-size=8192", "/usr/lib/node_modules/@google/gemini-cli/dist/index.js"), ("gemini",)),
        (("node", "--import", "x.mjs", "/n/@anthropic-ai/claude-code/cli.js"), ("claude-code",)),
        (("/usr/bin/python3.12", "-IS", "/home/u/bin/codex"), ("codex",)),
        (("node", "server.js", "/home/u/bin/claude"), ()),
        (("python3", "-m", "http", "/home/u/bin/claude"), ()),
        (("git", "--x", "/home/u/bin/claude"), ()),
        (("node",), ()),
    ],
    ids=str,
)
def test_a_script_behind_an_interpreters_options_is_what_it_runs(argv, clients):
    assert clients_of(made(7, 1, *argv)) == clients
