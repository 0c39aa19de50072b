from dataclasses import dataclass

import pytest

from mcpgov.daemon.processes.process import ZOMBIE, ProcessTable
from mcpgov.daemon.processes.ungoverned import CommandLineIndex, find_ungoverned, npm_title, without_env
from mcpgov.daemon.status.model import UngovernedServer
from tests.helpers.trees import made


@dataclass(frozen=True)
class Stanza:
    argv: tuple[str, ...]
    client: str = "claude-desktop"
    name: str = "fs"
    state: str = "governed"
    place: tuple[str, ...] = ("mcpServers", "fs")


NPX = ("npx", "-y", "@scope/server-fs", "/tmp", "--flag")
CLAUDE = made(2, 1, "/opt/claude-desktop/claude-desktop")


def look(processes, *known, proxy=None, served=lambda process: True, now=1000.0, directory=lambda process: ""):
    return find_ungoverned(ProcessTable(processes), known, lambda process: process.pid == proxy, served, now, directory)


def fits(entry: tuple[str, ...], seen: tuple[str, ...]) -> bool:
    return bool(CommandLineIndex([Stanza(entry)]).find(seen))


@pytest.mark.parametrize(
    ("entry", "seen"),
    [
        (NPX, NPX),
        (NPX, ("node", "/usr/bin/npx", *NPX[1:])),
        (NPX, ("/usr/bin/node", "--max-old-space-size=99", "/usr/bin/npx", *NPX[1:])),
        (NPX, ("node", "/usr/lib/node_modules/npm/bin/npx-cli.js", *NPX[1:])),
        (NPX, ("npm exec @scope/server-fs /tmp --flag",)),
        (NPX, ("npm exec @scope/server-fs /tmp --flag", "", "", "")),
        (("npm", "exec", "--yes", "--", "pkg"), ("npm exec pkg",)),
        (("uvx", "mcp-server-git"), ("/home/me/.local/bin/uv", "tool", "uvx", "mcp-server-git")),
        (("uvx", "mcp-server-git"), ("/usr/bin/python3", "/home/me/.local/bin/uvx", "mcp-server-git")),
        (("python", "-m", "server"), ("/usr/bin/python3.11", "-m", "server")),
        (("/opt/venv/bin/python", "-m", "server"), ("/x/Python.app/Contents/MacOS/Python", "-m", "server")),
        (("/opt/server",), ("/opt/server",)),
        (("/opt/server.py", "a"), ("/usr/bin/python3", "/opt/server.py", "a")),
        (("mcp-server-git",), ("/usr/bin/python3", "-I", "/home/me/.local/bin/mcp-server-git")),
        (("env", "A=1", "B=2", "prog", "x"), ("prog", "x")),
    ],
)
def test_a_running_command_line_is_the_entrys_in_every_form_it_takes(entry, seen):
    assert fits(entry, seen)


@pytest.mark.parametrize(
    ("entry", "seen"),
    [
        (("node",), ("node",)),
        (("/usr/bin/node",), ("/usr/bin/node",)),
        (("env",), ("env",)),
        (("env", "A=1"), ("env", "A=1")),
        ((), ("node",)),
        (NPX, ()),
        (NPX, ("npx", "-y", "@scope/server-fs", "/tmp")),
        (NPX, ("npm exec @scope/server-fs /tmp",)),
        (NPX, ("npm exec @scope/server-fs /tmp --flag", "more")),
        (NPX, ("vi", "/usr/bin/npx", *NPX[1:])),
        (("uvx", "mcp-server-git"), ("uv", "tool", "run", "mcp-server-git")),
        (("/a/venv/bin/python", "-m", "server"), ("/b/venv/bin/python", "-m", "server")),
        (("/opt/server.py", "a"), ("/usr/bin/python3", "/srv/server.py", "a")),
        (("mcp-server-git",), ("mcp-server-git", "--help")),
        (("mcp-server-git",), ("python3", "-")),
        (("bash",), ("/bin/bash",)),
    ],
)
def test_another_command_line_is_not(entry, seen):
    assert not fits(entry, seen)


def test_a_server_below_its_app_is_told_with_the_app_and_the_minutes():
    server = made(3, 2, *NPX, start=550.0)
    assert look([CLAUDE, server], Stanza(NPX)) == [UngovernedServer(3, "fs", "claude-desktop", "Claude Desktop", 7)]


def test_of_a_tree_only_the_topmost_is_told():
    shim = made(3, 2, *NPX)
    real = made(4, 3, "node", "/usr/bin/npx", *NPX[1:])
    assert [fact.pid for fact in look([CLAUDE, shim, real], Stanza(NPX))] == [3]


def test_a_server_behind_a_proxy_is_governed():
    assert look([CLAUDE, made(3, 2, "proxy"), made(4, 3, "sh"), made(5, 4, *NPX)], Stanza(NPX), proxy=3) == []


def test_an_entry_that_is_not_governed_is_no_matter():
    assert look([CLAUDE, made(3, 2, *NPX)], Stanza(NPX, state="native")) == []


def test_what_cannot_be_a_server_and_what_is_dead_is_not_told():
    processes = [CLAUDE, made(3, 2, *NPX), made(4, 2, *NPX, state=ZOMBIE)]
    assert look(processes, Stanza(NPX), served=lambda process: False) == []
    assert [fact.pid for fact in look(processes, Stanza(NPX))] == [3]


def test_of_two_entries_alike_the_one_of_the_app_above_is_told():
    facts = look([CLAUDE, made(3, 2, *NPX)], Stanza(NPX, "cursor", "other"), Stanza(NPX))
    assert [(fact.server, fact.client) for fact in facts] == [("fs", "claude-desktop")]


def test_an_app_that_starts_anothers_server_is_the_one_to_restart():
    facts = look([made(2, 1, "claude"), made(3, 2, *NPX)], Stanza(NPX))
    assert [(fact.client, fact.title) for fact in facts] == [("claude-code", "Claude Code")]


def test_an_editor_speaks_for_its_extensions():
    facts = look([made(2, 1, "/usr/share/code/code"), made(3, 2, *NPX)], Stanza(NPX, "cline"))
    assert [(fact.client, fact.title) for fact in facts] == [("cline", "Cline")]


def test_the_same_words_in_a_terminal_or_under_a_program_of_somebody_elses_are_a_strangers():
    alone, below = made(3, 1, *NPX), made(5, 4, "npm exec @scope/server-fs /tmp --flag", "", "")
    shell = made(4, 1, "bash", name="bash")
    assert look([alone, shell, below, made(6, 4, *NPX)], Stanza(NPX)) == []


def test_a_process_older_than_the_app_above_it_is_not_the_apps():
    app = made(2, 1, "/opt/claude-desktop/claude-desktop", start=500.0)
    assert look([app, made(3, 2, *NPX, start=400.0)], Stanza(NPX)) == []
    assert len(look([app, made(3, 2, *NPX, start=600.0)], Stanza(NPX))) == 1


@pytest.mark.parametrize(("here", "told"), [("/p", 1), ("/p/below", 1), ("/pq", 0), ("/elsewhere", 0), ("", 1)])
def test_a_server_of_one_project_is_told_only_where_it_runs_in_that_project(here, told):
    local = Stanza(NPX, "claude-code", place=("projects", "/p", "mcpServers", "fs"))
    processes = [made(2, 1, "claude"), made(3, 2, *NPX)]
    assert len(look(processes, local, directory=lambda process: here)) == told
    assert len(look(processes, Stanza(NPX, "claude-code"), directory=lambda process: here)) == 1


def test_a_start_in_the_future_counts_no_minutes():
    assert [fact.minutes for fact in look([CLAUDE, made(3, 2, *NPX, start=2000.0)], Stanza(NPX))] == [0]


@pytest.mark.parametrize(
    ("argv", "title"),
    [
        (("npx", "--package", "./pkg", "tool", "a b"), "npm exec tool a b"),
        (("npx", "-y", "--", "tool", "-x"), "npm exec tool -x"),
        (("npm", "x", "tool"), "npm exec tool"),
        (("npx", "-p"), ""),
        (("npx",), ""),
        (("npm", "start"), ""),
        (("node", "x"), ""),
    ],
)
def test_npm_shows_itself_without_its_own_options(argv, title):
    assert npm_title(argv) == title


def test_env_is_left_out_with_what_it_sets():
    assert without_env(("/usr/bin/env", "A=1", "-x=1", "B=2")) == ("-x=1", "B=2")
    assert without_env(("prog", "A=1")) == ("prog", "A=1")
