"""What a server asks of the client: it arrives, it is judged, and the call that caused it always ends."""

import json

import pytest

from tests.real.harness import ALLOW_ALL, ASKING, EVERYTHING, FILESYSTEM

REPLY = "forty-two"
ROOTS = [{"uri": "file:///somewhere/project", "name": "Project"}]
PERSON = {"sampling": REPLY, "elicitation": {"action": "accept", "content": {"name": "Ada"}}, "roots": ROOTS}
CHOICE = {**PERSON, "elicitation": {"action": "accept", "content": {"colour": "green"}}}
NO_ROOTS = '[[rule]]\nname = "no-roots"\naction = "deny"\nmethod = "roots/list"\n'
SECRET = "hunter2"
ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


def first(method: str, action: str, more: str = "") -> str:
    """A rule on one method before the one that allows all."""
    rule = f'[[rule]]\nname = "first"\naction = "{action}"\nmethod = "{method}"\n{more}\n'
    return ALLOW_ALL.replace("[[rule]]", rule + "[[rule]]", 1)


def text(answer: dict) -> str:
    return "\n".join(part.get("text", "") for part in answer["result"]["content"])


def test_sampling_elicitation_and_roots_work_through_us(bench):
    page = {"url": "https://example.test/login", "message": "sign in", "elicitationId": "e-1"}
    steps = [
        ["call", "trigger-sampling-request", {"prompt": "what is it?", "maxTokens": 50}],
        ["call", "trigger-elicitation-request", {}],
        ["call", "trigger-url-elicitation", page],
        ["call", "get-roots-list", {}],
    ]
    command = bench.governed(EVERYTHING)
    through = bench.talk(EVERYTHING, command, steps, **PERSON)
    without = bench.talk(EVERYTHING, bench.direct(EVERYTHING), steps, **PERSON)
    assert through.results == without.results
    for asked in ("sampling", "elicitation", "roots"):
        assert through.seen[asked] == without.seen[asked] != []
    assert REPLY in text(through.results[0])
    assert "Ada" in text(through.results[1])
    assert page["url"] in text(through.results[2])
    assert ROOTS[0]["uri"] in text(through.results[3])
    made = [note["method"] for note in bench.journal() if note["dir"] == "server" and note.get("rule") == "everything"]
    assert made == ["sampling/createMessage", "elicitation/create", "elicitation/create"]


def test_new_roots_of_the_client_are_in_force_at_the_server(bench):
    told = [
        ["call", "list_allowed_directories", {}],
        ["roots changed", [{"uri": f"file://{bench.work}/open"}]],
        ["call", "read_text_file", {"path": f"{bench.work}/open/a.txt"}],
    ]
    report = bench.talk(FILESYSTEM, bench.governed(FILESYSTEM), told, roots=[{"uri": f"file://{bench.work}"}])
    assert len(report.seen["roots"]) == 2
    assert text(report.results[2]) == "alpha\nbeta\n"


def test_denied_sampling_is_an_error_to_the_server_and_the_call_ends(bench):
    command = bench.governed(EVERYTHING, first("sampling/createMessage", "deny", 'message = "not from this server"'))
    steps = [["call", "trigger-sampling-request", {"prompt": "p"}], ["call", "echo", {"message": "still here"}]]
    report = bench.talk(EVERYTHING, command, steps, **PERSON)
    assert report.seen["sampling"] == []
    assert report.results[0]["result"]["isError"] is True
    assert "-32001" in text(report.results[0])
    assert "Blocked by mcpgov policy: not from this server" in text(report.results[0])
    assert text(report.results[1]) == "Echo: still here"


def test_denied_elicitation_and_roots_end_their_calls_too(bench):
    policy = first("elicitation/create", "deny") + NO_ROOTS
    steps = [["call", "trigger-elicitation-request", {}], ["call", "get-roots-list", {}]]
    report = bench.talk(EVERYTHING, bench.governed(EVERYTHING, policy), steps, **PERSON)
    assert (report.seen["elicitation"], report.seen["roots"]) == ([], [])
    assert report.results[0]["result"]["isError"] is True
    assert ROOTS[0]["uri"] not in text(report.results[1])


def test_redact_cuts_the_pattern_out_of_the_sampling_prompt_and_passes_the_rest(bench):
    command = bench.governed(EVERYTHING, first("sampling/createMessage", "redact", f'contains = ["{SECRET}"]'))
    prompt = f"the word is {SECRET}, {SECRET}! What λ?"
    report = bench.talk(EVERYTHING, command, [["call", "trigger-sampling-request", {"prompt": prompt}]], **PERSON)
    (asked,) = report.seen["sampling"]
    assert asked["messages"][0]["content"]["text"].endswith("the word is [REDACTED], [REDACTED]! What λ?")
    assert asked["systemPrompt"] == "You are a helpful test server."
    assert REPLY in text(report.results[0])


@ERAS
def test_questions_of_either_era_are_answered_through_us(bench, mode):
    steps = [["call", "think", {"prompt": "it"}], ["call", "ask", {}], ["call", "places", {}]]
    through = bench.talk(ASKING, bench.governed(ASKING), steps, mode=mode, **CHOICE)
    assert [text(result) for result in through.results] == [
        f"thought of it: {REPLY}",
        "the colour is green",
        ROOTS[0]["uri"],
    ]
    assert [len(through.seen[asked]) for asked in ("sampling", "elicitation", "roots")] == [1, 1, 1]


@ERAS
def test_a_denied_question_of_either_era_never_reaches_the_person_and_the_call_ends(bench, mode):
    policy = first("sampling/createMessage", "deny", 'message = "no thinking"') + NO_ROOTS
    steps = [["call", "think", {"prompt": "it"}], ["call", "places", {}], ["call", "ask", {}]]
    report = bench.talk(ASKING, bench.governed(ASKING, policy), steps, mode=mode, **CHOICE)
    assert (report.seen["sampling"], report.seen["roots"]) == ([], [])
    for refused in report.results[:2]:
        assert "error" in refused or refused["result"]["isError"] is True
    assert text(report.results[2]) == "the colour is green"


@ERAS
def test_redact_cuts_the_sampling_prompt_in_either_era(bench, mode):
    command = bench.governed(ASKING, first("sampling/createMessage", "redact", f'contains = ["{SECRET}"]'))
    report = bench.talk(ASKING, command, [["call", "think", {"prompt": f"say {SECRET} now"}]], mode=mode, **CHOICE)
    assert [asked["messages"][0]["content"]["text"] for asked in report.seen["sampling"]] == ["say [REDACTED] now"]
    assert REPLY in text(report.results[0])


def test_a_task_asks_on_the_way_and_its_result_arrives_through_us(bench):
    able = {"elicitation": {"form": {}}, "tasks": {"requests": {"elicitation": {"create": {}}}}}
    hello = {"protocolVersion": "2025-11-25", "capabilities": able, "clientInfo": {"name": "raw", "version": "1"}}
    answers = {"elicitation/create": {"action": "accept", "content": {"interpretation": "the snake"}}}
    query = {"name": "simulate-research-query", "arguments": {"topic": "python", "ambiguous": True}}
    with bench.raw(EVERYTHING, bench.governed(EVERYTHING), answers) as client:
        client.ask("initialize", hello)
        client.tell({"method": "notifications/initialized"})
        task = json.loads(client.ask("tools/call", {**query, "task": {"ttl": 60_000}}))["result"]["task"]
        report = json.loads(client.ask("tasks/result", {"taskId": task["taskId"]}))
        end = json.loads(client.ask("tasks/get", {"taskId": task["taskId"]}))["result"]["status"]
    assert (task["status"], end) == ("working", "completed")
    assert "the snake" in text(report)
    assert [note["action"] for note in bench.decisions("elicitation/create")] == ["allow"]
