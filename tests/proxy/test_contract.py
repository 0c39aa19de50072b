"""The lifecycle of a proxy, end to end: nothing is lost, nothing is left, nobody waits for ever."""

import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import psutil
import pytest

from mcpgov.front.budgets.ledger_repair import charges
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.talks import ALLOW_ALL, PATIENCE, PYTHON, SERVERS, Talk, end_all, marked, server, wait_for

TASK_SERVER = str(Path(SERVERS).with_name("task_server.py"))
SLACK = 3  # deadlines of the contract are asserted with this factor
TIMES = 20
INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
CALL = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}\n'


def gone(mark, seconds=2.0):
    """Nothing with this mark is left within the contract's time."""
    wait_for(lambda: not marked(mark), f"the end of {mark}", seconds * SLACK)


# --- the server's own end


@pytest.mark.parametrize("status", [0, 1, 42, 255])
def test_the_exit_status_is_the_servers(shared, start, status):
    assert start(shared, "echo", status).begin().end() == status


def test_a_server_killed_by_a_signal_is_told_with_the_signal_and_128_added(shared, start):
    talk = start(shared, "killed").begin()
    assert talk.call()["error"]["message"] == "the server was ended by signal 9"
    assert talk.process.wait(PATIENCE) == 128 + 9
    gone(talk.mark)


def test_a_server_that_dies_in_the_middle_of_a_line_is_told_with_its_last_words(shared, start):
    talk = start(shared, "half").begin()
    answer = talk.call()
    assert answer["error"]["message"] == "the server ended with status 3: something broke"
    assert talk.line() == b""
    assert talk.process.wait(PATIENCE) == 3
    assert talk.errors() == 'something broke\n{"jsonrpc":"2.0","id":\n'


def test_every_open_request_is_answered_when_the_server_dies(shared, start):
    talk = start(shared, "killed").begin()
    asked = [("a", "tools/call", {"name": "a"}), ("b", "tools/list", {}), ("c", "tools/call", {"name": "b"})]
    messages = [{"jsonrpc": "2.0", "id": ident, "method": method, "params": params} for ident, method, params in asked]
    # In one write: the server dies of the first, and whoever comes later finds nobody.
    talk.write(b"\n".join(json.dumps(message).encode() for message in messages))
    assert {talk.receive()["id"] for _ in asked} == {"a", "b", "c"}
    assert talk.process.wait(PATIENCE) == 137


def test_a_server_that_ends_at_once_is_no_riddle(shared, start):
    talk = start(shared, ["/bin/sh", "-c", "echo no config >&2; exit 9"])
    with contextlib.suppress(BrokenPipeError):
        talk.send("initialize")
    assert talk.process.wait(PATIENCE) == 9
    assert talk.errors() == "no config\n"


def test_a_server_that_closes_its_output_is_ended_and_the_call_answered(shared, start):
    talk = start(shared, "mute").begin()
    assert "error" not in talk.call()
    assert talk.process.wait(PATIENCE) == 128 + 15
    gone(talk.mark)


def test_a_server_that_closes_its_input_is_ended_and_the_call_answered(shared, start):
    talk = start(shared, ["/bin/sh", "-c", "exec 0<&-; sleep 600"])
    wait_for(lambda: len(psutil.Process(talk.process.pid).children()) == 1)
    child = psutil.Process(talk.process.pid).children()[0]
    wait_for(lambda: "sleep" in child.cmdline() or child.children())
    assert "error" in talk.ask("initialize")
    assert talk.process.wait(PATIENCE) == 128 + 15


# --- the client's end


@pytest.mark.deadline
@pytest.mark.parametrize(
    ("habit", "status", "at_least", "at_most"),
    [("echo", 0, 0.0, 1.0), ("slow_to_end", 128 + 15, 1.0, 2.0), ("stubborn", 128 + 9, 1.6, 2.0)],
)
def test_a_client_that_closes_leaves_nothing_behind(shared, start, habit, status, at_least, at_most):
    talk = start(shared, habit).begin()
    began = time.monotonic()
    assert talk.end() == status
    assert at_least <= time.monotonic() - began < at_most * SLACK
    gone(talk.mark, 0.5)


def test_answers_within_a_second_of_the_clients_end_are_delivered(shared, start):
    talk = start(shared, "late", "0.4").begin()
    ident = talk.send("tools/call", {"name": "t"})
    talk.close()
    assert talk.receive() == {"jsonrpc": "2.0", "id": ident, "result": {}}
    assert talk.end() == 0


def test_requests_written_and_closed_at_once_are_all_answered(own, start):
    # The first start of all: the policy is not even compiled.
    talk = start(own, "echo")
    talk.write(INITIALIZE + CALL[:-1])
    talk.close()
    assert [talk.receive()["id"], talk.receive()["id"]] == [1, 2]
    # On a busy machine the second of the server is over before the policy is there.
    assert talk.end() in (0, 128 + 15)


def test_a_client_that_stops_reading_ends_the_conversation(shared, start):
    talk = start(shared, "echo").begin()
    talk.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        talk.send("ping")
    assert talk.process.wait(PATIENCE) == 0
    gone(talk.mark)


# --- signals


@pytest.mark.deadline
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_for_the_proxy_is_passed_on_at_once(shared, start, tmp_path, number):
    talk = start(shared, "signalled", tmp_path / "signal").begin()
    began = time.monotonic()
    talk.process.send_signal(number)
    assert talk.process.wait(PATIENCE) == 7
    assert time.monotonic() - began < 1.0
    assert (tmp_path / "signal").read_text() == str(int(number))


def test_a_signal_at_any_moment_of_the_start_leaves_nothing(shared, start):
    start(shared, "echo").begin().end()  # the policy is compiled
    talks = [start(shared, "stubborn") for _ in range(TIMES)]
    for at, talk in enumerate(talks):
        # From the moment the server is there; some a little later.
        process = psutil.Process(talk.process.pid)
        wait_for(lambda process=process: process.children() or not process.is_running(), "the server")
        time.sleep(at * 0.0005)
        talk.process.terminate()
    for talk in talks:
        talk.process.wait(PATIENCE)
        gone(talk.mark)


@pytest.mark.deadline
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_that_ignores_signals_is_gone_in_two_seconds(shared, start, number):
    talk = start(shared, "stubborn").begin()
    began = time.monotonic()
    talk.process.send_signal(number)
    assert talk.process.wait(PATIENCE) == 128 + 9
    assert time.monotonic() - began < 2.0 * SLACK
    gone(talk.mark, 0.5)


# --- full pipes


def test_a_flood_on_stderr_arrives_whole_and_disturbs_nobody(shared, start):
    size = 4_000_000
    talk = start(shared, "flood", size)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        errors = pool.submit(talk.errors)
        talk.begin()
        assert "result" in talk.call()
        assert talk.end() == 0
        assert len(errors.result(PATIENCE)) == size


@pytest.mark.deadline
def test_a_flood_that_nobody_reads_ends_with_the_client(shared, start):
    talk = start(shared, "flood", 4_000_000)
    memory = psutil.Process(talk.process.pid)
    talk.send("initialize")
    began = time.monotonic()
    assert memory.memory_info().rss < 60 << 20
    talk.end()
    assert time.monotonic() - began < 2.0 * SLACK
    gone(talk.mark, 0.5)


def test_stderr_comes_unbuffered(shared, start):
    talk = start(shared, ["/bin/sh", "-c", "printf half >&2; cat >/dev/null"])
    assert talk.process.stderr is not None
    assert os.read(talk.process.stderr.fileno(), 100) == b"half"
    assert talk.end() == 0


def fill(talk, most=8 << 20):
    """Send until the pipe is full. Returns how much went in."""
    os.set_blocking(talk.stdin.fileno(), False)
    line = b'{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"%s"}}\n' % (b"x" * 60_000)
    sent, quiet = 0, 0
    while sent < most and quiet < 100:
        try:
            sent += os.write(talk.stdin.fileno(), line[sent % len(line) :])
            quiet = 0
        except BlockingIOError:
            quiet += 1
            talk.line()  # the other direction goes on meanwhile
    return sent


@pytest.mark.deadline
def test_a_server_that_never_reads_stops_the_client_and_not_the_other_direction(shared, start):
    talk = start(shared, "deaf")
    sent = fill(talk)
    assert sent < 4 << 20
    assert psutil.Process(talk.process.pid).memory_info().rss < 60 << 20
    assert talk.receive()["method"] == "notifications/message"
    began = time.monotonic()
    talk.end()
    assert time.monotonic() - began < 2.0 * SLACK
    gone(talk.mark, 0.5)


def test_a_client_that_never_reads_stops_the_server_and_memory_is_bounded(shared, start):
    line = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"' + "x" * 60_000 + '"}}'
    talk = start(shared, ["/bin/sh", "-c", f"while :; do printf '%s\\n' '{line}'; done"])
    process = psutil.Process(talk.process.pid)
    wait_for(lambda: process.io_counters().write_bytes >= 0 and settled(process), "the full pipe")
    assert process.memory_info().rss < 60 << 20
    talk.end()
    gone(talk.mark, 0.5)


def settled(process):
    """Nothing more is read or written."""
    before = process.io_counters()
    time.sleep(0.2)
    return process.io_counters() == before


# --- large messages


def test_sixteen_megabytes_pass_both_ways_byte_for_byte(shared, start, tmp_path):
    talk = start(shared, "record", tmp_path / "kept").begin()
    line = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"x":"%s"}}}' % (
        b"y" * (16 << 20)
    )
    talk.write(line)
    assert talk.receive()["id"] == 7
    assert (tmp_path / "kept").read_bytes().splitlines()[1] == line
    assert talk.end() == 0
    talk = start(shared, "mirror").begin()
    talk.write(line)
    assert talk.receive()["result"]["content"][0]["text"] == line.decode()


def peak(process):
    """The most memory it has held, in bytes."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


@pytest.mark.skipif(sys.platform != "linux", reason="told by /proc")
@pytest.mark.parametrize(("habit", "words", "text"), [("large", (16 << 20,), "x"), ("echo", (), "x" * (16 << 20))])
def test_a_large_message_is_held_less_than_three_times(shared, start, habit, words, text):
    talk = start(shared, habit, *words).begin()
    before = peak(talk.process)
    assert "result" in talk.call("t", text=text)
    assert peak(talk.process) - before < 2.5 * (16 << 20)
    assert talk.end() == 0


def test_a_line_over_the_limit_is_answered_and_the_next_call_works(shared, start, tmp_path):
    talk = start(shared, "record", tmp_path / "kept").begin()
    talk.write(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"%s"}}' % (b"y" * (40 << 20)))
    answer = talk.receive()
    assert (answer["id"], answer["error"]["message"]) == (None, "the line is too long")
    assert "result" in talk.call()
    assert len((tmp_path / "kept").read_bytes().splitlines()) == 2


# --- a journal that cannot be written

ASKING = """
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    result = {}
    if message["method"] == "tools/call":
        while not os.path.exists(sys.argv[1]):
            time.sleep(0.005)
        asked = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}
        news = {"taskId": "t", "inputRequests": {"k": asked}}
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tasks", "params": news}))
        result = {"resultType": "input_required", "inputRequests": {"k": asked}, "requestState": "z"}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("recorded", [True, False])
def test_sampling_inside_an_answer_passes_only_once_it_is_on_record(own, start, tmp_path, recorded):
    own.write(ALLOW_ALL.replace('method = "*"', 'method = "**"'))
    journal, gate = tmp_path / "journal.jsonl", tmp_path / "gate"
    os.mkfifo(journal)
    reader = os.open(journal, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    talk = start(own, [PYTHON, "-c", ASKING, str(gate)], options=("--journal", str(journal)))
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    talk.ask("server/discover", meta)
    ident = talk.send("tools/call", {"name": "t", "arguments": {}, **meta})
    wait_for(lambda: b'"tools/call"' in os.read(reader, 1 << 16), "the record of the call")
    if not recorded:
        os.close(reader)
    gate.touch()
    if recorded:
        assert talk.receive()["method"] == "notifications/tasks"
        assert "inputRequests" in talk.receive()["result"]
        assert b'"sampling/createMessage"' in os.read(reader, 1 << 16)
        os.close(reader)
    else:
        answer = talk.receive()
        assert (answer["id"], answer["result"]["isError"]) == (ident, True)
        assert "cannot be recorded" in answer["result"]["content"][0]["text"]
    assert talk.end() == 0


# --- budgets: calls that go on as tasks

SPENDING = f"""{ALLOW_ALL.replace('method = "*"', 'method = "**"')}
[[budget]]
name = "priced"
limit = 1
per = "total"
cost = 0.1
cost_from = "result.usage.total_cost"
[[budget]]
name = "done"
limit = 9
per = "total"
charge = "success"
[privacy]
results = "redact"
"""
MAIL = "ada@lovelace.org"


def spent(place):
    """What the ledger says is spent and held, in whole units."""
    with contextlib.closing(Ledger(str(place.root / "state" / "ledger.sqlite"))) as ledger:
        return {each.key: (each.spent / 1e6, each.held / 1e6) for each in ledger.standing()}


def test_a_task_is_charged_by_its_true_result_whoever_learns_of_it_and_however(own, start):
    own.write(SPENDING)
    talk = start(own, [PYTHON, TASK_SERVER]).begin()

    def task(**args):
        made = talk.ask("tools/call", {"name": "work", "arguments": args, "task": {"ttl": 60000}})
        return {"taskId": made["result"]["task"]["taskId"]}

    first = task(cost=0.5, text=f"write to {MAIL}")
    assert spent(own) == {"priced": (0.0, 0.1), "done": (0.0, 1.0)}
    assert talk.ask("tasks/get", first)["result"]["status"] == "completed"
    for _ in range(2):
        answer = talk.ask("tasks/result", first)["result"]
        assert (answer["content"][0]["text"], answer["usage"]) == ("write to [email-1]", {"total_cost": 0.5})
    assert spent(own) == {"priced": (0.5, 0.0), "done": (1.0, 0.0)}
    talk.ask("tasks/get", task(status="failed"))
    talk.ask("tasks/cancel", task(status="working"))
    assert spent(own) == {"priced": (0.7, 0.0), "done": (1.0, 0.0)}  # without a price, what was estimated
    unfetched = task(cost=0.5)
    assert "error" in talk.ask("tasks/result", task(status="working"))
    assert spent(own) == {"priced": (0.7, 0.2), "done": (1.0, 2.0)}
    assert talk.end() == 0
    assert spent(own) == {"priced": (0.9, 0.0), "done": (1.0, 0.0)}
    # Another proxy of the same server knows nothing of the task, which was settled here.
    other = start(own, [PYTHON, TASK_SERVER]).begin()
    assert other.ask("tasks/result", unfetched)["result"]["usage"] == {"total_cost": 0.5}
    assert other.end() == 0
    assert spent(own) == {"priced": (0.9, 0.0), "done": (1.0, 0.0)}
    records = own.records()
    calls = [each["decision"] for each in records if each["method"] == "tools/call" and each["action"] == "allow"]
    charged = [each["decision"] for each in records if each["action"] == "charged"]
    assert (len(calls), charged) == (5, calls)
    fetched = [(each["dir"], each["action"]) for each in records if each["method"] == "tasks/result"]
    assert fetched[:2] == [("client", "allow"), ("server", "answered")]
    assert not [each for each in records if MAIL in json.dumps(each)]
    rebuilt = {key: amount / 1e6 for (key, _), (amount, _, _) in charges(own.journal).items()}
    assert rebuilt == {"priced": 0.9, "done": 1.0}


def test_a_budget_that_tasks_hold_is_spent_for_others_until_they_end(own, start):
    own.write(SPENDING.replace("cost = 0.1", "cost = 0.6"))
    talk = start(own, [PYTHON, TASK_SERVER]).begin()
    made = talk.ask("tools/call", {"name": "work", "arguments": {"cost": 0.1}, "task": {}})
    assert talk.call("work")["result"]["_meta"]["mcpgov/decision"]["budget"] == "priced"
    talk.ask("tasks/result", {"taskId": made["result"]["task"]["taskId"]})
    assert "isError" not in talk.call("work")["result"]
    assert talk.end() == 0


# --- sleep


def test_an_idle_proxy_does_not_wake_up(shared, start):
    talk = start(shared, "echo").begin()
    talk.call()
    status = f"/proc/{talk.process.pid}/status"

    def wakes():
        with open(status, encoding="ascii") as file:
            return [line for line in file if "ctxt_switches" in line]

    wait_for(lambda: wakes() == (time.sleep(0.3), wakes())[1], "the rest")
    before = wakes()
    time.sleep(1.0)
    assert wakes() == before


# --- the kill matrix


def phase_words(phase, pid_file):
    return ["hang", pid_file, "initialize" if phase == "handshake" else "tools/call"]


def talk_in_phase(place, phase, directory):
    """A conversation that has come so far, and the number of its server."""
    mark = f"mark-{uuid.uuid4().hex}"
    pid_file = directory / mark
    habit, *words = phase_words(phase, pid_file)
    command = [place.launcher, "--server", "s", "--", *server(habit, mark, *words)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "bufsize": 0}
    talk = Talk(subprocess.Popen(command, **pipes), mark)
    if phase == "handshake":
        talk.send("initialize")
    else:
        talk.begin()
    if phase == "call":
        talk.send("tools/call", {"name": "t"})
    wait_for(pid_file.exists, "the server")
    return talk, int(pid_file.read_text())


def kill_client(place, phase, directory):
    mark = f"mark-{uuid.uuid4().hex}"
    ready, pid_file = directory / f"{mark}.ready", directory / mark
    method = {"idle": "ping", "handshake": "initialize", "call": "tools/call"}[phase]
    habit, *words = phase_words(phase, pid_file)
    proxy = [place.launcher, "--server", "s", "--", *server(habit, mark, *words)]
    command = [PYTHON, "-I", "-S", SERVERS, "client", mark, str(ready), method, *proxy]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as client:
        try:
            wait_for(lambda: ready.exists() and ready.read_text() and pid_file.exists(), "the conversation")
        finally:
            client.kill()
    return mark


def kill_proxy(place, phase, directory):
    talk, _ = talk_in_phase(place, phase, directory)
    with talk.process, talk.stdin, talk.stdout:
        talk.process.kill()
        assert talk.line() == b""
        assert talk.process.wait(PATIENCE) == -9
    return talk.mark


def kill_server(place, phase, directory):
    talk, pid = talk_in_phase(place, phase, directory)
    with talk.process, talk.stdin, talk.stdout:
        os.kill(pid, signal.SIGKILL)
        if phase != "idle":
            assert talk.receive()["error"]["message"] == "the server was ended by signal 9"
        assert talk.line() == b""
        assert talk.process.wait(PATIENCE) == 128 + 9
    return talk.mark


@pytest.mark.parametrize("phase", ["idle", "handshake", "call"])
@pytest.mark.parametrize("kill", [kill_client, kill_proxy, kill_server], ids=["client", "proxy", "server"])
def test_whoever_is_killed_takes_the_others_along(shared, start, tmp_path, kill, phase):
    start(shared, "echo").begin().end()  # the policy is compiled
    marks = []

    def once(_):
        mark = kill(shared, phase, tmp_path)
        marks.append(mark)
        gone(mark)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        try:
            list(pool.map(once, range(TIMES)))
        finally:
            for mark in marks:
                end_all(mark)


def test_the_answer_of_a_dead_server_is_json_for_every_last_word(shared, start):
    talk = start(shared, ["/bin/sh", "-c", r"printf 'odd \377\000\033[31m\n' >&2; read x; exit 4"])
    assert json.dumps(talk.ask("initialize")["error"]["message"])
    assert talk.process.wait(PATIENCE) == 4
