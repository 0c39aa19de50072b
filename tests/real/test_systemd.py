"""The login service under a real systemd user manager. A stand-in plays the daemon and says what it saw."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mcpgov.daemon.control import line_client
from mcpgov.errors import McpgovError
from mcpgov.front.install.libraries import import_paths
from mcpgov.front.service import login_service
from mcpgov.front.service.service_manager import UnitState
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, keep_server, load_port, new_id
from tests.helpers.played_remote import network_sockets, played_service
from tests.helpers.systemd_manager import Manager, running_manager, until

MOST_EXPOSED = 63  # what `systemd-analyze security` gives, times ten; AF_INET and AF_INET6 are 3 of it
PYTHON = os.path.realpath(sys.executable)
STAND_IN = """
import json, os, resource, signal, socket, subprocess, sys
if sys.argv[1] == "broken":
    sys.exit("the stand-in is broken")
def tried(act):
    try:
        return act()
    except OSError as error:
        return error.strerror
def replaced():
    path = os.environ["HOME"] + "/client.json"
    with open(path + ".new", "w") as file:
        file.write("{}")
    os.chown(path + ".new", -1, os.getgid())
    os.replace(path + ".new", path)
    return oct(os.stat(path).st_mode)
def neighbour():
    pid = int(sys.argv[2])
    os.kill(pid, signal.SIGCONT)
    return [os.path.basename(os.readlink(f"/proc/{pid}/exe")), os.readlink(f"/proc/{pid}/cwd"),
            open(f"/proc/{pid}/environ").read()]
def network():
    # As the service of remote servers does: listen on the loopback in both families, connect, resolve.
    told = []
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as listening:
            listening.bind((host, 0))
            listening.listen()
            with socket.create_connection(listening.getsockname()[:2], 5):
                told.append(host)
    found = socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    return [*told, any(row[4][0] in ("127.0.0.1", "::1") for row in found)]
def watched():
    sys.path[:0] = json.loads(sys.argv[3])
    import psutil
    import threading
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers import Observer
    seen, handler, observer = threading.Event(), FileSystemEventHandler(), Observer()
    handler.on_created = lambda event: seen.set()
    observer.schedule(handler, os.environ["HOME"])
    observer.start()
    open(os.environ["HOME"] + "/appeared", "w").close()
    told = seen.wait(10)
    observer.stop()
    return [told, psutil.Process(int(sys.argv[2])).exe() != ""]
saw = {"pid": os.getpid(), "argv": sys.argv[1:], "data": os.environ.get("XDG_DATA_HOME")}
if sys.argv[1] == "probe":
    saw["replaced"] = tried(replaced)
    saw["neighbour"] = tried(neighbour)
    saw["watched"] = tried(watched)
    saw["child"] = tried(lambda: subprocess.check_output([sys.executable, "-I", "-c", "print(1)"], text=True))
    saw["network"] = tried(network)
    saw["refused"] = [tried(lambda: socket.socket(family, socket.SOCK_RAW)) for family in
                      (socket.AF_PACKET, socket.AF_VSOCK)]
    saw["limit"] = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    lines = open("/proc/self/status").read().splitlines()
    saw["flags"] = [line for line in lines if line.startswith(("NoNewPrivs:", "Seccomp:"))]
with open(os.environ["HOME"] + "/saw.json", "w") as file:
    json.dump(saw, file)
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
    manager.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
signal.pause()
"""


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    with running_manager() as found:
        for name in list(os.environ):
            if name.startswith(("XDG_", "MCPGOV_", "DBUS_")):
                monkeypatch.delenv(name)
        for name, value in found.environ.items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.fixture
def stand_in(tmp_path: Path) -> Callable[..., list[str]]:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    return lambda *words: [PYTHON, "-I", "-S", str(script), *(words or ("plain",))]


@pytest.fixture
def places(manager: Manager) -> Places:
    return Places()


def saw(manager: Manager) -> dict:
    return json.loads((manager.home / "saw.json").read_text())


def drop_in(service: login_service.LoginService, *lines: str) -> None:
    """As a person would with `systemctl --user edit`."""
    assert service.unit is not None
    file = service.unit.with_name("mcpgov.service.d") / "quick.conf"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(("[Service]", *lines, "")))


def files(manager: Manager) -> list[str]:
    """Directories apart: whether they were made for us is known to `removal` alone."""
    found = (manager.home / ".config").rglob("*")
    return sorted(str(path.relative_to(manager.home)) for path in found if path.is_symlink() or not path.is_dir())


def test_install_enables_and_starts_and_twice_changes_nothing(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    unit = manager.home / ".config/systemd/user/mcpgov.service"
    assert service == login_service.LoginService("systemd", "mcpgov.service", unit)
    assert login_service.install(service, places, command=stand_in()) == [
        f"wrote `{unit}`",
        "enabled the service at login",
        "started the service",
    ]
    assert manager.systemctl("is-active", "mcpgov.service") == "active"
    assert manager.systemctl("is-enabled", "mcpgov.service") == "enabled"
    before = login_service.state(service)
    since = before.since
    assert before == UnitState("active", True, saw(manager)["pid"], since, 0, "running")
    assert abs(since - unit.stat().st_mtime) < 20
    assert [manager.home / name for name in files(manager) if name.endswith(".service")] == sorted(
        login_service.planned(service, places), key=str
    )
    assert unit.stat().st_mode & 0o777 == 0o644
    assert login_service.install(service, places, command=stand_in()) == []
    assert login_service.state(service).pid == before.pid


def test_a_killed_daemon_comes_back_with_another_pid(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=stand_in())
    first = login_service.state(service).pid
    os.kill(first, signal.SIGKILL)
    until(lambda: (now := login_service.state(service)).status == "active" and now.pid != first, "the restart")
    again = login_service.state(service)
    assert (again.restarts, again.pid) == (1, saw(manager)["pid"])


def test_an_upgrade_over_an_older_unit_restarts_the_daemon(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=stand_in("old"))
    old = saw(manager)
    assert login_service.install(service, places, command=stand_in("new")) == [
        f"wrote `{service.unit}`",
        "restarted the service",
    ]
    new = saw(manager)
    assert (old["argv"], new["argv"], old["pid"] != new["pid"]) == (["old"], ["new"], True)
    assert login_service.state(service).pid == new["pid"]


def test_a_stopped_service_is_started_again_and_a_disabled_one_enabled(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=stand_in())
    login_service.stop(service)
    assert (login_service.state(service).status, login_service.state(service).pid) == ("inactive", None)
    assert login_service.install(service, places, command=stand_in()) == ["started the service"]
    manager.systemctl("disable", "mcpgov.service")
    assert login_service.install(service, places, command=stand_in()) == ["enabled the service at login"]
    first = login_service.state(service).pid
    login_service.restart(service)
    assert login_service.state(service).pid not in (None, first)


def test_uninstall_leaves_nothing_and_twice_is_no_error(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=stand_in())
    pid = login_service.state(service).pid
    assert login_service.uninstall(service, places) == ["stopped and disabled the service", f"removed `{service.unit}`"]
    assert files(manager) == []
    assert login_service.state(service) == UnitState("missing")
    assert manager.systemctl("list-unit-files", "--no-legend", "mcpgov*") == ""
    assert manager.systemctl("list-units", "--all", "--no-legend", "mcpgov*") == ""
    assert not Path(f"/proc/{pid}").exists()
    assert login_service.uninstall(service, places) == []


def test_a_broken_daemon_is_told_in_the_managers_words_and_ends_in_failed(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    # Only the pause between two attempts is shortened; how many there are is the unit's own.
    drop_in(service, "RestartSec=20ms")
    with pytest.raises(McpgovError, match=r"systemd refused `start mcpgov.service`: Job for mcpgov.service failed"):
        login_service.install(service, places, command=stand_in("broken"))
    until(lambda: login_service.state(service).status == "failed", "the end of the attempts")
    failed = login_service.state(service)
    assert (failed.enabled, failed.pid, failed.detail) == (True, None, "failed: exit-code")
    # A better version is not held up by the limit that the broken one has reached.
    assert login_service.install(service, places, command=stand_in())[-1] == "started the service"
    assert login_service.state(service).status == "active"
    login_service.uninstall(service, places)
    assert files(manager) == [".config/systemd/user/mcpgov.service.d/quick.conf"]


def test_the_hardened_daemon_can_do_its_work_and_no_more(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    where = [path for path in sys.path if path.endswith("site-packages")]
    words = manager.inside("/bin/sleep", "600")
    with subprocess.Popen(words, env={"A": "1"}) as neighbour:
        try:
            until(lambda: b"sleep" in Path(f"/proc/{neighbour.pid}/comm").read_bytes(), "the neighbour")
            login_service.install(service, places, command=stand_in("probe", str(neighbour.pid), json.dumps(where)))
            login_service.stop(service)
            assert neighbour.poll() is None
        finally:
            neighbour.kill()
    found = saw(manager)
    exe = os.path.basename(os.path.realpath("/bin/sleep"))
    told = ("replaced", "neighbour", "watched", "child", "network", "refused", "limit", "flags")
    assert {key: found[key] for key in told} == {
        "replaced": "0o100600",
        "neighbour": [exe, "/", "A=1\0"],
        "watched": [True, True],
        "child": "1\n",
        "network": ["127.0.0.1", "::1", True],
        "refused": ["Address family not supported by protocol"] * 2,
        "limit": 8192,
        "flags": ["NoNewPrivs:\t1", "Seccomp:\t2"],
    }


def real_daemon(*, played: bool = False) -> list[str]:
    """`played`: its service of remote servers is one that only listens and links."""
    code = (
        f"import sys; sys.path[:0] = {import_paths()!a}; from mcpgov.daemon.run import serve; "
        f"from mcpgov.places import Places; {played_service() if played else ''}sys.exit(serve(Places()))"
    )
    return [PYTHON, "-I", "-S", "-c", code]


def test_the_real_daemon_wraps_what_is_added_while_it_is_hardened(manager, places):
    config = manager.home / ".claude.json"
    config.write_text('{"mcpServers": {}}')
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=real_daemon())
    config.write_text('{"mcpServers": {"added": {"command": "stand-in", "args": []}}}')
    until(lambda: str(places.launcher) in config.read_text(), "the wrapped entry")
    assert login_service.state(service).restarts == 0
    login_service.stop(service)
    assert login_service.state(service).detail == "dead"  # an ordered end, no failure


def test_the_service_of_remote_servers_listens_while_the_daemon_is_hardened_and_the_daemon_does_not(manager, places):
    server = RemoteServer(new_id(), "sentry", "cursor", "", "https://mcp.example/mcp")
    keep_server(places.remote_servers, server)
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=real_daemon(played=True))
    until(lambda: load_port(places.remote_port), "its port")
    port = load_port(places.remote_port)

    def listener() -> dict:
        found: dict = json.loads(line_client.request(places.socket, "status")["text"]).get("listener") or {}
        return found

    until(lambda: listener().get("state") == "up", "the service")
    with socket.create_connection(("127.0.0.1", port), 5):
        pass
    daemon = login_service.state(service).pid
    assert daemon is not None
    (child,) = [row["pid"] for row in services(places) if row["name"] == "remote"]
    assert (network_sockets(daemon), len(network_sockets(child))) == ([], 1)
    login_service.stop(service)
    assert (login_service.state(service).detail, Path(f"/proc/{child}").exists()) == ("dead", False)


def services(places: Places) -> list[dict]:
    found: list[dict] = json.loads(line_client.request(places.socket, "status")["text"])["services"]
    return found


def test_a_daemon_that_hangs_is_ended_by_the_watchdog_and_comes_back_by_itself(manager, places):
    service = login_service.which(places, system="linux")
    drop_in(service, "WatchdogSec=2", "TimeoutAbortSec=1")  # a stopped process does not hear SIGABRT
    login_service.install(service, places, command=real_daemon())
    first = login_service.state(service)
    assert manager.systemctl("show", "--value", "-p", "Type,WatchdogUSec", service.name).split() == ["notify", "2s"]

    def last_sign() -> int:
        """In microseconds."""
        return int(manager.systemctl("show", "--value", "-p", "WatchdogTimestampMonotonic", service.name))

    began = last_sign()
    until(lambda: last_sign() - began > 2_500_000, "signs of life for longer than the watchdog waits")
    assert (login_service.state(service).pid, login_service.state(service).restarts) == (first.pid, 0)
    os.kill(first.pid, signal.SIGSTOP)
    until(lambda: (now := login_service.state(service)).status == "active" and now.pid != first.pid, "the restart")
    assert login_service.state(service).restarts == 1
    until(lambda: line_client.request(places.socket, "ping")["pid"] == login_service.state(service).pid, "its answer")


def test_the_unit_passes_systemds_own_checks(manager, places):
    service = login_service.which(places, system="linux")
    file = manager.base / "mcpgov.service"
    file.write_text(login_service.render(service, places))
    verified = manager.run("systemd-analyze", "--user", "verify", str(file))
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")
    words = ("--user", "security", "--no-pager", "--offline=true", f"--threshold={MOST_EXPOSED}")
    exposed = manager.run("systemd-analyze", *words, str(file))
    assert exposed.returncode == 0, exposed.stdout.splitlines()[-1]


ODD = [
    "a b",
    "100%",
    "%h",
    'say "x"',
    "it's",
    "$HOME",
    "${HOME}",
    "$$",
    "back\\slash",
    "ünï",
    "two\nlines",
    ";",
    "",
    "#",
]


def test_odd_letters_in_paths_and_words_reach_the_daemon_as_they_are(manager, places, stand_in, monkeypatch):
    data = str(manager.home / 'd %h $HOME "ü" \'')
    monkeypatch.setenv("XDG_DATA_HOME", data)
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=stand_in(*ODD))
    assert (saw(manager)["argv"], saw(manager)["data"]) == (ODD, data)


@pytest.mark.parametrize("name", ["with a space", "100%h", "$HOME", 'qu"ote', "it's = \\", "ü"])
def test_an_interpreter_with_an_odd_path_is_started(manager, places, stand_in, name):
    python = manager.base / name / "python"
    python.parent.mkdir()
    python.symlink_to(PYTHON)
    service = login_service.which(places, system="linux")
    login_service.install(service, places, command=[str(python), *stand_in()[1:]])
    started = (Path("/proc") / str(login_service.state(service).pid) / "cmdline").read_bytes()
    assert started.split(b"\0")[0].decode() == str(python)


def test_a_trial_has_a_service_of_its_own(manager, places, stand_in):
    trial = Places(manager.base / "trial")
    real, own = login_service.which(places, system="linux"), login_service.which(trial, system="linux")
    login_service.install(real, places, command=stand_in("real"))
    login_service.install(own, trial, command=stand_in("trial"))
    assert (login_service.state(real).status, login_service.state(own).status, real.name != own.name) == (
        "active",
        "active",
        True,
    )
    login_service.uninstall(own, trial)
    assert (login_service.state(real).status, login_service.state(own).status) == ("active", "missing")


def test_a_manager_that_looks_elsewhere_or_does_not_answer_is_told(manager, places, monkeypatch, stand_in):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(manager.home / "elsewhere"))
    service = login_service.which(places, system="linux")
    assert service.unit == manager.home / ".config/systemd/user/mcpgov.service"
    login_service.install(service, places, command=stand_in())
    monkeypatch.setenv("HOME", str(manager.base / "another"))
    assert login_service.which(places, system="linux").reason.startswith("systemd's user manager takes no units from `")
    monkeypatch.setenv("HOME", str(manager.home))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(manager.base / "nowhere"))
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    silent = login_service.which(places, system="linux")
    assert silent.reason.startswith("systemd's user manager does not answer: ")
    assert login_service.state(silent) == UnitState("missing", detail=silent.reason)
    assert login_service.uninstall(silent, places) == [f"removed `{service.unit}`"]
    assert files(manager) == []


def test_a_unit_that_is_not_ours_is_put_aside_and_never_removed(manager, places, stand_in):
    service = login_service.which(places, system="linux")
    service.unit.parent.mkdir(parents=True)
    service.unit.symlink_to("/dev/null")  # how a person masks a unit
    assert login_service.uninstall(service, places) == [f"left `{service.unit}`, which mcpgov did not write"]
    said = login_service.install(service, places, command=stand_in())
    assert said[0] == f"put aside `{service.unit}`, which mcpgov did not write, as `mcpgov.service.old`"
    assert login_service.state(service).status == "active"
    login_service.uninstall(service, places)
    assert files(manager)[-1] == ".config/systemd/user/mcpgov.service.old"
