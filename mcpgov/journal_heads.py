"""The journal's heads, kept apart from it: how far each session had come on each day. Leaf.

The daemon writes them, a file a day and a line a session; `audit verify` holds the journal against them. A chain shows
what is changed or missing in its middle; only a head shows that its end, a whole session or a whole day is gone.
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
    """The last record of a session that was seen on a day."""

    seq: int
    chain: str


class Day:
    """One day's heads, and up to which byte each of the journal's files (name -> byte, inode) was read for them."""

    def __init__(self) -> None:
        self.heads: dict[str, Head] = {}
        self.ends: dict[str, tuple[int, int]] = {}

    def see(self, session: str, head: Head) -> bool:
        """INVARIANT: a head never goes back; a journal that does has lost something."""
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
    """The days that heads are kept of, oldest first."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return sorted(match[1] for match in map(NAME.fullmatch, names) if match)


def load(directory: str, day: str) -> Day | None:
    """None: there is no such file, or it cannot be read. Lines that are none of ours are passed over."""
    raw = read_bytes(f"{directory}/{day}.jsonl", MOST_BYTES)
    if raw is None:
        return None
    found = Day()
    for row in _rows(raw.splitlines()):
        session, seq, chain, ends = row.get("session"), row.get("seq"), row.get("chain"), row.get("ends")
        if isinstance(session, str) and type(seq) is int and isinstance(chain, str) and CHAIN.fullmatch(chain):
            found.see(session, Head(seq, chain))
        elif isinstance(ends, dict):
            found.ends = {name: (pair[0], pair[1]) for name, pair in ends.items() if _is_end(pair)}
    return found


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


def save(directory: str, day: str, found: Day) -> None:
    replace_file(Path(directory) / f"{day}.jsonl", found.text())


def forget(directory: str, before: str) -> None:
    """Days that are over for good."""
    for day in days(directory):
        if day < before:
            try:
                os.unlink(f"{directory}/{day}.jsonl")
            except OSError:
                continue
