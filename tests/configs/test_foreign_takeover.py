import json
from dataclasses import replace

import pytest

from mcpgov.configs.config_pass import CHANGED, FAILED, UNCHANGED, Worker
from mcpgov.configs.foreign_takeover import take_out
from tests.helpers.homes import linux_home, write

GOV = {
    "command": "mcp-gov-proxy",
    "args": ["--service", "a", "--target", "npx x", "--target-args", '["npx", "x"]', "--rules", "/r"],
    "_original": {"command": "npx", "args": ["x"]},
    "env": {"A": "b"},
}
LOST = {"command": "mcp-gov-proxy", "args": ["--target", "npx x"]}
PLAIN = {"command": "npx", "args": ["x"], "env": {"A": "b"}}


@pytest.fixture
def worker(tmp_path):
    home = replace(linux_home(tmp_path), clients=("cursor",))
    write(home.launcher, "")
    return Worker(home, patience=0.2)


@pytest.fixture
def config(worker):
    held = {"mcpServers": {"a": GOV, "lost": LOST, "mine": {"command": "y"}}}
    return write(worker.home.home / ".cursor/mcp.json", held)


def servers(config):
    return json.loads(config.read_text())["mcpServers"]


def test_what_another_governor_kept_comes_back_and_nothing_else_changes(worker, config):
    found = take_out(worker, worker.sources()[0])
    assert [(entry.name, entry.result, entry.reason) for entry in found.entries] == [
        ("a", "unwrapped", "`mcp-gov` taken out")
    ]
    assert servers(config) == {"a": PLAIN, "lost": LOST, "mine": {"command": "y"}}
    assert take_out(worker, worker.sources()[0]).result == UNCHANGED


def test_ours_goes_where_theirs_was_and_unwraps_to_the_servers_own_command(worker, config):
    source = worker.sources()[0]
    preview = take_out(worker, source, ["a"], wrap=True, dry=True)
    assert (preview.result, servers(config)["a"]) == (CHANGED, GOV)
    found = take_out(worker, source, ["a"], wrap=True)
    assert [(entry.name, entry.result) for entry in found.entries] == [("a", "wrapped")]
    assert servers(config)["a"]["command"] == str(worker.home.launcher)
    assert servers(config)["mine"] == {"command": "y"}
    worker.unwrap(source)
    assert servers(config)["a"] == PLAIN


def test_a_wrap_of_ours_around_theirs_is_taken_out_with_it(worker, config):
    source = worker.sources()[0]
    worker.sync(source)
    assert servers(config)["a"]["command"] == str(worker.home.launcher)
    take_out(worker, source, ["a"])
    assert servers(config)["a"] == PLAIN
    assert servers(config)["mine"]["command"] == str(worker.home.launcher), "the others stay wrapped"


def test_what_is_not_asked_for_or_cannot_be_read_is_left(worker, config):
    source = worker.sources()[0]
    before = config.read_bytes()
    assert take_out(worker, source, ["mine"]).result == UNCHANGED
    assert take_out(worker, replace(source, listed="why")).result == UNCHANGED
    assert config.read_bytes() == before
    write(config, "[]")
    assert take_out(worker, source).result == FAILED
    config.unlink()
    assert take_out(worker, source).result == UNCHANGED
