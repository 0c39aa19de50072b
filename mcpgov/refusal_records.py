"""The journal's record of a refused command: a session with one record, chained like any other. Leaf.

Law: the record is written before the refusal is reported; a journal that cannot be written never lets a command pass.
"""

from __future__ import annotations

import json
import os
import stat
import time

from mcpgov.host import private_directory
from mcpgov.journal_verify import link, seed

LARGEST = 64 * 1024 * 1024  # of one file of a day, the same as in proxies
MOST_PARTS = 10_000
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
REFUSED = "refused"


def record(journal: str, command: str, why: str, *, client: str = "", server: str = "", now: float = 0.0) -> bool:
    """Record a refused command; False if the journal cannot be written."""
    moment = now or time.time()
    who = {"session": os.urandom(6).hex(), "client": client, "server": server}
    note = {"dir": "command", "method": f"mcpgov {command}", "action": REFUSED, "kind": "caller", "why": why}
    front = f'{{"time":{moment:.6f},{json.dumps(who, separators=(",", ":"))[1:-1]},"seq":1,'
    body = (front + json.dumps(note, separators=(",", ":"))[1:-1]).encode("ascii")
    raw = body + f',"chain":"{link(seed(who.items()), body)}"}}\n'.encode("ascii")
    try:
        private_directory(journal)
        fd = _open(journal, time.strftime("%Y-%m-%d", time.gmtime(moment)))
    except OSError:
        return False
    try:
        return os.write(fd, raw) == len(raw)
    except OSError:
        return False
    finally:
        os.close(fd)


def _open(journal: str, day: str) -> int:
    """Descriptor of the day's first part that is not full."""
    for part in range(MOST_PARTS):
        path = f"{journal}/{day}{f'.{part}' if part else ''}.jsonl"
        fd = os.open(path, _FLAGS, 0o600)
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            raise OSError(f"`{path}` is no file")
        if status.st_size < LARGEST:
            return fd
        os.close(fd)
    raise OSError("the day's files are full")
