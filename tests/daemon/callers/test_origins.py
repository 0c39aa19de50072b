import pytest

from mcpgov.daemon.callers import origins
from tests.helpers.trees import made


def test_marks_are_the_ones_that_are_set():
    environ = {
        "CLAUDECODE": "1",
        "CURSOR_AGENT": "0",
        "AI_AGENT": "",
        "GEMINI_CLI": "false",
        "HOME": "/h",
        "AGENT": "amp",
    }
    assert origins.marks_of(environ) == ("AGENT", "CLAUDECODE")


@pytest.mark.parametrize(
    ("process", "expected"),
    [
        (made(2, 1, "/usr/libexec/gnome-terminal-server"), "terminal"),
        (made(2, 1, "tmux", "new", name="tmux: server"), "terminal"),
        (made(2, 1, "sshd: me@pts/0"), "terminal"),
        (made(2, 1, "sshd-session: me [priv]"), "terminal"),
        (made(2, 1, "/Applications/iTerm.app/Contents/MacOS/iTerm2"), "terminal"),
        (made(2, 1, "/usr/bin/python3", "/usr/bin/terminator"), "terminal"),
        (made(2, 1, "SCREEN", "-S", "x"), "terminal"),
        (made(2, 1, "/usr/sbin/cron", "-f"), "service"),
        (made(2, 1, "-bash"), "runner"),
        (made(2, 1, "/usr/bin/python3.12", "x.py"), "runner"),
        (made(2, 1, "setsid", "mcpgov"), "runner"),
        (made(2, 1, "/opt/agent/Runner.Listener"), ""),
        (made(2, 1, name="kworker"), ""),
        (made(2, 1, "python3", "-c", "x"), "runner"),
        (made(2, 1, ""), ""),
    ],
    ids=str,
)
def test_a_program_is_known_by_its_name(process, expected):
    kinds = {"terminal": origins.is_terminal, "service": origins.is_service, "runner": origins.is_runner}
    assert [kind for kind, is_one in kinds.items() if is_one(process)] == ([expected] if expected else [])


def test_those_who_adopt_the_parentless_are_known():
    managers = [
        made(1, 0, "/anything"),
        made(900, 1, "/usr/lib/systemd/systemd", "--user"),
        made(5, 1, "/sbin/launchd"),
    ]
    assert [origins.is_manager(process) for process in (*managers, made(6, 1, "bash"))] == [True, True, True, False]


def test_a_unit_is_a_service_unless_a_desktop_app_or_a_transient_one():
    yes = ["/system.slice/cron.service", "/user.slice/user-1.slice/user@1.service/app.slice/backup.service"]
    no = ["", "/user.slice/user@1.service", "/a/app-cursor@1.service", "/a/run-u12.service", "/a/session-3.scope"]
    assert [origins.is_own_service(unit) for unit in yes] == [True, True]
    assert [origins.is_own_service(unit) for unit in no] == [False] * 5


def test_the_unit_is_read_from_either_kind_of_control_group():
    scope = "/user.slice/user-1.slice/user@1.service/app.slice/app-cursor-1.scope"
    assert origins.unit_of(f"0::{scope}\n") == scope
    assert origins.unit_of(f"0::{scope}/below\n") == scope
    assert origins.unit_of("3:cpu:/\n1:name=systemd:/system.slice/cron.service\n0::/\n") == "/system.slice/cron.service"
    assert origins.unit_of("0::/\n") == origins.unit_of("") == origins.unit_of("4:memory:/x.scope") == ""


@pytest.mark.parametrize(
    ("program", "argv", "posing"),
    [
        ("dash", ("sshd", "job.sh"), True),
        ("python3.12", ("tmux",), True),
        ("python3.12", ("/usr/bin/python3", "job.py"), True),
        ("python3.12", ("/usr/bin/python3", "/usr/bin/terminator"), False),
        ("tmux", ("tmux", "new"), False),
        ("busybox", ("crond",), False),
        ("", ("sshd",), False),
        ("dash", (), False),
    ],
)
def test_a_shell_that_goes_by_another_name_is_known_by_its_file(program, argv, posing):
    assert origins.poses(made(2, 1, *argv), program) is posing


@pytest.mark.parametrize(
    ("argv", "environ", "expected"),
    [
        (("tmux", "-L", "work", "new"), {}, ("work", "")),
        (("tmux", "-Lwork", "attach"), {"TMUX_TMPDIR": "/t"}, ("work", "/t")),
        (("tmux",), {"TMUX_TMPDIR": ""}, ("", "")),
        (("SCREEN", "-S", "mine"), {}, ("mine", "")),
        (("screen", "-r", "mine"), {}, ("mine", "")),
        (("zellij", "--server", "/run/user/1/zellij/0.4/mine"), {}, ("mine", "")),
        (("zellij", "attach", "mine"), {}, ("mine", "")),
        ((), {}, ("", "")),
    ],
)
def test_clients_and_servers_of_a_multiplexer_name_it_alike(argv, environ, expected):
    assert origins.server_key(made(2, 1, *argv), environ) == expected


def test_a_multiplexer_is_known_by_its_name():
    found = [
        origins.multiplexer_of(made(2, 1, name)) for name in ("tmux: server", "SCREEN", "/usr/bin/zellij", "xterm")
    ]
    assert found == ["tmux", "screen", "zellij", ""]
