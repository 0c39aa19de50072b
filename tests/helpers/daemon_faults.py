"""The daemon, killed at a chosen system call of its work on one config. Run as `command` says, with

    each DIRECTORY KIND    its loop, at every call in turn, each time in a fork; a row each
    serve ROOT KIND AT     the whole daemon, at the call number AT

KIND is `kill` (before the call) or `killed` (after it). Only calls on the way of a sync of `.claude.json` count.
"""

import json
import os
import sys
import time
from pathlib import Path

from mcpgov.configs.config_pass import Worker
from mcpgov.configs.files import atomic_swap, store
from mcpgov.configs.locations import Home
from mcpgov.daemon.watching.sync_loop import SyncLoop
from mcpgov.places import Places
from tests.helpers.faults import CALLS, Fault

BARE = (
    b'{\r\n\t"numStartups": 1.50,\r\n\t"mcpServers": {\r\n'
    b'\t\t"one": {"command": "npx", "args": ["-y",  "one"], "env": {"KEY": "\\u00fc"}},\r\n'
    b'\t\t"two": { "type": "stdio", "command": "/bin/two" }\r\n\t}\r\n}'
)
CONFIG = ".claude.json"
MISSED, BROKEN, STRUCK = 0, 1, 2  # struck: the call itself failed, as it may, so there was no kill after it


def command(*words):
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); "
    code += "from tests.helpers.daemon_faults import main; main(*sys.argv[1:])"
    return [sys.executable, "-c", code, *map(str, words)]


def arm(fault):
    """From now on the calls count, while that config is being synced."""
    armed = []
    real = Worker.sync

    def sync(self, source, *rest):
        armed.append(source.file.name == CONFIG)
        try:
            return real(self, source, *rest)
        finally:
            armed.pop()

    def over(name, call):
        struck = fault.over(name, call)
        return lambda *given, **named: (struck if any(armed) else call)(*given, **named)

    Worker.sync = sync
    for name in CALLS:
        setattr(os, name, over(name, getattr(os, name)))
    atomic_swap.rename = over("exchange", atomic_swap.rename)


def worker_of(home):
    return Worker(Home(home, home / "state", home.parent / "mcpgov-proxy", ("claude-code",)))


def work(home):
    """What a daemon does when it starts."""
    loop = SyncLoop(worker_of(home), time.monotonic, lambda *said, **fields: None, home / "state" / "daemon")
    loop.refresh()
    loop.work()


def forked(home, fault):
    child = os.fork()
    if child == 0:
        try:
            if fault is not None:
                arm(fault)
            work(home)
            os._exit(MISSED if fault is None or fault.count < fault.at else STRUCK)
        finally:
            os._exit(BROKEN)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def trial(home, kind, at):
    home.mkdir()
    (home.parent / "mcpgov-proxy").touch()
    (home / CONFIG).write_bytes(BARE)
    code = forked(home, Fault(kind, at))
    text = (home / CONFIG).read_bytes()
    again = forked(home, None)
    then = (home / CONFIG).read_bytes()
    left = sorted(path.name for path in home.rglob("*") if ".mcpgov." in path.name or path.name.endswith(".json.lock"))
    worker = worker_of(home)
    results = [worker.unwrap(source).result for source in worker.sources() if source.file.exists()]
    bare = (home / CONFIG).read_bytes() == BARE
    names = ("at", "code", "text", "again", "then", "left", "unwrapped", "bare")
    return dict(zip(names, (at, code, text.hex(), again, then.hex(), left, results, bare), strict=True))


def each(directory, kind):
    store.LEFT_OVER, store.LOCK_PATIENCE = -1.0, 0.05
    at, code = 0, STRUCK
    while code != MISSED:
        at += 1
        row = trial(Path(directory, f"{kind}{at}"), kind, at)
        code = row["code"]
        print(json.dumps(row))


def serve(root, kind, at):
    from mcpgov.daemon.run import serve as run

    arm(Fault(kind, int(at)))
    run(Places(Path(root)), "debug")


def main(verb, *words):
    {"each": each, "serve": serve}[verb](*words)
