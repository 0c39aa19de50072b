"""What a denied request gets to hear. Pure.

Law: a denied `tools/call` is a result the model can read, unless the policy asks for errors; all else is an error.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, PROMPT, Decision
from mcpgov.core.messages import wire

POLICY, UNAUTHORIZED = -32001, -32003
# The verdicts of guards: code and message.
GUARDS = {
    "budget": (-32001, "Budget limit exceeded"),
    "pii": (-32002, "PII in tool params"),
    "rate_limit": (-32004, "Rate limit exceeded"),
}
IN_RESULT = "PII in tool result"  # the same kind, found in what the server sends
BLOCKED = ("policy", "locked")  # the kinds that are somebody's will
NOBODY = "nobody can be asked about this"
UNRECORDED = "the call cannot be recorded"
WHOLE = "Permission denied: "  # how the words begin that say all there is to say
# What to say where no rule speaks for itself.
_REASONS = {"unauthorized": "no rule allows it", "pin": "the tool is new or has changed since it was first seen"}
# What to say where whoever asked says nothing himself.
_ANSWERS = {"refused": "the user refused it", "timeout": "nobody answered in time"}


def unrecorded() -> Decision:
    return Decision(DENY, None, "policy", UNRECORDED, "")


def kind_of(decision: Decision) -> str:
    """A question that nobody answers is a refusal, whoever wanted to ask: a rule or the default."""
    return "policy" if decision.action == PROMPT else decision.kind


def denial(decision: Decision, ident: str) -> dict[str, object]:
    """The stable part of every denial: clients read `kind`, not numbers."""
    kind = kind_of(decision)
    data: dict[str, object] = {"kind": kind}
    if kind == "policy":
        data["rule"] = decision.rule
        data["action"] = "denied" if decision.action == PROMPT else "blocked"
    if decision.answer:
        data["answer"] = decision.answer
    if decision.data is not None:
        data.update(decision.data)
    data["decision"] = ident
    return data


def reason(decision: Decision) -> str:
    """The rule's own words; a question that nobody can answer says so."""
    if decision.answer:
        return decision.message or _ANSWERS.get(decision.answer, "")
    words = decision.message or _REASONS.get(kind_of(decision), "")
    if decision.action == PROMPT:
        return f"{words} ({NOBODY})" if words else NOBODY
    return words


def what_to_do(decision: Decision, number: str) -> str:
    """Behind every denial; what could not be recorded cannot be asked about."""
    return f" (what to do: mcpgov {'doctor' if decision.message == UNRECORDED else f'why {number}'})"


def code_of(decision: Decision) -> int:
    kind = kind_of(decision)
    return GUARDS[kind][0] if kind in GUARDS else POLICY if kind in BLOCKED else UNAUTHORIZED


def as_error(ident: object, decision: Decision, number: str) -> bytes:
    words = reason(decision)
    if decision.answer and words.startswith(WHOLE):
        return wire.error(ident, code_of(decision), words, denial(decision, number))
    if kind_of(decision) in GUARDS:
        title = GUARDS[kind_of(decision)][1]
        if decision.data is not None and decision.data.get("where") == "results":
            title = IN_RESULT
        message = f"{title}: {words}" if words else title
    elif kind_of(decision) in BLOCKED:
        message = f"Blocked by mcpgov policy: {words}" if words else "Blocked by mcpgov policy"
    else:
        message = "Tool not authorized"
    return wire.error(ident, code_of(decision), message + what_to_do(decision, number), denial(decision, number))


def as_result(ident: object, tool: str, decision: Decision, number: str, modern: bool) -> bytes:
    words = reason(decision)
    text = f"{WHOLE}{tool} blocked by governance" + (f": {words}" if words else "")
    if decision.answer and words:
        text = f"{WHOLE}{words}"
    text = words if decision.answer and words.startswith(WHOLE) else text + what_to_do(decision, number)
    body: dict[str, object] = {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {"mcpgov/decision": {"code": code_of(decision), **denial(decision, number)}},
    }
    if modern:
        body["resultType"] = "complete"
    return wire.result(ident, body)
