"""What both sides say, several lines at once: the usual ones, and others between them."""

import json
import os

from mcpgov.proxy.present import FEW_LOOKS
from tests.helpers.talks import ALLOW_ALL

CALLS = FEW_LOOKS + 3


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
