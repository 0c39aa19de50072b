"""What is asked of a child and what it tells, by real children on real files."""

import contextlib
import json
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from mcpgov import host
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import FileResult, Worker
from mcpgov.configs.files import store
from mcpgov.configs.locations import ConfigSource, Home
from mcpgov.daemon.watching import offload
from mcpgov.places import Places
from mcpgov.self_command import child_command, child_environment
from tests.helpers import daemons
from tests.helpers.daemons import Home as Scratch
from tests.helpers.remote_state import listener_ran, probed, registered
from tests.helpers.talks import wait_for

CODEX = '# mine\n[mcp_servers.git]\ncommand = "uvx"\nargs = ["mcp-server-git"]\n[mcp_servers.web]\nurl = "https://x/"\n'


@pytest.fixture
def home(tmp_path, monkeypatch):
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


def put(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def worker_of(root, *clients, **more):
    places = Places(root)
    put(places.launcher, "")
    return Worker(Home(Path(host.home()), places.state, places.launcher, clients, **more))


def in_a_child(root, source, leave=frozenset()):
    words = [*child_command(root), *offload.build_args(source, leave)]
    done = subprocess.run(words, capture_output=True, env=child_environment(), check=False, timeout=60)
    return offload.decode(source, done.stdout, done.returncode)


def source_of(worker, name):
    return next(source for source in worker.sources() if source.client.name == name)


def test_toml_and_large_files_are_heavy_and_what_is_not_there_is_not(home):
    codex, claude = (ConfigSource(BY_NAME[name], home / name) for name in ("codex", "claude-code"))
    assert not offload.is_heavy(codex)
    put(codex.file, "")
    assert not offload.is_heavy(codex)
    put(codex.file, "a = 1\n")
    put(claude.file, "x" * offload.LARGE)
    assert (offload.is_heavy(codex), offload.is_heavy(claude)) == (True, False)
    put(claude.file, "x" * (offload.LARGE + 1))
    assert offload.is_heavy(claude)


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("codex", ".codex/config.toml", CODEX),
        ("claude-code", ".claude.json", '{"mcpServers": {"a": {"command": "x"}}, "projects": {"/p": {}}}'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {}}'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {"half": '),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}'),
    ],
)  # fmt: skip
def test_a_child_does_and_tells_what_this_process_would(home, tmp_path, name, file, text):
    """Twice the same home, one after the other: what is left on disk is the same as well."""
    seen = []
    for root, work in ((tmp_path / "here", lambda w, s: w.sync(s)), (tmp_path / "there", None)):
        put(home / file, text)
        worker = worker_of(root, name)
        source = source_of(worker, name)
        found = work(worker, source) if work else in_a_child(root, source)
        left = {path.name: path.read_text().replace(str(root), "ROOT") for path in (home / file).parent.glob("*.*")}
        told = json.loads(json.dumps(offload.encode(found)).replace(str(root), "ROOT"))
        seen.append((found.client, found.file, found.result, found.reason, found.entries, told, left))
        for path in (home / file).parent.glob("*.bak"):
            path.unlink()
    assert seen[0] == seen[1]


def test_what_is_to_be_left_alone_is_left_alone(home, root):
    file = put(home / ".codex" / "config.toml", CODEX)
    source = source_of(worker_of(root, "codex"), "codex")
    found = in_a_child(root, source, frozenset({("mcp_servers", "git"), ("mcp_servers", "ü\udcff")}))
    assert (found.result, [state.state for state in found.states]) == ("unchanged", ["native", "native"])
    assert file.read_text() == CODEX


def test_a_file_that_a_variable_has_moved_is_a_users_own_in_the_child_too(home, root, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(home / "else where"))
    file = put(home / "else where" / "config.toml", CODEX)
    (source, _) = worker_of(root, "codex").sources()
    assert in_a_child(root, source).result == "changed"
    assert (file.with_name("config.toml.bak")).read_text() == CODEX


def test_a_projects_file_stays_one_and_gets_no_backup_beside_it(home, root):
    put(home / ".claude.json", json.dumps({"projects": {str(home / "p"): {}}}))
    file = put(home / "p" / ".mcp.json", '{"mcpServers": {"a": {"command": "x"}}}')
    worker = worker_of(root, "claude-code", project_files=True)
    source = next(source for source in worker.sources() if source.file == file)
    found = in_a_child(root, source)
    assert (found.result, [path.name for path in file.parent.iterdir()]) == ("changed", [".mcp.json"])
    args = json.loads(file.read_text())["mcpServers"]["a"]["args"]
    assert str(home / "p") in args


def test_a_managed_file_is_only_looked_at(home, root):
    file = put(home / "managed.json", '{"mcpServers": {"a": {"command": "x"}}}')
    found = in_a_child(root, ConfigSource(BY_NAME["claude-code"], file, managed=True))
    assert (found.result, found.states[0].state, "administrator" in found.states[0].reason) == (
        "unchanged",
        "native",
        True,
    )
    assert file.read_text() == '{"mcpServers": {"a": {"command": "x"}}}'


def test_a_file_of_nobody_known_is_worked_on_as_such(home, root):
    file = put(home / "my servers.toml", CODEX)
    (source,) = worker_of(root, configs=(file,)).sources()
    assert (source.client.name, in_a_child(root, source).result) == ("other", "changed")


def test_a_file_that_has_gone_meanwhile_is_no_trouble(home, root):
    source = ConfigSource(BY_NAME["codex"], home / ".codex" / "config.toml", user_level=True)
    assert in_a_child(root, source) == FileResult("codex", str(source.file), "unchanged", containers=())


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (b"", "it ended with status -9"),
        (b"[" * 100_000, "it ended with status -9"),
        (b'{"ok": false, "files": []}', "it ended with status -9"),
        (b'{"ok": true, "files": [{"containers": 1}]}', "it ended with status -9"),
        (b'{"ok": false, "error": {"message": "no room"}}', "no room"),
    ],
)
def test_a_child_that_tells_nothing_of_use_has_failed(output, why):
    source = ConfigSource(BY_NAME["codex"], Path("/f"))
    wanted = FileResult("codex", "/f", "error", f"the work in a process of its own failed: {why}")
    assert offload.decode(source, output, -9) == wanted


@pytest.mark.parametrize("said", ["", "[]", "{}", '{"places": 1}', '{"places": [1]}', "[" * 100_000])
def test_what_the_daemon_never_says_is_refused(home, root, said):
    with pytest.raises(ValueError, match=r"."):
        offload.parse_args(worker_of(root), home / "f", "codex", said)


def test_the_option_for_it_is_nobodys_business(home, root):
    def run(*words):
        return subprocess.run([*child_command(root), "sync", *words], capture_output=True, text=True, check=False)

    assert "--leave" not in run("--help").stdout
    file = put(home / ".codex" / "config.toml", CODEX)
    asked = offload.build_args(ConfigSource(BY_NAME["codex"], file), frozenset())[1:]
    for words in (["--leave={}"], ["--leave={}", "--config=f"], [*asked, "--dry-run"], [*asked, "--config=g"]):
        done = run(*words)
        assert (done.returncode, "`--leave` is the daemon's own" in done.stderr) == (64, True), words
    assert file.read_text() == CODEX


# --- in a real daemon


def test_a_daemon_wraps_toml_and_large_files_without_loading_what_that_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(
        daemons, "CODE", daemons.CODE.replace("sys.exit(", "print(", 1) + "; print(*sys.modules, file=sys.stderr)"
    )
    here = Scratch(tmp_path)
    codex = put(here.home / ".codex" / "config.toml", CODEX)
    history = {f"/p{number}": {"history": ["word " * 20] * 100} for number in range(250)}
    large = put(here.home / ".claude.json", json.dumps({"mcpServers": {"a": {"command": "x"}}, "projects": history}))
    assert large.stat().st_size > offload.LARGE
    (here.root / "config" / "settings.toml").write_text('clients = ["codex", "claude-code"]\n')
    launcher = str(here.root / "bin" / "mcpgov-proxy")
    with here.daemon() as process:
        wait_for(lambda: launcher in codex.read_text() and launcher in large.read_text(), "the wraps", 30)
        governed = [["a", "governed"], ["git", "governed"], ["web", "native"]]

        def told():
            return sorted([server["name"], server["state"]] for server in here.status()["servers"]) == governed

        wait_for(told, "the report")
        put(large, "{")
        wait_for(lambda: "not readable" in str(here.status()["clients"]), "the half file", 30)
        process.send_signal(signal.SIGTERM)
        loaded = {name.split(".")[0] for name in process.stderr.read().decode().split()}
    assert ("mcpgov" in loaded, loaded & {"tomli", "tree_sitter", "tree_sitter_toml", "pydantic", "rich"}) == (
        True,
        set(),
    )
    assert [entry for entry in here.logged("wrapped") if entry["names"] == ["git"]] != []
    assert codex.with_name("config.toml.bak").read_text() == CODEX


def at_work(pid):
    with contextlib.suppress(psutil.NoSuchProcess):
        return any("sync" in child.cmdline() for child in psutil.Process(pid).children())


def test_while_a_child_works_the_daemon_answers(tmp_path):
    here = Scratch(tmp_path)
    codex = put(here.home / ".codex" / "config.toml", CODEX)
    (here.root / "config" / "settings.toml").write_text('clients = ["codex"]\n')
    with store.lock(here.root / "state"), here.daemon() as process:
        wait_for(lambda: at_work(process.pid), "the child")
        wait_for(lambda: here.status()["clients"], "the answer")
        assert codex.read_text() == CODEX
    assert process.returncode == 0


def test_a_child_wraps_urls_and_tells_where_they_lead(home, root):
    file = put(home / ".codex" / "config.toml", CODEX)
    listener_ran(root)
    source = source_of(worker_of(root, "codex"), "codex")
    (waits,) = [state for state in in_a_child(root, source).states if state.name == "web"]
    assert (waits.reason_code, waits.url, waits.upstream) == ("remote-unprobed", "https://x/", "https://x/")
    probed(root, "https://x/")
    found = in_a_child(root, source)
    (governed,) = [state for state in found.states if state.name == "web"]
    assert (found.result, governed.state, governed.url, governed.upstream) == ("changed", "governed", "", "https://x/")
    assert registered(root)[0].id in file.read_text()
    words = [*child_command(root), *offload.build_args(source, frozenset(), ["web"])]
    subprocess.run(words, capture_output=True, env=child_environment(), check=True, timeout=60)
    assert 'url = "https://x/"' in file.read_text(), "excluded by the settings"
    assert registered(root) == []
