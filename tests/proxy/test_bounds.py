"""What a hostile or broken side can cost: bounded memory, a bounded end, nothing unrecorded, nothing left."""

import contextlib
import os
import select
import signal
import subprocess
import time
import uuid

import psutil
import pytest

from tests.helpers.talks import PATIENCE, PYTHON, SERVERS, end_all, marked, server, wait_for

INITIALIZED = '{"jsonrpc":"2.0","id":1,"result":{}}'
SAMPLING = '{"jsonrpc":"2.0","id":"%s","method":"sampling/createMessage","params":{"messages":[]}}'


def resident(talk):
    return psutil.Process(talk.process.pid).memory_info().rss


def test_a_request_of_the_server_that_cannot_be_recorded_is_refused(own, start, tmp_path):
    own.write('[[rule]]\naction = "allow"\nmethod = "**"\n')
    told = tmp_path / "told"
    script = f"read -r l; echo '{INITIALIZED}'; echo '{SAMPLING % 'q'}'; read -r l; printf '%s' \"$l\" > {told}; cat"
    talk = start(own, ["/bin/sh", "-c", script], options=("--journal", "/dev/full"))
    assert "result" in talk.ask("initialize")
    wait_for(lambda: told.exists() and "cannot be recorded" in told.read_text(), "the refusal")
    talk.close()
    assert talk.line() == b""  # the client never heard of it
    assert talk.process.wait(PATIENCE) == 0


def test_a_line_of_the_server_over_the_limit_ends_the_conversation(shared, start):
    talk = start(shared, "large", 65 << 20).begin()
    first, second = (talk.send("tools/call", {"name": "t", "arguments": {}}) for _ in range(2))
    answers = {answer["id"]: answer["error"]["message"] for answer in (talk.receive(), talk.receive())}
    assert answers == dict.fromkeys((first, second), "the server sent a line that is too long")
    assert talk.process.wait(PATIENCE) == 128 + signal.SIGTERM


def test_a_server_that_asks_and_asks_and_never_reads_is_ended(own, start):
    own.write('[[rule]]\naction = "allow"\ntool = "*"\n')
    talk = start(own, [PYTHON, "-I", "-S", "-c", (
        "import sys; sys.stdin.readline(); w = sys.stdout.write\n"
        f"w('{INITIALIZED}\\n')\n"
        f"for at in range(1 << 30): w('{SAMPLING}\\n' % (str(at) + 'x' * 50000))"
    )])  # fmt: skip
    assert "result" in talk.ask("initialize")
    most = 0
    end = time.monotonic() + 3 * PATIENCE
    while talk.process.poll() is None and time.monotonic() < end:
        most = max(most, resident(talk) if talk.process.poll() is None else 0)
        time.sleep(0.02)
    assert talk.process.wait(PATIENCE) in (128 + signal.SIGTERM, 128 + signal.SIGPIPE, 1)
    assert most < 250 << 20


def test_a_client_that_sends_nonsense_and_never_reads_costs_a_bounded_amount(shared, start):
    talk = start(shared, "echo").begin()
    os.set_blocking(talk.stdin.fileno(), False)
    # Short enough to go into a pipe as a whole or not at all.
    bad = b'{"jsonrpc":"1.0","id":"' + b"x" * 4000 + b'","method":"ping"}\n'
    lines = 0
    while lines < 40_000 and select.select([], [talk.stdin], [], 2.0)[1]:
        with contextlib.suppress(BlockingIOError):
            os.write(talk.stdin.fileno(), bad)
            lines += 1
    assert lines < 40_000, "it was read to the end"
    assert resident(talk) < 200 << 20
    talk.process.terminate()
    assert talk.process.wait(PATIENCE) == 128 + signal.SIGTERM


def test_a_missing_server_is_not_waited_for_while_the_client_says_nothing(shared, start):
    talk = start(shared, ["no-such-server-anywhere"])
    assert talk.process.wait(3 * 3.0) == 127  # its input is open


@pytest.mark.parametrize("how", ["client", signal.SIGTERM, signal.SIGINT, signal.SIGHUP, "server"])
def test_grandchildren_end_whoever_ends_first(shared, start, how):
    mark = f"mark-{uuid.uuid4().hex}"
    inner = " ".join(f"'{word}'" for word in server("stubborn", mark))
    talk = start(shared, ["/bin/sh", "-c", f"{inner} & {inner} <&0; true"])
    try:
        talk.begin()
        wait_for(lambda: len(marked(mark)) == 2, "two grandchildren")
        if how == "client":
            talk.close()
        elif how == "server":
            psutil.Process(talk.process.pid).children()[0].kill()
        else:
            talk.process.send_signal(how)
        talk.process.wait(PATIENCE)
        wait_for(lambda: not marked(mark), "their end", 2.0 * 3)
    finally:
        end_all(mark)


@pytest.mark.parametrize("habit", ["slow_to_end", "stubborn"])
def test_a_client_that_is_killed_leaves_no_server_that_ignores_the_end(shared, tmp_path, habit):
    mark = f"mark-{uuid.uuid4().hex}"
    ready = tmp_path / "ready"
    proxy = [shared.launcher, "--server", "s", "--", *server(habit, mark)]
    command = [PYTHON, "-I", "-S", SERVERS, "client", mark, str(ready), "ping", *proxy]
    try:
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as client:
            wait_for(lambda: ready.exists() and ready.read_text(), "the conversation")
            client.kill()
        wait_for(lambda: not marked(mark), "the end of all", 2.0 * 3)
    finally:
        end_all(mark)
