"""`mcpgov policy explain`: one decision, step by step.

What limits, budgets and other guards say is told as things stand now; nothing
is counted.

exit status:
  0  the call passes (allow, log, redact)
  2  it is stopped (deny, prompt)
  3  the policy is invalid

examples:
  mcpgov policy explain --server fs --tool read_file --args '{"path": "/etc"}'
  mcpgov policy explain --server fs --resource file:///etc/passwd
  mcpgov policy explain --server fs --request request.json --json
  mcpgov policy explain --server fs --tool read_file --policy - < new.toml
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from mcpgov.core.decision import DENY, PROMPT
from mcpgov.core.json.values import parse
from mcpgov.core.rules.call import Call, call_of
from mcpgov.core.rules.spellings import has_control
from mcpgov.errors import EXIT_DENIED, McpgovError, UsageError, reason_of
from mcpgov.front.context import Context, today
from mcpgov.front.output.policy_view import field, matchers_lines, problem_data, short_names, subject, where
from mcpgov.front.policy.unsaved_text import STDIN, as_if_saved, given_text, renamed
from mcpgov.front.result import Block, Cell, Line, Result, Table, picked
from mcpgov.policy.draft import Draft
from mcpgov.policy.explain import Explanation, RuleStep, explain
from mcpgov.policy.fixtures import request_call

MOST_STEPS = 40
MOST_PATTERNS = 3
OR = "` or `"
MATTERS = ("tool", "resource", "prompt", "request")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--server", metavar="NAME", required=True, help="the server's key in the client config")
    parser.add_argument("--tool", metavar="NAME", help="a tools/call of this tool")
    parser.add_argument("--args", metavar="JSON", help="the arguments of the tool or prompt (default: none)")
    parser.add_argument("--resource", metavar="URI", help="a resources/read of this URI")
    parser.add_argument("--prompt", metavar="NAME", help="a prompts/get of this prompt")
    parser.add_argument("--request", metavar="FILE", help="a whole JSON-RPC request; - is standard input")
    parser.add_argument("--client", metavar="NAME", default="", help="as if asked by this client")
    parser.add_argument("--project", metavar="DIR", default="", help="as if asked from this project")
    how = "judge by this policy instead of the one in use; - is standard input: a text that is not saved yet"
    parser.add_argument("--policy", metavar="FILE", help=f"{how} (behind a line with the request, if that is - too)")


def run(args: Namespace, context: Context) -> Result:
    if args.policy == STDIN:
        call = _call(args, one_line=True)
        with as_if_saved(given_text(), context) as (trial, file):
            return _explained(call, context, str(trial), str(file))
    return _explained(_call(args), context, args.policy, args.policy)


def _explained(call: Call, context: Context, policy: str | None, shown_as: str | None) -> Result:
    rules = context.rules(policy)
    explanation = explain(rules.ruleset, call, today(), rules.project(call.project), rules.guards(call.project))
    stopped = explanation.verdict.action in (DENY, PROMPT)
    data = explained(explanation)
    data["warnings"] = [problem_data(problem) for problem in rules.compiled.warnings]
    if policy != shown_as:
        data = {key: renamed(value, str(policy), str(shown_as)) for key, value in data.items()}
    view = explained_view(explanation, call, rules.compiled.drafts)
    return Result("policy explain", data, view, EXIT_DENIED if stopped else 0)


def _call(args: Namespace, *, one_line: bool = False) -> Call:
    """`one_line`: of standard input only the first line is the request."""
    given = [name for name in MATTERS if getattr(args, name) is not None]
    if len(given) != 1:
        message = "say what to explain" if not given else "explain one thing at a time"
        raise UsageError(f"{message}: one of {', '.join('`--' + name + '`' for name in MATTERS)}")
    if args.args is not None and given[0] in ("resource", "request"):
        raise UsageError(f"`--args` goes with `--tool` or `--prompt`, not with `--{given[0]}`")
    project = str(Path(args.project).expanduser().absolute()) if args.project else ""
    place = (args.server, args.client, project)
    try:
        if args.request is not None:
            return request_call(parse(_read(args.request, one_line)), *place)
        if args.resource is not None:
            return call_of("resources/read", {"uri": args.resource}, *place)
        method = "tools/call" if args.tool is not None else "prompts/get"
        name = args.tool if args.tool is not None else args.prompt
        return call_of(method, {"name": name, "arguments": parse(args.args or "{}")}, *place)
    except (ValueError, RecursionError) as error:
        if has_control(args.tool or args.prompt or ""):
            raise UsageError(f"no rule is asked about such a name, it is always refused: {error}") from None
        what = f"`{args.request}`" if args.request is not None else "`--args`"
        hint = "" if args.request is not None else """for example --args '{"path": "/tmp/a"}'"""
        raise UsageError(f"{what} cannot be read: {error}", hint=hint) from None


def _read(name: str, one_line: bool) -> str:
    stdin = sys.stdin.buffer
    try:
        raw = Path(name).read_bytes() if name != STDIN else stdin.readline() if one_line else stdin.read()
    except OSError as error:
        raise McpgovError(f"cannot read `{name}`: {reason_of(error)}") from None
    return raw.decode("utf-8")


def explained(explanation: Explanation) -> dict[str, object]:
    decision, guard = explanation.verdict, explanation.deciding_guard
    file, line = _place(explanation)
    return {
        "action": decision.action,
        "rule": decision.rule,
        "guard": guard["guard"] if guard is not None else None,
        "source": file or None,
        "line": line or None,
        "kind": decision.kind,
        "message": decision.message,
        "service": explanation.service,
        "operation": explanation.operation or None,
        "operation_why": explanation.operation_why,
        "revision": decision.revision,
        "trace": [_step_data(step) for step in explanation.steps],
        "guards": [dict(entry) for entry in explanation.guards],
        "readings": [{"value": value, "readings": list(forms)} for value, forms in explanation.readings],
    }


def _place(explanation: Explanation) -> tuple[str, int]:
    """The file and line of what decided; "": the default did, or a guard that no line of a policy has."""
    decisive, guard = explanation.decisive, explanation.deciding_guard
    if guard is not None:
        line = guard.get("line")
        return str(guard.get("file") or ""), line if isinstance(line, int) else 0
    return (decisive.file, decisive.line) if decisive is not None else ("", 0)


def _step_data(step: RuleStep) -> dict[str, object]:
    return picked(step, "rule", "action", "source=file", "line", "matched", "why")


def explained_view(explanation: Explanation, call: Call, drafts: Sequence[Draft]) -> list[Block]:
    decision, guard = explanation.verdict, explanation.deciding_guard
    asked = f"{call.method} {subject(call)}".rstrip()
    view: list[Block] = [Line(f"{decision.action.upper()}  {asked} on {call.server}", decision.action)]
    file, line = _place(explanation)
    place = f", {where(file, line)}" if file else ""
    if guard is not None:
        view.append(field("by", f"{guard['guard']} `{decision.rule}`{place}, after the rules", "strong"))
    elif decision.rule is None:
        view.append(field("by", "the default: no rule matched"))
    else:
        view.append(field("by", f"rule `{decision.rule}`{place}", "strong"))
    if decision.message:
        view.append(field("because", decision.message))
    if decision.action == PROMPT:
        view.append(field("then", "a person is asked; denied unless somebody says yes in time"))
    view.append(field("service", explanation.service))
    if explanation.operation:
        view.append(field("operation", f"{explanation.operation}, from {explanation.operation_why}"))
    view.append(field("revision", decision.revision, "faint"))
    view.append(_steps_table(explanation, drafts))
    if explanation.guards:
        view.append(guards_table(explanation.guards))
    rows: list[list[str | Cell]] = [
        [value, Cell(other)] for value, forms in explanation.readings if (other := _other(value, forms))
    ]
    view.append(Table(("value", "also read as"), rows, title="other readings, for deny, prompt and redact rules"))
    return view


def guards_table(said: Sequence[Mapping[str, object]]) -> Table:
    rows: list[list[str | Cell]] = []
    for entry in said:
        verdict = str(entry["verdict"])
        rows.append(
            [str(entry["guard"]), Cell(str(entry["name"]), "strong"), Cell(verdict, verdict), str(entry["why"])]
        )
    return Table(("guard", "name", "verdict", "why"), rows, title="guards, which judge what the rules let pass")


def _other(value: str, forms: Sequence[str]) -> tuple[str, ...]:
    """The readings that say something new: not the value again, nor only a slash more."""
    known = {value, *forms}
    return tuple(form for form in forms if form != value and not (form.endswith("/") and form[:-1] in known))


def _steps_table(explanation: Explanation, drafts: Sequence[Draft]) -> Table:
    """Every rule asked; the one that decided stands out and says what it wanted."""
    names = short_names({step.file for step in explanation.steps})
    rows: list[list[str | Cell]] = []
    for step in explanation.steps:
        source = Cell(f"{names[step.file]}:{step.line}" if step.line else step.file, "faint")
        if step is explanation.decisive:
            why = _wanted(step, drafts)
            rows.append(
                [Cell("→", step.action), Cell(step.rule, step.action), Cell(step.action, step.action), why, source]
            )
        else:
            style = "" if step.matched else "faint"
            rows.append(["", Cell(step.rule, style), Cell(step.action, style), Cell(_few(step.why), style), source])
    strong = frozenset(at for at, step in enumerate(explanation.steps) if step is explanation.decisive)
    columns = ("", "rule", "action", "why", "source")
    return Table(columns, rows, title="rules in the order asked", strong=strong, most=MOST_STEPS)


def _few(why: str) -> str:
    """A rule that did not match and names many patterns: the first of them."""
    first, *rest = why.split(OR)
    more = len(rest) - MOST_PATTERNS + 1
    return why if more <= 1 else f"{OR.join((first, *rest[: MOST_PATTERNS - 1]))}` or {more} more"


def _wanted(step: RuleStep, drafts: Sequence[Draft]) -> Cell:
    """What the rule that decided asks for, in the words of the policy file; a project's rule is not among ours."""
    mine = (draft for draft in drafts if (draft.id, draft.file, draft.line) == (step.rule, step.file, step.line))
    lines = [line for draft in mine for line in matchers_lines(draft.matchers)]
    return Cell(("matches", *lines)) if lines else Cell(step.why)
