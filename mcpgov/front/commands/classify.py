"""`mcpgov classify`: which operation is a tool?

Reads one JSON object a line: {"server", "tool", "arguments": [names]
[, "annotations"] [, "inputSchema"]}; writes one a line with `operation` and
`why`. Arguments given as an object are judged with their values, as a call is.
A line that cannot be read gets an `error` and exit status 1; the others are
still done.

examples:
  echo '{"tool": "delete_repo"}' | mcpgov classify
  echo '{"tool": "manage_x", "arguments": {"action": "list"}}' | mcpgov classify
  mcpgov classify --json < tools.jsonl
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterable

from mcpgov.core.operations.choices import with_choices
from mcpgov.core.operations.classify import classify
from mcpgov.core.rules.call import Call
from mcpgov.errors import EXIT_FAILED
from mcpgov.front.context import Context
from mcpgov.front.result import Cell, Result, Table


def run(args: Namespace, context: Context) -> Result:
    if sys.stdin.isatty():
        sys.stderr.write("mcpgov: reading tools, one JSON object a line; ctrl-d ends\n")
    rows = list(judge(sys.stdin.buffer))
    failed = any("error" in row for row in rows)
    status = EXIT_FAILED if failed else 0
    if args.json or not sys.stdout.isatty():
        return Result("classify", exit_code=status, raw="".join(json.dumps(row) + "\n" for row in rows))
    table: list[list[str | Cell]] = []
    for row in rows:
        operation = str(row.get("operation", "error"))
        style = {"read": "allow", "write": "log", "error": "bad"}.get(operation, "prompt")
        why = str(row.get("why") or row.get("error"))
        table.append([str(row.get("server", "")), str(row.get("tool", "")), Cell(operation, style), why])
    return Result("classify", view=[Table(("server", "tool", "operation", "why"), table)], exit_code=status)


def judge(lines: Iterable[bytes]) -> Iterable[dict[str, object]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _one(json.loads(line))
        except (ValueError, RecursionError) as error:
            yield {"line": number, "error": str(error)}


def _one(item: object) -> dict[str, object]:
    if not isinstance(item, dict):
        raise ValueError("a line must hold one JSON object")
    tool, server = item.get("tool"), item.get("server", "")
    arguments, annotations = item.get("arguments") or [], item.get("annotations")
    if not isinstance(tool, str) or not isinstance(server, str):
        raise ValueError("`tool` and `server` must be strings")
    if not isinstance(arguments, list | dict) or not all(isinstance(name, str) for name in arguments):
        raise ValueError("`arguments` must be a list of names")
    if annotations is not None and not isinstance(annotations, dict):
        raise ValueError("`annotations` must be an object")
    hints = with_choices(annotations or {}, item.get("inputSchema"))
    operation, why = classify(tool, arguments, hints, server)
    if isinstance(arguments, dict):
        call = Call("tools/call", {}, server, annotations=hints)
        call.tool, call.args = tool, arguments
        operation, why = call.operation, call.operation_why
    return {"server": server, "tool": tool, "operation": operation, "why": why}
