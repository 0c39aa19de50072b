"""The story of a held call, from the records of its proxy and of the daemon. Pure.

asked -> offered -> answered | expired | withdrawn -> dispatched or refused; a late yes makes a grant for the next try.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcpgov.core.approvals.grants import EXACT, ONCE, TIME
from mcpgov.daemon.approvals import records
from mcpgov.daemon.approvals.choices import Choice
from mcpgov.front.approvals.answering import SCOPE_WORDS, term_words

Record = Mapping[str, object]
APPROVAL = "approval"  # the `dir` of the daemon's records
RESUMED, DENIED, GONE, PROMPT = "resumed", "deny", "withdrawn", "prompt"  # what the proxy writes
ALLOWED, WAITING = "allowed", "waiting"
SURFACE_WORDS = {
    "app": "in the app",
    "desktop": "on the desktop",
    "terminal": "in `mcpgov approvals --watch`",
    "command": "on the command line",
    "page": "on the page",
}
STYLES = {
    records.ANSWERED: "strong", records.LATE: "strong", records.EXPIRED: "warning", records.WITHDRAWN: "warning",
    records.UNREACHABLE: "warning", records.TOO_MANY: "warning", records.NOT_DISPATCHED: "deny",
    records.DISPATCHED: "allow", RESUMED: "allow", DENIED: "deny",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoryLine:
    """`after`: seconds since the call came."""

    after: float
    event: str
    text: str
    style: str = ""


def question_number(found: Sequence[Record], ident: str) -> str:
    """The question that a call hung on: its own, or an equal one that was open already."""
    joined = [record for record in found if record.get("decision") == ident and record.get("action") == records.JOINED]
    return str(joined[0].get("question") or ident) if joined else ident


def belongs(record: Record, ident: str, question: str) -> bool:
    """Is it part of the story of this call?"""
    if record.get("dir") != APPROVAL:
        return record.get("decision") == ident and record.get("action") in (RESUMED, DENIED, GONE)
    about = record.get("decision")
    if record.get("call") is not None:
        return ident in (record["call"], about)
    if about == ident:
        return True
    # Of a question that others hung on too: what was done with it as a whole, not with their calls.
    whole = (records.OFFERED, records.ANSWERED, records.LATE, records.OBJECTED, records.GRANT_MADE)
    return about == question and record.get("action") in whole


def story(found: Sequence[Record], ident: str, began: float) -> list[StoryLine]:
    """In the order of time."""
    out: list[StoryLine] = []
    sent = {record.get("decision") for record in found if record.get("action") == RESUMED}
    for record in sorted(found, key=_time):
        event = str(record.get("action") or "")
        if event == records.DISPATCHED and record.get("decision") in sent:
            continue  # its proxy says the same, and more
        out.append(StoryLine(max(0.0, _time(record) - began), event, event_text(record, ident), STYLES.get(event, "")))
    return out


def outcome(found: Sequence[Record]) -> str:
    """What became of a held call in a word: allowed, refused, timeout, unreachable, withdrawn; or it still waits."""
    events = {str(record.get("action")): record for record in own(found)}
    if RESUMED in events or records.DISPATCHED in events:
        return ALLOWED
    if DENIED in events:
        return str(events[DENIED].get("answer") or "denied")
    for event, word in ((records.WITHDRAWN, "withdrawn"), (records.EXPIRED, "timeout"), (records.TOO_MANY, "denied")):
        if event in events:
            return word
    is_open = records.OFFERED in events and not {records.ANSWERED, records.UNREACHABLE} & events.keys()
    return WAITING if is_open else "unreachable"


def own(found: Sequence[Record]) -> Sequence[Record]:
    """The records of a call's own story, without those of questions about its answer, which stand behind them."""
    at = next((at for at, record in enumerate(found) if record.get("action") == PROMPT), len(found))
    return found[:at]


def takes_late_yes(found: Sequence[Record]) -> bool:
    """Did the daemon itself end the question, and nobody answer since? What died with a daemon no other one knows."""
    events = {record.get("action") for record in own(found)}
    return bool(events & {records.EXPIRED, records.UNREACHABLE}) and not events & {records.ANSWERED, records.LATE}


OUTCOMES = {
    ALLOWED: "a person's yes let it pass",
    WAITING: "it waits for an answer",
    "refused": "denied: a person said no",
    "timeout": "denied: nobody answered in time",
    "unreachable": "denied: nobody could be asked",
    "withdrawn": "it was withdrawn before anybody answered",
    "denied": "denied",
}


def event_text(record: Record, ident: str = "") -> str:
    """One record in words; `ident`: the call whose story it is told in."""
    event = str(record.get("action") or "")
    why = f": {record['why']}" if record.get("why") else ""
    plain = _PLAIN.get(event)
    if plain is not None:
        return f"{plain}{why}"
    if event == records.JOINED:
        return f"the same is asked already: it waits with question {record.get('question')}"
    if event == records.OFFERED:
        return f"offered {_surfaces(record.get('surfaces'))}, for {_seconds(record.get('wait'))}"
    if event == records.EXPIRED:
        return f"nobody answered in {_seconds(record.get('wait'))}: denied"
    if event in (records.ANSWERED, records.LATE):
        return _answer(record, late=event == records.LATE)
    if event == RESUMED:
        waited = record.get("waited_us")
        took = f", after {waited / 1e6:.1f} s" if isinstance(waited, int) else ""
        where = "handed over to the app" if record.get("answer_to") else "sent to the server"
        return f"judged again by the policy then in force, and {where}{took}"
    if event == PROMPT:
        return f"its answer is held, by rule `{record.get('rule')}`: mcpgov why {record.get('decision')}"
    return _grant(event, record, ident, why) or f"{event}{why}"


_PLAIN = {
    records.ASKED: "a person is asked",
    records.WITHDRAWN: "withdrawn",
    records.DISPATCHED: "sent to the server",
    records.NOT_DISPATCHED: "not sent",
    records.TOO_MANY: "not asked, denied",
    records.UNREACHABLE: "nobody could be asked: denied",
    records.OBJECTED: "an answer that does not count",
    DENIED: "denied",
}


def _grant(event: str, record: Record, ident: str, why: str) -> str:
    grant, call = str(record.get("grant") or ""), record.get("call")
    if event == records.GRANT_MADE:
        return f"grant {grant}: {_choice_words(record)}"
    if event == records.GRANT_USED:
        if call == ident:
            return f"allowed without a question, by grant {grant} ({_choice_words(record)})"
        return f"its grant {grant} let call {call} pass"
    return f"grant {grant} ended{why}" if event == records.GRANT_ENDED else ""


def _answer(record: Record, late: bool) -> str:
    word = f"allowed {_choice_words(record)}" if record.get("answer") == "yes" else "denied"
    surface = str(record.get("surface") or "")
    who = f" by {record['who']}" if record.get("who") else ""
    after = record.get("after_ms")
    took = f", after {after / 1000:.1f} s" if isinstance(after, int) else ""
    told = f"{word} {SURFACE_WORDS.get(surface, surface)}{who}{took}".replace("  ", " ")
    return f"{told}; too late for the call, it counts for the next try" if late else told


def _choice_words(record: Record) -> str:
    seconds = record.get("seconds")
    term, scope = str(record.get("term") or ONCE), str(record.get("scope") or EXACT)
    if term == TIME and not isinstance(seconds, (int, float)):
        return f"for a time, {SCOPE_WORDS.get(scope, scope)}"
    lasting = float(seconds) if isinstance(seconds, (int, float)) else 0.0
    return term_words(Choice(True, term, scope if scope in SCOPE_WORDS else EXACT, lasting))


def _surfaces(found: object) -> str:
    names = [str(name) for name in found] if isinstance(found, list) else []
    return ", ".join(SURFACE_WORDS.get(name, name) for name in names) or "nowhere"


def _seconds(value: object) -> str:
    return f"{value:g} s" if isinstance(value, (int, float)) and not isinstance(value, bool) else "its time"


def _time(record: Record) -> float:
    found = record.get("time")
    return float(found) if isinstance(found, (int, float)) else 0.0
