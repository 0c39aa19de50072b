"""`mcpgov deny`: say no to a question, or write a rule that denies a server's tool.

With one word it is the number of a question (`mcpgov approvals`), or its
beginning: that call is refused, and nothing else changes.

With a server and a tool it writes a rule: into your policy above everything
that might let such a call pass, shown before it is written; the rest of the
file stays as it is.

Patterns: * any characters but /, ** any characters, ? one. The same name twice
means any of the patterns; `a.b` is nested, `*` any argument.

examples:
  mcpgov deny 4f1d-12
  mcpgov deny github delete_repository
  mcpgov deny '*' 'delete_*' --dry-run
  mcpgov deny fs read_file --arg path='~/private/**'
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.core.decision import DENY
from mcpgov.daemon.approvals.choices import NO
from mcpgov.daemon.control.approval_requests import DenyRequest
from mcpgov.errors import UsageError
from mcpgov.front.approvals import answering, questions
from mcpgov.front.commands import allow
from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("server", metavar="ID|SERVER", help="the number of a question, or a server's name")
    parser.add_argument("tool", metavar="TOOL", nargs="?", help="the tool's name, behind a server's")
    allow.add_rule_options(parser)


def run(args: Namespace, context: Context) -> Result:
    if args.tool is not None:
        return allow.perform(DENY, args, context)
    if not any(map(str.isdecimal, args.server)):
        told = f"`{args.server}` is no number of a question, and a rule needs a tool as well"
        raise UsageError(told, hint="mcpgov deny SERVER TOOL, or mcpgov deny ID")
    if args.arg or args.dry_run:
        raise UsageError("`--arg` and `--dry-run` are for rules: mcpgov deny SERVER TOOL")
    view = questions.find(args.server, questions.all_questions(context))
    questions.check_answerable(view)
    if not view.question:  # a no needs no second look
        questions.requested(context, DenyRequest(view.number, "command"))
        return Result("deny", {"question": view.number, "answer": "no"}, [Line(f"denied: {view.headline}", "good")])
    question = questions.question_of(view)
    answering.check_choice(NO, question)
    given = answering.give(question, NO, "command", context)
    return Result("deny", answering.answer_data(question, given), [Line(answering.sentence(question, given), "good")])
