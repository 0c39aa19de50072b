"""`mcpgov tools`: the tools that servers have shown.

For each its class, what the policy in force says of it (`allow/deny`: that
depends on the arguments), and its pin: `accepted`, or `changed` or `new` since
the server was first seen. A changed tool is shown as a diff; --accept takes it
as it is now. Where the policy has [signals], what looks like an injection in a
tool's definition is told with its scores.

examples:
  mcpgov tools
  mcpgov tools github
  mcpgov tools github --accept create_issue
  mcpgov tools github --accept-all
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from mcpgov import tool_store
from mcpgov.core.decision import DENY
from mcpgov.core.operations.choices import with_choices
from mcpgov.core.operations.classify import classify
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.errors import McpgovError, PolicyError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.output import audit_view
from mcpgov.front.output.text import count
from mcpgov.front.output.tool_diff import described, diff
from mcpgov.front.policy.tool_verdicts import kept_out, verdicts
from mcpgov.front.result import Block, Cell, Line, Result, Table, visible
from mcpgov.front.signals.tool_scores import ToolScores
from mcpgov.tool_store import ACCEPTED, CHANGED, ServerTools

COLUMNS = ("tool", "class", "verdict", "pin", "says of itself")
DEPENDS = "depends"
OTHER_COLUMNS = 58
HINTS = {
    "readOnlyHint": ("read-only", "changes things"),
    "destructiveHint": ("destructive", "not destructive"),
    "idempotentHint": ("idempotent", ""),
    "openWorldHint": ("open world", "closed world"),
}
HIDDEN = "holds control or invisible characters"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("server", metavar="SERVER", nargs="?", help="only this server's")
    parser.add_argument("--accept", metavar="TOOL", nargs="+", action="extend", default=[],
                        help="take these tools as they are now")  # fmt: skip
    parser.add_argument("--digest", metavar="DIGEST", help="accept the tool only if it has this digest now")
    parser.add_argument("--accept-all", action="store_true", help="take all tools of the server as they are now")


def run(args: Namespace, context: Context) -> Result:
    directory = str(context.places.tools)
    accepting = args.accept_all or args.accept
    if accepting and args.server is None:
        raise UsageError("say whose tools to accept", hint="mcpgov tools SERVER --accept TOOL")
    if args.accept_all and args.accept:
        raise UsageError("`--accept-all` and `--accept` exclude each other")
    known, bad = tool_store.load_all(directory)
    notes = [f"`{path}` cannot be read: its server counts as never seen" for path in bad]
    if args.server is not None:
        known = [_server(known, args.server)]
    taken: list[str] = []
    if accepting:
        taken = _wanted(known[0], args.accept)
        _check_expected(known[0], taken, args.digest)
        known = [tool_store.accept(directory, known[0], taken)] if taken else known
    try:
        in_force = context.rules(None)
        rules: RuleSet | None = in_force.ruleset
        kept = kept_out(in_force.compiled.drafts)
    except PolicyError as error:
        rules, kept = None, {}
        notes.append(f"no verdicts: {error}")
    scores = ToolScores(rules)
    servers = [
        {"server": seen.server, "tools": [_data(seen, name, rules, scores, kept) for name in seen.names]}
        for seen in known
    ]
    view = _view(known, rules, taken if accepting else None, scores)
    return Result("tools", {"servers": servers, "accepted": taken}, view, notes=notes)


def _server(servers: list[ServerTools], name: str) -> ServerTools:
    for seen in servers:
        if seen.server == name:
            return seen
    known = ", ".join(f"`{seen.server}`" for seen in servers)
    raise McpgovError(f"no tools of a server `{name}` were seen", hint=f"seen so far: {known}" if known else "")


def _wanted(seen: ServerTools, names: list[str]) -> list[str]:
    for name in names:
        if name not in seen.changed:
            known = "has not changed" if name in seen.accepted else f"was never shown by `{seen.server}`"
            hint = f"`mcpgov tools {seen.server}` lists its tools"
            raise McpgovError(f"tool `{name}` {known}: there is nothing to accept", hint=hint)
    return list(dict.fromkeys(names)) or sorted(seen.changed)


def _check_expected(seen: ServerTools, names: list[str], digest: str | None) -> None:
    if digest is not None and [seen.latest(name).get("digest") for name in names] != [digest]:
        told = f"`{', '.join(names)}` of `{seen.server}` has changed again: nothing was accepted"
        raise McpgovError(told, hint="look at it again", reason_code="changed")


def _data(
    seen: ServerTools, name: str, rules: RuleSet | None, scores: ToolScores, kept: Mapping[tuple[str, str], str]
) -> dict[str, object]:
    entry, hints = seen.latest(name), tool_store.hints(seen, name)
    names = tool_store.properties(entry)
    parts = tool_store.definitions(entry)
    annotations = with_choices(hints, parts[0].get("inputSchema") if len(parts) == 1 else None)
    operation, why = classify(name, names, annotations, seen.server)
    state = seen.state(name)
    possible = verdicts(rules, seen.server, name, names, annotations) if rules is not None else ()
    return {
        "tool": name,
        "operation": operation,
        "operation_why": why,
        "verdict": DEPENDS if len(possible) > 1 else possible[0] if possible else None,
        "possible": possible,
        "kept_out_by": kept.get((seen.server, name)) if possible == (DENY,) else None,
        "pin": state,
        "hidden": entry.get("hidden") is True,
        "signals": scores.of(seen.server, name),
        "annotations": hints,
        "digest": entry.get("digest"),
        "definition": described(entry),
        "diff": diff(seen, name) if state != ACCEPTED else None,
    }


def _view(
    servers: list[ServerTools], rules: RuleSet | None, taken: list[str] | None, scores: ToolScores
) -> list[Block]:
    if taken is not None:
        seen = servers[0]
        if not taken:
            return [Line(f"nothing to accept: no tool of {seen.server} has changed")]
        return [
            *(Line(f"accepted {name} of {seen.server}", "good") for name in taken),
            Line("proxies that are running go by it with the next message", "faint"),
        ]
    if not servers:
        return [Line("no tools were seen yet: they are recorded when a client lists a governed server's")]
    view: list[Block] = []
    mode = str(rules.head.get("pin") or "log") if rules is not None else "log"
    for seen in servers:
        view.append(_table(seen, rules, scores))
        for name in sorted(seen.changed):
            view += _difference(seen, name, mode)
    return view


def _table(seen: ServerTools, rules: RuleSet | None, scores: ToolScores) -> Table:
    rows: list[list[str | Cell]] = []
    room, depends = audit_view.width(), ""
    for name in seen.names:
        data = _data(seen, name, rules, scores, {})
        possible, pin = data["possible"], str(data["pin"])
        verdict = "/".join(possible) if isinstance(possible, tuple) and possible else "–"
        depends = " (more than one verdict: the arguments decide)" if "/" in verdict else depends
        told = scores.text(seen.server, name)
        notes = ((HIDDEN,) if data["hidden"] else ()) + ((told,) if told else ())
        shown = audit_view.cut(visible(name), max(room - OTHER_COLUMNS, 16)) if room else name
        rows.append(
            [
                Cell(shown, "bad" if notes else "strong", notes),
                str(data["operation"]),
                Cell(verdict, "warning" if "/" in verdict else verdict if rules is not None else ""),
                Cell(pin, "faint" if pin == ACCEPTED else "warning"),
                Cell(_hints(tool_store.hints(seen, name)), "faint"),
            ]
        )
    changed = f", {len(seen.changed)} changed or new" if seen.changed else ""
    title = f"{seen.server}: {count(len(rows), 'tool')}{changed}{depends}"
    return Table(COLUMNS, rows, title=title, empty=title, most=max(len(rows), 1))


def _hints(annotations: dict[str, object]) -> str:
    words_given = [
        words[0 if annotations[key] is True else 1]
        for key, words in HINTS.items()
        if isinstance(annotations.get(key), bool)
    ]
    return ", ".join(word for word in words_given if word)


def _difference(seen: ServerTools, name: str, mode: str) -> list[Block]:
    """What changed, line by line, as a reviewer would want it."""
    held = {
        "prompt": "you are asked about its calls until it is accepted",
        "deny": "its calls are denied until it is accepted",
    }
    what = "has changed" if seen.state(name) == CHANGED else "is new"
    view: list[Block] = [Line(f"{name} {what}; {held.get(mode, 'its calls pass')} (pin = {mode})", "warning")]
    styles = {"+": "allow", "-": "deny", "@": "faint"}
    view += [Line(f"  {line}", styles.get(line[:1], "")) for line in diff(seen, name)]
    return [*view, Line(f"  accept it: {typed('tools', seen.server, options=[f'--accept={name}'])}", "faint"), Line("")]
