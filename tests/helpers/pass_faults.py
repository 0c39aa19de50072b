"""One whole pass over a config, disturbed at each system call in turn. Run as a script, in a directory of its own.

    python pass_faults.py DIRECTORY KIND WHAT

KIND as in faults.py; WHAT is disturbed: sync, unwrap or put.
After each trial the file, what is kept of it, and what a new process makes of it are printed.
"""

import json
import os
import signal
import sys
from pathlib import Path

from mcpgov.configs import insert as putting
from mcpgov.configs.config_pass import CHANGED, FAILED, UNCHANGED, Worker
from mcpgov.configs.files import atomic_swap, backups, store
from mcpgov.configs.locations import Home
from mcpgov.configs.remote.masked_url import without_ids
from mcpgov.remote_servers import OPEN, ProbeResult, keep_port, keep_probe
from tests.helpers.faults import CALLS, Fault

URL_ENTRY = b'"w": {"url": "https:\\/\\/x.example\\/mcp"}'
OLD = (
    b'{"mcpServers": {\r\n  "a": {"command": "npx"}, // no args\r\n  "b": {"command": "x", "args": null},\r\n  '
    + URL_ENTRY
    + b",\r\n}}"
)
PUT = b',\r\n  "c": {"command": "new"}'
MORE = ("replace", "listdir", "pwrite", "ftruncate")
CODES = {CHANGED: 0, FAILED: 1, UNCHANGED: 2}


def worker(home):
    return Worker(Home(home, home / "state", home / "launcher", ("cursor",), environ={}), patience=0.2)


def sync(home):
    made = worker(home)
    return made.sync(made.sources()[0])


def unwrap(home):
    made = worker(home)
    return made.unwrap(made.sources()[0])


def put(home):
    made = worker(home)
    return putting.insert(made, made.sources()[0], ("mcpServers", "c"), '{"command": "new"}')


def trial(home, kind, at, what):
    config = home / ".cursor" / "mcp.json"
    config.parent.mkdir(parents=True)
    config.write_bytes(OLD)
    config.chmod(0o644)
    (home / "launcher").touch()
    keep_port(home / "state" / "remote" / "port.json", 20000)
    keep_probe(home / "state" / "remote" / "probes", "https://x.example/mcp", ProbeResult(OPEN, 1.0))
    if what == "unwrap":
        sync(home)
    start = config.read_bytes()
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        fault = Fault(kind, at)
        write, leave = os.write, os._exit
        for name in (*CALLS, *MORE):
            setattr(os, name, fault.over(name, getattr(os, name)))
        atomic_swap.rename = fault.over("exchange", atomic_swap.rename)
        code = CODES.get(globals()[what](home).result, 3)
        write(into, fault.struck.encode())
        leave(code)
    os.close(into)
    with open(out) as told:
        struck = told.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    text = config.read_bytes()
    row = {"at": at, "struck": struck, "code": code, "text": shown(home, text, start), "kept": kept(home)}
    row["private"] = b"20000/" not in text or config.stat().st_mode & 0o77 == 0
    back = unwrap(home)
    row["mode"] = config.stat().st_mode & 0o777
    row |= {"back": back.result, "original": bare(config.read_bytes()) == OLD}
    config.write_bytes(OLD)  # without what was put
    again = sync(home)
    row |= {
        "again": again.result,
        "then": shown(home, config.read_bytes(), OLD),
        "kept_then": kept(home),
        "left": left(home),
    }
    return row, bool(struck) or code == -signal.SIGKILL


def bare(text):
    """Without what was put."""
    return text.replace(PUT, b"")


def shown(home, text, old):
    return "old" if text == old else without_ids(text.decode().replace(str(home), "~"))


def kept(home):
    """The original is in a copy of ours, and no copy is anything but that."""
    config = home / ".cursor" / "mcp.json"
    texts = [copy.path.read_bytes() for copy in backups.copies(home / "state", config)]
    bak = config.with_name("mcp.json.bak")
    return OLD in texts and (not bak.exists() or bak.read_bytes() == OLD)


def left(home):
    return sorted(path.name for path in home.rglob(".*.mcpgov.*"))


def main(directory, kind, what):
    store.LEFT_OVER, store.LOCK_PATIENCE = -1.0, 0.05
    os.fsync = lambda fd: None  # the power stays on, and there are hundreds of passes; it can still be made to fail
    at, more = 0, True
    while more:
        at += 1
        row, more = trial(Path(directory, f"{kind}{at}"), kind, at, what)
        print(json.dumps(row))


if __name__ == "__main__":
    main(*sys.argv[1:])
