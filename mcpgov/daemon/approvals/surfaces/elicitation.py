"""The question inside the app, by elicitation: what is sent. Pure; how answers are read is core.app_approval.

Laws: one field with one enum, default deny; lasting answers beyond the session are given at the desk only.
"""

from __future__ import annotations

from mcpgov.core.approvals import app_approval
from mcpgov.core.approvals.app_approval import DENY, FIELD, METHOD, ONCE, SESSION, WORDS
from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.visible import cut, value_text, visible
from mcpgov.daemon.approvals.wording import headline

WITH_DEFAULTS = "2025-11-25"
MOST_PLACES, LONGEST_LINE = 20, 1000  # of arguments, and of paths and URLs
# Of a message: a proxy takes no line of more than 64 KiB, in which a character beyond ASCII is up to 12 bytes.
LONGEST, LONGEST_WIDE = 40_000, 5_000
TITLES = ("Allow this once", "Allow exactly this call for the rest of the session", "Deny")
CHOICES = {ONCE: YES_ONCE, SESSION: Choice(True, app_approval.SESSION), DENY: NO}


def params(question: Question, version: str) -> dict[str, object]:
    places = [f"path {visible(place.at)} leads to {', '.join(map(visible, place.leads))}" for place in question.paths]
    places += [f"URL {visible(place.at)} leads to host {visible(place.leads[0])}" for place in question.hosts]
    head = headline(question)
    lines = [head]
    if head != headline(question, LONGEST):  # what was cut there is shown whole here: a yes is for all of it
        lines += _some([f"{visible(key)} = {value_text(value)}" for key, value in question.shown.items()])
    lines += _some(places)
    why = f": {visible(question.message)}" if question.message else ""
    lines.append(cut(f"asked by {visible(question.asked_by)}{why}", LONGEST_LINE))
    field: dict[str, object] = {"type": "string", "title": "mcpgov", "enum": list(WORDS), "enumNames": list(TITLES)}
    if version >= WITH_DEFAULTS:
        field["default"] = DENY
    schema = {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}
    message = "\n".join(lines)
    return {"message": cut(message, LONGEST if message.isascii() else LONGEST_WIDE), "requestedSchema": schema}


def _some(lines: list[str]) -> list[str]:
    more = [f"and {len(lines) - MOST_PLACES} more: mcpgov approvals"] if len(lines) > MOST_PLACES else []
    return [*(cut(line, LONGEST_LINE) for line in lines[:MOST_PLACES]), *more]


def request(question: Question, ident: str, version: str) -> dict[str, object]:
    """Handshake era."""
    return {"jsonrpc": "2.0", "id": ident, "method": METHOD, "params": params(question, version)}


def input_required(question: Question, number: str, held: dict[str, object]) -> dict[str, object] | None:
    """Stateless era: the result that asks in place of the held request's own. None: it cannot be asked so."""
    return app_approval.asking_result(params(question, app_approval.STATELESS), number, held)


def choice_of(response: object) -> Choice | None:
    """What a response says; None: nothing."""
    return CHOICES.get(app_approval.word_of(response))
