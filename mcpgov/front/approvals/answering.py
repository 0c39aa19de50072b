"""A question answered from the command line, by a command or by a key.

Laws: a rule is shown before it is written, and written before the question is answered; where it cannot be written the
question stays open. Whoever may not weaken is stopped before anything is written.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

from mcpgov.core.approvals.grants import EXACT, FOLDER, ONCE, SESSION, TIME, TOOL
from mcpgov.daemon.approvals.choices import ALWAYS, COMMAND, Choice, objection, seconds_of
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.visible import visible
from mcpgov.daemon.control.approval_requests import (
    ApproveAnswer,
    ApproveRequest,
    DenyRequest,
    Desk,
    Scope,
    Term,
)
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.approvals.questions import requested
from mcpgov.front.context import Context
from mcpgov.front.output.policy_view import where
from mcpgov.front.policy import always_rule
from mcpgov.front.policy.rule_text import Addition

_TERMS: dict[str, Term] = {ONCE: "once", SESSION: "session", TIME: "time", ALWAYS: "always"}
_SCOPES: dict[str, Scope] = {EXACT: "exact", FOLDER: "folder", TOOL: "tool"}
SCOPE_WORDS = {EXACT: "exactly this", FOLDER: "this folder", TOOL: "this tool"}
LATE = "the next try of exactly this call passes, within ten minutes"


def add_choices(parser: ArgumentParser) -> None:
    term = parser.add_argument_group("for how long (default: --once)").add_mutually_exclusive_group()
    term.add_argument("--once", action="store_true", help="this call, and no other")
    term.add_argument("--session", action="store_true", help="until the app ends this server")
    term.add_argument("--for", dest="time", metavar="TIME", help="a minute to a day: 90s, 15m, 2h")
    term.add_argument("--always", action="store_true", help="write a rule into your policy, shown first")
    scope = parser.add_argument_group("for what (default: --exact)").add_mutually_exclusive_group()
    scope.add_argument("--exact", action="store_true", help="exactly these arguments")
    scope.add_argument("--folder", action="store_true", help="these path arguments, anywhere in the same folders")
    scope.add_argument("--tool", action="store_true", help="this tool of this server, whatever its arguments")


def choice_of(args: Namespace) -> Choice:
    scope = FOLDER if args.folder else TOOL if args.tool else EXACT
    if args.time is not None:
        seconds = seconds_of(args.time)
        if seconds is None:
            raise UsageError(f"`--for {args.time}` is no time", hint="90s, 15m, 2h")
        return Choice(True, TIME, scope, seconds)
    term = SESSION if args.session else ALWAYS if args.always else ONCE
    if term == ONCE and scope != EXACT:
        told = f"`--{scope}` is for more than one call"
        raise UsageError(told, hint=f"with --session, --for 15m or --always: --session --{scope}")
    return Choice(True, term, scope)


def check_choice(choice: Choice, question: Question, surface: str = COMMAND) -> None:
    """Raises McpgovError where this question takes no such answer."""
    if why := objection(choice, question, surface):
        raise McpgovError(why, hint=f"mcpgov approvals {question.number}" if choice.yes else "")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """`late`: nobody waited any more; `rule`: what was written."""

    choice: Choice
    late: bool = False
    grant: str = ""
    rule: Addition | None = None


def give(question: Question, choice: Choice, surface: Desk, context: Context) -> GivenAnswer:
    """The answer without a rule. Raises McpgovError where it does not count."""
    if not choice.yes:
        requested(context, DenyRequest(question.number, surface))
        return GivenAnswer(choice)
    told = _approved(question, choice, surface, context)
    return GivenAnswer(choice, told.late, told.grant)


def give_always(question: Question, choice: Choice, made: Addition, surface: Desk, context: Context) -> GivenAnswer:
    """The rule is written, then the call that waits passes this once."""
    always_rule.write(made, question, context)
    try:
        told = _approved(question, choice, surface, context)
    except McpgovError as error:
        written = f"the rule `{made.name}` is written and holds; the question is not answered by it: {error}"
        raise McpgovError(written, hint="let the app try again: such calls pass now") from None
    return GivenAnswer(choice, told.late, told.grant, made)


def _approved(question: Question, choice: Choice, surface: Desk, context: Context) -> ApproveAnswer:
    term, scope = _TERMS[choice.term], _SCOPES[choice.scope]
    return requested(context, ApproveRequest(question.number, term, scope, choice.seconds, surface))


# --- what is told of it


def sentence(question: Question, given: GivenAnswer) -> str:
    """`allowed once: delete_repository on github (4f1d-12)`."""
    name = f"{visible(question.name)} on {visible(question.server)} ({question.number})"
    if not given.choice.yes:
        return f"denied: {name}"
    told = f"allowed {term_words(given.choice)}: {name}"
    if given.rule is not None:
        place = where(str(given.rule.file), given.rule.line)
        told = f"wrote `{given.rule.name}` to {place}; allowed from now on: {name}"
    elif given.late:
        told += (
            f"; nobody waits for it any more: {LATE}" if given.choice.term == ONCE else "; it holds for the next try"
        )
    return told


def term_words(choice: Choice) -> str:
    if choice.term == ONCE:
        return "once"
    scope = SCOPE_WORDS[choice.scope]
    if choice.term == TIME:
        minutes, rest = divmod(round(choice.seconds), 60)
        return f"for {minutes} min, {scope}" if not rest else f"for {round(choice.seconds)} s, {scope}"
    return f"for this session, {scope}" if choice.term == SESSION else f"always, {scope}"


def rule_data(rule: Addition) -> dict[str, object]:
    about = {"rule": rule.name, "file": str(rule.file), "line": rule.line, "text": rule.rule}
    return {**about, "above": rule.above, "overtakes": list(rule.overtakes)}


def answer_data(question: Question, given: GivenAnswer) -> dict[str, object]:
    """As `--json` has it."""
    choice = given.choice
    data: dict[str, object] = {"question": question.number, "answer": "yes" if choice.yes else "no"}
    if not choice.yes:
        return data
    data |= {"term": choice.term, "scope": choice.scope, "seconds": choice.seconds or None}
    written = rule_data(given.rule) if given.rule else None
    return {**data, "late": given.late, "grant": given.grant or None, "written": written}
