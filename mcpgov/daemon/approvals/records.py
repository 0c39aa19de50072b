"""The record of each transition of a question: one line of the journal each. Pure."""

from __future__ import annotations

from mcpgov.core.approvals.grants import RESOURCE, Grant
from mcpgov.daemon.approvals.choices import Choice
from mcpgov.daemon.approvals.question import Question

# "answered" alone is what a proxy writes of a server's answer.
ASKED, JOINED, OFFERED, ANSWERED = "asked", "joined", "offered", "question answered"
EXPIRED, WITHDRAWN = "expired", "withdrawn"
LATE, DISPATCHED, NOT_DISPATCHED = "question answered late", "dispatched", "refused at dispatch"
TOO_MANY, UNREACHABLE, OBJECTED = "too many", "unreachable", "not accepted"
GRANT_MADE, GRANT_USED, GRANT_ENDED = "grant made", "grant used", "grant ended"


def entry(event: str, question: Question, number: str, **more: object) -> dict[str, object]:
    """`decision`: the call's own number; `question`: that of the question it hangs on.

    No `session`: the record is of the daemon's own session, and the call's stands in its number.
    """
    made: dict[str, object] = {
        "dir": "approval", "method": question.method, "action": event, "decision": number, "question": question.number,
        "server": question.server, "client": question.client,
    }  # fmt: skip
    if question.target:
        made["resource" if question.is_permission else "tool"] = question.target
    return {**made, "rule": question.asked_by, **{key: value for key, value in more.items() if value not in ("", None)}}


def choice_fields(choice: Choice) -> dict[str, object]:
    if not choice.yes:
        return {"answer": "no"}
    found: dict[str, object] = {"answer": "yes", "term": choice.term, "scope": choice.scope}
    return {**found, "seconds": choice.seconds} if choice.seconds else found


def grant_entry(event: str, grant: Grant, **more: object) -> dict[str, object]:
    target = "resource" if grant.scope == RESOURCE else "tool"
    made: dict[str, object] = {
        "dir": "approval", "method": grant.method, "action": event, "decision": grant.decision, "grant": grant.id,
        "server": grant.server, target: grant.target, "rule": grant.asked_by, "term": grant.term, "scope": grant.scope,
        "until": grant.until,
    }  # fmt: skip
    return {**made, **{key: value for key, value in more.items() if value not in ("", None)}}
