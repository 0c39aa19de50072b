"""The journal's heads: the last record of each session on each day, stored apart from the journal. Leaf.

The daemon writes them, one file per day, one line per session; `audit verify` compares the journal with them. A hash
chain shows what was changed or removed in its middle; only a head shows that its end, a session or a day is missing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mcpgov.atomic_file import read_bytes, replace_file

NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.jsonl")
CHAIN = re.compile(r"[0-9a-f]{32}")
MOST_BYTES = 64 * 1024 * 1024


class Head(NamedTuple):
    """The last record of a session that the daemon saw on a day."""

    seq: int
    chain: str


class Day:
    """One day's heads, and how far each journal file was read for them (name -> byte, inode)."""

    def __init__(self) -> None:
        self.heads: dict[str, Head] = {}
        self.ends: dict[str, tuple[int, int]] = {}

    def see(self, session: str, head: Head) -> bool:
        """INVARIANT: a head never moves backwards; a journal that is behind its head has lost records."""
        known = self.heads.get(session)
        if known is not None and known.seq >= head.seq:
            return False
        self.heads[session] = head
        return True

    def text(self) -> bytes:
        rows: list[dict[str, object]] = [{"ends": self.ends}]
        rows += [{"session": session, "seq": head.seq, "chain": head.chain} for session, head in self.heads.items()]
        return b"".join(json.dumps(row).encode("ascii") + b"\n" for row in rows)


def days(directory: str) -> list[str]:
    """The days with stored heads, oldest first."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return sorted(match[1] for match in map(NAME.fullmatch, names) if match)


def load(directory: str, day: str) -> Day | None:
    """None if the file is missing or unreadable. Malformed lines are skipped."""
    raw = read_bytes(f"{directory}/{day}.jsonl", MOST_BYTES)
    if raw is None:
        return None
    loaded = Day()
    for row in _rows(raw.splitlines()):
        session, seq, chain, ends = row.get("session"), row.get("seq"), row.get("chain"), row.get("ends")
        if isinstance(session, str) and type(seq) is int and isinstance(chain, str) and CHAIN.fullmatch(chain):
            loaded.see(session, Head(seq, chain))
        elif isinstance(ends, dict):
            loaded.ends = {name: (pair[0], pair[1]) for name, pair in ends.items() if _is_end(pair)}
    return loaded


def _is_end(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(part) is int and part >= 0 for part in pair)


def _rows(lines: Iterable[bytes]) -> Iterable[dict[str, object]]:
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def save(directory: str, day: str, heads: Day) -> None:
    replace_file(Path(directory) / f"{day}.jsonl", heads.text())


def forget(directory: str, before: str) -> None:
    """Delete the heads of days before `before`."""
    for day in days(directory):
        if day < before:
            try:
                os.unlink(f"{directory}/{day}.jsonl")
            except OSError:
                continue
