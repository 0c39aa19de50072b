"""What happens now, from the journal: the records as they come, the last ones before, the calls of each minute.

Law: bounded memory, however long it runs and whatever a record holds.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable

from mcpgov import journal_reader
from mcpgov.journal_reader import Damage, Follower, JournalPiece
from mcpgov.web.access.request_rules import json_text
from mcpgov.web.stream.event_stream import RECORDS, ServerEvent
from mcpgov.web.stream.record_items import CALL, is_call, is_denied, item_of

BACKLOG = 200  # calls
MOST_KEPT, MOST_BYTES = 4000, 6 * 1024 * 1024
MOST_READ = 30_000  # records that are read back for the minutes
MINUTES = 60
BATCH = 500  # items of one event


class JournalFeed:
    """`where`: the journal's directory. Reads once what was before (`begin`), then what is added (`poll`)."""

    def __init__(self, where: str, wall: Callable[[], float] = time.time) -> None:
        self._where, self._wall = where, wall
        self._damage = Damage()
        self._follower: Follower | None = None
        self._name = secrets.token_hex(4)  # of this run: numbers of an earlier one mean nothing
        self._number = 0
        self._kept: deque[tuple[int, bytes]] = deque()
        self._bytes = 0
        self._minutes: dict[int, list[int]] = {}

    def begin(self) -> None:
        """Takes as long as reading the end of the journal: not for the loop."""
        self._follower = Follower(self._where, self._damage)
        since = self._wall() - MINUTES * 60
        paths = journal_reader.files(self._where)
        found: list[JournalPiece] = []
        calls = 0
        for piece in journal_reader.read_back(paths, self._damage, self._follower.ends):
            if len(found) >= MOST_READ or (piece.time < since and calls >= BACKLOG):
                break
            calls += is_call(piece.data)
            found.append(piece)
        found.reverse()
        self._count(found)
        shown = [item_of(piece.data) for piece in found]
        first = _first_of_last([item["type"] == CALL for item in shown], BACKLOG)
        self._keep(shown[first:])

    def poll(self) -> list[ServerEvent]:
        """What was added since, as events for everybody."""
        if self._follower is None:
            return []
        pieces = self._follower.poll()
        self._count(pieces)
        return self._keep([item_of(piece.data) for piece in pieces])

    def before(self, last_id: str) -> list[ServerEvent]:
        """For a browser that comes (again): what it missed since that event, or all that is kept."""
        name, _, number = last_id.partition("-")
        missed = name == self._name and number.isdigit() and int(number) >= self._number - len(self._kept)
        seen = int(number) if missed else 0
        texts = [text for at, text in self._kept if at > seen]
        return self._events(texts, self._number, backlog=not missed, counted=True)

    def minutes(self) -> bytes:
        now = int(self._wall() // 60)
        rows = [[at, *self._minutes.get(at, (0, 0))] for at in range(now - MINUTES + 1, now + 1)]
        return json_text({"minutes": rows})

    def _count(self, pieces: Iterable[JournalPiece]) -> None:
        for piece in pieces:
            row = self._minutes.setdefault(int(piece.time // 60), [0, 0])
            row[0] += is_call(piece.data)
            row[1] += is_denied(piece.data)
        oldest = int(self._wall() // 60) - MINUTES
        self._minutes = {at: row for at, row in self._minutes.items() if at >= oldest}

    def _keep(self, items: list[dict[str, object]]) -> list[ServerEvent]:
        texts = [json_text(item) for item in items]
        for text in texts:
            self._number += 1
            self._kept.append((self._number, text))
            self._bytes += len(text)
        while len(self._kept) > MOST_KEPT or self._bytes > MOST_BYTES:
            self._bytes -= len(self._kept.popleft()[1])
        return self._events(texts, self._number) if texts else []

    def _events(
        self, texts: list[bytes], last: int, *, backlog: bool = False, counted: bool = False
    ) -> list[ServerEvent]:
        """`counted`: the minutes that a page is told hold these already."""
        pieces = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)] or [[]]
        events, number = [], last - len(texts)
        for at, piece in enumerate(pieces):
            number += len(piece)
            told = json_text({"backlog": backlog and at == 0, "counted": counted})
            data = b'%s,"items":[%s]}' % (told[:-1], b",".join(piece))
            events.append(ServerEvent(RECORDS, data, f"{self._name}-{number}", len(piece)))
        return events


def _first_of_last(calls: list[bool], most: int) -> int:
    """Where the last `most` calls begin."""
    for at in range(len(calls) - 1, -1, -1):
        most -= calls[at]
        if most == 0:
            return at
    return 0
