"""A config file that another program writes all the time, hundreds of times a second: caught between two writes.

A pass keeps originals and backups on disk before it swaps, and that takes longer than such a program pauses. So when
the file has moved under a pass, the same entries are planned again from the newest text and swapped at once, without
keeping anything anew. INVARIANT: that is done only for entries whose originals this very pass has put on disk, in the
same form; the backup of the text that was really replaced follows the swap.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcpgov.configs.files import backups, store
from mcpgov.configs.files.config_file import SeenFile, may_replace
from mcpgov.configs.files.store import LockHeld, Moved
from mcpgov.configs.locations import ConfigSource, decoded
from mcpgov.configs.pass_result import CHANGED, UNCHANGED
from mcpgov.configs.plan import Plan, Task
from mcpgov.configs.planner import plan
from mcpgov.configs.text.splice import Broken
from mcpgov.errors import McpgovError

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import Worker

LIMIT = 0.6  # seconds
READS, PAUSE = 10, 0.002  # of a text that is being written; seconds
YOUNG = 1.0  # seconds since the last write in which a text may be half written


def settled(again: Callable[[], SeenFile], seen: SeenFile, task: Task) -> tuple[SeenFile, Plan]:
    """The file and its plan; a text that cannot be read and was written just now is read again a few times."""
    for _ in range(READS):
        try:
            return seen, plan(decoded(seen), task)
        except Broken:
            if not 0 <= time.time() - seen.mtime_ns / 1e9 < YOUNG:
                raise
        time.sleep(PAUSE)
        seen = again()
        if seen.missing:
            raise Moved(f"`{seen.path}` is gone")
    return seen, plan(decoded(seen), task)


def swapped(worker: Worker, source: ConfigSource, task: Task, kept: Plan) -> tuple[str, Plan]:
    """Try until there is a pause long enough; `kept`: the plan whose originals are on disk.

    Moved: it takes a whole pass. Held: there was no such pause, and nothing is gained by trying again at once.
    """
    known = set(kept.originals)
    end = time.monotonic() + LIMIT
    while True:
        seen = store.look(source.file, worker.home.home)
        with contextlib.suppress(Moved, Broken):
            made = plan(decoded(seen), task)
            if not made.edits:
                return UNCHANGED, made
            if not known.issuperset(made.originals):
                break
            may_replace(seen)
            worker.swap(source, seen, worker.edited(source, decoded(seen), made).encode("utf-8"))
            with contextlib.suppress(OSError, McpgovError):
                backups.keep(worker.home.state, seen, beside=False, wrapped=True)
            return CHANGED, made
        if time.monotonic() > end:
            raise LockHeld(f"`{source.file}` is written by another program all the time")
        # Not in step with the other program.
        time.sleep(random.uniform(0.0, PAUSE))
    raise Moved(f"`{source.file}` has changed")
