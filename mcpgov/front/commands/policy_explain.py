"""`mcpgov policy explain`: one decision, step by step.

exit status: 0 the call passes (allow, log, redact), 2 it does not (deny, prompt), 3 invalid policy

examples:
  mcpgov policy explain --server fs --tool read_file --args '{"path": "/etc/passwd"}'
  mcpgov policy explain --server fs --resource file:///etc/passwd
  echo '{"method": "tools/call", "params": {"name": "rm"}}' | mcpgov policy explain --server fs --request -
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.core.calls import Call, call_of
from mcpgov.core.rules import DENY, PROMPT
from mcpgov.core.values import parse
from mcpgov.errors import EXIT_DENIED, McpgovError, UsageError
from mcpgov.front.context import Context, today
from mcpgov.front.policy_view import action_cell, problem_data, where
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.policy.explain import Explanation, Step, explain
from mcpgov.policy.trial import request_call

MOST_STEPS = 40


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--server", metavar="NAME", required=True, help="the server's key in the client config")
    parser.add_argument("--tool", metavar="NAME", help="a tools/call of this tool")
    parser.add_argument("--args", metavar="JSON", default="{}", help="its arguments (default: none)")
    parser.add_argument("--resource", metavar="URI", help="a resources/read of this URI")
    parser.add_argument("--prompt", metavar="NAME", help="a prompts/get of this prompt")
    parser.add_argument("--request", metavar="FILE", help="a whole JSON-RPC request; - is standard input")
    parser.add_argument("--client", metavar="NAME", default="", help="as if asked by this client")
    parser.add_argument("--project", metavar="DIR", default="", help="as if asked from this project")
    parser.add_argument("--policy", metavar="FILE", help="judge by this policy instead of the one in use")


def run(args: Namespace, context: Context) -> Result:
    call = _call(args)
    rules = context.rules(args.policy)
    found = explain(rules.ruleset, call, today(), rules.project(call.project))
    stopped = found.decision.action in (DENY, PROMPT)
    data = _data(found)
    data["warnings"] = [problem_data(problem) for problem in rules.compiled.warnings]
    return Result("policy explain", data, _view(found, call), EXIT_DENIED if stopped else 0)


def _call(args: Namespace) -> Call:
    given = [name for name in ("tool", "resource", "prompt", "request") if getattr(args, name)]
    if len(given) != 1:
        raise UsageError("say what to explain: one of --tool, --resource, --prompt, --request")
    where_from = (args.server, args.client, str(Path(args.project).absolute()) if args.project else "")
    try:
        if args.request:
            return request_call(parse(_read(args.request)), *where_from)
        if args.resource:
            return call_of("resources/read", {"uri": args.resource}, *where_from)
        method = "tools/call" if args.tool else "prompts/get"
        params = {"name": args.tool or args.prompt, "arguments": parse(args.args)}
        return call_of(method, params, *where_from)
    except (ValueError, RecursionError) as error:
        what = f"`{args.request}`" if args.request else "`--args`"
        raise UsageError(f"{what} cannot be read: {error}") from None


def _read(name: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise McpgovError(f"cannot read `{name}`: {(error.strerror or str(error)).lower()}") from None
    return raw.decode("utf-8")


def _data(found: Explanation) -> dict[str, object]:
    decision, decisive = found.decision, found.decisive
    return {
        "action": decision.action,
        "rule": decision.rule,
        "source": decisive.file if decisive else None,
        "line": decisive.line if decisive and decisive.line else None,
        "kind": decision.kind,
        "message": decision.message,
        "service": found.service,
        "operation": found.operation or None,
        "operation_why": found.operation_why,
        "revision": decision.revision,
        "trace": [_step_data(step) for step in found.steps],
        "readings": [{"value": value, "readings": list(forms)} for value, forms in found.readings],
    }


def _step_data(step: Step) -> dict[str, object]:
    return {
        "rule": step.rule,
        "action": step.action,
        "source": step.file,
        "line": step.line,
        "matched": step.matched,
        "why": step.why,
    }


def _view(found: Explanation, call: Call) -> list[Block]:
    decision, decisive = found.decision, found.decisive
    subject = call.tool or call.prompt or ", ".join(call.uris)
    by = f"rule `{decision.rule}`" if decision.rule else "the default: no rule matched"
    place = f" at {where(decisive.file, decisive.line)}" if decisive else ""
    view: list[Block] = [
        Line(f"{decision.action.upper()}  {call.method} {subject}".rstrip(), decision.action),
        Line(f"by {by}{place}"),
    ]
    if decision.message:
        view.append(Line(f"“{decision.message}”"))
    if found.operation:
        view.append(Line(f"service {found.service}, operation {found.operation} ({found.operation_why})", "faint"))
    view.append(Line(f"policy revision {decision.revision}", "faint"))
    if found.steps:
        view += _steps_view(found)
    if found.readings:
        rows: list[list[str | Cell]] = [[value, Cell(forms)] for value, forms in found.readings]
        view.append(Table(("value", "read as"), rows, title="readings tried by deny, prompt and redact rules"))
    return view


def _steps_view(found: Explanation) -> list[Block]:
    steps = found.steps[-MOST_STEPS:]
    hidden = len(found.steps) - len(steps)
    rows: list[list[str | Cell]] = []
    for step in steps:
        mark = Cell("✔", "good") if step.matched else Cell("·", "faint")
        name = Cell(step.rule, "strong" if step.matched else "faint")
        why = Cell(step.why, "" if step.matched else "faint")
        rows.append([mark, name, action_cell(step.action), why, Cell(where(step.file, step.line), "faint")])
    strong = frozenset(at for at, step in enumerate(steps) if step is found.decisive)
    out: list[Block] = [Table(("", "rule", "action", "why", "source"), rows, title="asked in order", strong=strong)]
    if hidden:
        out.append(Line(f"{hidden} earlier rules did not match (all in --json)", "faint"))
    return out
