import json
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from mcpgov.configs.clients import BY_NAME, TOML
from mcpgov.configs.config_pass import BUSY, CHANGED, FAILED, Worker
from mcpgov.configs.insert import entry_value, insert, rendered
from mcpgov.configs.locations import Home

ARGV = ["node", "--", "-x", "", "é\"'\\"]
ODD = ["plain", "sp ace", "a.b", "q\"uo'te", "ünï", "x/y@z:1", "back\\slash", "*", "tab\there", "-dash"]


@pytest.fixture
def home(tmp_path):
    place = tmp_path.resolve() / "home"
    place.mkdir()
    return Home(place, place / "state", place / "launcher", tuple(BY_NAME), environ={})


@pytest.fixture
def worker(home):
    return Worker(home)


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


def own(worker, client):
    return next(source for source in worker.sources() if source.client.name == client)


def place_of(client, name):
    return (*client.places[0][:-1], name)


def add(worker, client, name="new", argv=ARGV, **more):
    source, row = own(worker, client), BY_NAME[client]
    place = place_of(row, name)
    return insert(worker, source, place, rendered(row, place, entry_value(row, argv, {"A": "b c"})), **more)


def read(source):
    text = source.file.read_text("utf-8")
    return tomllib.loads(text) if source.client.dialect == TOML else json.loads(text)


@pytest.mark.parametrize("client", [name for name, row in BY_NAME.items() if all(row.files.values())])
def test_entries_of_any_name_go_into_a_file_that_was_not_there_and_come_out_as_the_client_writes_them(worker, client):
    row, source = BY_NAME[client], own(worker, client)
    for name in ODD:
        found = add(worker, client, name)
        assert (found.result, [entry.result for entry in found.entries if entry.name == name]) == (CHANGED, ["wrapped"])
    assert {state.state for state in worker.look(source).states} == {"governed"}
    worker.unwrap(source)
    held = read(source)
    for key in row.places[0][:-1]:
        held = held[key]
    assert held == {name: entry_value(row, ARGV, {"A": "b c"}) for name in ODD}
    assert source.file.stat().st_mode & 0o777 == 0o600


def test_each_client_gets_its_own_words():
    shapes = {client: entry_value(BY_NAME[client], ["a", "b"], {}) for client in BY_NAME}
    usual = {"command": "a", "args": ["b"], "env": {}}
    assert shapes == {
        **dict.fromkeys(BY_NAME, usual),
        "claude-code": {"type": "stdio", **usual},
        **{name: {"type": "stdio", **usual} for name in ("vscode", "vscode-insiders", "vscodium", "crush")},
        "kilo-cli": {"type": "local", "command": ["a", "b"], "environment": {}, "enabled": True},
        "copilot": {"tools": ["*"], "type": "local", **usual},
        "zed": {"source": "custom", **usual},
        "codex": {"command": "a", "args": ["b"]},
        "opencode": {"type": "local", "command": ["a", "b"], "environment": {}, "enabled": True},
    }


def test_every_other_byte_stays_and_no_other_server_is_touched(worker):
    source = own(worker, "cursor")
    text = '{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"bare": {"command": "x"}, // stays bare\r\n\t},\r\n}'
    written(source.file, text)
    found = add(worker, "cursor")
    after = source.file.read_bytes().decode()
    assert (found.result, found.after) == (CHANGED, after)
    at = after.index('\r\n\t\t"new"')
    assert after[:at] + after[-len("\r\n\t},\r\n}") :] == text
    assert [(state.name, state.state) for state in worker.look(source).states] == [
        ("bare", "native"),
        ("new", "governed"),
    ]
    assert source.file.with_name("mcp.json.bak").read_bytes().decode() == text


def test_the_history_knows_what_came(worker):
    add(worker, "cursor")
    add(worker, "cursor", "second", restore=True)
    assert [(event.event, event.name) for event in worker.history.events()] == [
        ("wrapped", "new"),
        ("added", "new"),
        ("wrapped", "second"),
        ("restored", "second"),
    ]


def test_a_dry_run_writes_nothing_and_shows_the_one_stretch_that_would_change(worker, home):
    found = add(worker, "cursor", dry=True)
    assert (found.result, list(home.home.iterdir())) == (CHANGED, [])
    source = own(worker, "cursor")
    written(source.file, '{"mcpServers": {"a": {"command": "x"}}}')
    found = add(worker, "cursor", dry=True)
    ((start, end, new),) = found.edits
    assert found.before[:start] + new + found.before[end:] == found.after
    assert "launcher" in new
    assert start == end == len('{"mcpServers": {"a": {"command": "x"}')
    assert source.file.read_text() == found.before


def test_what_is_there_is_not_overwritten(worker):
    add(worker, "cursor")
    before = own(worker, "cursor").file.read_bytes()
    for dry in (True, False):
        found = add(worker, "cursor", argv=["other"], dry=dry)
        assert (found.result, found.code, found.hint) == (FAILED, 1, "mcpgov servers")
        assert found.reason == f"`{own(worker, 'cursor').file}` has a server `new` already"
    assert own(worker, "cursor").file.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mcpServers": []}', '{"mcpServers": {}, "mcpServers": {}}'])
def test_a_file_without_room_for_it_is_left_as_it_is(worker, text):
    source = written(own(worker, "cursor").file, text)
    found = add(worker, "cursor")
    assert found.result in (FAILED, BUSY)
    assert source.read_text() == text


def test_a_read_only_file_is_refused(worker):
    source = written(own(worker, "cursor").file, "{}")
    source.chmod(0o444)
    for dry in (True, False):
        assert (add(worker, "cursor", dry=dry).reason, source.read_text()) == (f"`{source}` is read-only", "{}")


def test_what_could_not_be_governed_is_not_added_but_may_be_restored(worker, home):
    written(home.home / ".claude/settings.json", json.dumps({"deniedMcpServers": [{"serverCommand": ARGV}]}))
    found = add(worker, "claude-code")
    assert found.reason.startswith("it could not be governed: the deny list in ")
    assert not own(worker, "claude-code").file.exists()
    found = insert(worker, own(worker, "cursor"), ("mcpServers", "web"), '{"url": "https://x"}', restore=True)
    assert (found.result, found.entries[0].result) == (CHANGED, "skipped")
    assert read(own(worker, "cursor")) == {"mcpServers": {"web": {"url": "https://x"}}}


def test_a_place_in_a_project_record_is_made_where_it_is_missing(worker):
    place = ("projects", "/p", "mcpServers", "local")
    found = insert(worker, own(worker, "claude-code"), place, '{"command": "x"}', restore=True)
    assert found.result == CHANGED
    entry = read(own(worker, "claude-code"))["projects"]["/p"]["mcpServers"]["local"]
    assert entry["args"] == ["--server", "local", "--client", "claude-code", "--project", "/p", "--", "x"]


def test_a_project_that_is_gone_is_not_made_again(worker, home):
    source = worker.source(home.home / "gone" / ".mcp.json")
    found = insert(worker, source, ("mcpServers", "a"), '{"command": "x"}', restore=True)
    assert found.reason == f"there is no directory `{home.home}/gone`"
    assert not (home.home / "gone").exists()
    (home.home / "here").mkdir()
    source = worker.source(home.home / "here" / ".cursor" / "mcp.json")
    assert insert(worker, source, ("mcpServers", "a"), '{"command": "x"}', restore=True).result == CHANGED
    assert insert(worker, worker.source(home.home / "no" / "x.json"), ("mcpServers", "a"), "{}").result == FAILED


FORMS = [
    '[mcp_servers.a]\ncommand = "x" # why\nargs = ["1"]\n\n[mcp_servers.a.env]\nK = "v"\n',
    "mcp_servers.a.command = 'x'\nmcp_servers.a.args = [\"1\"]\nmcp_servers.a.env.K = 'v'\n",
    '[mcp_servers]\na.command = "x"\na.args = ["1"]\na.env = { K = "v" }\n',
    '[mcp_servers]\na = { command = "x", args = ["1"], env = { K = "v" } }\n',
    'mcp_servers = { a = { command = "x", args = ["1"], env = { K = "v" } } }\n',
    'mcp_servers.a.command = "x"\nmcp_servers.a.args = ["1"]\n[mcp_servers.a.env]\nK = "v"\n',
]
ROOMS = [
    "",
    "\n",
    "model = 'x'",
    "[mcp_servers.b]\r\ncommand = 'y'\r\n",
    "mcp_servers = {}\n",
    "[mcp_servers]\nb = {}\n",
]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("form", FORMS)
def test_a_toml_entry_comes_back_however_it_was_written_and_whatever_is_there(worker, form, room):
    source = own(worker, "codex")
    written(source.file, form)
    written(worker.home.launcher, "")
    worker.sync(source)
    (event,) = (event for event in worker.history.events() if event.event == "added")
    text = worker.history.form(event.form).text
    written(source.file, room)
    found = insert(worker, source, ("mcp_servers", "a"), text, restore=True)
    assert (found.result, found.reason) == (CHANGED, "")
    worker.unwrap(source, ["a"])
    servers = tomllib.loads(room).get("mcp_servers", {})
    assert read(source)["mcp_servers"] == {**servers, "a": {"command": "x", "args": ["1"], "env": {"K": "v"}}}
    assert source.file.read_bytes().decode().count("\r\n") in (0, source.file.read_bytes().count(b"\n"))


def test_every_kind_of_toml_value_can_be_written():
    value = {
        "command": "x",
        "enabled": True,
        "n": 1,
        "f": 2.5,
        "when": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "day": date(2026, 1, 2),
        "odd key": [{"a": {}}, ["b"]],
    }
    row = BY_NAME["codex"]
    assert tomllib.loads(rendered(row, ("mcp_servers", "a.b"), value)) == {"mcp_servers": {"a.b": value}}


def test_a_text_that_is_no_entry_is_refused(worker):
    found = insert(worker, own(worker, "codex"), ("mcp_servers", "a"), "b = 1\n", restore=True)
    assert (found.result, found.reason) == (FAILED, "the text of `a` is not an entry")
    source = own(worker, "codex")
    written(source.file, "mcp_servers = 3\n")
    assert add(worker, "codex").result in (FAILED, BUSY)
    assert source.file.read_text() == "mcp_servers = 3\n"


def test_a_command_line_that_is_no_text_is_escaped_in_json_and_refused_in_toml(worker):
    assert add(worker, "cursor", "\udcff", ["\udcfe"]).result == CHANGED
    worker.unwrap(own(worker, "cursor"))
    assert read(own(worker, "cursor"))["mcpServers"]["\udcff"]["command"] == "\udcfe"
    with pytest.raises(ValueError, match="TOML"):
        add(worker, "codex", "\udcff")


def test_the_new_layout_of_opencode_is_filled_where_it_is(worker):
    source = own(worker, "opencode")
    written(source.file, '{"mcp": {"servers": {}}}')
    found = insert(worker, source, ("mcp", "servers", "a"), '{"type": "local", "command": ["x"]}')
    assert (found.result, found.entries[0].place) == (CHANGED, ("mcp", "servers", "a"))
    found = insert(worker, source, ("mcp", "servers"), '{"type": "local", "command": ["x"]}')
    assert (found.result, found.reason) == (FAILED, "there is no room for `servers`: `servers` is already there")


def test_a_file_of_another_client_takes_entries_too(home):
    worker = Worker(replace(home, clients=()))
    path = written(Path(home.home / "x" / "any.json"), "{}")
    assert insert(worker, worker.source(path), ("mcpServers", "a"), '{"command": "x"}').result == CHANGED
    assert [state.state for state in worker.look(worker.source(path)).states] == ["governed"]
