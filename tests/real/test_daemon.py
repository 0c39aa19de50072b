"""The daemon beside the real Claude Code: what is added is wrapped, what is lost is told, a war of writes ends."""

import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.helpers.governed import Governed
from tests.helpers.talks import PATIENCE, wait_for

SOON = 3.0  # seconds; the contract says 1
REMOTE = "https://example.invalid/mcp"
ADDS, BURST, AT_ONCE = 12, 50, 8
# Writes the config again and again as a session does, each time from what is in the file at that moment.
CHATTER = """
import json, os, select, sys
path, pause = sys.argv[1], float(sys.argv[2])
while not select.select([sys.stdin], [], [], pause)[0]:
    with open(path, "rb") as file:
        table = json.load(file)
    table["numStartups"] = table.get("numStartups", 0) + 1
    with open(path + ".tmp.chatter", "w") as file:
        json.dump(table, file, indent=2)
    os.replace(path + ".tmp.chatter", path)
print(table["numStartups"])
"""


@pytest.fixture
def governed(tmp_path: Path) -> Iterator[Governed]:
    with Governed(tmp_path.resolve()).daemon() as found:
        yield found


def add(governed: Governed, name: str, *options: str) -> None:
    governed.client("claude", "mcp", "add", *(options or ("-s", "user")), name, "--", "/bin/cat", "-u", name)


def until_wrapped(governed: Governed, names: list[str]) -> float:
    """Seconds until these entries are there and no local one is bare."""
    began = time.monotonic()
    wait_for(lambda: not governed.bare(), f"the wrap of {names}", SOON)
    took = time.monotonic() - began
    table = governed.found()
    assert set(names) <= set(table["mcpServers"])
    return took


def added_beside(governed: Governed, name: str) -> float:
    """Add a server while others write: those may lose it, and then it is added again. Seconds until it is wrapped."""
    for _ in range(5):
        add(governed, name)
        took = until_wrapped(governed, [])
        if name in governed.found()["mcpServers"]:
            return took
    raise AssertionError(f"`{name}` does not stay")


@pytest.mark.deadline
def test_what_claude_code_adds_is_wrapped_within_a_second_and_what_it_removes_is_gone(governed: Governed) -> None:
    took = []
    for number in range(ADDS):
        add(governed, f"s{number}")
        took.append(until_wrapped(governed, [f"s{number}"]))
    print(f"\nadd -> wrapped: p50 {statistics.median(took):.3f} s, p95 {sorted(took)[int(0.95 * len(took))]:.3f} s")
    governed.client("claude", "mcp", "remove", "s3")
    wait_for(lambda: "s3" not in governed.states(), "the removal")
    assert governed.history()["s3"] == ["added", "wrapped", "removed"]
    assert governed.states() == {f"s{number}": "governed" for number in range(ADDS) if number != 3}
    assert governed.complaints() == []


@pytest.mark.deadline
def test_the_only_server_can_be_removed_right_after_it_was_added(governed: Governed) -> None:
    add(governed, "only")
    until_wrapped(governed, ["only"])
    governed.client("claude", "mcp", "remove", "only")
    wait_for(lambda: governed.states() == {}, "the removal")
    assert (governed.history()["only"], governed.complaints()) == (["added", "wrapped", "removed"], [])


@pytest.mark.deadline
def test_every_scope_is_governed_a_remote_server_stays_as_it_is_and_a_project_file_waits_to_be_asked_for(
    governed: Governed,
) -> None:
    add(governed, "mine")
    add(governed, "local", "-s", "local")
    add(governed, "shared", "-s", "project")
    governed.client("claude", "mcp", "add", "-s", "user", "-t", "http", "web", REMOTE)
    committed = (governed.work / ".mcp.json").read_bytes()
    until_wrapped(governed, ["mine", "web"])
    found = governed.found()
    assert found["mcpServers"]["web"] == {"type": "http", "url": REMOTE}
    assert found["projects"][str(governed.work)]["mcpServers"]["local"]["command"] == governed.launcher
    states = {"mine": "governed", "local": "governed", "web": "native", "shared": "native"}
    wait_for(lambda: governed.states() == states, "the states")
    assert (governed.work / ".mcp.json").read_bytes() == committed

    governed.settings("project_files = true\n")
    wait_for(lambda: governed.states().get("shared") == "governed", "the project's file")
    add(governed, "more", "-s", "project")
    servers = (governed.work / ".mcp.json").read_text
    wait_for(lambda: servers().count(governed.launcher) == 2, "the wrap in the project's file", SOON)
    assert governed.client("claude", "mcp", "remove", "shared")
    wait_for(lambda: "shared" not in governed.states(), "the removal")
    assert [what for what in governed.complaints() if "`web`" not in what] == []


def test_fifty_adds_in_a_burst_end_wrapped_as_far_as_the_client_kept_them(governed: Governed) -> None:
    names = [f"b{number}" for number in range(BURST)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda name: add(governed, name), names))
    began = time.monotonic()
    wait_for(lambda: not governed.bare(), "the wrap of all", PATIENCE)
    kept = set(governed.found()["mcpServers"])
    took, lost = time.monotonic() - began, sorted(set(names) - kept)
    print(f"\n{BURST} adds, {AT_ONCE} at once: all wrapped {took:.3f} s after the last; lost by the client: {lost}")
    assert len(kept) >= BURST // 2, "the client itself loses a few, not most"
    wait_for(lambda: set(governed.found()["mcpServers"]) <= governed.states().keys(), "the look")
    assert {governed.states()[name] for name in kept} == {"governed"}
    assert list(governed.home.rglob("*.corrupted*")) == []
    assert governed.leftovers() == []
    # What was seen and is gone is told, not dropped in silence.
    gone = {name for name, what in governed.history().items() if what[-1] == "removed"}
    assert gone <= set(lost)
    assert {entry["name"] for entry in governed.logged("lost") + governed.logged("removed")} >= gone


@pytest.mark.deadline
def test_a_chatty_session_neither_delays_the_wrap_nor_costs_much(governed: Governed) -> None:
    add(governed, "first")
    until_wrapped(governed, ["first"])
    padding = {f"/project/{number}": {"history": ["x" * 200] * 10} for number in range(100)}  # some 200 KB
    governed.replace(json.dumps({**governed.found(), "projects": padding}, indent=2))
    words = [sys.executable, "-I", "-S", "-c", CHATTER, str(governed.config), "0.2"]
    assert governed.process is not None
    daemon = psutil.Process(governed.process.pid)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as chatter:
        wait_for(lambda: governed.found().get("numStartups", 0) >= 5, "the chatter")
        before, began, spoken = sum(daemon.cpu_times()[:2]), time.monotonic(), governed.found()["numStartups"]
        wait_for(lambda: governed.found()["numStartups"] >= spoken + 15, "more chatter")
        share = (sum(daemon.cpu_times()[:2]) - before) / (time.monotonic() - began)
        took = [added_beside(governed, name) for name in ("second", "third", "fourth")]
        said, _ = chatter.communicate("")
    print(f"\nbeside a chatty session: wrapped after {max(took):.3f} s at most; the daemon takes {share:.1%} of a core")
    assert governed.found()["numStartups"] == int(said), "no write of the session was lost"
    assert share < 0.15
    wait_for(lambda: set(governed.states().values()) == {"governed"}, "the look")
    assert governed.complaints() == []


@pytest.mark.deadline
def test_a_war_of_writes_ends_by_giving_way_and_is_told(governed: Governed) -> None:
    add(governed, "git")
    until_wrapped(governed, ["git"])
    old = json.dumps({"mcpServers": {"git": {"command": "/bin/cat", "args": ["-u", "git"]}}})
    over = threading.Event()

    def restore() -> None:
        while not over.wait(0.02):
            if governed.config.read_text() != old:
                governed.replace(old)

    warrior = threading.Thread(target=restore)
    warrior.start()
    try:
        wait_for(lambda: governed.states() == {"git": "contested"}, "the end of the war")
        for _ in range(5):
            governed.replace(old)
            governed.ask("sync")
            assert governed.config.read_text() == old
    finally:
        over.set()
        warrior.join()
    assert governed.servers() == {"git": "contested"}
    [told] = governed.complaints()
    assert told.split(";")[0] == (
        "another program keeps unwrapping `git` in Claude Code: put back 3 times within a minute"
    )
    assert len(governed.logged("contested")) == 1
    # By hand it can be had at once, and then stays.
    governed.mcpgov("wrap", "git")
    wait_for(lambda: governed.states() == {"git": "governed"}, "the wrap by hand")
    assert governed.complaints() == []


@pytest.mark.deadline
def test_a_client_that_writes_what_it_knew_whenever_a_server_is_added_is_not_taken_for_an_enemy(
    governed: Governed,
) -> None:
    known: dict[str, object] = {}
    for number in range(6):
        known[f"s{number}"] = {"command": "/bin/cat", "args": ["-u", str(number)]}
        governed.replace(json.dumps({"mcpServers": known}, indent=2))
        until_wrapped(governed, list(known))
    wait_for(lambda: governed.states() == dict.fromkeys(known, "governed"), "the look")
    assert (governed.complaints(), governed.logged("contested")) == ([], [])


@pytest.mark.deadline
def test_what_a_client_lost_is_told_with_the_command_that_brings_it_back(governed: Governed) -> None:
    add(governed, "git")
    add(governed, "web")
    until_wrapped(governed, ["git", "web"])
    before = governed.found()["mcpServers"]
    governed.replace("{}")
    wait_for(lambda: governed.states() == {"git": "lost", "web": "lost"}, "the report")
    assert governed.servers() == {"git": "lost", "web": "lost"}
    problem = next(problem for problem in governed.status()["problems"] if "lost" in problem["what"])
    assert problem["hint"] == "mcpgov restore git web"
    governed.mcpgov("restore", "git", "web")
    wait_for(lambda: governed.states() == {"git": "governed", "web": "governed"}, "their return")
    assert (governed.found()["mcpServers"], governed.complaints()) == (before, [])
