"""Journals as proxies write them, at any time one likes."""

import json
import posix
import time
from types import SimpleNamespace

from mcpgov.core.json.values import dumps
from mcpgov.live import journal_writer
from mcpgov.live.journal_writer import Journal, JournalFile, digest_text

NOON = 1_794_830_400.0  # 2026-11-16T12:00:00Z


class Proxy:
    """One session that writes; `at` is the time it thinks it is."""

    def __init__(self, where, session="aaaaaaaaaaaa", server="fs", client="claude", project="", single=False):
        self.session, self.at, self.decisions = session, NOON, 0
        who = {"session": session, "client": client, "server": server}
        if project:
            who["project"] = project
        self.journal = Journal(who, JournalFile(str(where), single=single))

    def write(self, *notes):
        real, journal_writer.time = journal_writer.time, SimpleNamespace(time=lambda: self.at, gmtime=time.gmtime)
        try:
            return self.journal.write([dumps(note)[1:-1] for note in notes])
        finally:
            journal_writer.time = real

    def call(self, tool="read_file", action="allow", rule="reading", args=None, answer=1500, **more):
        """A call and, unless it was stopped or `answer` is None, its answer a moment later."""
        self.decisions += 1
        ident = f"{self.session}-{self.decisions}"
        note = {"dir": "client", "method": "tools/call", "action": action, "decision": ident, "tool": tool,
                "rule": rule, "kind": "policy", "revision": "0" * 16, "us": 42}  # fmt: skip
        if args is not None:
            note |= {"args": args, "digest": digest_text(json.dumps(args, sort_keys=True, separators=(",", ":")))}
        assert self.write(note | more)
        self.at += 1
        if answer is not None and action not in ("deny", "prompt"):
            assert self.write(
                {"dir": "server", "method": "tools/call", "action": "answered", "decision": ident, "tool": tool,
                 "round_trip_us": answer}
            )  # fmt: skip
            self.at += 1
        return ident

    def pass_on(self, method, **more):
        assert self.write({"dir": "client", "method": method, "action": "passed", **more})
        self.at += 1


def half(proxy, note, keep=60):
    """Write a note as a full disk would take it: half, and the proxy knows."""
    real = posix.write
    try:
        posix.write = lambda fd, raw: real(fd, raw[:keep])
        assert not proxy.write(*note) if isinstance(note, tuple) else not proxy.write(note)
    finally:
        posix.write = real
