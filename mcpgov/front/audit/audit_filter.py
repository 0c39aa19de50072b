"""The filter of the audit commands: options, times as people write them, the test of a record."""

from __future__ import annotations

import datetime
import fnmatch
import re
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcpgov import journal_reader
from mcpgov.core.json.values import dumps
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.audit.audit_counts import keep
from mcpgov.front.context import Context
from mcpgov.journal_reader import Damage, JournalPiece

FIELDS = ("server", "client", "tool", "method", "action", "rule", "session")
# Fields that a call's record and its answer's record share.
SHARED = ("server", "client", "tool", "session")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
PROMPT, DENY = "prompt", "deny"
DEFAULT_RULE = "(default)"
RESUMED, WITHDRAWN, PASSED = "resumed", "withdrawn", "allowed"


def add_filters(parser: ArgumentParser) -> None:
    which = parser.add_argument_group("which records; * and ? stand for any text and any character")
    which.add_argument("--server", metavar="NAME", help="of this server")
    which.add_argument("--client", metavar="NAME", help="of this client")
    which.add_argument("--tool", metavar="NAME", help="calls of this tool")
    which.add_argument("--method", metavar="NAME", help="of this method, such as resources/read")
    which.add_argument("--action", metavar="NAME",
                       help="allow, log, redact, prompt, deny (refused prompts too), passed, refused, …")  # fmt: skip
    which.add_argument("--rule", metavar="NAME", help=f"decided by this rule; {DEFAULT_RULE} is no rule")
    which.add_argument("--session", metavar="ID", help="of this session")
    which.add_argument("--text", metavar="TEXT", help="with this text anywhere, in small or capital letters")
    which.add_argument("--since", metavar="WHEN", help="from then on: 30m, 2h, 3d, 14:00, 2026-11-16, yesterday")
    which.add_argument("--until", metavar="WHEN", help="until then; a day counts to its end")
    which.add_argument("--journal", metavar="FILE", help="read this file or directory instead of our journal")


def place(args: Namespace, context: Context) -> str:
    return str(args.journal or context.places.journal)


class Filter:
    """The records that the options select."""

    def __init__(self, args: Namespace, now: float | None = None) -> None:
        now = time.time() if now is None else now
        wanted = {name: getattr(args, name) for name in FIELDS}
        self._tests = [(name, _matcher(text)) for name, text in wanted.items() if text is not None]
        self.since = moment(args.since, now) if args.since is not None else None
        self.until = moment(args.until, now, end=True) if args.until is not None else None
        if self.since is not None and self.until is not None and self.since > self.until:
            raise UsageError(f"`--since {args.since}` is later than `--until {args.until}`")
        self.holding = _holding(wanted)
        self._text = dumps(args.text)[1:-1].lower().encode("ascii") if args.text else b""
        self.wants_answers = wanted["action"] is not None and bool(_matcher(wanted["action"])(journal_reader.ANSWERED))

    def fits(self, piece: JournalPiece) -> bool:
        if self.since is not None and piece.time < self.since:
            return False
        if self.until is not None and piece.time > self.until:
            return False
        if self._text and self._text not in piece.raw.rpartition(b',"chain":')[0].lower():
            return False
        return all(matches(_value(piece, name)) or _refused(name, piece, matches) for name, matches in self._tests)

    def only_refused(self, piece: JournalPiece) -> bool:
        """A question that fits because it was a denial, and for no other reason."""
        return any(name == "action" and not matches(piece.text("action")) for name, matches in self._tests)

    def files(self, where: str, before: Place | None = None) -> list[str]:
        """`before`: also those of the day after it, for the answers to its calls."""
        until = [self.until] if self.until is not None else []
        until += [before.time + UNITS["d"]] if before is not None else []
        return journal_reader.files(where, self.since, min(until, default=None))


def _value(piece: JournalPiece, name: str) -> str:
    return DEFAULT_RULE if name == "rule" and piece.data.get(name, "") is None else piece.text(name)


def _refused(name: str, piece: JournalPiece, matches: Callable[[str], object]) -> object:
    """A prompt that nobody allowed counts as a denial."""
    return name == "action" and piece.text("action") == PROMPT and matches(DENY)


def _holding(wanted: Mapping[str, str | None]) -> bytes:
    """A text that every selected line contains, answers too: lines without it need not be parsed."""
    plain = [(name, text) for name in SHARED if (text := wanted[name]) and not any(char in text for char in "*?")]
    return max((f'"{name}":{dumps(text)}'.encode("ascii") for name, text in plain), key=len, default=b"")


def _matcher(pattern: str) -> Callable[[str], object]:
    """`*` and `?` as in a shell; brackets mean themselves. fnmatch's expressions are linear in the text."""
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]"))).match


def moment(text: str, now: float, *, end: bool = False) -> float:
    """A point in time: a duration ago, a time today, a day, or both; `end`: a day means its last moment."""
    word = text.strip().lower()
    ago = re.fullmatch(r"(\d{1,6})([smhdw])", word)
    if ago:
        return now - int(ago[1]) * UNITS[ago[2]]
    today = datetime.datetime.fromtimestamp(now).date()
    days = {"today": today, "yesterday": today - datetime.timedelta(days=1)}
    try:
        day = days[word] if word in days else datetime.date.fromisoformat(word)
        whole = datetime.datetime.combine(day, datetime.time.max if end else datetime.time.min)
        return whole.timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    try:
        if ":" in word and "-" not in word[:5]:
            return datetime.datetime.combine(today, datetime.time.fromisoformat(word)).timestamp()
        return datetime.datetime.fromisoformat(word.upper()).timestamp()
    except (ValueError, OverflowError, OSError):
        hint = "30m, 2h, 3d, 14:00, today, yesterday, 2026-11-16 or 2026-11-16T14:00"
        raise UsageError(f"`{text}` is no time", hint=hint) from None


@dataclass(slots=True, eq=False)
class AuditRow:
    """One record with what its answer adds; `outcome`: what became of a call that waited for a person."""

    piece: JournalPiece
    answer: Mapping[str, object] | None
    outcome: str = ""

    @property
    def round_trip(self) -> int | None:
        duration = (self.answer or self.piece.data).get("round_trip_us")
        return duration if isinstance(duration, int) else None

    @property
    def failed(self) -> bool:
        return (self.answer or self.piece.data).get("error") is True

    @property
    def data(self) -> dict[str, object]:
        """The record, and from its answer the round trip and whether it was an error."""
        more = (
            {key: self.answer[key] for key in ("round_trip_us", "error") if key in self.answer} if self.answer else {}
        )
        return {**self.piece.data, **more, **({"outcome": self.outcome} if self.outcome else {})}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a search went no further: the record that it ended with. As a text: `TIME/SEQ/SESSION`.

    Records of one write share their time; session and sequence number are a record's own.
    """

    time: float
    seq: int
    session: str

    @classmethod
    def of(cls, piece: JournalPiece) -> Place:
        return cls(piece.time, piece.number("seq") or 0, piece.text("session"))

    @classmethod
    def parse(cls, text: str) -> Place:
        moment, _, rest = text.partition("/")
        seq, _, session = rest.partition("/")
        try:
            return cls(float(moment), int(seq), session)
        except ValueError:
            raise UsageError(f"`{text}` is no place in the record", hint="`older` of an earlier search") from None

    def __str__(self) -> str:
        return f"{self.time!r}/{self.seq}/{self.session}"


def newest(pieces: Iterable[JournalPiece], wanted: Filter, limit: int, *, answers: bool = False) -> list[AuditRow]:
    return page(pieces, wanted, limit, answers=answers)[0]


def page(
    pieces: Iterable[JournalPiece], wanted: Filter, limit: int, *, answers: bool = False, before: Place | None = None
) -> tuple[list[AuditRow], Place | None]:
    """The last `limit` selected records, oldest first, and where older ones go on; `pieces` comes newest first.

    Answers are joined to their calls; they are rows of their own only on request. Raises McpgovError if `before` is
    not there any more.
    """
    known: dict[str, Mapping[str, object]] = {}
    ends: dict[str, str] = {}  # of calls that were held
    rows: list[AuditRow] = []
    older: Place | None = None
    for piece in pieces:
        decision, answer, outcome = piece.text("decision"), None, ""
        if word := ending(piece):
            keep(ends, decision, word)
            if not answers:
                continue
        if piece.text("action") != journal_reader.ANSWERED:
            answer = known.pop(decision, None)
        elif not (answers or wanted.wants_answers):
            keep(known, decision, piece.data)
            continue
        if piece.text("action") == PROMPT:
            outcome = ends.pop(decision, "")
        if before is not None:  # read for the answers that belong to older calls
            before = None if Place.of(piece) == before else before
        elif wanted.fits(piece) and not (outcome == PASSED and wanted.only_refused(piece)):
            if len(rows) == limit:
                older = Place.of(rows[-1].piece)
                break
            rows.append(AuditRow(piece, answer, outcome))
    if before is not None:
        raise McpgovError("the record that the search ended with is not there any more", hint="search again")
    rows.reverse()  # records of one write have one time, and keep their order
    return sorted(rows, key=lambda row: row.piece.time), older


def ending(piece: JournalPiece) -> str:
    """What became of a held call, where its proxy says so: the second record of the same decision."""
    action = piece.text("action")
    if piece.text("dir") not in ("client", "server") or "us" in piece.data:
        return ""
    if action == RESUMED:
        return PASSED
    if action == WITHDRAWN:
        return WITHDRAWN
    return piece.text("answer") if action == DENY else ""


def calls(pieces: Iterable[JournalPiece], wanted: Filter, others: list[int]) -> Iterator[JournalPiece]:
    """Records with a verdict, and answers; `others` counts the other selected records.

    Commands refused to an app's child are included: a person wants to see them.
    """
    for piece in pieces:
        action = piece.text("action")
        answered = action == journal_reader.ANSWERED or ending(piece)
        if action in journal_reader.VERDICTS or answered or piece.text("kind") == "caller":
            yield piece
        elif wanted.fits(piece):
            others[0] += 1


def any_record(where: str) -> bool:
    return next(journal_reader.read_back(journal_reader.files(where), Damage()), None) is not None


def fitting(where: str, wanted: Filter, damage: Damage) -> Iterator[JournalPiece]:
    """Every record that fits, oldest first."""
    return (piece for piece in journal_reader.read(wanted.files(where), damage, wanted.holding) if wanted.fits(piece))
