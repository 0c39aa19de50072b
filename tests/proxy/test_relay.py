"""What both sides say, several lines at once: the usual ones, and others between them."""

import json
import os
import signal
import time

import psutil
import pytest

from mcpgov.core.session.fast_lines import FIRST_FORM
from mcpgov.live.journal_writer import MOST_LATE, REMOVED
from mcpgov.proxy.stdio import UNCOMPILED
from tests.helpers.talks import ALLOW_ALL, PATIENCE, PYTHON, marked, wait_for

DENY_ALL = '[[rule]]\naction = "deny"\nmethod = "**"\n'

CALLS = FIRST_FORM // 2 + 3  # a call and its answer count as two lines


def call(ident, tool="echo", **args):
    message = {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": {"name": tool, "arguments": args}}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def warm(talk):
    """Until calls are told from each other by their values only."""
    for at in range(CALLS):
        talk.call(text=f"w{at}")
    return talk


def answers(talk, count):
    found = [talk.receive() for _ in range(count)]
    return {answer["id"]: answer for answer in found}


def test_many_calls_in_one_write_are_answered_and_recorded_each(own, start):
    talk = warm(start(own, "echo").begin())
    os.write(talk.stdin.fileno(), b"".join(call(at, text=f"t{at}") for at in range(100, 164)))
    found = answers(talk, 64)
    assert sorted(found) == list(range(100, 164))
    assert talk.end() == 0
    said = [record["args"]["text"] for record in own.records() if record["action"] == "allow" and record.get("args")]
    assert said[CALLS:] == [f"t{at}" for at in range(100, 164)]
    assert sum(record["action"] == "answered" for record in own.records()) == CALLS + 64 + 1


def test_a_line_of_another_kind_among_plain_ones_changes_nothing_for_them(own, start):
    own.write('[[rule]]\naction = "deny"\ntool = "rm"\n' + ALLOW_ALL)
    talk = warm(start(own, "echo").begin())
    lines = [call(100, text="a"), call(101, text="b"), call(102, "rm", text="c"), b"rubbish\n", call(103, text="d")]
    os.write(talk.stdin.fileno(), b"".join([*lines, call(103, text="e"), call(104, text="f")]))
    found = [talk.receive() for _ in range(7)]
    by_id = {answer["id"]: answer for answer in found if answer["id"] is not None}
    assert sorted(by_id) == [100, 101, 102, 103, 104]
    assert by_id[102]["result"]["isError"]
    assert not any(by_id[at]["result"].get("isError") for at in (100, 101, 103, 104))
    # What is no message, and an id in use, are answered to nobody in particular.
    assert sorted(answer["error"]["code"] for answer in found if answer["id"] is None) == [-32700, -32600]
    assert talk.end() == 0
    seen = [record["args"]["text"] for record in own.records() if record["action"] == "allow" and record.get("args")]
    assert seen[CALLS:] == ["a", "b", "d", "f"]


def test_a_line_that_comes_in_pieces_is_one_line(own, start):
    talk = warm(start(own, "echo").begin())
    whole = call(200, text="whole") + call(201, text="pieces")
    for at in range(0, len(whole), 7):
        os.write(talk.stdin.fileno(), whole[at : at + 7])
    assert sorted(answers(talk, 2)) == [200, 201]
    os.write(talk.stdin.fileno(), call(202, text="x")[:-1])
    os.write(talk.stdin.fileno(), b"\n" + call(203, text="y"))
    assert sorted(answers(talk, 2)) == [202, 203]
    assert talk.end() == 0


def test_plain_calls_that_cannot_be_recorded_are_denied_one_by_one(own, start, tmp_path):
    journal = tmp_path / "journal.jsonl"
    os.mkfifo(journal)
    reader = os.open(journal, os.O_RDONLY | os.O_NONBLOCK)
    talk = warm(start(own, "echo", options=("--journal", str(journal))).begin())
    os.close(reader)
    os.write(talk.stdin.fileno(), call(300, text="a") + call(301, text="b"))
    found = answers(talk, 2)
    assert [found[at]["result"]["isError"] for at in (300, 301)] == [True, True]
    assert "cannot be recorded" in found[300]["result"]["content"][0]["text"]
    assert talk.end() == 0


# --- ends


def test_an_answer_is_whole_however_slowly_the_client_reads_after_the_servers_end(shared, start):
    last = '{"jsonrpc":"2.0","id":1,"result":{"text":"%s"}}'
    script = f"import sys; sys.stdin.readline(); print('{last}' % ('x' * 900000), flush=True)"
    talk = start(shared, [PYTHON, "-I", "-S", "-c", script])
    talk.send("initialize")
    # The server is gone before anybody has read more than a pipe holds.
    wait_for(lambda: not psutil.Process(talk.process.pid).children(), "the server's end")
    time.sleep(0.8)  # longer than a client that has gone would be waited for
    assert len(talk.receive()["result"]["text"]) == 900_000
    assert talk.process.wait(PATIENCE) == 0


def slow_compiler(place, seconds):
    """The policy takes its time."""
    with open(place.launcher, encoding="utf-8") as file:
        text = file.read()
    with open(place.launcher, "w", encoding="utf-8") as file:
        file.write(text.replace("from mcpgov.__main__ import entry", f"import time; time.sleep({seconds})"))


def test_requests_that_wait_for_the_policy_are_answered_when_the_server_dies(own, start):
    slow_compiler(own, 600)
    talk = start(own, ["/bin/sh", "-c", "echo no config >&2; sleep 0.3; exit 9"])
    talk.send("initialize")
    talk.send("tools/list")
    assert [talk.receive()["error"]["message"] for _ in range(2)] == ["the server ended with status 9: no config"] * 2
    assert talk.process.wait(PATIENCE) == 9


@pytest.mark.parametrize("is_known", [True, False])
def test_the_last_words_of_a_server_hide_what_the_policy_hides(own, start, is_known):
    own.write('default = "allow"\n[privacy]\nresults = "deny"\n')
    if not is_known:
        slow_compiler(own, 600)
    said = "user bob@corp-mail.org ssn 536-22-8741"
    waits = "read line; read line" if is_known else "sleep 0.3"
    talk = start(own, ["/bin/sh", "-c", f"{waits}; echo {said} >&2; exit 9"])
    talk.send("initialize")
    if is_known:
        talk.send("tools/list")
    told = talk.receive()["error"]["message"]
    assert told == "the server ended with status 9: user [email] ssn [ssn]"
    assert talk.process.wait(PATIENCE) == 9
    assert said in talk.errors()
    assert "bob@" not in json.dumps(own.records())


@pytest.mark.deadline
def test_a_client_that_goes_while_the_policy_is_compiled_is_noticed(own, start):
    slow_compiler(own, 600)
    talk = start(own, "echo")
    wait_for(lambda: len(psutil.Process(talk.process.pid).children()) == 2, "server and compiler")
    began = time.monotonic()
    talk.close()
    talk.process.wait(PATIENCE)
    assert time.monotonic() - began < 3 * 2.0
    wait_for(lambda: not marked(talk.mark), "the server's end")


@pytest.mark.parametrize("how", ["end of input", signal.SIGTERM])
def test_requests_that_wait_for_the_policy_hear_why_nobody_judged_them(own, start, how):
    slow_compiler(own, 600)
    talk = start(own, "echo")
    wait_for(lambda: len(psutil.Process(talk.process.pid).children()) == 2, "server and compiler")
    talk.send("initialize")
    talk.send("tools/call", {"name": "echo", "arguments": {}})
    if how == "end of input":
        talk.close()
    else:
        talk.process.send_signal(how)
    answers = [talk.receive() for _ in range(2)]
    assert [(answer["id"], answer["error"]["message"]) for answer in answers] == [(1, UNCOMPILED), (2, UNCOMPILED)]
    talk.process.wait(PATIENCE)
    assert [record["why"] for record in own.records() if record["action"] == "failed"] == [UNCOMPILED] * 2


def test_a_client_that_closes_before_a_compile_is_over_is_served_or_told_why(own, start):
    slow_compiler(own, "0.2); from mcpgov.__main__ import entry; (0")
    talk = start(own, "echo")
    talk.send("initialize")
    talk.send("tools/call", {"name": "echo", "arguments": {}})
    talk.close()
    answers = [talk.receive() for _ in range(2)]
    # A second after the client's end the server has to go; a busy machine may not have compiled by then.
    assert all("result" in answer or answer["error"]["message"] == UNCOMPILED for answer in answers)
    talk.process.wait(PATIENCE)


def test_half_a_line_is_on_record_whoever_left_it(own, start):
    talk = start(own, ["/bin/sh", "-c", 'read -r l; echo \'{"jsonrpc":"2.0","id":1,"result":{}}\'; cat; printf half'])
    talk.begin()
    talk.stdin.write(b'{"jsonrpc":')
    assert talk.end() == 0
    said = [(r["dir"], r["why"], r["bytes"]) for r in own.records() if r["action"] == "dropped"]
    assert said == [("client", "the line has no end", 11), ("server", "the line has no end", 4)]


# --- records


def test_records_are_written_while_the_server_keeps_talking(own, start):
    note = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
    loop = f"while :; do echo '{note}'; sleep 0.005; done"
    talk = start(own, ["/bin/sh", "-c", f'read -r l; echo \'{{"jsonrpc":"2.0","id":1,"result":{{}}}}\'; {loop}'])
    assert "result" in talk.ask("initialize")
    before = len(own.records())
    wait_for(lambda: len(own.records()) > before + 2 * MOST_LATE, "records")
    talk.process.kill()


def test_a_client_may_write_a_long_request_before_it_reads_a_long_answer(shared, start):
    script = (
        "import sys, threading\n"
        "def answer(line):\n"
        " i = line.split(b'\"id\": ')[1].split(b',')[0]\n"
        " big = b'x' * (16 << 20) if b'big' in line else b''\n"
        ' sys.stdout.buffer.write(b\'{"jsonrpc":"2.0","id":\' + i + b\',"result":{"text":"\' + big + b\'"}}\\n\')\n'
        " sys.stdout.buffer.flush()\n"
        "for line in sys.stdin.buffer: threading.Thread(target=answer, args=(line,)).start()\n"
    )
    talk = start(shared, [PYTHON, "-I", "-S", "-c", script]).begin()
    talk.send("tools/call", {"name": "big", "arguments": {}})
    wait_for(lambda: psutil.Process(talk.process.pid).memory_info().rss > 24 << 20, "the answer's arrival")
    talk.send("tools/call", {"name": "t", "arguments": {"text": "y" * (1 << 20)}})
    assert sorted(len(talk.receive()["result"]["text"]) for _ in range(2)) == [0, 16 << 20]
    assert talk.end() == 0


def test_nobody_waits_for_another_try_at_a_policy_that_is_known_to_be_broken(own, start, tmp_path):
    slow, tries = tmp_path / "slow", tmp_path / "tries"
    load = "from mcpgov.__main__ import entry"
    first = f"open({str(tries)!r}, 'a').write('x'); import time; time.sleep(4 * os.path.exists({str(slow)!r})); "
    with open(own.launcher, encoding="utf-8") as file:
        text = file.read()
    with open(own.launcher, "w", encoding="utf-8") as file:
        file.write(text.replace(load, first + load))
    talk = start(own, "echo").begin()
    own.write("broken = = ")
    assert not talk.call("t")["result"].get("isError")
    assert [record["action"] for record in own.records() if record["dir"] == "proxy"] == ["broken"]
    slow.touch()
    known, slowest = len(tries.read_text()), 0.0
    while len(tries.read_text()) == known or slowest == 0.0:
        began = time.monotonic()
        assert not talk.call("t")["result"].get("isError")
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.05)
    for _ in range(10):
        began = time.monotonic()
        assert not talk.call("t")["result"].get("isError")
        slowest = max(slowest, time.monotonic() - began)
    assert slowest < 3.0, "a call waited for the compiler"
    slow.unlink()
    own.write(DENY_ALL)
    assert talk.call("t")["result"]["isError"]
    assert talk.end() == 0


@pytest.mark.parametrize("how", ["unlink", "rename", "directory"])
def test_a_journal_taken_away_is_noticed_before_the_next_call_is_forwarded(own, start, how):
    talk = start(own, "echo").begin()
    for _ in range(2 * CALLS):
        talk.call()
    wait_for(lambda: sum(record["action"] == "answered" for record in own.records()) > CALLS, "the records")
    file = next(own.journal.glob("*.jsonl"))
    if how == "unlink":
        file.unlink()
    elif how == "rename":
        file.rename(file.with_suffix(".old"))
    else:
        own.journal.rename(own.journal.with_name("away"))
    assert "result" in talk.call(mark="seen")
    found = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    assert [(record["action"], record.get("why")) for record in found][:1] == [("broken", REMOVED)]
    assert [record["args"] for record in found if record.get("args")] == [{"mark": "seen"}]
    assert talk.end() == 0
