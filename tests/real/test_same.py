"""Under a policy that allows all, nobody can tell that we are there."""

import datetime
import json
import zoneinfo
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from tests.real.harness import EVERYTHING, FILESYSTEM, GIT, MEMORY, TIME, Bench, Report, Server

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
ERAS = [
    (FILESYSTEM, HANDSHAKE),
    (EVERYTHING, HANDSHAKE),
    (MEMORY, HANDSHAKE),
    (GIT, HANDSHAKE),
    (GIT, STATELESS),
    (TIME, HANDSHAKE),
    (TIME, STATELESS),
]
EACH = pytest.mark.parametrize(("server", "revision"), ERAS, ids=[f"{server.name}-{era}" for server, era in ERAS])

LISTS = {
    "filesystem": ["tools/list"],
    "everything": ["tools/list", "resources/list", "resources/templates/list", "prompts/list"],
    "memory": ["tools/list"],
    "git": ["tools/list", "resources/list", "prompts/list"],
    "time": ["tools/list", "resources/list", "prompts/list"],
}
ENTITIES = [
    {"name": "Ada", "entityType": "person", "observations": ["wrote notes", "λ \u2028 日本"]},
    {"name": "Engine", "entityType": "machine", "observations": ["has a mill"]},
]
STATIC = "demo://resource/static/document/features.md"


def calls(server: Server, work: str) -> list[tuple[str, dict[str, Any]]]:
    """A handful of calls whose answers do not depend on the moment; a wrong one is among them."""
    return {
        "filesystem": [
            ("list_allowed_directories", {}),
            ("list_directory", {"path": work}),
            ("read_text_file", {"path": f"{work}/open/a.txt"}),
            ("read_text_file", {"path": f"{work}/open/ünïcode \u2028.txt", "head": 1}),
            ("read_multiple_files", {"paths": [f"{work}/open/a.txt", f"{work}/secretive/b.txt"]}),
            ("write_file", {"path": f"{work}/open/new.txt", "content": 'new "text"\n\ttab\r\nλ 😀 \\'}),
            ("read_text_file", {"path": f"{work}/open/new.txt"}),
            ("edit_file", {"path": f"{work}/open/a.txt", "edits": [{"oldText": "beta", "newText": "gamma"}]}),
            ("directory_tree", {"path": work}),
            ("read_text_file", {"path": f"{work}/none.txt"}),
        ],
        "memory": [
            ("create_entities", {"entities": ENTITIES}),
            ("create_relations", {"relations": [{"from": "Ada", "to": "Engine", "relationType": "programs"}]}),
            ("add_observations", {"observations": [{"entityName": "Engine", "contents": ["is brass"]}]}),
            ("read_graph", {}),
            ("search_nodes", {"query": "notes"}),
            ("delete_entities", {"entityNames": ["Ada"]}),
            ("open_nodes", {"names": ["Engine"]}),
        ],
        "everything": [
            ("echo", {"message": 'hello \u2028 λ 😀 " \\ \t'}),
            ("get-sum", {"a": 2, "b": 40.5}),
            ("get-tiny-image", {}),
            ("get-annotated-message", {"messageType": "error", "includeImage": True}),
            ("get-structured-content", {"location": "New York"}),
            ("get-resource-links", {"count": 3}),
            ("get-sum", {"a": "two"}),
        ],
        "git": [
            ("git_status", {"repo_path": work}),
            ("git_log", {"repo_path": work}),
            ("git_diff_unstaged", {"repo_path": work}),
            ("git_add", {"repo_path": work, "files": ["two.txt"]}),
            ("git_commit", {"repo_path": work, "message": "second: λ\n\nbody"}),
            ("git_show", {"repo_path": work, "revision": "HEAD"}),
            ("git_status", {"repo_path": f"{work}/none"}),
        ],
        "time": [
            ("convert_time", {"source_timezone": "Asia/Tokyo", "time": "12:30", "target_timezone": "Asia/Kathmandu"}),
            ("convert_time", {"source_timezone": "Asia/Tokyo", "time": "25:61", "target_timezone": "Europe/Paris"}),
            ("convert_time", {"source_timezone": "Nowhere/None", "time": "10:00", "target_timezone": "Europe/Paris"}),
        ],
    }[server.name]


def more_steps(server: Server) -> list[list[Any]]:
    if server is not EVERYTHING:
        return []
    prompt, template = {"type": "ref/prompt", "name": "completable-prompt"}, "demo://resource/dynamic/text/{resourceId}"
    return [
        ["read", STATIC],
        ["read", "demo://resource/none"],
        ["prompt", "simple-prompt"],
        ["prompt", "args-prompt", {"city": "Zürich", "state": "\u2028"}],
        ["prompt", "none"],
        ["complete", prompt, {"name": "department", "value": "S"}, None],
        ["complete", prompt, {"name": "name", "value": "D"}, {"department": "Sales"}],
        ["complete", {"type": "ref/resource", "uri": template}, {"name": "resourceId", "value": "1"}, None],
        ["call with progress", "trigger-long-running-operation", {"duration": 0.2, "steps": 4}],
        ["level", "debug"],
        ["ping"],
    ]


Answer = TypeVar("Answer")


def twice(first: Callable[[], Answer], second: Callable[[], Answer]) -> tuple[Answer, Answer]:
    """Both, on the same day where the clocks of these tests are: a converted time carries the date."""
    while True:
        day = datetime.datetime.now(zoneinfo.ZoneInfo("Asia/Tokyo")).date()
        both = first(), second()
        if datetime.datetime.now(zoneinfo.ZoneInfo("Asia/Tokyo")).date() == day:
            return both


def raw_lines(
    bench: Bench, server: Server, command: list[str], revision: str, capabilities: dict[str, Any]
) -> list[bytes]:
    """The bytes of every answer to one fixed conversation."""
    info = {"name": "raw", "version": "1"}
    meta: dict[str, Any] = {}
    answers = {"roots/list": {"roots": [{"uri": "file:///nowhere", "name": "n"}]}}
    with bench.raw(server, command, answers) as client:
        if revision == HANDSHAKE:
            hello = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": info}
            lines = [client.ask("initialize", hello)]
            client.tell({"method": "notifications/initialized"})
        else:
            prefix = "io.modelcontextprotocol/"
            values = {"protocolVersion": revision, "clientCapabilities": capabilities, "clientInfo": info}
            meta = {"_meta": {prefix + key: value for key, value in values.items()}}
            lines = [client.ask("server/discover", meta)]
        lines += [client.ask(method, meta) for method in LISTS[server.name]]
        for tool, arguments in calls(server, str(bench.work)):
            lines.append(client.ask("tools/call", {"name": tool, "arguments": arguments, **meta}))
    return lines


@EACH
def test_every_answer_line_is_byte_identical_with_us_between(bench, server, revision):
    governed = bench.governed(server)
    without, through = twice(
        lambda: raw_lines(bench, server, bench.direct(server), revision, {}),
        lambda: raw_lines(bench, server, governed, revision, {}),
    )
    for line, wanted in zip(through, without, strict=True):
        assert line == wanted or escaped(line, wanted)
    assert through[1] == without[1]
    assert len(json.loads(through[1])["result"]["tools"]) > 1


def escaped(line: bytes, wanted: bytes) -> bool:
    """Some readers end a line at U+2028: where one stands in a message, the same value goes out in ASCII."""
    return "\u2028" in wanted.decode() and line.isascii() and json.loads(line) == json.loads(wanted)


def test_tools_that_depend_on_the_client_are_listed_byte_identical(bench):
    capabilities = {"sampling": {}, "elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": True}}
    governed = bench.governed(EVERYTHING)
    without = raw_lines(bench, EVERYTHING, bench.direct(EVERYTHING), HANDSHAKE, capabilities)
    through = raw_lines(bench, EVERYTHING, governed, HANDSHAKE, capabilities)
    assert through[:2] == without[:2]
    names = {tool["name"] for tool in json.loads(through[1])["result"]["tools"]}
    assert {"trigger-sampling-request", "trigger-elicitation-request", "get-roots-list"} <= names


@EACH
def test_the_sdk_client_sees_the_same_server_and_gets_the_same_results(bench, server, revision):
    verbs = {"resources/list": "resources", "resources/templates/list": "templates", "prompts/list": "prompts"}
    steps = [[verbs.get(method, "tools")] for method in LISTS[server.name]]
    steps += [["call", *call] for call in calls(server, str(bench.work))] + more_steps(server)
    mode = "legacy" if server in (GIT, TIME) and revision == HANDSHAKE else "auto"
    governed = bench.governed(server)
    kept: list[dict[str, bytes]] = []

    def told(command: list[str]) -> Report:
        report = bench.talk(server, command, steps, mode=mode)
        kept.append(contents(bench))
        return report

    without, through = twice(lambda: told(bench.direct(server)), lambda: told(governed))
    assert through.results == without.results
    assert (through.revision, through.server) == (without.revision, without.server)
    assert through.revision == revision
    assert through.seen["progress"] == without.seen["progress"]
    assert kept[-1] == kept[-2], "the server left the same files"
    failed = [result for result in through.results if "error" in result or result["result"].get("isError")]
    assert 0 < len(failed) < len(steps) or server is MEMORY


def contents(bench: Bench) -> dict[str, bytes]:
    """Every file the server keeps; not git's own books, which hold times."""
    files = [path for path in bench.work.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(bench.work)): path.read_bytes() for path in files}


def test_progress_log_messages_and_resource_updates_reach_the_client(bench):
    uri = "demo://resource/dynamic/text/1"
    steps = [
        ["call with progress", "trigger-long-running-operation", {"duration": 0.2, "steps": 4}],
        ["level", "debug"],
        ["call", "toggle-simulated-logging", {}],
        ["wait for", "notifications/message"],
        ["subscribe", uri],
        ["call", "toggle-subscriber-updates", {}],
        ["wait for", "notifications/resources/updated"],
        ["unsubscribe", uri],
    ]
    report = bench.talk(EVERYTHING, bench.governed(EVERYTHING), steps)
    assert [result for result in report.results if "error" in result] == []
    assert report.seen["progress"] == [[float(step), 4.0, None] for step in range(1, 5)]
    assert report.results[6]["result"]["params"] == {"uri": uri}
