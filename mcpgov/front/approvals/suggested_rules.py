"""Rules for what a person allows again and again: the habits of the journal, and each as a rule of the policy now.

Law: the journal is streamed; only calls that a suggestion speaks of are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgov import journal_reader, tool_store
from mcpgov.core.approvals.grants import DEFAULT, EXACT
from mcpgov.core.approvals.question import DESK
from mcpgov.core.rules.call import call_of
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.suggest import SPAN, YESES, Suggestion, habit_counts, suggestions
from mcpgov.errors import McpgovError
from mcpgov.front.approvals.story import APPROVAL
from mcpgov.front.audit.decision_records import whole_params
from mcpgov.front.context import Context
from mcpgov.front.policy import always_rule
from mcpgov.front.policy.rule_text import Addition
from mcpgov.journal_reader import Damage, JournalPiece

Record = Mapping[str, object]
HELD = f'"dir":"{APPROVAL}"'.encode("ascii")


@dataclass(frozen=True, slots=True)
class SuggestedRule:
    """`rule` None: it cannot be written, and `why` says why."""

    habit: Suggestion
    question: Question
    rule: Addition | None
    why: str = ""
    hint: str = ""


def suggested(context: Context, now: float, damage: Damage) -> list[SuggestedRule]:
    """Those with most yeses first."""
    paths = journal_reader.files(str(context.places.journal), now - SPAN, now)
    asked = _often(paths, damage)
    if not asked:
        return []
    last: dict[str, JournalPiece] = {}
    found = suggestions(_records(paths, asked, last, Damage()), now)
    return [_with_rule(habit, last.get(habit.last), context) for habit in found]


def counted(context: Context, now: float, damage: Damage) -> list[dict[str, object]]:
    """Every habit of the journal, for the daemon: it offers a rule with the question after the third yes."""
    paths = journal_reader.files(str(context.places.journal), now - SPAN, now)
    records = (piece.data for piece in journal_reader.read(paths, damage, holding=HELD))
    names = ("server", "target", "asked_by", "yeses", "number")
    return [dict(zip(names, habit, strict=True)) for habit in habit_counts(records, now)]


def _often(paths: list[str], damage: Damage) -> set[tuple[object, object]]:
    """Servers and tools that got so many yeses that a rule may be worth it: a quick look at the answers alone."""
    counts: dict[tuple[object, object], int] = {}
    for piece in journal_reader.read(paths, damage, holding=HELD):
        if piece.data.get("answer") == "yes":
            name = piece.data.get("server"), piece.data.get("tool")
            counts[name] = counts.get(name, 0) + 1
    return {name for name, number in counts.items() if number >= YESES}


def _records(
    paths: list[str], asked: set[tuple[object, object]], last: dict[str, JournalPiece], damage: Damage
) -> Iterator[Record]:
    for piece in journal_reader.read(paths, damage):
        data = piece.data
        if data.get("dir") == APPROVAL:
            yield data
        elif data.get("action") == "prompt" or (data.get("server"), data.get("tool")) in asked:
            if data.get("action") == "prompt" and (data.get("server"), data.get("tool")) in asked:
                last[piece.text("decision")] = piece
            yield data


def _with_rule(habit: Suggestion, piece: JournalPiece | None, context: Context) -> SuggestedRule:
    question = _question(habit, piece, context, "", 0)
    try:
        drafts = context.rules(None).compiled.drafts
        asking = next((draft for draft in drafts if draft.id == habit.rule), None)
        if asking is not None:
            question = _question(habit, piece, context, asking.file, asking.line)
        elif habit.rule != DEFAULT:
            told = f"rule `{habit.rule}`, which asked, is no longer in your policy"
            return SuggestedRule(habit, question, None, told)
        return SuggestedRule(habit, question, always_rule.always(question, habit.scope, context))
    except McpgovError as error:
        return SuggestedRule(habit, question, None, str(error), error.hint)


def _question(habit: Suggestion, piece: JournalPiece | None, context: Context, file: str, line: int) -> Question:
    """The last question of the habit, as far as the journal holds it: what a rule is made from."""
    found = whole_params("tools/call", piece, str(context.places.salt)) if piece is not None else ""
    args = found["arguments"] if isinstance(found, dict) else None
    seen = tool_store.load(str(context.places.tools), habit.server)
    hints = tool_store.hints(seen, habit.tool) if seen is not None and habit.tool in seen.names else None
    shown = args if isinstance(args, dict) else {}
    call = call_of("tools/call", {"name": habit.tool, "arguments": shown}, habit.server, "", "", None, hints)
    operations = tuple(each for each in (call.operation, *call.other_operations) if each)
    layer = "managed" if habit.rule.startswith("managed:") else "user"
    texts = {"number": habit.last, "session": habit.last.rpartition("-")[0], "server": habit.server}
    texts |= {"client": piece.text("client") if piece is not None else "", "method": "tools/call"}
    texts |= {"target": habit.tool, "asked_by": habit.rule, "layer": layer, "file": file}
    rest = dict.fromkeys(("project", "service", "message", "revision", "tool_digest", "args_digest", "app"), "")
    exact = shown if habit.scope == EXACT and isinstance(args, dict) else None
    return Question(
        **texts, **rest, operations=operations, operation_why=call.operation_why, line=line, ask=(DESK,), shown=shown,
        masked=(), paths=(), hosts=(), complete=True, args=exact, folders=habit.folders,
    )  # fmt: skip
