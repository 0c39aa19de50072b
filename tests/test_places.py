import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgov.places import LONGEST_SOCKET, MOST_SHORT, Places, find_root, quick_places, squatted, usual_directories

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.upper().startswith(("XDG_", "MCPGOV_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def places(tmp_path):
    found = Places(tmp_path / "root")
    found.config.mkdir(parents=True)
    return found


def test_a_root_is_the_argument_else_the_variable_else_nothing(monkeypatch, home, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert find_root(None) is None
    monkeypatch.setenv("MCPGOV_ROOT", "~/trial")
    assert find_root(None) == home / "trial"
    assert find_root("here") == Path.cwd() / "here"
    monkeypatch.setenv("MCPGOV_ROOT", "")
    assert find_root(None) is None


def test_with_a_root_everything_lies_below_it_and_its_owner_manages(tmp_path, monkeypatch):
    monkeypatch.setattr("mcpgov.places.LONGEST_SOCKET", 1000)
    found = Places(tmp_path)
    assert {name: str(path.relative_to(tmp_path)) for name, path in vars(found).items() if name != "root"} == {
        "config": "config",
        "state": "state",
        "runtime": "run",
        "launcher": "bin/mcpgov-proxy",
        "managed_policy": "managed/policy.toml",
        "settings_file": "config/settings.toml",
        "page": "run/page",
        "page_sessions": "run/page/sessions.json",
        "compiled": "state/compiled",
        "salt": "state/salt",
        "journal": "state/journal",
        "heads": "state/heads",
        "tools": "state/tools",
        "clean_lines": "state/clean-lines",
        "ledger_spending": "state/ledger.sqlite.spending.json",
        "ledger_hosts": "state/ledger.sqlite.hosts.json",
        "daemon": "state/daemon",
        "grants": "state/daemon/grants.json",
        "ledger": "state/ledger.sqlite",
        "ledger_report": "state/daemon/ledger.json",
        "lock": "state/lock.json",
        "log": "state/log",
        "remote_servers": "state/remote/servers",
        "remote_probes": "state/remote/probes",
        "remote_port": "state/remote/port.json",
        "remote_tokens": "state/remote/tokens",
        "serve": "state/serve",
        "serve_install": "state/serve/install.json",
        "known_configs": "state/history/files.json",
        "socket": "run/daemon.sock",
        "lender_socket": "run/lender.sock",
    }
    assert found.managed_owner == tmp_path.stat().st_uid


@pytest.mark.skipif(sys.platform == "darwin", reason="the places of Linux")
def test_without_a_root_the_places_are_the_users_and_root_manages(home, monkeypatch):
    found = Places()
    assert (found.config, found.state) == (home / ".config/mcpgov", home / ".local/state/mcpgov")
    assert found.launcher == home / ".local/share/mcpgov/bin/mcpgov-proxy"
    assert (found.managed_policy, found.managed_owner) == (Path("/etc/mcpgov/policy.toml"), 0)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(home / "xdg"))
    assert Places().runtime == home / ".local/state/mcpgov/run", "the same from a service, a terminal and a cron job"


def test_the_policy_is_rules_json_only_where_no_policy_toml_is(places):
    toml, rules = places.config / "policy.toml", places.config / "rules.json"
    assert places.policy_file() == toml
    rules.write_text("{}")
    assert places.policy_file() == rules
    toml.write_text("")
    assert places.policy_file() == toml


def test_a_socket_path_too_long_for_the_kernel_moves_to_a_short_directory():
    short = Places(Path("/" + "x" * 20))
    assert short.socket == short.runtime / "daemon.sock"
    long, other = Places(Path("/" + "x" * 100)), Places(Path("/" + "y" * 100))
    assert len(os.fsencode(long.socket)) <= LONGEST_SOCKET
    assert long.socket.parent.parent == Path("/tmp")
    assert long.socket != other.socket


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """A directory that stands for /tmp, and a root whose socket goes there."""
    (tmp_path / "s").mkdir()
    monkeypatch.setattr("mcpgov.places.SHORT", str(tmp_path / "s"))
    return tmp_path / "s", Path("/" + "x" * 100)


def test_a_short_directory_that_is_not_ours_is_passed_over_by_everybody(shared):
    _place, root = shared
    first = Places(root).socket.parent
    assert squatted(Places(root)) == ""
    first.symlink_to("/etc")
    second = Places(root).socket.parent
    assert (second, squatted(Places(root))) == (first.with_name(f"{first.name}-2"), str(first))
    second.write_text("a file is no directory of ours")
    third = Places(root).socket.parent
    assert (third, quick_places(str(root))[0]) == (first.with_name(f"{first.name}-3"), f"{third}/daemon.sock")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a directory to another user")
def test_another_users_directory_is_passed_over(shared):
    first = Places(shared[1]).socket.parent
    first.mkdir()
    assert Places(shared[1]).socket.parent == first
    os.chown(first, 65534, 65534)
    assert Places(shared[1]).socket.parent == first.with_name(f"{first.name}-2")


def test_the_one_that_the_daemon_has_made_is_found_also_when_the_first_is_free_again(shared):
    _place, root = shared
    first = Places(root).socket.parent
    first.symlink_to("/etc")
    second = Places(root).socket.parent
    second.mkdir()
    first.unlink()
    assert Places(root).socket.parent == second
    assert squatted(Places(root)) == ""


def test_where_everything_is_taken_the_first_is_named_so_that_the_daemon_says_whose_it_is(shared):
    _place, root = shared
    first = Places(root).socket.parent
    for number in range(MOST_SHORT + 1):
        taken = first if number == 0 else first.with_name(f"{first.name}-{number}")
        taken.symlink_to("/etc")
    assert Places(root).socket.parent == first


def test_a_short_socket_path_is_never_squatted(tmp_path):
    assert squatted(Places(Path("/x"))) == ""


ODD_ROOTS = ["~/trial", "here", "/a//b", "/a/./b", "/a/b/", "//a/b", "/a/../b", "/", "/" + "x" * 120, "/ä b"]
ODD_HOMES = ["/h", "/h/", "//h", "/", "", "relative", "/" + "y" * 120, "/ä b"]
MOVED = [{}, {"XDG_STATE_HOME": "/s"}, {"XDG_CONFIG_HOME": "/c"}, {"XDG_STATE_HOME": "relative"},
         {"ANDROID_DATA": "/data", "ANDROID_ROOT": "/system"}]  # fmt: skip


@pytest.mark.parametrize("moved", MOVED, ids=str)
@pytest.mark.parametrize("home", ODD_HOMES)
def test_the_quick_places_are_the_places_wherever_the_home_is(monkeypatch, home, moved):
    monkeypatch.setenv("HOME", home)
    for name, value in moved.items():
        monkeypatch.setenv(name, value)
    found = Places()
    assert quick_places(None) == (str(found.socket), str(found.settings_file))


@pytest.mark.parametrize("root", ODD_ROOTS)
def test_the_quick_places_are_the_places_whatever_the_root_is(monkeypatch, tmp_path, root):
    monkeypatch.chdir(tmp_path)
    found = Places(find_root(root))
    assert quick_places(root) == (str(found.socket), str(found.settings_file))
    monkeypatch.setenv("MCPGOV_ROOT", root)
    assert quick_places(None) == (str(found.socket), str(found.settings_file))


def test_the_usual_places_are_found_without_the_libraries_that_find_all():
    code = (
        "import sys; from mcpgov.places import quick_places; quick_places(None); quick_places('/tmp/x')\n"
        "print(*sys.modules)"
    )
    environ = {"HOME": "/home/u"}
    done = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
                          capture_output=True, text=True, check=True, env=environ)  # fmt: skip
    assert {"platformdirs", "pathlib", "typing", "re", "hashlib"} & set(done.stdout.split()) == set()


def test_the_usual_directories_are_the_places_of_a_plain_home(home):
    usual = usual_directories(str(home))
    found = Places()
    for place in (found.config, found.state, found.launcher):
        assert any(str(place).startswith(directory) for directory in usual)
