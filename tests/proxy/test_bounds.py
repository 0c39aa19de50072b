"""What a hostile or broken side can cost: bounded memory, a bounded end, nothing unrecorded, nothing left."""

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
import uuid

import psutil
import pytest

from mcpgov.core.rules.ruleset import UNDECIDED
from mcpgov.core.session.session_state import BROKEN_OFF
from mcpgov.live import pins_store
from mcpgov.policy.starter import starter
from mcpgov.policy_cache import cache_name
from tests.helpers.policies import write
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


# --- the work that one message may cost


def ask_long(talk, line, patience=2 * PATIENCE):
    """Send a line that may be longer than a pipe, and wait for what comes back."""
    writer = threading.Thread(target=talk.write, args=(line,), daemon=True)
    writer.start()
    return talk.receive(patience)


def call_line(tool, args, ident=9):
    params = {"name": tool, "arguments": args}
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}).encode()


ROWS = [
    {
        "id": at,
        "name": "Müller" if at % 3 else "Anna Smith",
        "mail": f"a{at}@example.com",
        "when": f"2026-01-02T10:{at % 60:02}:00Z",
        "url": f"https://example.com/u/{at}?q=1",
        "note": 'he said: "yes, 50% off" for $5.00\nand left',
        "path": f"src/{at}/x.py",
    }
    for at in range(20_000)
]


def listed(number, value):
    return f"[{','.join([value] * number)}]"


# Name -> (tool, the JSON text of its arguments): what a client may send of 1 MiB and more, usual and not.
SHAPES = {
    "strings": ("write_rows", lambda: json.dumps({"items": [f"name number {at}" for at in range(100_000)]})),
    "short strings": ("write_rows", lambda: json.dumps({"items": [f"{at:x}" for at in range(150_000)]})),
    "relative paths": ("write_rows", lambda: json.dumps({"items": [f"part/{at}" for at in range(100_000)]})),
    "keys": ("write_rows", lambda: json.dumps({"table": {f"key{at}": at for at in range(100_000)}})),
    "integers": ("write_rows", lambda: json.dumps({"numbers": list(range(250_000))})),
    "an embedding": ("upsert_vectors", lambda: json.dumps({"vector": [at / 7 for at in range(150_000)]})),
    "empty lists": ("write_rows", lambda: f'{{"a":{listed(600_000, "[]")}}}'),
    "empty objects": ("write_rows", lambda: f'{{"a":{listed(600_000, "{}")}}}'),
    "small objects": ("write_rows", lambda: json.dumps({"a": [{"a": at} for at in range(150_000)]})),
    "deep lists": ("write_rows", lambda: f'{{"a":{listed(2500, "[" * 400 + "]" * 400)}}}'),
    "a table": ("write_rows", lambda: json.dumps({"rows": ROWS})),
    "a table in UTF-8": ("write_rows", lambda: json.dumps({"rows": ROWS}, ensure_ascii=False)),
    "code": ("write_file", lambda: written("def f(a): return a / 2  # 50% of it\n" * 116_000)),
    "a page with one emoji": ("write_file", lambda: written("<p>text</p> " * 170_000 + "\N{GRINNING FACE}")),
    "words in other scripts": ("write_file", lambda: written("\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 700_000)),
    "percent signs": ("write_file", lambda: written("%" * 2_000_000)),
    "dollar signs": ("write_file", lambda: written("$" * 2_000_000)),
    "braces": ("write_file", lambda: written("{" * 2_000_000)),
    "a JSON file": ("write_file", lambda: written(json.dumps([{"id": at, "name": f"n{at}"} for at in range(50_000)]))),
    "deep JSON in a text": ("write_file", lambda: written(listed(2500, "[" * 400 + "]" * 400))),
}
DENIED = {
    "arguments": ("write_rows", lambda: json.dumps({f"key{at}": at for at in range(100_000)})),
    "escapes": ("write_file", lambda: written("%41" * 700_000)),
    "dots": ("write_file", lambda: json.dumps({"path": "/.." * 700_000, "content": ""})),
    "spelled strings": ("write_rows", lambda: json.dumps({"items": [f"%25%34$X{at}\\..\\~" for at in range(80_000)]})),
    "JSON in strings": ("write_rows", lambda: json.dumps({"items": [json.dumps([f"a{a}"]) for a in range(80_000)]})),
}
RESULTS = {
    "strings": lambda: json.dumps({"structuredContent": {"items": [f"name number {at}" for at in range(100_000)]}}),
    "text": lambda: json.dumps({"content": [{"type": "text", "text": "a line of text\n" * 200_000}]}),
    "empty objects": lambda: f'{{"content":[],"structuredContent":{listed(600_000, "{}")}}}',
    "deep lists": lambda: f'{{"content":{listed(2500, "[" * 400 + "]" * 400)}}}',
    "keys": lambda: json.dumps({"structuredContent": {f"key{at}": at for at in range(100_000)}}),
}
# Bytes besides four times the message: modules that are loaded for it, and the window that is looked at.
ALLOWANCE = 3 << 20
needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="asks Linux for the peak")


def written(text):
    return json.dumps({"path": "x.py", "content": text}, ensure_ascii=False)


def peak(talk, forget=False):
    """The most memory that the proxy has held, since it was told to forget what was before."""
    if forget:
        with open(f"/proc/{talk.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    with open(f"/proc/{talk.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))


def shaped_line(shape):
    tool, args = shape
    return (
        f'{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"{tool}","arguments":{args()}}}}}'.encode()
    )


def judged(own, start, line):
    """What a proxy answers to a line, and by how much it grew meanwhile."""
    own.write(starter("balanced"))
    talk = start(own, "echo").begin()
    for tool in ("write_rows", "write_file"):
        assert "result" in talk.call(tool, path="a/b", content=["%41"])
    before = peak(talk, forget=True)
    answer = ask_long(talk, line)
    grown = peak(talk) - before
    assert talk.end() == 0
    return answer, grown


@needs_proc
@pytest.mark.parametrize("shape", SHAPES)
def test_a_large_call_of_a_usual_tool_is_decided_in_four_times_its_size(own, start, shape):
    line = shaped_line(SHAPES[shape])
    answer, grown = judged(own, start, line)
    assert answer == {"jsonrpc": "2.0", "id": 9, "result": {}}
    assert len(line) >= 1 << 20
    assert grown <= 4 * len(line) + ALLOWANCE


@needs_proc
@pytest.mark.parametrize("shape", DENIED)
def test_a_large_call_that_cannot_be_decided_is_denied_in_four_times_its_size(own, start, shape):
    line = shaped_line(DENIED[shape])
    answer, grown = judged(own, start, line)
    assert UNDECIDED in answer["result"]["content"][0]["text"]
    assert grown <= 4 * len(line) + ALLOWANCE
    assert [r["why"] for r in own.records() if r["action"] == "deny"] == [UNDECIDED]


@needs_proc
@pytest.mark.parametrize("where", ["first", "in the middle", "last", "as a key", "in JSON in a text"])
def test_a_denied_place_is_found_wherever_it_stands_in_a_large_call(own, start, where):
    items = [f"name number {at}" for at in range(100_000)]
    key = "~/.ssh/id_ed25519"
    if where == "as a key":
        args = {"table": {**dict.fromkeys(items, 1), key: 2}}
    elif where == "in JSON in a text":
        args = {"path": "x", "content": json.dumps([*items, key])}
    else:
        args = {"items": items}
        items.insert({"first": 0, "in the middle": 50_000, "last": 100_000}[where], key)
    line = call_line("write_rows", args)
    answer, grown = judged(own, start, line)
    assert "keys and tokens" in answer["result"]["content"][0]["text"]
    assert grown <= 4 * len(line) + ALLOWANCE


@needs_proc
@pytest.mark.parametrize("shape", RESULTS)
def test_a_large_result_that_no_rule_looks_at_is_passed_on_in_four_times_its_size(own, start, tmp_path, shape):
    own.write(starter("balanced"))
    body = RESULTS[shape]()
    (tmp_path / "body").write_text(body)
    talk = start(own, ["/bin/sh", "-c", (
        f"read -r l; echo '{INITIALIZED}'; read -r l; printf '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":'; "
        f"cat {tmp_path / 'body'}; echo '}}'; cat > /dev/null"
    )]).begin()  # fmt: skip
    before = peak(talk, forget=True)
    talk.send("tools/call", {"name": "get_rows", "arguments": {}})
    answer = talk.line(2 * PATIENCE)
    grown = peak(talk) - before
    assert answer == f'{{"jsonrpc":"2.0","id":2,"result":{body}}}'.encode()
    assert grown <= 4 * len(body) + ALLOWANCE


HOSTILE = {
    "escapes": [f"%25%34%31$X{at}\\..\\~" for at in range(80_000)],
    "padding": ["%24HOME\\$A/../~%" * 4000 + str(at) for at in range(34)],
    "hidden": [json.dumps([json.dumps([f"a/../{at}", "%41?*"])]) for at in range(40_000)],
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_call_that_would_cost_too_much_is_denied_and_the_record_says_why(own, start, how):
    own.write(starter("balanced"))
    talk = start(own, "echo").begin()
    answer = ask_long(talk, call_line("write_rows", {"items": HOSTILE[how]}))
    assert UNDECIDED in answer["result"]["content"][0]["text"]
    assert "result" in talk.call("read_file", path="x")
    assert talk.end() == 0
    told = [(r["action"], r.get("why")) for r in own.records() if r.get("tool") == "write_rows"]
    assert told == [("deny", UNDECIDED)]


LOOPS = "[{0}].all(a, [{0}].all(b, a + b + {1} >= 0))".format
NUMBERS = ",".join(map(str, range(300)))


def costly_project(folder, rules=150):
    when = [f'[[rule]]\naction = "deny"\nwhen = "!{LOOPS(NUMBERS, at)}"\n' for at in range(rules)]
    return write(folder, "".join(when), ".mcpgov.toml")


def test_all_expressions_of_a_project_share_one_budget(own, start, tmp_path):
    own.write(starter("balanced"))
    costly_project(tmp_path / "project", 30)
    talk = start(own, "echo", options=("--project", str(tmp_path / "project"))).begin()
    began = time.monotonic()
    assert UNDECIDED in talk.call("read_file", path="x")["result"]["content"][0]["text"]
    assert time.monotonic() - began < PATIENCE
    assert talk.end() == 0
    assert [r["why"] for r in own.records() if r["action"] == "deny"] == [UNDECIDED]


@pytest.mark.deadline
@pytest.mark.parametrize("how", ["end of input", signal.SIGTERM, signal.SIGINT])
def test_the_end_is_heard_while_messages_are_judged(own, start, tmp_path, how):
    own.write(starter("balanced"))
    costly_project(tmp_path / "project", 30)
    talk = start(own, "echo", options=("--project", str(tmp_path / "project"))).begin()
    talk.call("read_file", path="x")  # the expressions are prepared
    lines = [call_line("read_file", {"path": "x"}, ident) for ident in range(100, 200)]
    talk.write(b"\n".join(lines))
    talk.receive()
    began = time.monotonic()
    if how == "end of input":
        talk.close()
    else:
        talk.process.send_signal(how)
    talk.process.wait(PATIENCE)
    assert time.monotonic() - began < 3 * 2.0
    wait_for(lambda: not marked(talk.mark), "the server's end")
    # Whatever was read is answered, and on record.
    said = [r.get("why") for r in own.records() if r["action"] in ("deny", "failed")]
    assert BROKEN_OFF in said


def test_a_large_nested_message_that_is_broken_off_is_answered(own, start):
    own.write(starter("balanced"))
    talk = start(own, "echo").begin()
    deep = "[" * 400 + "]" * 400
    line = call_line("write_rows", {"a": 0}).replace(b"0}", f"[{','.join([deep] * 2500)}]}}".encode())
    talk.write(line)
    talk.process.send_signal(signal.SIGTERM)
    told = talk.line()
    talk.process.wait(PATIENCE)
    # It was judged before the signal came, or this is said of it.
    assert json.loads(told)["id"] == 9
    assert "Traceback" not in talk.errors()


# --- what a server leaves behind

DETACHED = """
import os, signal, sys, time
def detach(mark, stubborn):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.close(0), os.close(1), os.close(2)
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", mark])
"""


@pytest.mark.deadline
@pytest.mark.parametrize("stubborn", [False, True])
@pytest.mark.parametrize("how", ["client", signal.SIGTERM, "server"])
def test_a_helper_in_a_session_of_its_own_ends_with_the_conversation(shared, start, how, stubborn):
    mark = f"mark-{uuid.uuid4().hex}"
    body = f"{DETACHED}\ndetach({mark!r}, {stubborn})\nfor l in sys.stdin: print({INITIALIZED!r}, flush=True)\n"
    talk = start(shared, [PYTHON, "-I", "-S", "-c", body])
    try:
        assert "result" in talk.ask("initialize")
        helper = wait_for(lambda: marked(mark), "the helper")[0]
        assert os.getsid(helper.pid) == os.getpgid(helper.pid) != os.getsid(0)
        began = time.monotonic()
        if how == "client":
            talk.close()
        elif how == "server":
            next(c for c in psutil.Process(talk.process.pid).children() if c.pid != helper.pid).kill()
        else:
            talk.process.send_signal(how)
        talk.process.wait(PATIENCE)
        assert time.monotonic() - began < 3 * 2.0
        assert marked(mark) == []
    finally:
        end_all(mark)


def test_helpers_that_end_while_the_conversation_lasts_leave_no_zombies(shared, start):
    script = f"for at in 1 2 3 4; do setsid sh -c 'true & true' & done; read -r l; echo '{INITIALIZED}'; cat"
    talk = start(shared, ["/bin/sh", "-c", script])
    assert "result" in talk.ask("initialize")
    proxy = psutil.Process(talk.process.pid)
    wait_for(lambda: len(proxy.children()) == 1, "the end of the others")
    assert talk.end() == 0


def test_processes_that_are_not_the_servers_are_left_alone(shared, start):
    mark = f"mark-{uuid.uuid4().hex}"
    other = subprocess.Popen([PYTHON, "-I", "-S", "-c", "import time; time.sleep(600)", mark], start_new_session=True)
    try:
        talk = start(shared, "echo").begin()
        talk.process.send_signal(signal.SIGTERM)
        talk.process.wait(PATIENCE)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait(PATIENCE)


# --- what is planted in our own directories


def plant(path, kind):
    """Put something in the place of a file of ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "deep":
        path.write_text("[" * 100_000)
    elif kind == "huge":
        with open(path, "wb") as file:
            file.truncate(1 << 40)


PLANTED = ["pipe", "directory", "device", "deep", "huge"]


@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("what", ["compiled", "project", "pins", "salt"])
def test_nothing_planted_in_place_of_a_file_of_ours_holds_a_conversation_up(own, start, tmp_path, what, kind):
    project = write(tmp_path / "project", '[[rule]]\naction = "deny"\ntool = "b"\n', ".mcpgov.toml")
    options = ("--project", str(project.parent))
    first = start(own, "echo", options=options).begin()
    assert "result" in first.call("a", password="x")
    assert first.end() == 0
    state = own.root / "state"
    found = {
        "compiled": [*own.root.rglob("current-*.json")],
        "project": [path for path in own.root.rglob("*.json") if path.name.startswith(cache_name(str(project)))],
        "pins": [state / "tools" / pins_store.file_name("s")],
        "salt": [state / "salt"],
    }[what]
    assert len(found) == 1
    plant(found[0], kind)
    talk = start(own, "echo", options=options).begin()
    answer = talk.call("a", password="x")
    # Another is compiled where that can be put in place; without rules everything is denied, and it is said why.
    stuck = what in ("compiled", "project") and kind == "directory"
    assert bool(answer["result"].get("isError")) is stuck
    assert talk.end() == 0
    told = talk.errors()
    assert "Traceback" not in told
    assert ("cannot" in told) is (stuck or what == "pins")
