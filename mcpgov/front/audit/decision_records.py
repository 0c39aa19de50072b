"""One decision's records: its verdict, what came back for it, and what was done while it was held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgov import journal_reader
from mcpgov.core.json.values import dumps
from mcpgov.core.rules.rule import PROMPT
from mcpgov.errors import McpgovError
from mcpgov.front.approvals import story
from mcpgov.journal_reader import STOPPED, Damage, JournalPiece

Events = list[Mapping[str, object]]


def last_stopped(paths: list[str], damage: Damage) -> str:
    passed: set[str] = set()  # held, and a person's yes let them pass
    for piece in journal_reader.read_back(paths, damage):
        if piece.text("action") == story.RESUMED:
            passed.add(piece.text("decision"))
        elif piece.text("action") in STOPPED and piece.text("decision") and piece.text("decision") not in passed:
            return piece.text("decision")
    raise McpgovError("no call on record was stopped", hint="`mcpgov audit show` tells what is on record")


def records_of(paths: list[str], ident: str, damage: Damage) -> tuple[JournalPiece | None, list[JournalPiece], Events]:
    """The decision's record, what came back for it, and what was done while it was held."""
    session = ident.rpartition("-")[0]
    record: JournalPiece | None = None
    answers: list[JournalPiece] = []
    events: Events = []
    for piece in _naming(paths, ident, damage):
        if piece.text("dir") == story.APPROVAL:
            events.append(piece.data)
        elif piece.text("decision") != ident or piece.text("session") != session:
            continue
        elif record is None and "round_trip_us" not in piece.data:
            record = piece
        elif record is not None and record.text("action") == PROMPT and story.belongs(piece.data, ident, ident):
            events.append(piece.data)
        else:
            answers.append(piece)
    question = story.question_number(events, ident)
    if question != ident:  # it waited with an equal question: that one's answer is its own
        events += [piece.data for piece in _naming(paths, question, damage) if piece.text("decision") == question]
    return record, answers, [event for event in events if story.belongs(event, ident, question)]


def _naming(paths: list[str], ident: str, damage: Damage) -> Iterator[JournalPiece]:
    return journal_reader.read(paths, damage, holding=dumps(ident).encode("ascii"))
