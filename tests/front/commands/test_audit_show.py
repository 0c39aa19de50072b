import json
import time

import pytest

from mcpgov.daemon.approvals import records
from tests.helpers.held_calls import HeldCalls
from tests.helpers.journals import Proxy, half


@pytest.fixture
def proxy(root):
    made = Proxy(root / "state" / "journal")
    made.at = time.time() - 100
    return made


def test_an_empty_journal_is_told_kindly(run):
    done = run("audit", "show")
    assert (done.status, done.out, done.err) == (
        0, "nothing is on record yet: records appear when a client calls a governed server\n", "",
    )  # fmt: skip
    assert run("audit", "show", "--json").json == {
        "version": 1, "command": "audit show", "ok": True, "records": [], "older": None, "damaged": 0, "torn": 0,
    }  # fmt: skip


def test_a_filter_that_fits_nothing_says_so(run, proxy):
    proxy.call()
    assert run("audit", "show", "--server", "other").out == "no record fits\n"


def test_calls_are_rows_with_the_round_trip_of_their_answers_newest_last(run, proxy):
    proxy.call("read_file", answer=1500)
    proxy.call("delete_file", action="deny", rule="no-delete")
    proxy.pass_on("tools/list")
    lines = run("audit", "show").out.splitlines()
    assert [line.split()[1:] for line in lines] == [
        ["server", "what", "action", "rule", "µs", "trip", "decision"],
        ["fs", "read_file", "allow", "reading", "42", "1.5", "ms", "aaaaaaaaaaaa-1"],
        ["fs", "delete_file", "deny", "no-delete", "42", "aaaaaaaaaaaa-2"],
        [],
        ["other", "record", "not", "shown:", "mcpgov", "audit", "show", "--all"],
    ]


def test_what_is_no_call_is_shown_with_all_or_when_it_is_named(run, proxy):
    proxy.call("read_file")
    for method in ("tools/list", "ping"):
        proxy.pass_on(method)
    proxy.write({"dir": "client", "method": "", "action": "refused", "why": "odd"})

    def subjects(*words):
        found = run("audit", "show", "--json", *words).json["records"]
        return [record.get("tool") or record["method"] or record["action"] for record in found]

    assert subjects() == ["read_file"]
    assert subjects("--all") == ["read_file", "tools/list", "ping", "refused"]
    assert subjects("--method", "tools/list") == ["tools/list"]
    assert subjects("--action", "refused") == ["refused"]
    assert run("audit", "show").out.endswith("\n3 other records not shown: mcpgov audit show --all\n")
    assert "not shown" not in run("audit", "show", "--all").out


def test_without_a_call_the_others_are_counted(run, proxy):
    proxy.pass_on("tools/list")
    assert run("audit", "show").out == "no call fits\n\n1 other record not shown: mcpgov audit show --all\n"


@pytest.mark.parametrize("pattern", ["deny", "den?", "d*"])
def test_a_prompt_that_was_refused_is_a_denial(run, proxy, pattern):
    proxy.call("read_file")
    proxy.call("delete_file", action="deny", rule="no-delete")
    proxy.call("run_shell", action="prompt", rule="ask")
    found = run("audit", "show", "--action", pattern, "--json").json["records"]
    assert [record["tool"] for record in found] == ["delete_file", "run_shell"]
    asked = run("audit", "show", "--action", "prompt", "--json").json["records"]
    assert [record["tool"] for record in asked] == ["run_shell"]


def test_json_gives_the_records_whole_and_joined(run, proxy):
    proxy.call("read_file", answer=1500, args={"path": "/a"})
    (record,) = run("audit", "show", "--json").json["records"]
    assert (record["tool"], record["args"], record["round_trip_us"], record["seq"]) == (
        "read_file", {"path": "/a"}, 1500, 1,
    )  # fmt: skip


def test_the_newest_are_kept_by_the_limit(run, proxy):
    for number in range(5):
        proxy.call(f"tool_{number}")
    found = run("audit", "show", "--limit", 2, "--json").json["records"]
    assert [record["tool"] for record in found] == ["tool_3", "tool_4"]


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_out_of_range_is_a_usage_error(run, limit):
    done = run("audit", "show", "--limit", limit)
    assert (done.status, done.err) == (
        64, "mcpgov: `--limit` goes from 1 to 10,000\n  hint: `mcpgov audit export` gives all\n",
    )  # fmt: skip


def test_damaged_lines_are_counted_and_told_and_not_fatal(run, proxy, root):
    proxy.call("read_file")
    half(proxy, {"action": "passed"})
    proxy.call("list_dir")
    (path,) = (root / "state" / "journal").iterdir()
    path.write_bytes(path.read_bytes() + b"rubbish\n")
    done = run("audit", "show", "--json")
    assert (done.status, done.json["damaged"], done.json["torn"], len(done.json["records"])) == (0, 1, 1, 2)
    assert done.err == (
        "mcpgov: 1 damaged line left out\n"
        "mcpgov: 1 half-written line left out: `mcpgov audit verify` tells where\n"
    )  # fmt: skip


def test_another_journal_can_be_read(run, tmp_path):
    Proxy(tmp_path / "own.jsonl", single=True).call("elsewhere")
    assert "elsewhere" in run("audit", "show", "--journal", tmp_path / "own.jsonl").out


def test_a_narrow_terminal_gets_a_table_that_fits_and_names_that_cannot_act(terminal, proxy):
    proxy.call("read_" + "x" * 60 + "\x1b[2J", rule="r" * 60)
    proxy.call("delete_file", action="deny", rule="no-delete")
    done = terminal("--no-color", "audit", "show")
    assert max(map(len, done.out.splitlines())) <= 80
    assert "\x1b" not in done.out
    assert "the last one stopped: mcpgov why aaaaaaaaaaaa-2" in done.out


def test_actions_have_their_colours(terminal, proxy):
    proxy.call("delete_file", action="deny", rule="no-delete")
    assert "\x1b[31mdeny" in terminal("audit", "show").out


def test_since_and_until_choose_by_time(run, proxy):
    proxy.at = time.time() - 7300
    proxy.call("old")
    proxy.at = time.time() - 60
    proxy.call("young")

    def tools(*words):
        return [record["tool"] for record in json.loads(run("audit", "show", "--json", *words).out)["records"]]

    assert tools("--since", "2h") == ["young"]
    assert tools("--until", "1h") == ["old"]
    assert tools("--since", "3h", "--until", "1h") == ["old"]
    done = run("audit", "show", "--since", "soon")
    assert (done.status, done.err.splitlines()[0]) == (64, "mcpgov: `soon` is no time")


def test_a_held_call_is_one_row_that_says_what_became_of_it(run, root):
    held = HeldCalls(root / "state" / "journal", time.time() - 100)
    passed, refused = held.allowed(), held.refused()
    gone = held.ask()
    held.note(records.WITHDRAWN, gone, why="cancelled")
    rows = [line.split()[2:] for line in run("audit", "show").out.splitlines()[1:4]]
    assert rows == [
        ["delete_x", "prompt:", "allowed", "ask-deletes", "42", "1.5", "ms", passed],
        ["delete_x", "prompt:", "refused", "ask-deletes", "42", refused],
        ["delete_x", "prompt", "ask-deletes", "42", gone],
    ]
    assert [each.get("outcome") for each in run("audit", "show", "--json").json["records"]] == [
        "allowed",
        "refused",
        None,
    ]
    denied = run("audit", "show", "--action", "deny", "--json").json["records"]
    assert [each["decision"] for each in denied] == [refused, gone]
    told = run("audit", "show", "--all").out
    assert "offered in the app, on the desktop, for 25 s" in told
    assert "withdrawn: cancelled" in told
    assert run("audit", "verify").status == 0


def reported(root):
    from mcpgov.journal_session import JournalSession

    who = {"session": "bbbbbbbbbbbb"}
    told = {"dir": "report", "method": "reportAction", "action": "reported", "reported": True, "event_id": "e1",
            "caller": "fs", "event": "file_write", "target": "/srv/a", "result": "success"}  # fmt: skip
    assert JournalSession(str(root / "state" / "journal"), who).write(told)


def test_what_servers_report_of_themselves_is_shown_on_request_and_never_as_a_call(run, root, proxy):
    proxy.call("read_file")
    reported(root)
    assert "file_write" not in run("audit", "show").out
    lines = run("audit", "show", "--reported").out.splitlines()
    assert [line.split()[1:] for line in lines[1:]] == [["fs", "says", "file_write", "/srv/a", "(success)", "reported"]]
    (record,) = run("audit", "show", "--reported", "--json").json["records"]
    assert (record["reported"], record["event_id"]) == (True, "e1")
    assert run("audit", "verify").status == 0


def test_what_servers_report_of_themselves_is_counted_as_nothing_else(run, root, proxy):
    reported(root)
    assert "1 action reported by servers themselves" in run("audit", "stats").out
    proxy.call("read_file")
    stats = run("audit", "stats", "--json").json
    assert (stats["records"], stats["calls"], stats["reported"]) == (1, 1, 1)
    assert "reported" not in stats["counts"]
    assert "reported by servers themselves" in run("audit", "stats").out


def test_older_records_go_on_where_the_search_ended_also_within_one_write(run, proxy):
    proxy.write(*({"dir": "client", "method": "ping", "action": "passed", "id": number} for number in range(23)))
    found, older, pages = [], None, 0
    while pages == 0 or older:
        page = run("audit", "show", "--all", "--json", "--limit", "5", *([f"--before={older}"] if older else [])).json
        found, older, pages = [*page["records"], *found], page["older"], pages + 1
    assert ([record["id"] for record in found], pages) == ([*range(23)], 5)
    assert len({record["time"] for record in found}) == 1


def test_an_answer_is_joined_to_its_call_on_an_older_page(run, proxy):
    for _ in range(2):
        proxy.call("read_file", answer=1500)
    older = run("audit", "show", "--json", "--limit", "1").json["older"]
    [record] = run("audit", "show", "--json", "--limit", "1", f"--before={older}").json["records"]
    assert (record["decision"], record["round_trip_us"]) == ("aaaaaaaaaaaa-1", 1500)


def test_a_place_that_is_not_there_is_no_silent_end(run, proxy):
    proxy.call("read_file")
    gone = run("audit", "show", "--before", f"{proxy.at}/99/aaaaaaaaaaaa")
    assert (gone.status, "not there any more" in gone.err) == (1, True)
    assert run("audit", "show", "--before", "yesterday").status == 64
