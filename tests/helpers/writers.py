"""Programs that edit a JSON config as clients do, each in its own way. Run as a script:

    python writers.py CONFIG NAME STYLE [KEY]

Each adds one to its own entry, again and again, until its standard input ends. They agree among themselves by a lock
that mcpgov does not know, so whatever is missing in the end was not lost between them. Prints what it has seen.
With KEY the entries stand below it and are servers, written bare each time, with pauses in which a pass has room.
"""

import fcntl
import json
import os
import random
import select
import sys
import time
from pathlib import Path

STYLES = ("rename", "truncate", "slow", "halves", "locking", "over", "rename", "slow")


def rename(path, text):
    scratch = path.with_name(f"{path.name}.tmp.{os.getpid()}")
    scratch.write_bytes(text)
    os.rename(scratch, path)


def truncate(path, text):
    with open(path, "wb") as file:
        file.write(text)


def slow(path, text):
    """Opens, thinks, truncates, thinks, writes."""
    with open(path, "r+b") as file:
        pause(3)
        file.truncate()
        pause(3)
        file.write(text)


def halves(path, text):
    with open(path, "wb", buffering=0) as file:
        file.write(text[: len(text) // 2])
        pause(8)
        file.write(text[len(text) // 2 :])


def over(path, text):
    """In place, cut to length at the end."""
    with open(path, "r+b", buffering=0) as file:
        file.write(text)
        file.truncate(len(text))


def locking(path, text):
    """As Claude Code: a lock directory that is not waited for."""
    lock = path.with_name(f"{path.name}.lock")
    try:
        lock.mkdir()
    except FileExistsError:
        return rename(path, text)
    try:
        return rename(path, text)
    finally:
        lock.rmdir()


def pause(most):
    time.sleep(random.uniform(0, most / 1000))


def edit(path, name, style, count, key):
    """One more; what we wrote last must still be there."""
    table = json.loads(path.read_bytes())
    box = table.setdefault(key, {}) if key else table
    found = box.setdefault(name, {"n": 0})["n"]
    box[name] = {"n": count + 1} | ({"command": name} if key else {})
    globals()[style](path, json.dumps(table, indent=2).encode())
    return found


def main(config, name, style, key=""):
    path, count, lost, broken = Path(config), 0, 0, 0
    with open(f"{config}.theirs", "wb") as lock:
        while not select.select([sys.stdin], [], [], random.uniform(0, 0.8 if key else 0.1))[0]:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                lost += edit(path, name, style, count, key) != count
            except ValueError:
                broken += 1
                continue
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)
            count += 1
    print(json.dumps({"name": name, "count": count, "lost": lost, "broken": broken}))


if __name__ == "__main__":
    main(*sys.argv[1:])
