"""What is denied does not happen, and the model can read why."""

import pytest

from tests.real.harness import FILESYSTEM, TIME, Bench

SAID = "Permission denied: {tool} blocked by governance"
WHY = "(what to do: mcpgov why {decision})"
KEY = "the secret\n"
FORGED = "forged\n"


def deny(matcher: str, more: str = "") -> str:
    rule = f'[[rule]]\nname = "wall"\naction = "deny"\ndescription = "keep out"\n{matcher}\n'
    return f'default = "deny"\n{more}\n{rule}\n[[rule]]\nname = "rest"\naction = "allow"\ntool = "*"\n'


def text(answer: dict) -> str:
    return answer["result"]["content"][0]["text"]


def is_denied(answer: dict, tool: str) -> bool:
    verdict = answer["result"].get("_meta", {}).get("mcpgov/decision", {})
    told = f"{SAID.format(tool=tool)}: keep out {WHY.format(decision=verdict.get('decision'))}"
    return answer["result"]["isError"] is True and text(answer) == told


def contents(bench: Bench) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in bench.work.rglob("*") if path.is_file()}


def test_a_denied_write_leaves_the_disk_untouched_and_the_model_reads_why(bench):
    steps = [
        ["tools"],
        ["call", "write_file", {"path": f"{bench.work}/open/new.txt", "content": FORGED}],
        ["call", "write_file", {"path": f"{bench.work}/open/a.txt", "content": FORGED}],
        ["call", "read_text_file", {"path": f"{bench.work}/open/a.txt"}],
    ]
    command = bench.governed(FILESYSTEM, deny('tool = "write_file"', "[tools]\nhide_denied = false"))
    report = bench.talk(FILESYSTEM, command, steps)
    after = contents(bench)
    bench.prepared(FILESYSTEM)
    assert after == contents(bench)
    assert "write_file" in [tool["name"] for tool in report.results[0]["result"]["tools"]]
    for answer in report.results[1:3]:
        assert is_denied(answer, "write_file")
        verdict = answer["result"]["_meta"]["mcpgov/decision"]
        assert {key: verdict[key] for key in ("code", "kind", "rule", "action")} == {
            "code": -32001, "kind": "policy", "rule": "wall", "action": "blocked",
        }  # fmt: skip
    assert text(report.results[3]) == "alpha\nbeta\n"


def test_a_tool_that_is_always_denied_is_not_listed_and_not_callable(bench):
    steps = [["tools"], ["call", "write_file", {"path": f"{bench.work}/open/new.txt", "content": FORGED}]]
    report = bench.talk(FILESYSTEM, bench.governed(FILESYSTEM, deny('tool = "write_file"')), steps)
    without = bench.talk(FILESYSTEM, bench.direct(FILESYSTEM), steps[:1])
    wanted = [tool for tool in without.results[0]["result"]["tools"] if tool["name"] != "write_file"]
    assert report.results[0]["result"]["tools"] == wanted
    assert is_denied(report.results[1], "write_file")


# Spellings the server itself takes for the secret file, and spellings that some other reader might.
REAL = [
    "{work}/secret/key.txt",
    "{work}/open/../secret/key.txt",
    "{work}/./open/.././/secret//key.txt",
    "{work}/link/key.txt",
    "{work}/open/alias.txt",
    "{work}/secretive/../link/../secret/key.txt",
    "~/work/secret/key.txt",
    "secret/key.txt",
    "./open/../secret/key.txt",
]
POSSIBLE = [
    "{work}/SECRET/Key.TXT",
    "{work}/Secret/key.txt",
    "{work}/%73ecret/key.txt",
    "{work}/secret%2Fkey.txt",
    "{work}/open/%2e%2e/secret/key.txt",
    "{work}/open/%252e%252e/secret/key.txt",
    "file://{work}/secret/key.txt",
    "file://localhost{work}/%73ecret/key.txt",
    "{work}/\uff53ecret/key.txt",
]


def test_a_path_rule_holds_against_every_spelling_and_nowhere_else(bench):
    work = bench.work
    spellings = [spelling.format(work=work) for spelling in REAL + POSSIBLE]
    reads = [["call", "read_text_file", {"path": spelling}] for spelling in spellings]
    direct = bench.talk(FILESYSTEM, bench.direct(FILESYSTEM), reads)
    assert [text(answer) for answer in direct.results[: len(REAL)]] == [KEY] * len(REAL), "these do reach the file"

    spellings += [f"{work}/secret/new.txt", f"{work}/link/new.txt", "secret/new.txt"]
    writes = [["call", "write_file", {"path": spelling, "content": FORGED}] for spelling in spellings]
    elsewhere = [
        ["call", "read_text_file", {"path": f"{work}/secretive/b.txt"}],
        ["call", "read_text_file", {"path": f"{work}/secretive/../open/./a.txt"}],
        ["call", "write_file", {"path": f"{work}/secret.txt", "content": "beside"}],
    ]
    walled = reads + writes
    command = bench.governed(FILESYSTEM, deny(f'args.path = "{work}/secret/**"'))
    report = bench.talk(FILESYSTEM, command, walled + elsewhere)
    answers = zip(walled, report.results[: len(walled)], strict=True)
    assert [step for step, answer in answers if not is_denied(answer, step[1])] == []
    assert {path.name: path.read_text() for path in (work / "secret").iterdir()} == {"key.txt": KEY}
    assert [text(answer) for answer in report.results[-3:-1]] == ["not so secret\n", "alpha\nbeta\n"]
    assert (work / "secret.txt").read_text() == "beside"


def test_a_rule_on_any_argument_covers_lists_moves_and_trees(bench):
    secret, aside = f"{bench.work}/secret", f"{bench.work}/open/taken.txt"
    steps = [
        ["call", "read_multiple_files", {"paths": [f"{bench.work}/open/a.txt", f"{bench.work}/link/key.txt"]}],
        ["call", "move_file", {"source": f"{secret}/key.txt", "destination": aside}],
        ["call", "move_file", {"source": f"{bench.work}/open/a.txt", "destination": f"{secret}/key.txt"}],
        ["call", "list_directory", {"path": f"{bench.work}/open/../secret"}],
        ["call", "read_multiple_files", {"paths": [f"{bench.work}/open/a.txt"]}],
    ]
    policy = deny(f'args."*" = ["{secret}", "{secret}/**"]')
    report = bench.talk(FILESYSTEM, bench.governed(FILESYSTEM, policy), steps)
    denied = [is_denied(answer, step[1]) for answer, step in zip(report.results, steps, strict=True)]
    assert denied == [True, True, True, True, False]
    assert (bench.work / "secret" / "key.txt").read_text() == KEY
    assert (bench.work / "open" / "a.txt").exists()


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_deny_as_error_is_an_exception_to_the_sdk_client(bench, mode):
    steps = [
        ["call", "get_current_time", {"timezone": "Asia/Tokyo"}],
        ["call", "convert_time", {"source_timezone": "UTC", "time": "10:00", "target_timezone": "UTC"}],
    ]
    command = bench.governed(TIME, deny('tool = "get_current_time"', 'deny_as = "error"'))
    report = bench.talk(TIME, command, steps, mode=mode)
    error = report.results[0]["error"]
    assert (error["code"], error["message"]) == (
        -32001,
        f"Blocked by mcpgov policy: keep out {WHY.format(**error['data'])}",
    )
    assert {key: error["data"][key] for key in ("kind", "rule", "action")} == {
        "kind": "policy", "rule": "wall", "action": "blocked",
    }  # fmt: skip
    assert report.results[1]["result"]["isError"] is False


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_denied_result_is_one_the_sdk_client_of_either_era_reads(bench, mode):
    command = bench.governed(TIME, deny('tool = "get_current_time"'))
    report = bench.talk(TIME, command, [["call", "get_current_time", {"timezone": "Asia/Tokyo"}]], mode=mode)
    assert is_denied(report.results[0], "get_current_time")


def test_what_no_rule_names_is_not_authorized(bench):
    policy = 'default = "deny"\ndeny_as = "error"\n[[rule]]\naction = "allow"\ntool = "list_*"\n'
    steps = [
        ["call", "list_allowed_directories", {}],
        ["call", "read_text_file", {"path": f"{bench.work}/open/a.txt"}],
    ]
    report = bench.talk(FILESYSTEM, bench.governed(FILESYSTEM, policy), steps)
    assert report.results[0]["result"]["isError"] is False
    error = report.results[1]["error"]
    assert (error["code"], error["message"]) == (-32003, f"Tool not authorized {WHY.format(**error['data'])}")
    assert error["data"]["kind"] == "unauthorized"
