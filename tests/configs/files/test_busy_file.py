"""A config that another program writes 300 times a second."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from mcpgov.configs.config_pass import CHANGED, Worker
from mcpgov.configs.files import backups, store
from mcpgov.configs.files.busy_file import read_until_valid, swap_between_writes
from mcpgov.configs.plan import WRAP
from mcpgov.configs.text.splice import InvalidText
from tests.helpers.homes import linux_home, write

WRITER = """
import json, os, sys, time
file, how, end, turn = sys.argv[1], sys.argv[2], time.time() + 30, 0
while time.time() < end:
    try:
        held = json.loads(open(file).read())
    except ValueError:
        continue
    turn += 1
    held["turn"] = turn
    if turn == 100:
        held["mcpServers"]["late"] = {"command": "npx"}
    if how == "in place":
        with open(file, "w") as out:
            out.write(json.dumps(held))
    else:
        with open(file + ".t", "w") as out:
            out.write(json.dumps(held))
        os.replace(file + ".t", file)
    time.sleep(1 / 300)
"""
BARE = {"mcpServers": {"a": {"command": "npx"}}}


@pytest.fixture
def worker(tmp_path):
    home = replace(linux_home(tmp_path), clients=("cursor",))
    write(home.launcher, "")
    return Worker(home, patience=0.0)


@pytest.fixture
def config(worker):
    return write(worker.home.home / ".cursor/mcp.json", BARE)


def late_is_governed(config):
    try:
        entry = json.loads(config.read_text())["mcpServers"].get("late", {})
    except ValueError:
        return False
    return "launcher" in entry.get("command", "")


@pytest.mark.parametrize("how", ["in place", "by a rename"])
def test_a_server_added_to_a_config_that_is_written_300_times_a_second_is_wrapped(worker, config, how):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(config), how])
    try:
        end, done = time.monotonic() + 20.0, False
        while not done and time.monotonic() < end:
            worker.sync(worker.sources()[0])
            done = late_is_governed(config)
        assert done
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.wait()


def task_of(worker):
    source = worker.sources()[0]
    task = worker.task(source, WRAP)
    seen = store.look(source.file, worker.home.home)
    return source, task, read_until_valid(lambda: seen, seen, task)[1]


def test_what_has_moved_is_swapped_at_once_where_its_originals_are_kept_and_its_backup_follows(worker, config):
    source, task, made = task_of(worker)
    text = write(config, {**BARE, "more": 1}).read_bytes()
    assert swap_between_writes(worker, source, task, made)[0] == CHANGED
    assert "launcher" in config.read_text()
    assert [copy.path.read_bytes() for copy in backups.copies(worker.home.state, config)] == [text]


def test_an_entry_whose_original_is_not_kept_is_left_to_a_whole_pass(worker, config):
    source, task, made = task_of(worker)
    before = write(config, {"mcpServers": {**BARE["mcpServers"], "new": {"command": "x"}}}).read_bytes()
    with pytest.raises(store.FileChanged):
        swap_between_writes(worker, source, task, made)
    assert config.read_bytes() == before


def test_where_another_has_wrapped_it_meanwhile_nothing_is_to_be_done(worker, config):
    source, task, made = task_of(worker)
    worker.sync(source)
    before = config.read_bytes()
    assert (swap_between_writes(worker, source, task, made)[0], config.read_bytes()) == ("unchanged", before)


def test_a_text_that_stays_half_written_is_given_up_after_a_while(worker, config):
    source, task, made = task_of(worker)
    write(config, "{")
    with pytest.raises(store.LockHeld, match="is written by another program all the time"):
        swap_between_writes(worker, source, task, made)
    reads = []

    def again():
        reads.append(True)
        return store.look(config, worker.home.home)

    with pytest.raises(InvalidText):
        read_until_valid(again, again(), task)
    assert len(reads) > 5
    os.utime(config, (1, 1))
    del reads[:]
    with pytest.raises(InvalidText):
        read_until_valid(again, again(), task)
    assert len(reads) == 1, "an old file is not half written: it is broken"


def test_a_text_that_is_whole_a_moment_later_is_read_then(worker, config):
    _, task, _ = task_of(worker)
    half = store.look(write(config, "{"), worker.home.home)
    write(config, BARE)
    seen, made = read_until_valid(lambda: store.look(config, worker.home.home), half, task)
    assert (json.loads(seen.data), len(made.edits)) == (BARE, 2)
    config.unlink()
    with pytest.raises(store.FileChanged):
        read_until_valid(lambda: store.look(config, worker.home.home), half, task)
