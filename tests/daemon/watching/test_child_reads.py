import json
import select
import sys
from pathlib import Path

import pytest

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import EntryState
from mcpgov.daemon.children import child
from mcpgov.daemon.watching.child_reads import ChildReads

ROW = {"path": ["mcp_servers", "a"], "name": "a", "transport": "stdio", "state": "native", "reason": "not wrapped"}


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text("x")
    return ConfigSource(BY_NAME["codex"], file)


def saying(tmp_path: Path, text: str) -> ChildReads:
    """A child that prints this, and notes how it was asked."""
    code = f"import sys; open({str(tmp_path / 'asked')!r}, 'a').write(repr(sys.argv[1:])); print({text!r})"
    return ChildReads([sys.executable, "-c", code])


def heard(looks: ChildReads, source: ConfigSource):
    """What is known once every child has spoken."""
    while running := [found for _, found in looks._running.values()]:
        assert select.select(running, [], [], 30)[0]
        looks.collect()
    return looks.read(source)


def test_a_child_reads_the_file_and_what_it_said_holds_until_the_file_changes(source, tmp_path):
    looks = saying(tmp_path, json.dumps({"servers": [ROW]}))
    assert looks.read(source) is None, "nobody is waited for"
    assert looks.read(source) is None
    file = str(source.file)
    found = heard(looks, source)
    assert found.states == (
        EntryState("codex", file, ("mcp_servers", "a"), "a", "stdio", "native", "not wrapped", ()),
    )  # fmt: skip
    assert (tmp_path / "asked").read_text() == repr(["servers", "--json", "--client", "codex", f"--config={file}"])
    assert looks.read(source) == found
    assert not looks._running
    source.file.write_text("another")
    assert looks.read(source) == found, "what was known is told until there is better"
    assert len(looks._running) == 1
    assert heard(looks, source) == found
    looks.close()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"servers": [{}]}', '{"servers": 5}', "[" * 9000])
def test_a_report_that_cannot_be_understood_tells_of_no_server_and_is_not_asked_for_again(source, tmp_path, text):
    looks = saying(tmp_path, text)
    looks.read(source)
    assert heard(looks, source).states == ()
    assert not looks._running


def test_a_child_that_says_too_much_or_cannot_start_tells_nothing(source, tmp_path, monkeypatch):
    monkeypatch.setattr(child, "MOST_OUTPUT", 3)
    looks = saying(tmp_path, "far too much")
    looks.read(source)
    assert heard(looks, source).states == ()
    looks = ChildReads([str(tmp_path / "none")])
    assert looks.read(source) is None
    assert looks.read(source).states == ()


def test_children_end_with_it(source):
    looks = ChildReads([sys.executable, "-c", "import time; time.sleep(600)"])
    looks.read(source)
    ((_, running),) = looks._running.values()
    looks.close()
    assert (running._process.poll() is not None, looks._running) == (True, {})
