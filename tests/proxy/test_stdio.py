"""The pump beside its lifecycle (test_contract.py): modules, descriptors, order."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mcpgov.live.refresh import FEW_REFRESHES
from tests.helpers.talks import PATIENCE, PYTHON, Talk, server, wait_for

HOT = Path(__file__).with_name("hot_modules.txt")
MODULES = """
import posix, sys
bare = set(sys.modules)
def leave(status):
    with open({out!r}, "w") as file: file.write("\\n".join(sorted(set(sys.modules) - bare)))
    posix.kill(posix.getpid(), 9)
posix._exit = leave
sys.argv = ["proxy", "--server", "s", "--", *{command!r}]
with open({launcher!r}) as file: exec(compile(file.read(), "launcher", "exec"))
"""


def test_a_conversation_loads_only_the_modules_that_are_listed(shared, start, tmp_path):
    """A new import is a line in a diff: each costs a part of every start."""
    start(shared, "echo").begin().end()
    out = tmp_path / "modules"
    code = MODULES.format(out=str(out), command=server("echo", "x"), launcher=shared.launcher)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0}
    with subprocess.Popen([PYTHON, "-I", "-S", "-c", code], **pipes) as process:
        talk = Talk(process, "x").begin()
        talk.call("echo", text="plain")
        talk.ask("tools/list")
        talk.end()
        assert talk.errors() == ""
    assert out.read_text().splitlines() == HOT.read_text("ascii").splitlines()


def test_a_socket_for_both_directions_works_as_well(shared):
    """Some clients give one socket as input and output; it turns non-blocking as a whole."""
    ours, theirs = socket.socketpair()
    command = [shared.launcher, "--server", "s", "--", *server("echo", "x")]
    with ours, subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        theirs.close()
        ours.settimeout(PATIENCE)
        for ident in range(3):
            ours.sendall(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % ident)
            assert json.loads(ours.recv(1000))["id"] == ident
        ours.shutdown(socket.SHUT_WR)
        assert process.wait(PATIENCE) == 0


def test_output_into_a_file_works(shared, tmp_path):
    command = [shared.launcher, "--server", "s", "--", *server("echo", "x")]
    line = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with (tmp_path / "in").open("wb") as given:
        given.write(line)
    with (tmp_path / "in").open("rb") as given, (tmp_path / "out").open("wb") as out:
        done = subprocess.run(command, stdin=given, stdout=out, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((tmp_path / "out").read_bytes())["id"] == 1


def test_stderr_that_is_the_same_pipe_as_stdout_loses_nothing(shared):
    script = 'i=0; while [ $i -lt 3000 ]; do echo "word $i" >&2; i=$((i+1)); done; cat >/dev/null'
    command = [shared.launcher, "--server", "s", "--", "/bin/sh", "-c", script]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False, **both)
    assert done.stdout.decode().split() == [word for at in range(3000) for word in ("word", str(at))]


def test_no_descriptor_is_left_open_over_many_reloads(own, start):
    talk = start(own, "echo").begin()
    for _ in range(FEW_REFRESHES + 1):
        talk.call("t")
    process = psutil.Process(talk.process.pid)
    before = process.num_fds()
    text = own.policy.read_text()
    for at in range(3):
        own.write(f"{text}\n# {at}\n")
        talk.call("t")
        own.write("broken = = ")
        talk.call("t")
    assert process.num_fds() == before
    assert [child.status() for child in process.children()] != [psutil.STATUS_ZOMBIE]
    assert len(process.children()) == 1
    assert talk.end() == 0


def test_a_signal_while_the_policy_is_compiled_ends_all_at_once(own, start):
    with open(own.launcher, encoding="utf-8") as file:
        text = file.read()
    with open(own.launcher, "w", encoding="utf-8") as file:
        file.write(text.replace("from mcpgov.__main__ import entry", "import time; time.sleep(600)"))
    talk = start(own, "echo")
    process = psutil.Process(talk.process.pid)
    children = wait_for(lambda: found if len(found := process.children()) == 2 else None, "server and compiler")
    talk.process.terminate()
    assert talk.process.wait(PATIENCE) == 128 + 15
    wait_for(lambda: not any(child.is_running() for child in children), "their end")


def test_a_failure_inside_ends_the_server_too(shared, start, tmp_path):
    with open(shared.launcher, encoding="utf-8") as file:
        text = file.read()
    broken = tmp_path / "launcher"
    broken.write_text(text.replace("'keep_days': '", "'keep_days': 'x"))
    broken.chmod(0o755)
    pid_file = tmp_path / "pid"
    command = [str(broken), "--server", "s", "--", *server("stubborn", "x", pid_file)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert done.returncode == 70
    assert b"mcpgov: internal error: ValueError" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_large_answer_costs_at_most_three_times_its_size(shared, start):
    def peak(process):
        text = Path(f"/proc/{process.pid}/status").read_text("ascii")
        return int(text.split("VmHWM:")[1].split()[0]) * 1024

    size = 16 << 20
    talk = start(shared, "large", size).begin()
    before = peak(talk.process)
    assert len(talk.call("t", x="y")["result"]["text"]) == size
    # The line, its text, the value in it; and what a session needs anyway.
    assert (peak(talk.process) - before) / size <= 3.1
