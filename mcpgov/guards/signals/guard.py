"""The guard of prompt injection signals: scores answers and tools' descriptions, and logs or asks.

Laws: off unless the policy says otherwise; it never denies by itself and never changes a text. What it tells, for the
record or to a person, is packs, scores and places, never the text. A list of tools always passes: a tool whose
definition signals is asked about when it is called.
"""

from __future__ import annotations

from mcpgov.core.decision import LOG, PROMPT, Decision
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Setting
from mcpgov.core.session.guard import Guard
from mcpgov.guards.signals.known_tools import KnownTools
from mcpgov.guards.signals.lookalike_tools import OtherNames
from mcpgov.guards.signals.rows import OFF, SignalRow, row_for
from mcpgov.guards.signals.scorer import Scorer, texts_of
from mcpgov.guards.signals.signal import LOOKALIKE_TOOLS, PACKS, Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpgov.core.rules.call import Call
    from mcpgov.core.world import World

KIND = "signals"
LIST, CALL = "tools/list", "tools/call"
LONGEST_PLACE = 80
MOST_TOOLS, MOST_NAMED = 20, 3  # tools in the record of a list, and named in its sentence
Found = dict[str, tuple[str, Signal]]  # the strongest of each pack, and the place it was found at


class Spots:
    """Where a scorer sees something in a text: for the question, which shows what is around it."""

    def __init__(self, scorer: Scorer, threshold: float) -> None:
        self._scorer = scorer
        self._threshold = threshold

    def search(self, text: str) -> bool:
        return bool(self.spans(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [(found.start, found.end) for found in self._scorer.find(text) if found.score >= self._threshold]


class SignalsGuard(Guard):
    """`tables`: the rows of each policy in force; the strictest verdict holds."""

    def __init__(self, tables: list[list[SignalRow]], known: KnownTools, world: World) -> None:
        self._tables = tables
        self._known = known
        self._world = world
        self._scorer = Scorer(pack for rows in tables for row in rows for pack in row.packs)
        self._tools: dict[str, dict[str, Found]] = {}  # by server and tool

    def concerns(self, call: Call) -> bool:
        """Where only lists of tools are looked at, a call and its answer are nothing to it."""
        return any(row.results != OFF or row.descriptions == PROMPT for row in self._rows(call))

    # --- answers

    def scan(self, call: Call, result: object, *, is_error: bool) -> Decision | None:
        if call.method == LIST:
            return self._listed(call, result)
        found: Found | None = None
        verdict: Decision | None = None
        for row in self._rows(call):
            if row.results == OFF:
                continue
            found = _strongest(self._scorer, result, is_description=False) if found is None else found
            verdict = _stricter(verdict, self._verdict(row, row.results, found, "the answer"))
        return verdict

    def _verdict(self, row: SignalRow, action: str, found: Found, what: str) -> Decision | None:
        told = _counted(row, found)
        if not told or action == OFF:
            return None
        why = f"{what} looks like an injection: {shown(told)}"
        data = {"signals": [as_data(place, signal) for place, signal in told]}
        cuts = (Spots(self._scorer, row.threshold),) if action == PROMPT else ()
        return Decision(action, f"({row.name})", KIND, why, "", cuts, data=data)

    # --- tools

    def _listed(self, call: Call, result: object) -> Decision | None:
        """Score a page of tools; the verdict is for the record only."""
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(tools, list):
            return None
        named = [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
        scores = self._tools.setdefault(call.server, {})
        if call.params.get("cursor") is None:
            scores.clear()
        others = OtherNames(self._known.names_of_others(call.server))
        told: list[dict[str, object]] = []
        for tool in named:
            name = str(tool["name"])
            scores[name] = _merged(scores.get(name, {}), self._definition(name, [tool], others))
            told += [{"tool": name[:LONGEST_PLACE], **each} for each in self._of_tool(call, name)]
        if not told:
            return None
        names = ", ".join(f"{each['tool']}: {each['pack']} {each['score']}" for each in told[:MOST_NAMED])
        why = f"descriptions of tools look like an injection: {names}"
        return Decision(LOG, f"({KIND})", KIND, why, "", data={"signals": told[:MOST_TOOLS]})

    def _of_tool(self, call: Call, tool: str) -> list[dict[str, object]]:
        """What counts of a tool by any policy."""
        found = self._tools[call.server][tool]
        rows = [row for row in self._rows(_call_of(call, tool)) if row.descriptions != OFF]
        told = {signal.pack: as_data(place, signal) for row in rows for place, signal in _counted(row, found)}
        return list(told.values())

    def _definition(self, name: str, definitions: Iterable[object], others: OtherNames) -> Found:
        found: Found = {}
        for definition in definitions:
            found = _merged(found, _strongest(self._scorer, definition, is_description=True))
        alike = others.resembled(name) if LOOKALIKE_TOOLS in self._packs else None
        return found if alike is None else _merged(found, {LOOKALIKE_TOOLS: ("name", alike)})

    @property
    def _packs(self) -> frozenset[str]:
        return frozenset(pack for rows in self._tables for row in rows for pack in row.packs)

    def scores(self, server: str, tool: str) -> Found:
        """Of a tool as it was listed, or else as it was seen in an earlier session."""
        if server not in self._tools:
            others = OtherNames(self._known.names_of_others(server))
            seen = self._known.definitions(server)
            self._tools[server] = {name: self._definition(name, items, others) for name, items in seen.items()}
        return self._tools[server].get(tool, {})

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        """A tool whose definition signals is asked about; a grant for the tool is its answer from then on."""
        if call.method != CALL or call.tool is None:
            return None
        verdict: Decision | None = None
        for row in self._rows(call):
            if row.descriptions == PROMPT:
                found = self.scores(call.server, call.tool)
                verdict = _stricter(verdict, self._verdict(row, PROMPT, found, "the tool's description"))
        return verdict

    def explain(self, call: Call) -> list[dict[str, object]]:
        """What the tool's definition is worth; of its answers nothing is known."""
        if call.method != CALL or call.tool is None:
            return []
        told: list[dict[str, object]] = []
        for row in self._rows(call):
            found = self.scores(call.server, call.tool)
            verdict = self._verdict(row, row.descriptions, found, "the tool's description")
            action = LOG if verdict is not None and verdict.action == LOG else "allow" if verdict is None else PROMPT
            scores = [(place, signal) for place, signal in found.values() if signal.pack in row.packs]
            why = verdict.message if verdict is not None else f"the tool's description: {shown(scores) or 'no signals'}"
            name = f"({row.name})"
            told.append({"guard": KIND, "name": name, "verdict": action, "why": f"{why} (threshold {row.threshold})"})
        return told

    def _rows(self, call: Call) -> list[SignalRow]:
        """What each policy says of a call."""
        setting = Setting(Reader(self._world), "", call.server)
        return [row_for(rows, call, setting) for rows in self._tables]


def _call_of(call: Call, tool: str) -> Call:
    made = type(call)(CALL, {"name": tool}, call.server, call.client, call.project)
    made.tool, made.args = tool, {}
    return made


def _strongest(scorer: Scorer, value: object, *, is_description: bool) -> Found:
    found: Found = {}
    for place, text in texts_of(value):
        for signal in scorer.find(text, is_description=is_description):
            found = _merged(found, {signal.pack: (place, signal)})
    return found


def _merged(first: Found, second: Found) -> Found:
    """Of each pack the stronger."""
    made = dict(first)
    for pack, (place, signal) in second.items():
        if pack not in made or signal.score > made[pack][1].score:
            made[pack] = (place, signal)
    return made


def _counted(row: SignalRow, found: Found) -> list[tuple[str, Signal]]:
    counted = [each for each in found.values() if each[1].pack in row.packs and each[1].score >= row.threshold]
    return sorted(counted, key=lambda each: PACKS.index(each[1].pack))


def shown(signals: Iterable[tuple[str, Signal]]) -> str:
    """For people: `instructions 0.92 (override, conceal)`."""
    return ", ".join(f"{signal.pack} {signal.score} ({signal.name})" for _, signal in signals)


def as_data(place: str, signal: Signal) -> dict[str, object]:
    return {**signal.as_data(), "in": place[:LONGEST_PLACE]}


def _stricter(first: Decision | None, second: Decision | None) -> Decision | None:
    if first is None or second is None:
        return first or second
    return second if second.action == PROMPT and first.action != PROMPT else first


def make(heads: list[dict[str, object]], world: World) -> SignalsGuard:
    """`heads`: of the policies in force; each may have several tables, and the place of the tool store."""
    from mcpgov.guards.hooks import LazyHooks

    hooks, directory = LazyHooks(), ""
    tables: list[list[SignalRow]] = []
    for head in heads:
        found = head.get("signals")
        if isinstance(found, dict):
            directory = directory or str(found.get("tools") or "")
            tables += [[SignalRow(row, world.home, hooks) for row in table["rows"]] for table in found["tables"]]
    return SignalsGuard(tables, KnownTools(directory), world)
