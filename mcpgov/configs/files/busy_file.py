"""Swaps a config file that another program writes continuously, hundreds of times a second.

A pass writes originals and backups before it swaps, which takes longer than such a program pauses. So if the file
changed during a pass, the same entries are planned again from the newest text and swapped at once, without new copies.
INVARIANT: only entries whose originals this pass has stored, in the same form; the backup of the text that was really
replaced is made after the swap.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from mcpgov.configs.files import backups, store
from mcpgov.configs.files.config_file import SeenFile, may_replace
from mcpgov.configs.files.store import FileChanged, LockHeld
from mcpgov.configs.locations import ConfigSource, decoded
from mcpgov.configs.pass_result import CHANGED, UNCHANGED
from mcpgov.configs.plan import Plan, Task
from mcpgov.configs.planner import plan
from mcpgov.configs.text.splice import InvalidText, splice
from mcpgov.errors import McpgovError

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import Worker

LIMIT = 0.6  # seconds
READS, PAUSE = 10, 0.002  # attempts to read a text that is being written; seconds between them
YOUNG = 1.0  # seconds since the last write: the text may be half written


def read_until_valid(again: Callable[[], SeenFile], seen: SeenFile, task: Task) -> tuple[SeenFile, Plan]:
    """The file and its plan; an invalid text that was written just now is read again a few times."""
    for _ in range(READS):
        try:
            return seen, plan(decoded(seen), task)
        except InvalidText:
            if not 0 <= time.time() - seen.mtime_ns / 1e9 < YOUNG:
                raise
        time.sleep(PAUSE)
        seen = again()
        if seen.missing:
            raise FileChanged(f"`{seen.path}` is gone")
    return seen, plan(decoded(seen), task)


def swap_between_writes(worker: Worker, source: ConfigSource, task: Task, kept: Plan) -> tuple[str, Plan]:
    """Retry until the swap fits between two writes; `kept`: the plan whose originals are on disk.

    FileChanged: a whole new pass is needed. LockHeld: no pause was long enough; retrying at once would not help.
    """
    known, registered = set(kept.originals), set(kept.keep)
    end = time.monotonic() + LIMIT
    while True:
        seen = store.look(source.file, worker.home.home)
        with contextlib.suppress(FileChanged, InvalidText):
            made = plan(decoded(seen), task)
            if not made.edits:
                return UNCHANGED, made
            if not known.issuperset(made.originals) or not registered.issuperset(made.keep):
                break
            may_replace(seen)
            worker.swap(source, seen, worker.edited(source, decoded(seen), made).encode("utf-8"), made)
            copy = replace(seen, data=splice(decoded(seen), made.shown).encode("utf-8")) if made.shown else seen
            with contextlib.suppress(OSError, McpgovError):
                backups.back_up(worker.home.state, copy, beside=False, wrapped=True)
            return CHANGED, made
        if time.monotonic() > end:
            raise LockHeld(f"`{source.file}` is written by another program all the time")
        # A random pause, so that we do not run in step with the other program.
        time.sleep(random.uniform(0.0, PAUSE))
    raise FileChanged(f"`{source.file}` has changed")
