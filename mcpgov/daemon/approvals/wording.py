"""The words of questions and answers, the same on every surface. Pure."""

from __future__ import annotations

from mcpgov.core.approvals.question import DESK
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.visible import cut, quoted, value_text, visible

LONGEST_LINE = 200
LONGEST_NAME = 80
_WANTS = {"elicitation/create": "ask you something", "sampling/createMessage": "use the model of your app"}


def headline(question: Question, most: int = LONGEST_LINE) -> str:
    """`github wants to run delete_repository (delete): repo = "acme/site"`."""
    if question.is_permission:
        asks = f"{_name(question.server)} asks for permission to {question.permitted}"
        return cut(f"{asks} {cut(quoted(question.target), most)}", most)
    operations = f" ({', '.join(question.operations)})" if question.operations else ""
    what = f"run {_name(question.target)}" if question.method == "tools/call" else f"do {_name(question.name)}"
    if question.method == "prompts/get":
        what = f"use the prompt {_name(question.target)}"
    what = _WANTS.get(question.method, what)
    if question.is_answer:
        what = f"hand over {_name(question.name)}"
    args = ", ".join(f"{visible(key)} = {value_text(value)}" for key, value in question.shown.items())
    head = f"{_name(question.server)} wants to {what}{operations}"
    return cut(f"{head}: {args}" if args else head, most)


def _name(text: str) -> str:
    """A server chooses its tools' names: a long one must not push out what comes behind it."""
    return cut(visible(text), LONGEST_NAME)


def details(question: Question) -> list[str]:
    """Below the headline: rule and why, arguments in full, where paths and URLs lead."""
    if question.is_permission:
        return _permission(question)
    lines = [f"rule: {_asked_by(question)}"]
    if question.message:
        lines.append(f"why: {visible(question.message)}")
    if question.operation_why:
        lines.append(f"operation: {visible(', '.join(question.operations))}, by {visible(question.operation_why)}")
    lines.append(f"asked in: {visible(question.client or 'an unknown app')}" + _project(question))
    lines += [f"{visible(key)} = {value_text(value)}" for key, value in question.shown.items()]
    for place in question.paths:
        lines.append(f"path {visible(place.at)} leads to {', '.join(map(visible, place.leads))}")
    for place in question.hosts:
        lines.append(f"URL {visible(place.at)} leads to host {', '.join(map(visible, place.leads))}")
    if not question.complete:
        lines.append("there are more paths than can be shown: they are not listed here")
    if question.masked:
        lines.append(f"masked: {', '.join(map(visible, question.masked))}")
    return lines


def _permission(question: Question) -> list[str]:
    """INVARIANT: what the caller wrote is told as its words, in quotes: nobody has checked them."""
    whose = f"calls of the server {_name(question.server)}" if question.service else "nothing but its own answer"
    lines = [
        "it asks by itself, through `mcpgov serve`; no rule asks",
        f"the caller says why, in its own words: {quoted(question.message)}",
        f"a yes holds for: {whose}, this operation and this resource alone",
    ]
    for place in question.paths:
        lines.append(f"path {visible(place.at)} leads to {', '.join(map(visible, place.leads))}")
    for place in question.hosts:
        lines.append(f"URL {visible(place.at)} leads to host {', '.join(map(visible, place.leads))}")
    return lines


def _asked_by(question: Question) -> str:
    names = {"(default)": "the policy's default", "(pin)": "the tool is new or has changed"}
    name = names.get(question.asked_by, visible(question.asked_by))
    place = f" ({visible(question.file)}:{question.line})" if question.file else ""
    return f"{name}{place}, {question.layer} policy"


def _project(question: Question) -> str:
    return f", project {visible(question.project)}" if question.project else ""


def refused(question: Question, number: str) -> str:
    return f"Permission denied: {visible(question.name)} was refused by the user (mcpgov why {number})"


def timed_out(question: Question, seconds: float) -> str:
    number = question.number
    return (
        f"Permission denied: nobody answered in {seconds:g} s. "
        f"Ask the user to run: mcpgov approve {number}, then try again"
    )


def unreachable(question: Question) -> str:
    if not question.lets(DESK):
        return "Permission denied: nobody can be asked now, and the rule lets only the app itself ask"
    return (
        "Permission denied: nobody can be asked now. "
        f"Ask the user to run: mcpgov approve {question.number}, then try again"
    )


def too_many(server: str, why: str, number: str) -> str:
    return f"Permission denied: {visible(server)} asks too much: {why} (mcpgov why {number})"


def unrecorded() -> str:
    return "Permission denied: the answer could not be recorded. Ask the user to run: mcpgov doctor"


def locked() -> str:
    return "Permission denied: mcpgov is locked. Ask the user to run: mcpgov unlock"


def withdrawn(question: Question, why: str) -> str:
    return f"Permission denied: the question about {visible(question.name)} was withdrawn: {why}"
