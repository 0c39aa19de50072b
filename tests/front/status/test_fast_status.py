import json
import os
import socket
import subprocess
import sys
import threading

import pytest

from mcpgov import __version__
from mcpgov.daemon.control.line_client import RequestRefused
from mcpgov.daemon.status import model, status
from mcpgov.daemon.status.model import DaemonStatus, Facts, PolicyStatus
from mcpgov.front.status import fast_status
from mcpgov.places import Places

FINE = Facts(
    9.0, DaemonStatus(model.RUNNING, 7, __version__, 6, "systemd", True), PolicyStatus("/p", True, "abc", "deny", 3)
)
TEXT = status.envelope(status.build(FINE))
BAD = status.envelope(
    status.build(Facts(9.0, DaemonStatus(model.RUNNING, 7, "0.0.1"), FINE.policy, asked_by=__version__))
)


def reply(text: str = TEXT) -> bytes:
    return json.dumps({"v": 1, "ok": True, "text": text}).encode("ascii") + b"\n"


@pytest.fixture
def answer(root):
    """Something that answers on the daemon's socket, always the same; what it was asked comes back."""
    asked: list[bytes] = []
    path = Places(root).socket
    path.parent.mkdir(parents=True, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve(line: bytes) -> list[bytes]:
        def work() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    asked.append(peer.recv(10_000))
                    peer.sendall(line)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return asked

    yield serve
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.mark.parametrize(
    ("words", "plain", "root", "flags"),
    [
        (["status"], True, None, set()),
        (["--root", "/r", "status", "--json"], True, "/r", {"--json"}),
        (["--root=/r", "status", "--root=/s", "--no-color"], True, "/s", {"--no-color"}),
        (["status", "--root", "/r", "--quiet"], True, "/r", {"--quiet"}),
        (["status", "--watch"], False, None, set()),
        (["status", "status"], False, None, set()),
        (["--root", "status"], False, "status", set()),
        (["status", "--root="], False, None, set()),
        (["status", "--root"], False, None, set()),
        (["policy", "status"], False, None, set()),
        (["status", "-h"], False, None, set()),
    ],
)
def test_only_a_plain_question_takes_the_short_way(words, plain, root, flags):
    wanted = fast_status.FastRequest(words)
    assert (wanted.plain, wanted.root, wanted.flags) == (plain, root, flags)


def test_json_is_what_the_daemon_sent_and_the_exit_status_is_in_it(run, answer):
    asked = answer(reply())
    done = run("status", "--json")
    assert (done.status, done.out, done.err) == (0, TEXT, "")
    assert json.loads(asked[0]) == {"v": 1, "op": "status", "version": __version__}


def test_a_degraded_status_exits_with_1(run, answer):
    answer(reply(BAD))
    done = run("status", "--json")
    assert (done.status, done.out) == (1, BAD)
    assert run("status", "--quiet") == type(done)(1, "", "")
    assert run("status").out.startswith("● starting: nothing looked at yet · 1 problem\n")


def test_a_terminal_gets_colours_and_its_width_unless_told_otherwise(terminal, answer):
    answer(reply())
    done = terminal("status")
    assert done.status == 0
    assert done.out.startswith("\x1b[1;32m● \x1b[0m\x1b[1mstarting: nothing looked at yet\x1b[0m\n")
    assert terminal("status", "--no-color").out.startswith("● starting: nothing looked at yet\n")


def test_columns_of_the_environment_hold_as_on_the_long_way(terminal, answer, monkeypatch):
    answer(reply())
    monkeypatch.setenv("COLUMNS", "24")
    assert terminal("status", "--no-color").out.startswith("● starting: nothing\n  looked at yet\n")
    monkeypatch.setenv("COLUMNS", "wide")
    assert terminal("status", "--no-color").out.startswith("● starting: nothing looked at yet\n")


def test_nothing_heavy_is_loaded_for_it(root, answer):
    answer(reply())
    code = (
        "import sys; before = set(sys.modules); from mcpgov.front.main import main\n"
        f"main(['--root', {str(root)!r}, 'status', *sys.argv[1:]]); print(); print(*set(sys.modules) - before)"
    )
    heavy = {"rich", "pydantic", "platformdirs", "argparse", "psutil", "socket", "pathlib", "subprocess", "watchdog"}
    for words, more in ((["--json"], {"json", "dataclasses"}), ([], set())):
        done = subprocess.run([sys.executable, "-I", "-c", code, *words], capture_output=True, text=True, check=True)
        assert {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()} & (heavy | more) == set()


@pytest.mark.parametrize(
    "line",
    [
        b'{"v": 1, "ok": false, "error": "no"}\n',
        b'{"v": 1, "ok": true, "text": "another thing"}\n',
        b'{"v": 1, "ok": true, "text": "torn\n',
        b"\xff\n",
    ],
)
def test_an_answer_of_another_kind_is_left_to_the_long_way(root, answer, line):
    answer(line)
    assert fast_status.ask(str(Places(root).socket)) is None
    assert fast_status.status(["--root", str(root), "status"]) is None


def test_without_a_daemon_it_is_left_to_the_long_way(root):
    assert fast_status.status(["--root", str(root), "status"]) is None


def test_half_an_answer_is_none(root, answer):
    answer(reply()[:50])
    with pytest.raises(RequestRefused):
        fast_status.ask(str(Places(root).socket))


@pytest.mark.parametrize(
    ("text", "environ", "choice"),
    [
        (None, {}, "auto"),
        ("policy = 'x'", {}, "auto"),
        ("color = 'never'", {}, None),
        ('"\\u0063olor" = "never"', {}, None),
        (None, {"mcpgov_color": "always"}, None),
        (None, {"MCPGOV_COLOR": ""}, "auto"),
    ],
)
def test_colours_that_the_settings_speak_of_take_a_real_look(tmp_path, text, environ, choice):
    file = tmp_path / "settings.toml"
    if text is not None:
        file.write_text(text)
    assert fast_status.color(str(file), environ) == choice


def test_settings_that_cannot_be_read_take_a_real_look(tmp_path):
    assert fast_status.color(str(tmp_path), {}) is None


def test_a_setting_holds_on_the_long_way_too(run, root, answer, monkeypatch):
    answer(reply())
    (root / "config" / "settings.toml").write_text('color = "always"')
    assert run("status").out.startswith("\x1b[1;32m●")
    monkeypatch.setenv("MCPGOV_COLOR", "never")
    assert run("status").out.startswith("● ")
    assert os.environ["MCPGOV_COLOR"] == "never"
