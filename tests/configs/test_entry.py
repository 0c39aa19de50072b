import pytest

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.entry import Wrap, environment_of, read_entry, recognise

US = "/x/mcpgov-proxy"


def facts(value, client="claude-code", off=()):
    return read_entry(BY_NAME[client], ("mcpServers", "s"), value, {US}, off)


def test_a_wrap_is_known_by_the_whole_path_and_the_options_we_write():
    words = [US, "--server", "s", "--client", "c", "--project", "/p", "--", "npx", "--", "x"]
    options = {"server": "s", "client": "c", "project": "/p"}
    assert recognise(words, {US}) == Wrap(options, ("npx", "--", "x"), tuple(words[1:8]))
    assert recognise(["/tmp/x", *words[1:]], {US}) is None
    assert recognise(["npx"], {US}) is None


@pytest.mark.parametrize("name", ["--", "", "--client", "--server", "--project", "\n"])
def test_an_option_takes_the_word_behind_it_whatever_that_is(name):
    options = {"server": name, "client": name, "project": name}
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    assert recognise([US, *words, "--", "x"], {US}) == Wrap(options, ("x",), (*words, "--"))
    named = ("--server", name, "--")
    assert recognise([US, *named, "--", "x"], {US}) == Wrap({"server": name}, ("--", "x"), named)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--policy", "/p.toml", "--server", "s"], {"policy": "/p.toml", "server": "s"}),
        (["--server", "s", "--client", "c", "--journal=/j"], {"server": "s", "client": "c", "journal": "/j"}),
        (["--server=s"], {"server": "s"}),
        (["--client", "c", "--server", "s"], {"client": "c", "server": "s"}),
        (["--server", "a", "--server", "b"], {"server": "b"}),
    ],
)
def test_a_launcher_with_options_of_a_persons_own_is_a_wrap(words, options):
    assert recognise([US, *words, "--", "x"], {US}) == Wrap(options, ("x",), (*words, "--"), True)


def test_the_options_of_a_persons_own_that_decide_something_are_told():
    args = ["--server", "s", "--policy", "/p.toml", "--", "npx"]
    assert facts({"command": US, "args": args}).note == "with options of its own: --policy /p.toml"
    assert facts({"command": US, "args": ["--server=s", "--", "npx"]}).note == "with options of its own"
    assert facts({"command": US, "args": ["--server=s", "--", "npx"]}).own
    assert not facts({"command": "npx"}).own


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "starts mcpgov's launcher with no command behind `--`"),
        (["--server"], "starts mcpgov's launcher with no command behind `--`"),
        (["--server", "s"], "starts mcpgov's launcher with no command behind `--`"),
        (["--server", "s", "--"], "starts mcpgov's launcher with no command behind `--`"),
        (["--server", "s", "--policy", "/p", "--"], "starts mcpgov's launcher with no command behind `--`"),
        (["--", "npx"], "starts mcpgov's launcher without `--server`"),
        (["-y", "x"], "starts mcpgov's launcher with `-y`, which is no option of it"),
        (["--server", "s", "npx", "--", "x"], "starts mcpgov's launcher with `npx`, which is no option of it"),
    ],
)
def test_a_launcher_that_would_refuse_is_an_error(words, why):
    assert recognise([US, *words], {US}) == why
    found = facts({"command": US, "args": words})
    assert (found.broken, found.wrap, found.argv) == (why, None, (US, *words))


def test_a_plain_entry_can_be_governed():
    found = facts({"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"A": "b"}})
    assert (found.transport, found.argv, found.native.text, found.broken, found.note) == (
        "stdio",
        ("npx", "-y", "x"),
        "",
        "",
        "",
    )


def test_a_wrapped_entry_shows_the_servers_own_command_line():
    found = facts({"command": US, "args": ["--server", "s", "--", "npx", "x"]})
    assert (found.argv, found.wrap) == (("npx", "x"), Wrap({"server": "s"}, ("npx", "x"), ("--server", "s", "--")))


@pytest.mark.parametrize(
    ("value", "client", "transport", "key"),
    [
        ({"type": "http", "url": "https://x"}, "claude-code", "http", "url"),
        ({"type": "sse", "url": "https://x"}, "claude-code", "sse", "url"),
        ({"url": "https://x"}, "cursor", "http", "url"),
        ({"serverUrl": "https://x"}, "windsurf", "http", "serverUrl"),
        ({"httpUrl": "https://x"}, "gemini", "http", "httpUrl"),
        ({"url": "https://x"}, "gemini", "sse", "url"),
        ({"type": "remote", "url": "https://x"}, "opencode", "http", "url"),
        ({"url": "https://x", "command": "c"}, "cursor", "http", "url"),
    ],
)
def test_a_remote_entry_is_known_by_its_url(value, client, transport, key):
    found = facts(value, client)
    assert (found.transport, found.native.text, found.argv, found.broken) == (transport, "", (), "")
    assert (found.remote.key, found.remote.url, found.wrapped) == (key, "https://x", False)
    assert found.note == ("names a command as well: the URL comes first" if "command" in value else "")


def test_a_remote_entry_without_a_url_is_an_error_and_an_odd_url_a_reason():
    assert facts({"type": "http", "command": "x"}).broken == "its type is a remote one, and it names no URL"
    assert facts({"type": "ws", "url": "wss://x"}).native.code == "remote-websocket"


def test_a_bridge_is_a_stdio_server_and_where_it_leads_is_told():
    found = facts({"command": "npx", "args": ["-y", "mcp-remote", "https://u:p@x/mcp?key=1"]})
    assert (found.transport, found.native.text, found.upstream) == ("stdio", "", "https://…@x/mcp?key=…")
    assert found.note == "a bridge (mcp-remote) to https://…@x/mcp?key=…"
    inside = facts({"command": US, "args": ["--server", "s", "--", "docker", "run", "mcp-remote", "https://x"]})
    assert inside.note.startswith("a bridge (mcp-remote) to https://x; runs elsewhere (docker)")


def test_claude_code_starts_the_command_of_an_entry_that_has_both_and_no_type():
    assert facts({"url": "u", "command": "c"}).argv == ("c",)
    assert facts({"type": "stdio", "url": "u", "command": "c"}, "cursor").argv == ("c",)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "the entry is not an object"),
        ({}, "names neither a command nor a URL"),
        ({"command": []}, "names neither a command nor a URL"),
        ({"command": ""}, "its command is not a text"),
        ({"command": 3}, "its command is not a text"),
        ({"command": {"args": []}}, "names neither a command nor a URL"),
        ({"command": "x", "args": "y"}, "its args are not a list of texts"),
        ({"command": "x", "args": [1]}, "its args are not a list of texts"),
        ({"command": ["x", None]}, "its args are not a list of texts"),
    ],
)
def test_what_cannot_be_understood_is_told(value, why):
    assert facts(value).broken == why


def test_a_command_that_is_a_table_of_toml_is_told():
    assert facts({"command": {"path": "x"}}, "codex").broken == "its command is a table"


def test_every_shape_of_a_command_line():
    assert facts({"command": "x", "args": None}).argv == ("x",)
    assert facts({"command": ["x", "y"]}, "opencode").argv == ("x", "y")
    assert facts({"command": {"path": "x", "args": ["y"]}}, "zed").argv == ("x", "y")


def test_who_is_switched_off():
    assert facts({"command": "x", "disabled": True}).disabled
    assert facts({"command": "x", "enabled": False}).disabled
    assert facts({"command": "x"}, off=["s"]).disabled
    assert facts({"command": 3, "disabled": True}).disabled
    assert not facts({"command": "x", "disabled": False, "enabled": True}).disabled


def test_what_the_client_starts_in_its_own_way_stays_its_own():
    assert facts({"command": "x", "sandboxEnabled": True}, "vscode").native.text.startswith("runs in a sandbox")
    assert facts({"settings": {}}, "zed").native.text == "started by an extension of the client"
    assert facts({"source": "extension"}, "zed").native.text == "started by an extension of the client"


def test_what_else_there_is_to_know_is_noted():
    loader = "its environment sets DYLD_X, LD_PRELOAD, which also acts on mcpgov's own process"
    assert facts({"command": "x", "env": {"LD_PRELOAD": "y", "DYLD_X": "", "A": ""}}).note == loader
    assert facts({"command": ["ssh"], "environment": {"LD_X": ""}}, "opencode").note == (
        "runs elsewhere (ssh): rules on paths compare names, not files; "
        "its environment sets LD_X, which also acts on mcpgov's own process"
    )
    old = {"command": {"path": "x", "env": {"LD_PRELOAD": "y"}}}
    assert facts(old, "zed").note == "its environment sets LD_PRELOAD, which also acts on mcpgov's own process"


@pytest.mark.parametrize("name", ["docker", "podman", "nerdctl", "ssh", "wsl.exe", "kubectl", "devcontainer"])
def test_a_server_that_runs_elsewhere_is_governed_and_told(name):
    elsewhere = f"runs elsewhere ({name}): rules on paths compare names, not files"
    for command in (name, f"/usr/bin/{name}"):
        found = facts({"command": command, "args": ["run"]})
        assert (found.note, found.native.text, found.broken) == (elsewhere, "", "")
    assert facts({"command": "npx", "args": [name]}).note == ""


@pytest.mark.parametrize("argv", [("mcpm", "run", "x"), ("npx", "mcp-remote", "https://x"), ("other-proxy", "--")])
def test_what_another_tool_has_wrapped_is_a_command_like_any_other(argv):
    found = facts({"command": argv[0], "args": [*argv[1:]], "env_vars": ["A"], "envFile": ".env"})
    assert (found.argv, found.wrap, found.native.text, found.broken) == (argv, None, "", "")


def test_a_part_of_an_entry_is_no_error_where_files_are_laid_over_each_other():
    found = facts({"args": ["x"], "enabled": False}, "codex")
    assert (found.broken, found.disabled, found.native.text.startswith("a part of the server of this name")) == (
        "",
        True,
        True,
    )
    assert facts({"args": ["x"]}, "cursor").broken == "names neither a command nor a URL"
    assert facts({"baseUrl": "u"}, "cursor").transport == "http"


def test_the_path_that_an_entry_sets_is_found_wherever_it_stands():
    assert environment_of({"command": "x", "env": {"PATH": "/a"}}) == {"PATH": "/a"}
    assert environment_of({"command": {"path": "x", "env": {"A": "b"}}, "env": {"C": "d"}}) == {"A": "b", "C": "d"}
    assert environment_of({"command": "x", "environment": {"PATH": 5}}) == {"PATH": 5}
    assert environment_of({"command": "x", "envFile": "/e"}) == {"envFile": "/e"}
    assert environment_of("nothing") == {}
