"""`mcpgov approve`: say yes to a question.

ID is the question's number, as `mcpgov approvals` and the denial of a call
that waited too long tell it; its beginning will do. A question that is over
can be approved for ten minutes more: then the next try of the same call
passes without being asked again.

--always writes a rule into your policy, directly above the rule that asked;
its text is shown first, and the rest of the file stays as it is.

examples:
  mcpgov approve 4f1d-12
  mcpgov approve 4f1d-12 --session
  mcpgov approve 4f1d-12 --for 15m --tool
  mcpgov approve 4f1d-12 --always --folder
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.daemon.approvals.choices import ALWAYS, Choice
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.wording import headline
from mcpgov.errors import UsageError
from mcpgov.front.approvals import answering, questions
from mcpgov.front.approvals.answering import GivenAnswer, sentence
from mcpgov.front.commands import allow
from mcpgov.front.context import Context
from mcpgov.front.install import install_steps
from mcpgov.front.output.policy_view import new_rule_lines
from mcpgov.front.policy import always_rule
from mcpgov.front.policy.policy_write import check_expected
from mcpgov.front.result import Block, Line, Result

RULE_ONLY = "the rule is written; the question stays open"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("question", metavar="ID", help="the question's number, or its beginning")
    answering.add_choices(parser)
    parser.add_argument("--yes", action="store_true", help="write the rule of --always without asking")
    parser.add_argument("--dry-run", action="store_true", help="show the rule of --always, and stop")
    parser.add_argument("--rule-only", action="store_true", help="write the rule of --always, leave the question open")
    allow.add_expected(parser)


def run(args: Namespace, context: Context) -> Result:
    choice = answering.choice_of(args)
    if choice.term != ALWAYS and (args.dry_run or args.rule_only or args.digest):
        raise UsageError("`--dry-run`, `--rule-only` and `--digest` go with `--always`")
    view = questions.find(args.question, questions.all_questions(context))
    questions.check_answerable(view)
    question = questions.question_of(view)
    answering.check_choice(choice, question)
    told: list[Block] = [Line(headline(question), "strong")]
    if choice.term == ALWAYS:
        return _always(question, choice, told, args, context)
    given = answering.give(question, choice, "command", context)
    return _done(question, given, told)


def _always(question: Question, choice: Choice, told: list[Block], args: Namespace, context: Context) -> Result:
    made = always_rule.always(question, choice.scope, context)
    shown = [*told, *new_rule_lines(made)]
    check_expected(args.digest, made)
    if args.dry_run:
        data = {"question": question.number, "answer": None, "written": None, **answering.rule_data(made)}
        return Result("approve", data, [*shown, Line("nothing was written", "faint")])
    if not args.yes and not install_steps.agreed_to_rule(shown, "--yes, or --for 15m instead"):
        data = {"question": question.number, "answer": None, "written": None}
        return Result("approve", data, [Line("nothing was written, and the question stays open")], 1)
    if args.rule_only:
        always_rule.write(made, question, context)
        data = {"question": question.number, "answer": None, "written": answering.rule_data(made)}
        return Result("approve", data, [*(shown if args.yes else []), Line(RULE_ONLY, "good")])
    given = answering.give_always(question, choice, made, "command", context)
    return _done(question, given, shown if args.yes else [])


def _done(question: Question, given: GivenAnswer, told: list[Block]) -> Result:
    data = answering.answer_data(question, given)
    return Result("approve", data, [*told, Line(sentence(question, given), "good")])
