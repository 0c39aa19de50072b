"""A rule after three equal yeses, and what it would have done in the last thirty days. Pure: records in, rules out.

Laws: a no in between starts the count again; the narrowest rule that covers every yes is suggested; what a person
refused and the rule would let pass is told first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgov.core.approvals.grants import DEFAULT, EXACT, FOLDER, TOOL, Folder, canonical_text
from mcpgov.core.rules.arguments import satisfied
from mcpgov.core.rules.path_arguments import TooMany, path_and_url_arguments
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.spellings import normal
from mcpgov.core.rules.value_patterns import Pattern
from mcpgov.core.world import World, no_links
from mcpgov.daemon.approvals import records

Record = Mapping[str, object]
YESES = 3
SPAN = 30 * 24 * 3600.0
LEAST_DEPTH = 2  # folders below the root: `/home/**` is nobody's habit


@dataclass(frozen=True, slots=True)
class Past:
    """A call of the journal: its number, arguments as recorded, and what asked or decided."""

    number: str
    server: str
    tool: str
    rule: str
    action: str
    args: dict[str, object]
    digest: str
    masked: bool

    @property
    def key(self) -> str:
        return self.digest or canonical_text(self.args)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`allowed`: calls that the rule would have let pass without a question, of which `refused` were refused or
    timed out; `kept`: calls of the same tool that it would not; `asked`: those of other tools by the same rule."""

    server: str
    tool: str
    rule: str
    scope: str
    folders: tuple[Folder, ...]
    last: str
    yeses: int
    allowed: tuple[str, ...]
    refused: tuple[str, ...]
    kept: tuple[str, ...]
    asked: int


def suggestions(found: Iterable[Record], now: float) -> list[Suggestion]:
    """From records in the order of time; most yeses first."""
    calls: dict[str, Past] = {}
    questions: dict[str, str] = {}  # decision -> the question it hung on
    verdicts: dict[str, bool] = {}
    habits: dict[tuple[str, str, str], list[str]] = {}
    for record in found:
        time = record.get("time")
        if not isinstance(time, (int, float)) or not now - SPAN <= time <= now:
            continue
        if record.get("dir") == "approval":
            _approval(record, questions, verdicts, habits)
        elif (call := _past(record)) is not None:
            calls.setdefault(call.number, call)  # what became of a held call is a second record, without arguments
    out = [_suggestion(habit, numbers, calls, questions, verdicts) for habit, numbers in habits.items()]
    made = [suggestion for suggestion in out if suggestion is not None]
    return sorted(made, key=lambda suggestion: -suggestion.yeses)


def _approval(
    record: Record,
    questions: dict[str, str],
    verdicts: dict[str, bool],
    habits: dict[tuple[str, str, str], list[str]],
) -> None:
    number, question = str(record.get("decision")), str(record.get("question"))
    if record.get("action") in (records.ASKED, records.JOINED):
        questions[number] = question
    elif record.get("action") in (records.ANSWERED, records.LATE) and record.get("tool"):
        habit = str(record.get("server")), str(record.get("tool")), str(record.get("rule"))
        yes = verdicts[question] = record.get("answer") == "yes"
        habits[habit] = [*habits.get(habit, []), question] if yes else []
    elif record.get("action") == records.GRANT_USED:  # a person's earlier yes let it pass
        verdicts[str(record.get("call"))] = True


def _past(record: Record) -> Past | None:
    if record.get("dir") != "client" or record.get("method") != "tools/call" or not record.get("action"):
        return None
    if record["action"] == "answered":
        return None
    args = record.get("args")
    return Past(
        str(record.get("decision")),
        str(record.get("server")),
        str(record.get("tool")),
        str(record.get("rule") or DEFAULT),
        str(record["action"]),
        args if isinstance(args, dict) else {},
        str(record.get("digest") or ""),
        bool(record.get("masked")),
    )


def _suggestion(
    habit: tuple[str, str, str],
    numbers: list[str],
    calls: dict[str, Past],
    questions: dict[str, str],
    verdicts: dict[str, bool],
) -> Suggestion | None:
    server, tool, rule = habit
    approved = [calls[number] for number in numbers if number in calls]
    if len(numbers) < YESES or not approved:
        return None
    scope, folders = _scope(approved)
    allowed: list[str] = []
    refused: list[str] = []
    kept: list[str] = []
    for call in calls.values():
        if (call.server, call.tool) != (server, tool):
            continue
        if call.rule == rule and call.action == "prompt" and _covers(scope, folders, approved[-1], call):
            allowed.append(call.number)
            if not verdicts.get(questions.get(call.number, call.number), False):
                refused.append(call.number)
        else:
            kept.append(call.number)
    asked = sum(call.rule == rule and call.action == "prompt" and call.tool != tool for call in calls.values())
    told = (tuple(allowed), tuple(refused), tuple(kept), asked)
    return Suggestion(server, tool, rule, scope, folders, numbers[-1], len(numbers), *told)


def _scope(approved: list[Past]) -> tuple[str, tuple[Folder, ...]]:
    """The narrowest that holds all of them."""
    if len({call.key for call in approved}) == 1 and not approved[0].masked:
        return EXACT, ()
    folders = _folders(approved)
    return (FOLDER, folders) if folders else (TOOL, ())


def _folders(approved: list[Past]) -> tuple[Folder, ...]:
    """For each path argument the deepest folder that holds what it was in every call; () where there is none."""
    places: dict[tuple[str, ...], list[list[str]]] = {}
    names: list[set[tuple[str, ...]]] = []
    for call in approved:
        try:
            found = path_and_url_arguments(call.args)[0]
        except TooMany:
            return ()
        names.append({keys for keys, _ in found})
        for keys, text in found:
            if not text.startswith("/") or "…" in text or "*" in text or "?" in text:
                return ()
            places.setdefault(keys, []).append(normal(text).split("/")[1:-1])
    if not places or any(each != names[0] for each in names):
        return ()
    out = {keys: _common(paths) for keys, paths in places.items()}
    if any(len(parts) < LEAST_DEPTH for parts in out.values()):
        return ()
    return tuple((keys, f"/{'/'.join(parts)}/**") for keys, parts in out.items())


def _common(paths: list[list[str]]) -> list[str]:
    first, last = min(paths), max(paths)
    count = 0
    while count < min(len(first), len(last)) and first[count] == last[count]:
        count += 1
    return first[:count]


def _covers(scope: str, folders: tuple[Folder, ...], like: Past, call: Past) -> bool:
    if scope == EXACT:
        return call.key == like.key
    if scope == TOOL:
        return True
    reader = Reader(World(no_links))
    return all(satisfied(call.args, keys, (Pattern(pattern),), reader, False) for keys, pattern in folders)
