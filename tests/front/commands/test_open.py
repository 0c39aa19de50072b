import json
import stat
from pathlib import Path

import pytest

from mcpgov.daemon.control import line_client
from tests.front.conftest import command
from tests.helpers.askers import Asker, refusals
from tests.helpers.pages import page_desk
from tests.helpers.talks import PYTHON, wait_for


@pytest.fixture
def desk(tmp_path):
    with page_desk(tmp_path / "d") as made:
        yield made


def tool(folder, name, log):
    """A program that writes down how it was called."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "$@" > {log}.new\nmv {log}.new {log}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_address_and_a_code_are_printed_for_another_machine(desk):
    told = desk.mcpgov("open", "--print")
    made = desk.json("open", "--print")
    assert set(made) == {"version", "command", "ok", "url", "code", "seconds"}
    assert f"address  {made['url']}" in told
    assert "it lets in once, within 3 min" in told
    port = made["url"].split(":")[2].split("/")[0]
    assert f"ssh -L {port}:127.0.0.1:{port} HOST" in told


def test_without_a_browser_the_file_is_told(desk):
    told = desk.mcpgov("open", "--no-browser")
    file = Path(told.splitlines()[0])
    assert file.stat().st_mode & 0o777 == 0o600
    assert "within 60 s" in told


def test_the_browser_is_given_a_file_and_no_code(desk, tmp_path):
    log = tmp_path / "called"
    desk.environ["BROWSER"] = f"{tool(tmp_path, 'browser', log)} %s"
    assert "the page opens in your browser" in desk.mcpgov("open")
    called = wait_for(lambda: log.exists() and log.read_text()).strip()
    assert Path(called.removeprefix("file://")).parent == desk.root / "run" / "page"


def test_without_a_browser_it_says_what_to_type(desk, tmp_path):
    desk.environ |= {"BROWSER": "false", "PATH": str(tmp_path)}
    assert "hint: mcpgov open --print" in desk.mcpgov("open", status=1)


def test_without_a_daemon_it_says_what_to_type(run):
    done = run("open")
    assert (done.status, done.err) == (1, "mcpgov: the daemon is not running\n  hint: mcpgov daemon start\n")


@pytest.mark.parametrize("words", [["open"], ["open", "--print"], ["open", "--no-browser"]])
def test_a_child_of_an_app_gets_no_code(desk, tmp_path, words):
    claude = Asker(tmp_path, desk.home, "claude")
    for kind in ("plain", "setsid"):
        status, out, err = claude.ask(kind, *command(desk.root, *words))
        assert (status, out, "`mcpgov open` is refused" in err) == (2, "", True)
    assert refusals(desk.root / "state" / "journal")
    assert "services" not in desk.status()


ASKS = """\
import socket, sys
sock = socket.socket(socket.AF_UNIX)
sock.connect(sys.argv[1])
sock.sendall(b'{"v": 1, "op": "%s"}\\n' % sys.argv[2].encode())
print(sock.recv(65536).decode())
"""


@pytest.mark.parametrize("op", ["open_page", 'page_service", "port": 80, "base": "ab', "page_idle"])
def test_nor_does_one_that_asks_the_daemon_itself(desk, tmp_path, op):
    claude = Asker(tmp_path, desk.home, "claude")
    _status, out, _err = claude.ask("plain", PYTHON, "-c", ASKS, desk.socket, op)
    answer = json.loads(out)
    assert (answer["ok"], answer["code"]) == (False, "refused")
    assert "services" not in desk.status()


def test_nobody_else_answers_as_the_page(desk):
    for op, fields in (
        ("deny", {"number": "x"}), ("approve", {"number": "x"}), ("watch_questions", {"interactive": True}),
    ):  # fmt: skip
        with pytest.raises(line_client.ControlError, match="only the local page answers as the page"):
            desk.ask(op, surface="page", **fields)


def test_a_daemon_that_an_app_has_started_serves_the_person_and_gives_the_app_no_code(desk, tmp_path):
    claude, other = (Asker(tmp_path / name, desk.home, "claude") for name in ("a", "b"))
    desk.mcpgov("daemon", "stop")
    with claude.asked("plain", *command(desk.root, "daemon", "start"), CLAUDECODE="1") as (status, _out, err):
        assert (status, err) == (0, "")
        try:
            assert other.ask("plain", *command(desk.root, "open", "--print"))[0] == 2
            browser = desk.browser()
            asked = {"server": "files", "tool": "read_file", "action": "deny"}
            shown = browser.post("verdict/preview", asked).data
            assert browser.post("verdict", {**asked, "text": shown["text"]}).data["written"] is True
        finally:
            desk.mcpgov("daemon", "stop")
