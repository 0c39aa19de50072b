"""The daemon as a process of its own, in a home of its own."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys

import psutil
import pytest

from mcpgov import __version__
from mcpgov.daemon.instance_lock import Holder, holder
from mcpgov.proxy.daemon_link import DaemonLink
from mcpgov.self_command import child_command
from tests.helpers.daemons import CODE, Home
from tests.helpers.talks import PATIENCE, wait_for

ALLOW = '[[rule]]\naction = "allow"\ntool = "*"\n'


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_it_answers_and_everything_of_it_is_private(home):
    with home.daemon() as process:
        found = home.ask("ping")
        assert (found["pid"], found["version"]) == (process.pid, __version__)
        lock = home.root / "run" / "daemon.lock"
        assert holder(lock) == Holder(process.pid, __version__)
        places = (home.root / "run", home.socket, lock, home.log.parent, home.log)
        assert [mode(place) for place in places] == [0o700, 0o600, 0o600, 0o700, 0o600]
        assert psutil.Process(process.pid).cwd() == "/"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(home, number):
    with home.daemon() as process:
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""
    assert (home.socket.exists(), holder(home.root / "run" / "daemon.lock")) == (False, None)
    assert [entry["event"] for entry in (home.logged("started") + home.logged("stopped"))] == ["started", "stopped"]


def test_asked_to_stop_it_answers_and_ends(home):
    with home.daemon() as process:
        assert home.ask("stop") == {"pid": process.pid}
        assert process.wait(PATIENCE) == 0


def test_a_second_one_is_told_who_runs(home):
    with home.daemon() as process:
        words = [sys.executable, "-c", CODE, str(home.root)]
        second = subprocess.run(words, env=home.environ, capture_output=True, timeout=PATIENCE, check=False)
        assert second.returncode == 1
        assert f"the daemon runs already: pid {process.pid}, version {__version__}".encode() in second.stderr
        assert home.ask("ping")["pid"] == process.pid
    assert home.logged("cannot start") != []


def test_after_a_kill_the_next_one_takes_over(home):
    with home.daemon() as process:
        process.kill()
        process.wait(PATIENCE)
    assert home.socket.exists()
    with home.daemon() as process:
        assert home.ask("ping")["pid"] == process.pid


def test_a_directory_that_is_not_ours_alone_stops_the_start(home, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (home.root / "run").symlink_to(tmp_path / "elsewhere")
    words = [sys.executable, "-c", CODE, str(home.root)]
    done = subprocess.run(words, env=home.environ, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert b"is no directory of ours" in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_service_manager_hears_ready_signs_of_life_and_stopping(home, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE)
        environ = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000", "INVOCATION_ID": "x"}
        with home.daemon(**environ) as process:
            assert manager.recv(1000).startswith(b"READY=1\n")
            assert [manager.recv(1000) for _ in range(3)] == [b"WATCHDOG=1"] * 3
            found = home.status()["daemon"]
            assert (found["service"], found["survives_logout"]) == ("systemd", True)
            process.send_signal(signal.SIGTERM)
            while (said := manager.recv(1000)) == b"WATCHDOG=1":
                pass
            assert said.startswith(b"STOPPING=1")
            assert b"mcpgov: info: started pid=" in process.stderr.read()


def test_a_server_that_is_added_is_wrapped_and_told_of(home):
    config = home.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    with home.daemon():
        wait_for(lambda: home.status()["clients"], "the settings")
        config.write_text('{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}')
        launcher = str(home.root / "bin" / "mcpgov-proxy")
        wait_for(lambda: json.loads(config.read_text())["mcpServers"]["git"]["command"] == launcher, "the wrap")
        found = wait_for(lambda: home.status()["servers"], "the entry")
        assert [(server["name"], server["state"]) for server in found] == [("git", "governed")]
        assert os.access(launcher, os.X_OK)
        assert {file["result"] for file in home.ask("sync")["files"]} <= {"changed", "unchanged"}


def test_without_its_lock_it_ends_before_it_wraps_again(home):
    config = home.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    bare = '{"mcpServers": {"git": {"command": "uvx"}}}'
    config.write_text(bare)
    with home.daemon() as process:
        wait_for(lambda: home.logged("wrapped"), "the wrap")
        shutil.rmtree(home.root / "run")
        (home.root / "bin" / "mcpgov-proxy").unlink()
        config.write_text(bare)
        assert process.wait(PATIENCE) == 1, "a service manager starts another"
    assert (config.read_text(), (home.root / "bin" / "mcpgov-proxy").exists()) == (bare, False)
    assert [len(home.logged(event)) for event in ("lock lost", "stopped", "wrapped")] == [1, 1, 1]


def test_a_launcher_that_is_gone_is_written_anew_before_anything_names_it(home):
    config, launcher = home.home / ".cursor" / "mcp.json", home.root / "bin" / "mcpgov-proxy"
    config.parent.mkdir()
    config.write_text('{"mcpServers": {"git": {"command": "uvx"}}}')
    with home.daemon():
        wait_for(lambda: home.logged("wrapped"), "the wrap")
        launcher.unlink()
        config.write_text('{"mcpServers": {"web": {"command": "uvx"}}}')
        wait_for(lambda: len(home.logged("wrapped")) == 2, "the second wrap")
        assert launcher.is_file()
        wait_for(lambda: len(home.logged("launcher written")) == 2, "the word of it")


def test_status_and_servers_agree_on_a_file_that_may_not_be_written(home):
    config = home.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text('{"mcpServers": {"git": {"command": "uvx"}}}')
    with home.daemon():
        wait_for(lambda: home.logged("wrapped"), "the wrap")
        scratch = config.with_name("new")
        scratch.write_text('{"mcpServers": {"web": {"command": "uvx"}}}')
        scratch.chmod(0o444)
        scratch.replace(config)
        wait_for(lambda: home.logged("cannot work on file"), "the refusal")
        found = [(server["name"], server["state"]) for server in home.status()["servers"]]
        words = [*child_command(home.root), "servers", "--json"]
        done = subprocess.run(words, env=home.environ, capture_output=True, timeout=PATIENCE, check=False)
        told = [(server["name"], server["state"]) for server in json.loads(done.stdout)["servers"]]
        assert found == told == [("web", "native")]


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS tells in another way")
def test_a_broken_policy_is_told_on_the_desktop(home, tmp_path):
    tools, said = tmp_path / "tools", tmp_path / "said"
    tools.mkdir()
    (tools / "notify-send").write_text(f'#!/bin/sh\nfor word; do echo "$word"; done >> {said}\n')
    (tools / "notify-send").chmod(0o755)
    home.write_policy("broken = = ")
    path = f"{tools}:{os.environ['PATH']}"
    with home.daemon(PATH=path, DISPLAY=":7", DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere"):
        wait_for(lambda: said.exists() and "mcpgov: the policy is broken" in said.read_text(), "the notice")
    assert "no call is allowed" in said.read_text()


def test_a_policy_is_compiled_when_it_changes_and_a_broken_one_is_told(home):
    home.write_policy(ALLOW)
    with home.daemon():
        first = wait_for(lambda: home.status()["policy"]["revision"], "the first policy")
        home.write_policy(ALLOW + '[[rule]]\naction = "deny"\ntool = "x"\n')
        wait_for(lambda: home.status()["policy"]["revision"] not in ("", first), "the second policy")
        home.write_policy("broken = = ")
        error = wait_for(lambda: home.status()["policy"]["error"], "the error")
        assert "policy.toml" in error
        assert home.status()["policy"]["revision"] not in ("", first)
        assert [entry["problem"] for entry in home.logged("policy broken")] == [error]


def test_settings_that_change_are_taken_without_a_restart(home):
    def clients():
        return [client["client"] for client in home.status()["clients"]]

    settings = home.root / "config" / "settings.toml"
    settings.write_text('clients = ["cursor"]\n')
    with home.daemon() as process:
        wait_for(lambda: clients() == ["cursor"], "the settings")
        settings.write_text('clients = ["claude-code"]\n')
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: clients() == ["claude-code"], "the other settings")
        settings.write_text("nonsense = 1\n")
        home.ask("reload")
        wait_for(lambda: home.logged("settings broken"), "the complaint")
        assert clients() == ["claude-code"]


def test_a_proxy_is_known_with_its_counters_and_outlives_the_daemon(home):
    with home.daemon() as process:
        link = DaemonLink(
            str(home.socket), {"server": "fs", "client": "cursor", "pid": 1}, lambda: {"calls": 3, "denied": 1}
        )
        assert link.retry(0.0)
        wait_for(lambda: home.status()["proxies"], "the proxy")
        link.readable()
        wait_for(lambda: link.readable() or home.status()["proxies"][0]["calls"] == 3, "its counters")
        (proxy,) = home.status()["proxies"]
        assert (proxy["pid"], proxy["server"], proxy["denied"]) == (os.getpid(), "fs", 1)
        process.kill()
        process.wait(PATIENCE)
        wait_for(lambda: link.readable() or link.fd == -1, "the daemon's end")
    with home.daemon():
        assert link.retry(100.0)
        wait_for(lambda: home.status()["proxies"], "the proxy again")
        link.drop()


def test_it_loads_nothing_that_a_child_should():
    code = "import sys; import mcpgov.daemon.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = {module.split(".")[0] for module in done.stdout.split()}
    heavy = {"pydantic", "pydantic_settings", "rich", "cel", "re2", "mcp"}
    assert loaded & heavy == set()


@pytest.mark.parametrize("plant", ["pipe", "directory", "deep", "device"])
def test_what_is_planted_among_its_files_keeps_no_daemon_from_answering(tmp_path, plant):
    home = Home(tmp_path)
    for name in ("state/compiled/current-0.1.0.json", "state/history/now.json", "state/history/log.jsonl",
                 "state/daemon/entries.json", "state/journal/2026-11-16.jsonl", "state/heads/2026-11-16.jsonl",
                 "state/tools/x.json", "config/settings.toml", "state/originals/launchers.json"):  # fmt: skip
        path = home.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if plant == "pipe":
            os.mkfifo(path)
        elif plant == "directory":
            path.mkdir()
        elif plant == "deep":
            path.write_text("[" * 200_000)
        else:
            path.symlink_to("/dev/zero")
    with home.daemon() as process:
        assert process.poll() is None
        assert home.status()["command"] == "status"
    assert home.logged("broken") == []


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="limits of other processes are not told here")
def test_it_has_descriptors_for_many_links_where_the_system_allows_them(home):
    with home.daemon() as process:
        soft, hard = psutil.Process(process.pid).rlimit(psutil.RLIMIT_NOFILE)
        assert soft >= min(8192, hard) or hard == psutil.RLIM_INFINITY
