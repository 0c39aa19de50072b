"""One change of a config file, disturbed at each system call in turn. Run as a script, in a directory of its own.

    python faults.py DIRECTORY KIND

KIND is the name of an error (ENOSPC), `short`, `kill` (before the call) or `killed` (after it). Each trial forks, so
that a kill is a real one; what is found afterwards is printed as one JSON row per trial.
"""

import errno
import json
import os
import signal
import sys
from pathlib import Path

from mcpgov.configs.files import atomic_swap, backups, store
from mcpgov.errors import McpgovError

OLD, NEW = b'{\r\n  "old": "text",  // as it was\r\n}', b'{\r\n  "new": "text", "longer": true  // as it shall be\r\n}'
CALLS = ("open", "write", "fsync", "rename", "close", "link", "unlink", "fchmod", "mkdir", "rmdir", "lstat", "pread")
DONE, FAILED, MOVED, BROKEN = 0, 1, 2, 3


class Fault:
    """The Nth call goes wrong, and only that one."""

    def __init__(self, kind, at):
        self.kind, self.at, self.count, self.struck = kind, at, 0, ""

    def over(self, name, real):
        def call(*given, **named):
            if self.kind == "short" and name != "write":
                return real(*given, **named)
            self.count += 1
            if self.count != self.at:
                return real(*given, **named)
            self.struck = name
            return self.strike(name, real, given, named)

        return call

    def strike(self, name, real, given, named):
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind == "short":
            return real(given[0], given[1][: len(given[1]) // 2 or 1])
        if self.kind == "killed" or name == "close":  # a close that fails has closed
            real(*given, **named)
        if self.kind == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(getattr(errno, self.kind), os.strerror(getattr(errno, self.kind)))


def change(home):
    """What the daemon does with a file, in small."""
    config, state = home / "config.json", home / "state"
    with store.lock(state, timeout=0.2):
        seen = store.read(config, home)
        if seen.data == NEW:
            return

        def first():
            backups.back_up(state, seen, beside=True, wrapped=False)

        with store.swap(seen, NEW, uses_lock_directory=True, before=first) as swapped:
            assert swapped.late() is None
            assert swapped.seen.data == NEW


def outcome(work):
    try:
        work()
    except McpgovError:
        return FAILED
    except store.FileChanged:
        return MOVED
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return BROKEN
    return DONE


def trial(home, kind, at):
    """The row of one trial, and whether there was a call to disturb."""
    home.mkdir()
    (home / "config.json").write_bytes(OLD)
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        fault = Fault(kind, at)
        write = os.write
        for name in CALLS:
            setattr(os, name, fault.over(name, getattr(os, name)))
        atomic_swap.rename = fault.over("exchange", atomic_swap.rename)
        code = outcome(lambda: change(home))
        write(into, fault.struck.encode())
        os._exit(code)
    os.close(into)
    with open(out) as told:
        struck = told.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    row = {"at": at, "struck": struck, "code": code, **found(home)}
    again = outcome(lambda: change(home))
    return row | {"again": again, "then": found(home)}, bool(struck) or code == -signal.SIGKILL


def found(home):
    config = (home / "config.json").read_bytes()
    bak = home / "config.json.bak"
    kept = [copy.path.read_bytes() for copy in backups.copies(home / "state", home / "config.json")]
    kept += [bak.read_bytes()] if bak.exists() else []
    left = sorted(path.name for path in home.rglob(".*.mcpgov.*"))
    text = {OLD: "old", NEW: "new"}.get(config, repr(config))
    return {"text": text, "kept": OLD in kept, "whole": set(kept) <= {OLD}, "left": left, "bak": bak.exists()}


def main(directory, kind):
    store.LEFT_OVER, store.LOCK_PATIENCE = -1.0, 0.05
    at, more = 0, True
    while more:
        at += 1
        row, more = trial(Path(directory, f"{kind}{at}"), kind, at)
        print(json.dumps(row))


if __name__ == "__main__":
    main(*sys.argv[1:])
