import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov.configs import config_pass
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import BUSY, CHANGED, FAILED, UNCHANGED, Worker
from mcpgov.configs.files import atomic_swap, backups, store
from mcpgov.configs.locations import Home
from mcpgov.configs.plan import UNWRAP, WRAP
from mcpgov.configs.remote.url_wrap import NOT_UP
from mcpgov.remote_servers import (
    OAUTH,
    OPEN,
    PASSTHROUGH,
    ProbeResult,
    keep_port,
    keep_probe,
    load_servers,
    wrapped_url,
)
from tests.helpers import pass_faults, writers

CASES = Path(__file__).parents[1] / "cases" / "configs"
RACE_SECONDS = float(os.environ.get("MCPGOV_RACE_SECONDS", "60" if os.environ.get("CI") else "6"))
TEXT = '{"mcpServers": {"fs": {"command": "npx"}, "web": {"url": "https://x"}}}'


@pytest.fixture
def home(tmp_path):
    place = tmp_path.resolve() / "home"
    place.mkdir()
    written(place / "launcher", "")
    return Home(place, place / "state", place / "launcher", ("cursor",), environ={}, above=str(tmp_path / "machine"))


@pytest.fixture
def worker(home):
    return Worker(home, patience=0.2)


@pytest.fixture
def config(home):
    return written(home.home / ".cursor" / "mcp.json", TEXT)


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def tree(place):
    """Everything below a directory, as it is."""
    return {
        str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"") for path in place.rglob("*")
    }


def results(found):
    return {entry.name: (entry.result, entry.reason) for entry in found.entries}


def events(worker):
    return [(event.event, event.name) for event in worker.history.events()]


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*.before.*")), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_case_is_wrapped_once_and_unwrapped_to_the_same_bytes(home, case):
    before = case.read_bytes()
    worker = Worker(replace(home, clients=(case.parent.name,)))
    files = [source for source in worker.sources() if source.file.suffix == case.suffix]
    row = BY_NAME[case.parent.name]
    in_project = [worker.source(home.home / "project" / file) for file in row.project_files]
    source = (files or worker.sources() or in_project)[0]
    source.file.parent.mkdir(parents=True, exist_ok=True)
    source.file.write_bytes(before)
    assert worker.sync(source).result == CHANGED
    wrapped = source.file.read_bytes()
    assert (worker.sync(source).result, source.file.read_bytes()) == (UNCHANGED, wrapped)
    beside = source.file.with_name(f"{source.file.name}.bak")
    assert (beside.read_bytes() == before) if source.user_level else not beside.exists()
    assert worker.unwrap(source).result == CHANGED
    assert source.file.read_bytes() == before
    assert {event.event for event in worker.history.events()} == {"added", "wrapped", "unwrapped"}


def test_a_pass_tells_what_it_did_and_what_it_left(worker, config):
    found = worker.sync(worker.sources()[0])
    assert (found.client, found.file, found.result, found.code) == ("cursor", str(config), CHANGED, 0)
    assert results(found) == {
        "fs": ("wrapped", ""),
        "web": ("skipped", NOT_UP),
    }
    assert found.containers == (("mcpServers",),)
    assert events(worker) == [("added", "fs"), ("added", "web"), ("wrapped", "fs")]


def test_originals_and_backups_are_there_and_private(worker, config, home):
    worker.sync(worker.sources()[0])
    assert worker.history.original(str(config), ("mcpServers", "fs"), ["npx"]).before == "absent"
    (copy,) = backups.copies(home.state, config)
    bak = config.with_name("mcp.json.bak")
    assert (copy.path.read_text(), bak.read_text()) == (TEXT, TEXT)
    assert stat.S_IMODE(bak.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform != "linux", reason="names of descriptors come from /proc")
def test_what_must_last_is_on_disk_before_the_exchange_and_the_exchange_after_it(worker, config, home, monkeypatch):
    done, sync, rename = [], os.fsync, atomic_swap.rename

    def synced(fd):
        done.append(os.readlink(f"/proc/self/fd/{fd}").removeprefix(f"{home.home}/"))
        sync(fd)

    def exchanged(source, target, how):
        if how == atomic_swap.EXCHANGE and target == config:
            done.append("exchange")
        return rename(source, target, how)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(atomic_swap, "rename", exchanged)
    assert worker.sync(worker.sources()[0]).result == CHANGED
    at = done.index("exchange")
    before, after = done[:at], done[at + 1 :]
    assert done.count("exchange") == 1
    assert any(name.startswith("state/originals/") for name in before), "the original's record"
    assert "state/originals" in before, "and its name"
    assert any(name.startswith("state/backups/") for name in before), "the copy"
    assert before[-1].startswith(".cursor/.mcp.json.mcpgov."), "the new text, last of all"
    assert after[0] == ".cursor", "its name"


@pytest.mark.parametrize(("client", "polite"), [("claude-code", True), ("cursor", False)])
def test_the_lock_of_a_client_that_has_one_is_held_during_the_exchange(home, monkeypatch, client, polite):
    worker = Worker(replace(home, clients=(client,)))
    (source,) = worker.sources()
    written(source.file, TEXT)
    real, during = atomic_swap.exchange, []

    def watched(*args, **more):
        during.append(source.file.with_name(f"{source.file.name}.lock").is_dir())
        real(*args, **more)

    monkeypatch.setattr(atomic_swap, "exchange", watched)
    assert worker.sync(source).result == CHANGED
    assert (during, source.file.with_name(f"{source.file.name}.lock").exists()) == ([polite], False)


def test_a_foreign_bak_is_left_alone_and_a_project_gets_none(worker, config, home):
    written(config.with_name("mcp.json.bak"), "theirs")
    worker.sync(worker.sources()[0])
    assert config.with_name("mcp.json.bak").read_text() == "theirs"
    assert config.with_name("mcp.json.mcpgov.bak").read_text() == TEXT
    project = written(home.home / "p" / ".mcp.json", TEXT)
    assert worker.sync(worker.source(project)).result == CHANGED
    assert os.listdir(project.parent) == [".mcp.json"]
    assert '"--project", "' + str(project.parent) in project.read_text()


def test_a_wrapped_copy_never_becomes_the_bak(home):
    launcher = written(home.home / "é" / "mcpgov-proxy", "")
    worker = Worker(replace(home, launcher=launcher))
    ours = {"command": str(launcher), "args": ["--server", "a", "--client", "cursor", "--", "npx"]}
    # Another program has written the launcher's path in escapes.
    text = json.dumps({"mcpServers": {"a": ours, "b": {"command": "x"}}})
    config = written(home.home / ".cursor" / "mcp.json", text)
    assert worker.sync(worker.sources()[0]).result == CHANGED
    assert os.listdir(config.parent) == ["mcp.json"]


def test_only_the_named_servers_are_changed(worker, config):
    source = worker.sources()[0]
    assert worker.sync(source, names=["nobody"]).result == UNCHANGED
    assert worker.sync(source, frozenset({("mcpServers", "fs")})).result == UNCHANGED
    assert worker.sync(source, names=["fs"]).result == CHANGED
    assert worker.unwrap(source, ["nobody"]).result == UNCHANGED
    assert worker.unwrap(source, iter(["fs"])).result == CHANGED
    assert config.read_text() == TEXT


def test_an_entry_that_the_user_has_edited_loses_our_part_alone(worker, config):
    worker.sync(worker.sources()[0])
    config.write_text(config.read_text().replace('"npx"]', '"npx", "-y", "new"], "env": {"A": "1"}'))
    worker.unwrap(worker.sources()[0])
    assert json.loads(config.read_text())["mcpServers"]["fs"] == {
        "command": "npx",
        "args": ["-y", "new"],
        "env": {"A": "1"},
    }


def test_a_launcher_that_has_moved_is_still_ours(worker, config, home):
    worker.sync(worker.sources()[0])
    moved = Worker(replace(home, launcher=written(home.home / "new-launcher", "")))
    assert results(moved.sync(moved.sources()[0]))["fs"] == ("wrapped", "")
    assert "new-launcher" in config.read_text()
    assert str(home.launcher) + '"' not in config.read_text()
    assert results(worker.unwrap(worker.sources()[0]))["fs"] == ("unwrapped", "")
    assert config.read_text() == TEXT


def test_unwrap_works_without_any_record(worker, config, home):
    worker.sync(worker.sources()[0])
    subprocess.run(["rm", "-r", str(home.state)], check=True)
    assert worker.unwrap(worker.sources()[0]).result == CHANGED
    assert json.loads(config.read_text())["mcpServers"]["fs"] == {"command": "npx", "args": []}


def test_looking_and_previewing_write_nothing_anywhere(worker, config, tmp_path):
    before = tree(tmp_path)
    source = worker.sources()[0]
    assert [state.state for state in worker.look(source).states] == ["native", "native"]
    found = worker.preview(source, WRAP)
    assert (found.result, found.before) == (CHANGED, TEXT)
    assert found.edits == tuple(sorted(found.edits))
    assert worker.preview(source, UNWRAP).result == UNCHANGED
    assert tree(tmp_path) == before


def test_a_file_that_is_not_there_is_nothing_to_do(worker):
    source = worker.sources()[0]
    for found in (worker.look(source), worker.preview(source, WRAP), worker.sync(source), worker.unwrap(source)):
        assert (found.result, found.entries, found.containers) == (UNCHANGED, (), ())


def test_a_file_that_was_deleted_leaves_its_servers_in_the_history(worker, config):
    worker.sync(worker.sources()[0])
    config.unlink()
    worker.sync(worker.sources()[0])
    assert events(worker)[-2:] == [("removed", "fs"), ("removed", "web")]


@pytest.mark.parametrize("text", ["", "{", '{"mcpServers": {"fs": {"command": "npx"}', "[1, 2", "\udcff\udcfe"])
def test_a_text_that_cannot_be_read_is_left_for_later(worker, config, text, home):
    config.write_bytes(text.encode("utf-8", "surrogateescape"))
    source = worker.sources()[0]
    before = tree(config.parent)
    for found in (worker.look(source), worker.preview(source, WRAP), worker.sync(source), worker.unwrap(source)):
        assert (found.result, found.code) == (BUSY, 1)
        assert found.reason.startswith("not readable at the moment: ")
    assert tree(config.parent) == before


def test_a_list_of_servers_that_stands_twice_is_refused(worker, config):
    config.write_text('{"mcpServers": {"fs": {"command": "a"}}, "mcpServers": {}}')
    found = worker.sync(worker.sources()[0])
    assert (found.result, found.code) == (FAILED, 4)


def test_a_key_that_stands_twice_in_an_entry_keeps_no_other_from_being_wrapped(worker, config):
    config.write_text('{"mcpServers": {"fs": {"command": "a", "command": "b"}, "db": {"command": "c"}}}')
    found = worker.sync(worker.sources()[0])
    twice = "`command` stands twice in one object, again at line 1"
    assert (found.result, results(found)) == (CHANGED, {"fs": ("skipped", twice), "db": ("wrapped", "")})
    assert worker.sync(worker.sources()[0]).result == UNCHANGED
    assert '"fs": {"command": "a", "command": "b"}' in config.read_text()


def test_a_read_only_file_is_refused_with_a_hint(worker, config):
    config.chmod(0o444)
    found = worker.sync(worker.sources()[0])
    assert (found.result, found.reason, found.code) == (FAILED, f"`{config}` is read-only", 4)
    assert found.hint == f"chmod u+w {config}"
    assert config.read_text() == TEXT


def test_nothing_is_changed_where_nothing_can_be_kept(worker, config, home):
    home.state.write_text("no directory")
    before = tree(home.home)
    for found in (worker.sync(worker.sources()[0]), worker.unwrap(worker.sources()[0])):
        assert (found.result, found.code) == (FAILED, 1)
        assert found.reason == f"cannot lock `{home.state}/locks`: not a directory"
    assert tree(home.home) == before


def test_nothing_is_changed_where_the_history_cannot_be_written(worker, config, home):
    (home.state / "history").mkdir(parents=True)
    (home.state / "history" / "log.jsonl").mkdir()
    found = worker.sync(worker.sources()[0])
    assert (found.result, found.reason) == (FAILED, f"is a directory: `{home.state}/history/log.jsonl`")
    assert config.read_text() == TEXT


def test_what_cannot_be_noted_after_the_change_is_no_failure(home, config):
    log = home.state / "history" / "log.jsonl"

    def clock():
        if log.exists():
            log.rename(log.with_name("away"))
            log.mkdir()
        return 1.0

    worker = Worker(home, clock)
    assert worker.sync(worker.sources()[0]).result == CHANGED
    assert "launcher" in config.read_text()


def test_another_mcpgov_at_work_is_waited_for_and_then_told(worker, config, home):
    code = (
        "import sys; from pathlib import Path; from mcpgov.configs.files import store\n"
        "with store.lock(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(home.state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        found = worker.sync(worker.sources()[0])
        assert (found.result, found.reason) == (BUSY, f"another mcpgov (process {other.pid}) is at work on this")
        assert config.read_text() == TEXT
        other.stdin.close()
    assert worker.sync(worker.sources()[0]).result == CHANGED


def test_a_file_that_moves_every_time_is_busy_and_holds_what_the_other_wrote(home, config):
    texts = []

    class Disturbed(Worker):
        def edited(self, *about):
            texts.append(TEXT + " " * (len(texts) + 1))
            config.write_text(texts[-1])
            return super().edited(*about)

    worker = Disturbed(home)
    found = worker.sync(worker.sources()[0])
    assert (found.result, found.reason) == (BUSY, f"`{config}` is written by another program all the time")
    assert (len(texts) > 10, config.read_text()) == (True, texts[-1])


def test_an_edit_that_comes_late_into_the_old_file_is_taken_over(worker, config, monkeypatch):
    later = TEXT.replace("npx", "other")
    with open(config, "r+b") as late:

        def pause(seconds):
            if seconds == config_pass.LATE and not late.closed:
                late.truncate(0)
                late.write(later.encode())
                late.close()

        monkeypatch.setattr(config_pass, "LEASES", False)
        monkeypatch.setattr(config_pass.time, "sleep", pause)
        assert worker.sync(worker.sources()[0]).result == CHANGED
    assert '"--", "other"]' in config.read_text()


def test_what_a_killed_process_has_left_is_swept_away(worker, config, monkeypatch):
    monkeypatch.setattr(store, "LEFT_OVER", -1.0)
    left = written(config.with_name(f".mcp.json.mcpgov.{2**22 + 1}.0123abcd"), TEXT)
    worker.sync(worker.sources()[0])
    assert not left.exists()


def test_what_nobody_thought_of_is_told_and_stops_no_other_file(home, config):
    worker = Worker(home, lambda: 1 / 0)
    found = worker.sync(worker.sources()[0])
    assert (found.result, found.reason) == (FAILED, "not understood (ZeroDivisionError: division by zero)")
    assert config.read_text() == TEXT


def test_a_command_that_is_a_toml_table_is_left_as_it_is(home):
    worker = Worker(replace(home, clients=("codex",)))
    config = written(home.home / ".codex" / "config.toml", '[mcp_servers.x.command]\npath = "a"\n')
    assert worker.sync(worker.sources()[0]).result in (FAILED, UNCHANGED)
    assert config.read_text() == '[mcp_servers.x.command]\npath = "a"\n'


def test_a_managed_file_is_told_and_never_touched(home):
    managed = written(Path(f"{home.above}/etc/claude-code/managed-mcp.json"), TEXT)
    worker = Worker(replace(home, clients=("claude-code",), system="linux"))
    source = worker.sources()[-1]
    for found in (worker.sync(source), worker.unwrap(source), worker.preview(source, WRAP)):
        assert (found.result, {state.reason for state in found.states}) == (
            UNCHANGED,
            {"managed by an administrator: mcpgov does not touch it"},
        )
    assert managed.read_text() == TEXT


def test_deny_and_allow_lists_and_switched_off_names_are_respected(home):
    worker = Worker(replace(home, clients=("claude-code", "copilot")))
    code, copilot = worker.sources()
    written(code.file, '{"mcpServers": {"a": {"command": "bad", "args": ["x"]}, "b": {"command": "good"}}}')
    settings = written(home.home / ".claude/settings.json", '{"deniedMcpServers": [{"serverCommand": ["bad", "x"]}]}')
    found = worker.sync(code)
    assert results(found) == {
        "a": ("skipped", f"the deny list in `{settings}` names its command: wrapping would hide it from that list"),
        "b": ("wrapped", ""),
    }
    written(copilot.file, TEXT)
    written(home.home / ".copilot/settings.json", '{"disabledMcpServers": ["fs"]}')
    assert [state.state for state in worker.sync(copilot).states] == ["disabled", "native"]


def test_a_list_that_is_half_written_is_waited_for_and_keeps_nobody_from_unwrapping(home):
    worker = Worker(replace(home, clients=("claude-code",)))
    (code,) = worker.sources()
    written(code.file, '{"mcpServers": {"a": {"command": "npx"}}}')
    settings = written(home.home / ".claude/settings.json", '{"deniedMcpServers": [')
    for found in (worker.sync(code), worker.preview(code, WRAP)):
        assert found.result == BUSY
        assert found.reason.startswith(f"not readable at the moment: `{settings}`: not JSON")
        assert [state.state for state in found.states] == ["native"]
    settings.write_text("{}")
    assert worker.sync(code).result == CHANGED
    settings.write_text("{")
    assert (worker.look(code).result, worker.sync(code).result) == (UNCHANGED, UNCHANGED)
    assert worker.unwrap(code).result == CHANGED


def test_a_projects_deny_list_is_not_defeated_for_its_own_servers(home):
    worker = Worker(replace(home, clients=("claude-code",)))
    (code,) = worker.sources()
    project, bad = home.home / "p", {"command": "node", "args": ["${FSJS:-fs.js}", "D"]}
    projects = {str(project): {"mcpServers": {"b": bad}}, "/q": {"mcpServers": {"c": bad}}}
    written(code.file, json.dumps({"mcpServers": {"a": bad}, "projects": projects}))
    denied = '{"deniedMcpServers": [{"serverCommand": ["node", "fs.js", "D"]}]}'
    settings = written(project / ".claude/settings.local.json", denied)
    why = f"the deny list in `{settings}` may name its command, by its variables: a wrap would hide that"
    assert results(worker.sync(code)) == {"a": ("wrapped", ""), "b": ("skipped", why), "c": ("wrapped", "")}


@pytest.mark.parametrize("how", ["read-only", "linked"])
def test_a_file_that_is_refused_is_told_before_anybody_tries(worker, config, how):
    config.chmod(0o444) if how == "read-only" else os.link(config, config.with_name("other"))
    source = worker.sources()[0]
    real = worker.sync(source)
    assert (real.result, real.code) == (FAILED, 4)
    for found in (worker.preview(source, WRAP), worker.look(source)):
        assert (found.result, found.reason, found.hint, found.code) == (FAILED, real.reason, real.hint, 4)
        assert [(state.name, state.state, state.reason) for state in found.states] == [
            ("fs", "native", real.reason),
            ("web", "native", NOT_UP),
        ]
    assert worker.preview(source, UNWRAP).result == UNCHANGED
    config.chmod(0o600)
    config.with_name("other").unlink(missing_ok=True)
    assert worker.sync(source).result == CHANGED
    config.chmod(0o444)
    assert worker.look(source).result == UNCHANGED, "there is nothing to do"
    assert worker.preview(source, UNWRAP).reason == worker.unwrap(source).reason == f"`{config}` is read-only"


def test_two_clients_that_share_a_file_come_to_rest(home):
    worker = Worker(replace(home, clients=("claude-desktop", "cursor")))
    desktop, cursor = worker.sources()
    written(cursor.file, TEXT)
    desktop.file.parent.mkdir(parents=True)
    desktop.file.symlink_to(cursor.file)
    assert [worker.sync(source).result for source in worker.sources()] == [CHANGED]
    assert [worker.sync(source).result for source in worker.sources()] == [UNCHANGED]
    assert '"--client", "cursor"' in cursor.file.read_text()


def test_every_file_we_ever_looked_into_and_every_known_project_is_found_again(home):
    worker = Worker(replace(home, clients=tuple(BY_NAME)))
    odd = written(home.home / "odd.conf", '[mcp_servers.a]\ncommand = "x"\n')
    other = written(home.home / "other.json", TEXT)
    assert worker.sync(worker.source(odd, "codex")).result == CHANGED
    assert worker.sync(worker.source(other)).result == CHANGED
    project = written(home.home / "p" / ".cursor" / "mcp.json", TEXT)
    written(home.home / ".claude.json", json.dumps({"projects": {str(home.home / "p"): {}}}))
    given = worker.sources()
    more = [(source.client.name, source.file) for source in worker.with_known(given)[len(given) :]]
    assert more == [("codex", odd), ("other", other), ("cursor", project)]
    for source in worker.with_known(given):
        worker.unwrap(source)
    assert (odd.read_text(), other.read_text()) == ('[mcp_servers.a]\ncommand = "x"\n', TEXT)


@pytest.mark.parametrize("what", ["sync", "unwrap", "put"])
@pytest.mark.parametrize("kind", ["ENOSPC", "EIO", "EACCES", "short", "kill", "killed"])
def test_a_pass_that_is_disturbed_anywhere_leaves_old_or_new_and_the_original_comes_back(tmp_path, kind, what):
    done = subprocess.run(
        [sys.executable, pass_faults.__file__, str(tmp_path.resolve()), kind, what],
        capture_output=True, text=True, timeout=240, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    new = rows[-1]["text"]
    assert new != "old"
    assert len(rows) > (3 if kind == "short" else 60)
    wrapped = rows[0]["then"]
    for row in rows:
        assert row["text"] in ("old", new), row
        assert row["text"] == "old" or row["kept"], row
        assert row["code"] in ((-9, 0) if kind.startswith("kill") else (0, 1)), row
        assert row["code"] != 0 or row["text"] == new, row
        # A new process takes us out again to the last byte, and wraps again.
        assert (row["original"], row["again"], row["then"]) == (True, CHANGED, wrapped), row
        assert (row["kept_then"], row["left"]) == (True, []), row
        # Where a wrapped URL stands nobody else may read, and the mode comes back with the bytes.
        assert (row["private"], row["mode"]) == (True, 0o644), row


@pytest.mark.skipif(sys.platform != "linux", reason="without leases a writer in place can be late: see Swapped.late")
def test_eight_programs_that_write_in_every_way_lose_no_edit_and_all_is_governed_in_the_end(home, config):
    config.write_text("{}")
    worker = Worker(home)
    (source,) = worker.sources()
    commands = [
        [sys.executable, writers.__file__, str(config), f"w{at}", style, "mcpServers"]
        for at, style in enumerate(writers.STYLES)
    ]
    with contextlib.ExitStack() as stack:
        theirs = [
            stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for command in commands
        ]
        end, wrapped = time.monotonic() + RACE_SECONDS, 0
        while time.monotonic() < end:
            found = worker.sync(source)
            assert found.result in (CHANGED, UNCHANGED, BUSY), found
            wrapped += found.result == CHANGED
        told = [json.loads(child.communicate(timeout=30)[0]) for child in theirs]
    while worker.sync(source).result != UNCHANGED:
        pass
    assert [(row["lost"], row["broken"]) for row in told] == [(0, 0)] * 8
    assert all(row["count"] for row in told)
    assert wrapped
    found = worker.look(source)
    assert {state.name: (state.state, state.argv) for state in found.states} == {
        row["name"]: ("governed", (row["name"],)) for row in told
    }
    assert worker.unwrap(source).result == CHANGED
    held = json.loads(config.read_bytes())["mcpServers"]
    assert {name: entry["n"] for name, entry in held.items()} == {row["name"]: row["count"] for row in told}


def test_nothing_is_wrapped_onto_a_launcher_that_is_missing(worker, config, home):
    source = worker.sources()[0]
    home.launcher.unlink()
    found = worker.sync(source)
    assert (found.result, found.reason, found.hint) == (BUSY, "the launcher is missing", "mcpgov launcher")
    assert (config.read_text(), found.entries) == (TEXT, ())
    written(home.launcher, "")
    assert worker.sync(source).result == CHANGED
    home.launcher.unlink()
    assert worker.sync(source).result == UNCHANGED
    assert worker.unwrap(source).result == CHANGED
    assert config.read_text() == TEXT


def test_a_file_that_may_not_be_written_tells_what_is_in_it(worker, config):
    config.chmod(0o444)
    source = worker.sources()[0]
    found, there = worker.sync(source), worker.look(source)
    assert (found.result, found.states, found.containers) == (FAILED, there.states, there.containers)
    assert [state.state for state in found.states] == ["native", "native"]


def test_a_file_that_may_not_even_be_read_tells_nothing(worker, config, tmp_path):
    config.rename(tmp_path / "outside.json")
    config.symlink_to(tmp_path / "outside.json")
    found = worker.sync(worker.sources()[0])
    assert (found.result, found.states, found.containers) == (FAILED, (), None)


CLONED = {
    "an allow list": '{"allowedMcpServers": [{"serverCommand": ["only", "this"]}]}',
    "a deny list": '{"deniedMcpServers": [{"serverCommand": ["npx"]}]}',
    "a broken file": "{",
    "no UTF-8": "\udcff",
    "a directory": None,
}


@pytest.mark.parametrize("text", CLONED.values(), ids=CLONED)
@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_cloned_projects_settings_keep_no_server_of_the_user_from_being_wrapped(home, name, text):
    project = home.home / "cloned"
    settings = project / ".claude" / name
    settings.parent.mkdir(parents=True)
    settings.mkdir() if text is None else settings.write_bytes(text.encode("utf-8", "surrogateescape"))
    held = {"mcpServers": {"mine": {"command": "npx"}}}
    local = {str(project): {"mcpServers": {"local": {"command": "npx"}}}}
    written(home.home / ".claude.json", json.dumps({**held, "projects": local}))
    worker = Worker(replace(home, clients=("claude-code",)), patience=0.2)
    found = worker.sync(worker.sources()[0])
    assert (found.result, results(found)["mine"]) == (CHANGED, ("wrapped", ""))
    assert results(found)["local"][0] == "skipped"


def test_extensions_are_told_with_the_reason_and_their_files_are_never_touched(home):
    extensions = {"ant.dir.x": {"manifest": {"server": {"mcp_config": {"command": "node", "args": ["s.js"]}}}}}
    file = written(home.home / ".config/Claude/extensions-installations.json", json.dumps({"extensions": extensions}))
    worker = Worker(replace(home, clients=("claude-desktop",), system="linux"), patience=0.2)
    (source,) = [source for source in worker.sources() if source.listed]
    before = file.read_bytes()
    for found in (worker.sync(source), worker.look(source), worker.unwrap(source), worker.preview(source, WRAP)):
        (state,) = found.states
        assert (found.result, state.name, state.state) == (UNCHANGED, "ant.dir.x", "native")
        assert state.reason.startswith("an extension of the app")
    for text in ('{"extensions": [1]}', "[]", "{"):
        file.write_text(text)
        assert (worker.sync(source).result, worker.look(source).states) == (UNCHANGED, ())
    file.write_bytes(before)
    assert list(file.parent.iterdir()) == [file]


def test_codex_layers_neither_break_a_server_nor_leave_one_wrapped_that_does_not_fit(home):
    worker = Worker(replace(home, clients=("codex",)), patience=0.2)
    base = written(home.home / ".codex/config.toml", '[mcp_servers.a]\ncommand = "npx"\nargs = ["x"]\n')
    before = base.read_bytes()
    worker.sync(worker.sources()[0])
    assert b"launcher" in base.read_bytes()
    written(home.home / ".codex/work.config.toml", '[mcp_servers.a]\nargs = ["y"]\n')
    first, profile = worker.sources()
    assert [state.state for state in worker.sync(profile).states] == ["native"]
    assert (worker.sync(first).result, base.read_bytes()) == (CHANGED, before)
    written(home.home / ".codex/work.config.toml", "[mcp_servers.a]\nenabled = false\n")
    assert [state.state for state in worker.sync(profile).states] == ["disabled"]
    assert (worker.sync(first).result, b"launcher" in base.read_bytes()) == (CHANGED, True)


# --- entries with a URL

URL = "https://u:p@x.example/mcp?key=1"
WEB = f'{{"mcpServers": {{"web": {{"url": "{URL}", "headers": {{"X": "y"}}}}}}}}\n'


@pytest.fixture
def web(home):
    keep_port(home.state / "remote" / "port.json", 20000)
    keep_probe(home.state / "remote" / "probes", URL, ProbeResult(OPEN, 1.0))
    return written(home.home / ".cursor" / "mcp.json", WEB)


def registered(home):
    return load_servers(home.state / "remote" / "servers")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_url_is_wrapped_in_a_private_file_and_comes_back_with_its_bytes_and_mode(worker, home, web):
    web.chmod(0o644)
    (source,) = worker.sources()
    assert results(worker.sync(source)) == {"web": ("wrapped", "")}
    (server,) = registered(home).values()
    ours = wrapped_url(20000, server)
    assert (web.read_text(), mode(web)) == (WEB.replace(URL, ours), 0o600)
    assert (worker.sync(source).result, worker.look(source).states[0].state) == (UNCHANGED, "governed")
    assert worker.look(source).states[0].upstream == "https://…@x.example/mcp?key=…"
    assert results(worker.unwrap(source)) == {"web": ("unwrapped", "")}
    assert (web.read_text(), mode(web), registered(home)) == (WEB, 0o644, {})
    assert worker.unwrap(source).result == UNCHANGED


def test_the_mode_returns_with_the_last_url_and_one_that_others_may_read_again_is_closed(worker, home, web):
    two = written(web, WEB.replace('{"web"', f'{{"b": {{"url": "{URL}"}}, "web"'))
    two.chmod(0o640)
    (source,) = worker.sources()
    worker.sync(source)
    worker.unwrap(source, ["b"])
    assert mode(two) == 0o600
    two.chmod(0o644)
    assert (worker.sync(source, names=["web"]).result, mode(two)) == (UNCHANGED, 0o600)
    worker.unwrap(source)
    assert mode(two) == 0o644


def test_no_copy_no_history_and_no_file_but_the_config_and_the_registry_holds_an_id(worker, home, web):
    (source,) = worker.sources()
    worker.sync(source)
    ident = next(iter(registered(home)))
    written(web, web.read_text().replace("}}}}", '}}, "fs": {"command": "npx"}}}'))
    worker.sync(source)
    holders = {str(path) for path in home.home.rglob("*") if path.is_file() and ident in path.read_text("latin-1")}
    assert holders == {str(web), str(home.state / "remote" / "servers" / f"{ident}.json")}
    copies = [copy.path.read_text() for copy in backups.copies(home.state, web)]
    assert [URL in copy for copy in copies] == [True, True]


def test_a_crash_between_the_registration_and_the_swap_loses_nothing(worker, home, web, monkeypatch):
    (source,) = worker.sources()

    def crash(*_args, **_more):
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "swap", crash)
    with pytest.raises(KeyboardInterrupt):
        worker.sync(source)
    monkeypatch.undo()
    assert web.read_text() == WEB
    (ident,) = registered(home)
    worker.sync(source)
    assert list(registered(home)) == [ident], "the registration is used"
    assert ident in web.read_text()


def test_a_crash_after_an_unwrap_leaves_a_registration_that_is_used_or_forgotten(worker, home, web, monkeypatch):
    (source,) = worker.sources()
    worker.sync(source)
    monkeypatch.setattr(worker.remotes, "forget", lambda idents: None)
    worker.unwrap(source)
    monkeypatch.undo()
    assert (web.read_text(), len(registered(home))) == (WEB, 1)
    worker.sync(source)
    assert worker.unwrap(source).result == CHANGED
    assert (web.read_text(), registered(home)) == (WEB, {})


def test_a_lost_registration_comes_back_and_unwrap_needs_none(worker, home, web):
    (source,) = worker.sources()
    worker.sync(source)
    wrapped, (server,) = web.read_text(), registered(home).values()
    shutil.rmtree(home.state / "remote" / "servers")
    assert (worker.sync(source).result, registered(home)) == (UNCHANGED, {server.id: server})
    shutil.rmtree(home.state / "remote")
    assert worker.unwrap(source).result == CHANGED
    assert web.read_text() == WEB
    shutil.rmtree(home.state)
    written(web, wrapped)
    (state,) = worker.look(source).states
    assert (state.state, state.reason_code) == ("error", "remote-lost")
    assert worker.unwrap(source).result == UNCHANGED


def test_a_file_that_cannot_be_registered_for_is_left_as_it_is(worker, home, web):
    (home.state / "remote" / "servers").write_text("a file")
    (source,) = worker.sources()
    found = worker.sync(source)
    assert (found.result, web.read_text()) == (FAILED, WEB)


def test_a_projects_file_gets_no_secret(worker, home, web):
    file = written(home.home / "p" / ".cursor" / "mcp.json", WEB)
    (entry,) = worker.sync(worker.source(file)).entries
    assert (entry.result, entry.reason_code, file.read_text()) == ("skipped", "remote-in-project", WEB)


def test_a_link_is_followed_and_its_target_gets_the_mode(worker, home, web):
    target = written(home.home / "dot" / "mcp.json", WEB)
    target.chmod(0o640)
    web.unlink()
    web.symlink_to(target)
    (source,) = worker.sources()
    worker.sync(source)
    assert (mode(target), web.is_symlink()) == (0o600, True)
    worker.unwrap(source)
    assert (mode(target), target.read_text()) == (0o640, WEB)


def test_a_url_that_the_app_is_to_sign_in_to_itself_is_registered_so(worker, home, web):
    keep_probe(home.state / "remote" / "probes", URL, ProbeResult(OAUTH, 1.0))
    (source,) = worker.sources()
    assert results(worker.sync(source))["web"][0] == "skipped"
    assert results(worker.preview(source, WRAP, passthrough=True))["web"][0] == "wrapped"
    assert results(worker.sync(source, names=["web"], passthrough=True))["web"][0] == "wrapped"
    assert [server.login for server in registered(home).values()] == [PASSTHROUGH]
    assert worker.sync(source).result == UNCHANGED
    assert [server.login for server in registered(home).values()] == [PASSTHROUGH]
