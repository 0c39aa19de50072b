"""A record of the journal as the page shows it: a call, the answer to one, what became of a held one, a note. Pure.

Law: nothing is added to what the record shows; what is long is left out, and said to be.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CALL, ANSWER, OUTCOME, NOTE = "call", "answer", "outcome", "note"
VERDICTS = ("allow", "log", "redact", "prompt", "deny")
ANSWERED, RESUMED, WITHDRAWN, PASSED = "answered", "resumed", "withdrawn", "allowed"
HIDDEN = frozenset(("chain", "seq", "decision"))
LONGEST_ARGS = 16 * 1024
LONGEST_TEXT = 2000
# Who speaks of a held call's end: its proxy, beside the question's own story.
SIDES = ("client", "server")


def item_of(record: Mapping[str, object]) -> dict[str, object]:
    action, number = record.get("action"), record.get("decision")
    if "round_trip_us" in record or action == ANSWERED:
        kept = ("time", "round_trip_us", "error")
        found: dict[str, object] = {"type": ANSWER, "id": number, **{key: record.get(key) for key in kept}}
        # An answer that was held back or cut is told as well.
        return found if action == ANSWERED else {**found, "action": action, "rule": record.get("rule")}
    if ended := outcome_of(record):
        return {"type": OUTCOME, "id": number, "time": record.get("time"), "outcome": ended}
    kind = CALL if action in VERDICTS and "us" in record else NOTE
    item = {key: shortened(value) for key, value in record.items() if key not in HIDDEN}
    return {**item, "type": kind, "id": number}


def outcome_of(record: Mapping[str, object]) -> str:
    """What became of a held call, where this is the record that says so."""
    if record.get("dir") not in SIDES or "us" in record:
        return ""
    action = record.get("action")
    if action == RESUMED:
        return PASSED
    if action == WITHDRAWN:
        return WITHDRAWN
    answer = record.get("answer")
    return answer if action == "deny" and isinstance(answer, str) else ""


def shortened(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT] + "…"
    if isinstance(value, (dict, list)) and len(json.dumps(value)) > LONGEST_ARGS:
        return "(long: `mcpgov why` shows it)"
    return value


def is_denied(record: Mapping[str, object]) -> bool:
    """For a count by the minute: a call that was denied, at once or after a question."""
    action = record.get("action")
    if action == "deny" and "us" in record:
        return True
    return outcome_of(record) not in ("", PASSED)


def is_call(record: Mapping[str, object]) -> bool:
    return record.get("action") in VERDICTS and "us" in record
