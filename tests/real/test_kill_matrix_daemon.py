"""SIGKILL at every step and of everybody: no torn file, no orphan, nothing done without a record."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from mcpgov import __version__
from tests.helpers import daemon_faults, parties
from tests.helpers.governed import Governed
from tests.helpers.talks import PATIENCE, PYTHON, end_all, marked, wait_for

GONE = 15.0  # seconds; the contract says 5
ADOPTED = 10.0
STEPS = 140  # system calls of one sync, and a few more: a daemon that was not hit is killed when it is done
KILLS = 8  # a test


# --- the daemon, at each step of a config write


@pytest.mark.parametrize("kind", ["kill", "killed"])
def test_killed_at_any_step_of_a_wrap_the_daemon_leaves_the_old_text_or_the_new_and_the_next_one_finishes(
    tmp_path: Path, kind: str
) -> None:
    words = daemon_faults.command("each", tmp_path, kind)
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(row["code"] == -signal.SIGKILL for row in rows) > 50, "every call is a row"
    new = rows[-1]["text"]
    for row in rows:
        assert row["code"] in (-signal.SIGKILL, daemon_faults.STRUCK) or row is rows[-1], row
        assert row["text"] in (daemon_faults.BARE.hex(), new), row
        assert (row["again"], row["then"]) == (0, new), row
        # Claude Code's lock is a directory that Claude Code itself clears away once it is stale.
        assert set(row["left"]) <= {".claude.json.lock"}, row
        assert (row["unwrapped"], row["bare"]) == (["changed"], True), row


@pytest.mark.parametrize("part", [0, 1])
def test_a_daemon_killed_again_and_again_while_a_client_adds_servers_loses_nothing(tmp_path: Path, part: int) -> None:
    governed = Governed(tmp_path.resolve())
    table: dict[str, Any] = {"numStartups": 1, "mcpServers": {}}
    governed.replace(text_of(table))
    steps = [random.randrange(at, at + STEPS // KILLS) + 1 for at in range(0, KILLS * (STEPS // KILLS), STEPS // KILLS)]
    print(f"\nkilled at the calls {steps}")
    try:
        for number, at in enumerate(steps):
            name, entry = f"s{number}", {"type": "stdio", "command": "/bin/cat", "args": ["-u", str(number)], "env": {}}
            table["mcpServers"][name] = entry
            held = governed.found()
            held["mcpServers"][name] = entry
            governed.replace(before := text_of(held))
            governed.start(*daemon_faults.command("serve", governed.places.root, ("kill", "killed")[part], at))
            die(governed)
            assert governed.config.read_text() == before or governed.bare() == [], at
        with governed.daemon():
            wait_for(lambda: not governed.bare(), "the wrap of all")
            names = table["mcpServers"].keys()
            wait_for(lambda: governed.states() == dict.fromkeys(names, "governed"), "the look")
            assert governed.complaints() == []
    finally:
        governed.end()
    governed.mcpgov("unwrap", "--all")
    assert governed.config.read_text() == text_of(table)


def text_of(table: Any) -> str:
    """As Claude Code writes it."""
    return json.dumps(table, indent=2)


def die(governed: Governed) -> None:
    """Wait for the death that was planned; where the plan was too long, kill it when it is done."""
    process = governed.process
    assert process is not None
    wait_for(lambda: process.poll() is not None or not governed.bare(), "the kill")
    if process.poll() is None:
        process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL


# --- client, proxy, server


class Crew:
    """A client, the proxy it has started through the launcher, and the server behind that."""

    def __init__(self, governed: Governed, load: str, kind: str) -> None:
        self.mark, self.kind = f"crew-{uuid.uuid4().hex}", kind
        self.done, ready = governed.home / f"{self.mark}.done", governed.home / f"{self.mark}.ready"
        script = parties.__file__
        server = [PYTHON, "-I", "-S", script, "server", self.mark, str(self.done), kind]
        proxy = [governed.launcher, "--server", self.mark, "--client", "claude-code", "--", *server]
        words = [PYTHON, "-I", "-S", script, "client", self.mark, str(ready), load, *proxy]
        self.client = subprocess.Popen(words, env=governed.env(), cwd=governed.work)
        self._ready = ready

    def begin(self) -> None:
        wait_for(self._ready.exists, "the conversation")
        self.proxy = psutil.Process(int(self._ready.read_text()))
        self.server = wait_for(lambda: next(iter(self.proxy.children()), None), "the server")

    def others(self) -> list[psutil.Process]:
        """Who is left besides the client."""
        return [process for process in marked(self.mark) if process.pid != self.client.pid]

    def calls(self) -> set[str]:
        return set(self.done.read_text().split()) if self.done.exists() else set()

    def end(self) -> None:
        self.client.kill()
        self.client.wait(PATIENCE)
        end_all(self.mark)


@contextlib.contextmanager
def crews(governed: Governed, load: str, kinds: tuple[str, ...]) -> Iterator[list[Crew]]:
    """At work, and known to the daemon with their servers."""
    made = [Crew(governed, load, kind) for kind in kinds]
    try:
        for crew in made:
            crew.begin()
        wait_for(lambda: known(governed, made), "the adoption", ADOPTED)
        yield made
    finally:
        for crew in made:
            crew.end()


def known(governed: Governed, those: list[Crew]) -> bool:
    found = {(proxy["pid"], proxy["server"], proxy["child"]) for proxy in governed.status()["proxies"]}
    return found >= {(crew.proxy.pid, crew.mark, crew.server.pid) for crew in those}


def recorded(governed: Governed) -> set[str]:
    """The calls that the journal says were let through."""
    files = governed.places.journal.glob("*.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text("ascii").splitlines()]
    return {row["tool"] for row in rows if row.get("action") == "allow"}


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Governed]:
    """One daemon for all; each crew is known by its mark."""
    with Governed(tmp_path_factory.mktemp("yard").resolve()).daemon() as governed:
        yield governed


@pytest.mark.parametrize("load", ["idle", "calls"])
@pytest.mark.parametrize("victim", ["client", "proxy", "server", "client+proxy"])
def test_whoever_is_killed_nobody_is_left_and_nothing_was_done_without_a_record(
    yard: Governed, victim: str, load: str
) -> None:
    with crews(yard, load, ("plain", "stubborn") * 2) as those:
        if load == "calls":
            wait_for(lambda: all(len(crew.calls()) > 20 for crew in those), "the calls")
        began = time.monotonic()
        for crew in those:
            for name in victim.split("+"):
                os.kill({"client": crew.client, "proxy": crew.proxy, "server": crew.server}[name].pid, signal.SIGKILL)
        wait_for(lambda: not any(crew.others() for crew in those), "the end of all", GONE)
        print(f"\n{victim} killed, {load}: the last one was gone after {time.monotonic() - began:.2f} s")
        assert [crew.client.poll() is None for crew in those] == ["client" not in victim] * len(those)
        executed = set[str]().union(*(crew.calls() for crew in those))
        assert bool(executed) == (load == "calls")
        assert executed <= recorded(yard)
        marks = {crew.mark for crew in those}
        wait_for(lambda: not any(proxy["server"] in marks for proxy in yard.status()["proxies"]), "the news")
    assert yard.complaints() == []


# --- the daemon, while proxies run


def at_work(those: list[Crew]) -> None:
    """More calls are carried out than before, by the same processes."""
    before = [len(crew.calls()) for crew in those]
    wait_for(lambda: all(len(crew.calls()) > many for crew, many in zip(those, before, strict=True)), "more calls")
    for crew in those:
        assert (crew.client.poll(), crew.proxy.is_running(), crew.server.is_running()) == (None, True, True)


def test_a_killed_daemon_harms_no_proxy_and_the_next_one_knows_them_all_again(tmp_path: Path) -> None:
    with Governed(tmp_path.resolve()).daemon() as governed, crews(governed, "calls", ("plain", "stubborn")) as those:
        governed.kill()
        at_work(those)
        governed.start()
        governed.ready()
        wait_for(lambda: known(governed, those), "the adoption", ADOPTED)
        at_work(those)
        # One that was found again is watched over like one that was started under our eyes.
        for crew in those:
            crew.proxy.kill()
        wait_for(lambda: not any(crew.others() for crew in those), "the end of the servers", GONE)


def test_an_upgrade_harms_no_running_proxy_and_new_ones_are_of_the_new_version(tmp_path: Path) -> None:
    python = installed(tmp_path / "venv")
    base = tmp_path.resolve() / "b"
    base.mkdir()
    with Governed(base, python).daemon() as governed, crews(governed, "calls", ("plain", "stubborn")) as old:
        assert governed.status()["daemon"]["version"] == __version__
        upgrade(tmp_path / "venv")
        at_work(old)
        governed.kill(signal.SIGTERM)
        governed.start()
        governed.ready()
        assert governed.status()["daemon"]["version"] == "99.1"
        wait_for(lambda: "mcpgov 99.1:" in governed.places.launcher.read_text(), "the new launcher")
        wait_for(lambda: known(governed, old), "the adoption", ADOPTED)
        at_work(old)
        with crews(governed, "calls", ("plain",)) as new:
            at_work(old + new)
        executed = set[str]().union(*(crew.calls() for crew in old + new))
        assert executed <= recorded(governed)


def installed(place: Path) -> str:
    """Another installation, with the package's own files and this one's libraries; its interpreter."""
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", place], check=True, timeout=60)
    libraries = Path(sysconfig.get_paths()["purelib"])
    for path in libraries.iterdir():
        if "mcpgov" not in path.name:
            (site(place) / path.name).symlink_to(path)
    shutil.copytree(Path(__file__).parents[2] / "mcpgov", site(place) / "mcpgov")
    return str(place / "bin" / "python")


def site(place: Path) -> Path:
    return next(place.glob("lib/python*/site-packages"))


def upgrade(place: Path) -> None:
    """As an installer does it: the old files go, the new ones come."""
    old, new = site(place) / "mcpgov", site(place) / "mcpgov.new"
    shutil.copytree(old, new, ignore=shutil.ignore_patterns("__pycache__"))
    text = (new / "__init__.py").read_text()
    assert text.count(f'"{__version__}"') == 1
    (new / "__init__.py").write_text(text.replace(f'"{__version__}"', '"99.1"'))
    shutil.rmtree(old)
    new.rename(old)
