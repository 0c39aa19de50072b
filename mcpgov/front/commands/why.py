"""`mcpgov why`: one decision again.

DECISION is the id that a denial carries, and that `mcpgov audit show` tells;
without it, or with `last`, it is the newest call that was stopped. The call is
judged once more by the policy in force now, if the record holds its arguments
whole; where a rule of yours would let it pass, the command that writes it is
given. What limits, budgets and other guards have noted of it is told too. Of a
call that waited for a person the whole story is told: where it was asked, who
answered after how long, and what became of the call.

examples:
  mcpgov why
  mcpgov why 4f1d0c92ab37-12
  mcpgov why 4f1d0c92ab37-12 --json
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from mcpgov import journal_reader, tool_store
from mcpgov.core.decision import PROMPT
from mcpgov.core.json.values import dumps
from mcpgov.core.rules.call import Call, call_of
from mcpgov.daemon.approvals.time_limits import LATE
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.errors import McpgovError
from mcpgov.front.approvals import story
from mcpgov.front.audit import guard_notes
from mcpgov.front.audit.decision_records import LONGEST_NAME, Events, last_stopped, records_of, whole_params
from mcpgov.front.commands import policy_explain
from mcpgov.front.context import Context, today
from mcpgov.front.output import audit_view
from mcpgov.front.output.audit_view import span
from mcpgov.front.output.policy_view import field, where
from mcpgov.front.output.status_view import span as status_span
from mcpgov.front.policy.offer import RuleOffer, by_guard, by_names, offer
from mcpgov.front.result import Block, Line, Result
from mcpgov.journal_reader import STOPPED, VERDICTS, Damage, JournalPiece
from mcpgov.policy.explain import explain

LAST = "last"
LONGEST_ARGS = 400


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("decision", metavar="DECISION", nargs="?", default=LAST,
                        help="the decision's id (default: the last call that was stopped)")  # fmt: skip
    parser.add_argument("--journal", metavar="FILE", help="look in this file or directory instead of our journal")


def run(args: Namespace, context: Context) -> Result:
    paths = journal_reader.files(str(args.journal or context.places.journal))
    damage = Damage()
    ident = last_stopped(paths, damage) if args.decision == LAST else args.decision
    record, answers, events = records_of(paths, ident, damage)
    notes = [answer for answer in answers if answer.text("action") in guard_notes.ACTIONS]
    answers = [answer for answer in answers if answer not in notes]
    if record is None:
        hint = "`mcpgov audit show --action deny` tells the ids of calls that were stopped"
        raise McpgovError(f"there is no decision `{ident}` on record", hint=hint)
    again = Again(record, context)
    data = {
        "decision": ident,
        "record": dict(record.data),
        "file": record.file,
        "line": record.line,
        "answers": [dict(answer.data) for answer in answers],
        "guards": [dict(note.data) for note in notes],
        "outcome": story.outcome(events) if record.text("action") == PROMPT else None,
        "story": [dict(event) for event in events],
        "now": again.data,
        "same_policy": again.same_policy,
        "remark": again.remark,
        "allow": again.offer.command or None,
    }
    told = [field("guard", text, style) for text, style in map(guard_notes.told, notes)]
    view = [*_view(record, answers, events), *told, *_story(record, events), *again.view, *_offered(again.offer)]
    return Result("why", data, view, notes=damage.notes)


def _offered(found: RuleOffer) -> list[Block]:
    if found.command:
        return [Line(""), Line("to let such calls pass:"), Line(f"  {found.command}", "strong")]
    return [Line(""), Line(f"`mcpgov allow` does not help here: {found.why}", "faint")] if found.why else []


def _story(record: JournalPiece, events: Events) -> list[Block]:
    told = story.story(events, record.text("decision"), record.time)
    lines = [Line(f"  +{line.after:6.1f} s  {line.text}", line.style) for line in told]
    return [Line(""), Line("what happened"), *lines] if lines else []


def _view(record: JournalPiece, answers: list[JournalPiece], events: Events) -> list[Block]:
    action, data = record.text("action"), record.data
    asked = audit_view.subject(record)
    view: list[Block] = [Line(f"{action.upper()}  {asked} on {record.text('server')}", audit_view.style_of(record))]
    if record.text("kind") in guard_notes.KINDS:
        view.append(field("by", f"{guard_notes.KINDS[record.text('kind')]} `{record.text('rule')}`", "strong"))
        view.append(field("because", record.text("why")))
    elif record.text("rule"):
        view.append(field("by", f"rule `{record.text('rule')}`", "strong"))
        if "data" in data:  # a guard asked
            view.append(field("because", record.text("why")))
    elif action in VERDICTS:
        by = {"pin": "the pins: the tool is new or has changed"}.get(
            record.text("kind"), "the default: no rule matched"
        )
        view.append(field("by", by))
    else:
        view.append(field("by", "nobody: the method passes unless a rule names it"))
    outcome = story.outcome(events) if action == PROMPT else ""
    view += _outcome(record, outcome, events)
    if record.text("answer_to"):
        view.append(field("inside", f"the answer to call {record.text('answer_to')}"))
    view.append(field("when", audit_view.full_clock(record.time)))
    client = record.text("client")
    view.append(field("session", f"{record.text('session')}{f', client {client}' if client else ''}"))
    if record.text("project"):
        view.append(field("project", record.text("project")))
    if "args" in data:
        view.append(field("arguments", audit_view.cut(dumps(data["args"]), LONGEST_ARGS)))
    masked = data.get("masked")
    if isinstance(masked, list):
        view.append(field("masked", ", ".join(map(str, masked)), "faint"))
    view.append(field("decided in", span(record.number("us"))))
    view += [_answer(answer) for answer in answers]
    if not answers and (action not in STOPPED or outcome == story.ALLOWED):
        view.append(field("answer", "none on record", "warning"))
    if record.text("revision"):
        view.append(field("revision", record.text("revision"), "faint"))
    view.append(field("record", where(record.file, record.line), "faint"))
    return view


def _outcome(record: JournalPiece, outcome: str, events: Events) -> list[Block]:
    """What became of a held call, and what may still be typed."""
    view: list[Block] = []
    if outcome:
        told = story.OUTCOMES.get(outcome, outcome)
        view.append(field("so", told, {story.ALLOWED: "allow", story.WAITING: "warning"}.get(outcome, "deny")))
    if outcome == story.WAITING:
        view.append(field("answer it", typed("approve", record.text("decision")), "strong"))
    elif story.takes_late_yes(events) and (left := record.time + LATE - time.time()) > 0:
        told = f"{typed('approve', record.text('decision'))} lets the next try pass, for {status_span(left)} more"
        view.append(field("still", told, "strong"))
    return view


def _answer(answer: JournalPiece) -> Line:
    failed = answer.data.get("error") is True
    told = "an error" if failed else answer.text("action")
    why = f": {answer.text('why')}" if answer.text("why") else ""
    took = answer.number("round_trip_us")
    text = f"{told}{why}{f', after {span(took)}' if took is not None else ''}"
    return field("answer", text, "bad" if failed else audit_view.STYLES.get(answer.text("action"), ""))


class Again:
    """The same call judged by the policy in force now; or `remark`, why it cannot be."""

    def __init__(self, record: JournalPiece, context: Context) -> None:
        self.data: dict[str, object] | None = None
        self.same_policy: bool | None = None
        self.view: list[Block] = []
        self.remark = ""
        self.offer = RuleOffer()
        call = _call(record, context)
        if isinstance(call, str):
            self.remark = f"not judged again: {call}"
            self.offer = _by_record(record, context)
        else:
            try:
                self._judge(call, record, context)
            except McpgovError as error:
                self.remark = f"not judged again: {error}"
        if self.remark:
            self.view = [Line(""), Line(self.remark, "warning")]

    def _judge(self, call: Call, record: JournalPiece, context: Context) -> None:
        rules = context.rules(None)
        project = rules.project(call.project)
        found = explain(rules.ruleset, call, today(), project, rules.guards(call.project))
        self.data = policy_explain.explained(found)
        revisions = {rules.ruleset.revision, project.revision if project is not None else ""}
        self.same_policy = record.text("revision") in revisions
        decision = rules.ruleset.decide(call, today())
        narrowed = project is not None and project.decide(call, today()).action in STOPPED
        if decision.action in STOPPED and call.method == "tools/call" and not narrowed:
            self.offer = offer(call, decision, context, rules)
        elif found.verdict is not found.decision:
            self.offer = by_guard(found.verdict, found.guards, context)
        same = "the same policy" if self.same_policy else "another policy than then"
        verdict = (found.verdict.action, found.verdict.rule)
        as_then = verdict == (record.data.get("action"), record.data.get("rule"))
        told = "as then" if as_then else "not as then"
        self.view = [
            Line(""),
            Line(f"judged again by the policy in force now: {same}, {told}", "good" if as_then else "warning"),
            Line(""),
            *policy_explain.explained_view(found, call, rules.compiled.drafts),
        ]


def _by_record(record: JournalPiece, context: Context) -> RuleOffer:
    """What can be offered by the names alone."""
    server, tool = record.text("server"), record.text("tool")
    if audit_view.is_answer(record):
        return RuleOffer()
    if record.text("action") not in STOPPED or record.text("method") != "tools/call" or len(tool) >= LONGEST_NAME:
        return RuleOffer()
    if record.text("kind") in guard_notes.KINDS:
        return RuleOffer()
    if record.text("kind") == "pin":
        return RuleOffer(typed("tools", server, options=[f"--accept={tool}"]))
    return by_names(server, tool, context)


def _call(record: JournalPiece, context: Context) -> Call | str:
    """The call as it was judged, or why the record does not hold it."""
    method, data = record.text("method"), record.data
    if record.text("action") not in VERDICTS:
        return "no rule was asked"
    if record.text("kind") == "pin":
        return "the pins decided; `mcpgov tools` shows what changed"
    if audit_view.is_answer(record):
        return "the journal does not hold what a server answered"
    params = whole_params(method, record, str(context.places.salt))
    if isinstance(params, str):
        return params
    server = record.text("server")
    seen = tool_store.load(str(context.places.tools), server)
    tool = record.text("tool")
    hints = tool_store.hints(seen, tool) if seen is not None and tool in seen.names else None
    try:
        call = call_of(method, params, server, record.text("client"), record.text("project"), None, hints)
    except ValueError as error:
        return f"the record is odd: {error}"
    if data.get("dir") == "server":  # asked by the server: its parameters are what was judged
        call = Call(method, params, server, record.text("client"), record.text("project"))
    call.session = record.text("session")  # whose budget it was counted in
    return call
