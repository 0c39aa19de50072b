import json
import os

from mcpgov.core.json.values import dumps
from mcpgov.daemon import journal_tail
from mcpgov.daemon.journal_tail import Tail, TailSummary
from mcpgov.daemon.status.model import Denial
from mcpgov.live.journal_writer import Journal

DAY = "2026-11-16.jsonl"


def record(time: float, action: str = "allow", **more: object) -> dict[str, object]:
    return {
        "time": time, "session": "s", "client": "cursor", "server": "fs", "seq": 1, "method": "tools/call",
        "tool": "read", "action": action, "rule": "r", "us": 40, "decision": f"s-{time:.0f}", **more,
    }  # fmt: skip


def write(folder, *found: object, name: str = DAY) -> None:
    folder.mkdir(exist_ok=True)
    with open(folder / name, "a") as file:
        file.writelines(
            (line if isinstance(line, str) else json.dumps(line, separators=(",", ":"))) + "\n" for line in found
        )


def test_no_journal_is_an_empty_one(tmp_path):
    assert Tail(str(tmp_path / "none")).look() == TailSummary()
    (tmp_path / DAY).mkdir()
    assert Tail(str(tmp_path)).look() == TailSummary()


def test_the_last_five_stopped_calls_come_newest_first_and_say_what_they_were(tmp_path):
    write(tmp_path, *(record(float(at), "deny") for at in range(1, 8)), name="2026-11-15.jsonl")
    write(
        tmp_path,
        record(10.0, "deny", rule=None, kind="pin"),
        record(11.0, "prompt", rule=None),
        record(12.0, "deny", tool=None, method="resources/read", uris=["file:///x"]),
        record(13.0, "deny", tool=None, method="prompts/get", prompt="p"),
        record(14.0, "allow", args={"text": '"action":"deny"'}),
        record(15.0, "deny", tool=None, method="sampling/createMessage"),
    )
    assert Tail(str(tmp_path)).look().denials == (
        Denial(15.0, "fs", "sampling/createMessage", "r", "s-15"),
        Denial(13.0, "fs", "p", "r", "s-13"),
        Denial(12.0, "fs", "file:///x", "r", "s-12"),
        Denial(11.0, "fs", "read", "(default)", "s-11", "prompt"),
        Denial(10.0, "fs", "read", "(pin)", "s-10"),
    )


def test_half_and_damaged_lines_do_no_harm(tmp_path):
    whole = json.dumps(record(2.0, "deny"), separators=(",", ":"))
    write(tmp_path, whole[20:], "", '{"time":1.0,"action":"deny"', whole, '"action":"deny"')
    with open(tmp_path / DAY, "a") as file:
        file.write(whole[:-1])
    assert [denial.time for denial in Tail(str(tmp_path)).look().denials] == [2.0]


def test_decision_times_are_medians_by_session_and_by_server(tmp_path):
    times = [(30, "a"), (50, "a"), (40, "a"), (90, "b")]
    write(tmp_path, *(record(1.0, us=us, session=session) for us, session in times), record(2.0, "answered", us=None))
    seen = Tail(str(tmp_path)).look()
    assert (seen.sessions, seen.servers) == ({"a": 40, "b": 90}, {("fs", "cursor"): 40})
    assert (seen.p50("b", "fs", "cursor"), seen.p50("c", "fs", "cursor"), seen.p50("c", "x", "")) == (90, 40, None)


def test_a_look_costs_the_same_however_large_the_journal_is(tmp_path, monkeypatch):
    monkeypatch.setattr(journal_tail, "FAR", 2000)
    monkeypatch.setattr(journal_tail, "NEAR", 500)
    write(tmp_path, record(1.0, "deny"), *(record(float(at), us=at) for at in range(100, 200)))
    seen = Tail(str(tmp_path)).look()
    assert seen.denials == ()
    assert seen.sessions["s"] > 195


def test_it_is_read_again_only_when_something_was_added(tmp_path):
    write(tmp_path, record(1.0, "deny"))
    found = Tail(str(tmp_path))
    first = found.look()
    assert found.look() is first
    write(tmp_path, record(2.0, "deny"))
    assert [denial.time for denial in found.look().denials] == [2.0, 1.0]


def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(tmp_path):
    os.mkfifo(tmp_path / DAY)
    assert Tail(str(tmp_path)).look() == TailSummary()


def test_what_a_proxy_writes_is_understood(tmp_path):
    journal = Journal(str(tmp_path), {"session": "abc", "client": "cursor", "server": "fs"})
    note = {"method": "tools/call", "decision": "abc-1", "tool": "x", "action": "deny", "rule": "no", "us": 12}
    assert journal.write([dumps(note)[1:-1]])
    seen = Tail(str(tmp_path)).look()
    assert [(found.server, found.tool, found.rule, found.id) for found in seen.denials] == [("fs", "x", "no", "abc-1")]
    assert seen.sessions == {"abc": 12}


def test_a_line_that_two_blocks_share_and_one_longer_than_a_block_are_read_whole(tmp_path, monkeypatch):
    lines = [b"%03d" % number + b"x" * (number % 40) for number in range(200)]
    lines[50] = b"long" * 100
    path = tmp_path / "j"
    path.write_bytes(b"\n".join(lines) + b"\n")
    monkeypatch.setattr(journal_tail, "NEAR", 64)
    blocks = [block.splitlines() for block in journal_tail._blocks(str(path))]
    assert [line for block in reversed(blocks) for line in block] == lines


def test_a_call_that_was_asked_about_is_what_became_of_it(tmp_path):
    write(
        tmp_path,
        record(1.0, "prompt", decision="s-1"),
        record(2.0, "prompt", decision="s-2"),
        record(3.0, "prompt", decision="s-3"),
        record(4.0, "resumed", decision="s-1"),
        record(5.0, "deny", decision="s-2", answer="refused"),
        record(6.0, "deny", decision=""),
        record(7.0, "deny", decision=""),
    )
    found = [(denial.time, denial.id, denial.action) for denial in Tail(str(tmp_path)).look().denials]
    assert found == [(7.0, "", "deny"), (6.0, "", "deny"), (5.0, "s-2", "deny"), (3.0, "s-3", "prompt")]
