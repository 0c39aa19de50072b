"""One decision's records: its verdict, what came back for it, and what was done while it was held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgov import journal_reader, journal_verify
from mcpgov.core.audit.audit_preview import LONGEST_TEXT, MASK, MOST_ITEMS
from mcpgov.core.decision import PROMPT
from mcpgov.core.json.values import dumps
from mcpgov.errors import McpgovError
from mcpgov.fingerprints import Fingerprints
from mcpgov.front.approvals import story
from mcpgov.journal_reader import STOPPED, Damage, JournalPiece

# What the proxy keeps of a name; at that length it may have been cut.
LONGEST_NAME = 200
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


def whole_params(method: str, record: JournalPiece, salt: str) -> dict[str, object] | str:
    """The parameters of a request, or why the record does not hold them."""
    data = record.data
    args = data.get("args", {})
    # The digest is of the arguments as they were judged; records of earlier versions have it without a salt.
    digests = (journal_verify.digest(dumps(args)), Fingerprints(salt, keep=False).of(dumps(args)))
    if not isinstance(args, dict) or ("digest" in data and data["digest"] not in digests):
        return 'the record holds its arguments masked or cut (the setting `audit_arguments = "full"` keeps them)'
    if record.text("dir") == "server":
        return args
    if method in ("tools/call", "prompts/get"):
        name = record.text("tool") or record.text("prompt")
        return {"name": name, "arguments": args} if len(name) < LONGEST_NAME else "the name is cut in the record"
    uris = data.get("uris")
    if not isinstance(uris, list) or len(uris) > MOST_ITEMS or not all(map(_is_whole, uris)):
        return "the record does not hold the request whole"
    if method == "subscriptions/listen":
        return {"notifications": {"resourceSubscriptions": uris}}
    return {"uri": uris[0]}


def _is_whole(uri: object) -> bool:
    """Neither masked nor cut: what was cut says so behind the longest text there is."""
    return not isinstance(uri, str) or (uri != MASK and len(uri) <= LONGEST_TEXT)
