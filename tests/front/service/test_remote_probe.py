import sys
import time

import pytest

from mcpgov.configs.pass_result import FileResult
from mcpgov.configs.plan import EntryState
from mcpgov.front.context import Context
from mcpgov.front.service import remote_probe
from mcpgov.front.service.remote_probe import probe, probe_waiting, read_answer
from mcpgov.remote_servers import load_probe

URL = "https://x.example/mcp"
ANSWERS = "import json, sys; json.dump({'found': 'oauth', 'why': ' '.join(sys.argv[1:])}, sys.stdout)"


@pytest.fixture
def context(tmp_path):
    return Context(str(tmp_path))


@pytest.fixture
def child(monkeypatch):
    """The command line of mcpgov is another program's."""

    def played(code):
        monkeypatch.setattr(remote_probe, "child_command", lambda root, *words: [sys.executable, "-c", code, *words])

    return played


def state(name, code, url=URL):
    return EntryState("cursor", "/f", ("m", name), name, "http", "native", "", (), reason_code=code, url=url)


def test_what_a_child_finds_is_kept(context, child):
    child(ANSWERS)
    probe(context, [URL, "https://y"])
    found = load_probe(context.places.remote_probes, URL)
    assert (found.found, found.why) == ("oauth", f"remote probe --json -- {URL}")
    assert load_probe(context.places.remote_probes, "https://y").found == "oauth"


def test_only_who_waits_is_asked_and_by_name_also_who_did_not_answer(context, child):
    child(ANSWERS)
    rows = FileResult("cursor", "/f", "unchanged", states=(
        state("a", "remote-unprobed"), state("b", "remote-unreached", "https://b"), state("c", "not-wrapped", "https://c"),
    ))  # fmt: skip
    directory = context.places.remote_probes
    probe_waiting(context, [rows])
    assert (load_probe(directory, URL) is None, load_probe(directory, "https://b")) == (False, None)
    probe_waiting(context, [rows], ["b", "c"])
    assert (load_probe(directory, "https://b").found, load_probe(directory, "https://c")) == ("oauth", None)


@pytest.mark.parametrize("code", ["", "print('{}')", "raise SystemExit(64)"])
def test_a_child_that_finds_nothing_changes_nothing(context, child, code):
    child(code)
    probe(context, [URL])
    assert load_probe(context.places.remote_probes, URL) is None


def test_a_child_that_hangs_is_ended(context, child, monkeypatch):
    child("import time; time.sleep(600)")
    monkeypatch.setattr(remote_probe, "TIMEOUT", 0.2)
    begin = time.monotonic()
    probe(context, [URL])
    assert time.monotonic() - begin < 60
    assert load_probe(context.places.remote_probes, URL) is None


def test_the_answer_is_read_strictly():
    assert read_answer(b'{"found": "open"}')[::2] == ("open", "")
    for odd in (b"", b"[]", b'{"found": "x"}', b"[" * 100_000):
        assert read_answer(odd) is None
