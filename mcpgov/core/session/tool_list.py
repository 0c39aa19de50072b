"""A server's tools as it lists them: recorded, pinned, filtered. Pure.

Law: the first list of a server is trusted; a tool that is new or changed later is told from an accepted one by the
digest of its whole definition, and going back to the accepted definition is accepted. What a person accepted is never
forgotten; of tools that nobody accepted and that are listed no more, only so many are kept.
"""

from __future__ import annotations

from mcpgov.core.json.lookalikes import loose
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import SERVER
from mcpgov.core.rules.call import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.session_state import State

# A key that some reader takes for one of these belongs to the definition too.
DEFINITION = frozenset(map(loose, ("name", "title", "description", "inputSchema", "outputSchema", "annotations")))
HOLDING = ("prompt", "deny")
MOST_TOOLS = 20_000  # of one server
MOST_GONE = 256  # of those nobody accepted that are not in the list any more
UNASKED = "unasked"  # of an accepted entry: only because nothing is pinned
_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
# Letters and marks that show nothing: fillers, joiners, the variation selectors that carry bytes.
_BLANK_RANGES = ((0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800),
                 (0x3164, 0x3164), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF))  # fmt: skip
_BREAKS = {10: None, 13: None, 9: None}


class Pins:
    """What is accepted of one server's tools: name -> {digest, definition, hidden}; None: never seen.

    `damaged`: why what was known cannot be read. Then nothing is accepted, which is not the same as never seen.
    """

    __slots__ = ("accepted", "changed", "damaged", "unsaved")

    def __init__(
        self, accepted: dict[str, dict[str, object]] | None = None, changed: dict[str, dict[str, object]] | None = None
    ) -> None:
        self.accepted = accepted
        self.changed = changed or {}
        self.damaged = ""
        self.unsaved = False


class ToolList:
    """The tools of one session: what was listed so far, and what that means for calls."""

    __slots__ = ("_first", "_seen", "annotations", "complete", "held", "mode", "pins")

    def __init__(self, pins: Pins, mode: str) -> None:
        self.pins = pins
        self.mode = mode
        self.annotations: dict[str, Mapping[str, object]] = {}
        # Before any list, the stored pins speak.
        self.held = set(pins.changed)
        self.complete = False
        self._seen: dict[str, object] = {}
        self._first = pins.accepted is None

    def begin(self) -> None:
        """The first page of a list starts over. A first list is over once another begins, finished or not."""
        self._first = self.pins.accepted is None
        self._seen = {}
        self.complete = False

    def page(
        self,
        tools: list[object],
        last: bool,
        digest: Callable[[object], str],
        without: Callable[[object], object] | None = None,
    ) -> tuple[list[str], list[str]]:
        """Take one page in. Returns the names of changed or new tools, and of those with invisible characters.
        `without`: what makes of a definition the one that is kept."""
        changed: list[str] = []
        flagged: list[str] = []
        if self.pins.accepted is None:
            self.pins.accepted = {}
            self.pins.unsaved = True
        for name, definitions in _by_name(tools).items():
            entry = _entry(definitions, digest)
            self.annotations[name] = _hints(definitions)
            if entry["hidden"]:
                flagged.append(name)
            if not self._accepts(name, entry, without):
                changed.append(name)
        if last:
            self.complete = True
            self._first = False
            self.annotations = {name: hints for name, hints in self.annotations.items() if name in self._seen}
        self._prune()
        return changed, flagged

    def _prune(self) -> None:
        """A server that renames its tools with every list must not fill the disk."""
        accepted, changed = self.pins.accepted or {}, self.pins.changed
        pending = [name for name in changed if name not in accepted]
        unasked = [name for name, entry in accepted.items() if UNASKED in entry]
        for names, entries in ((pending, changed), (unasked, accepted)):
            gone = [name for name in names if name not in self._seen]
            for name in (*gone[: max(0, len(gone) - MOST_GONE)], *names[: max(0, len(names) - MOST_TOOLS)]):
                self.pins.unsaved |= entries.pop(name, None) is not None
                self.held.discard(name)

    def _accepts(self, name: str, entry: dict[str, object], without: Callable[[object], object] | None) -> bool:
        """Is the tool as accepted, or to be accepted now? A name that comes back otherwise in one list never is."""
        pins, accepted = self.pins, self.pins.accepted
        assert accepted is not None
        known = accepted.get(name)
        same = isinstance(known, dict) and known.get("digest") == entry["digest"]
        twice = self._seen.setdefault(name, entry["digest"]) != entry["digest"]
        first = self._first and known is None and len(accepted) < MOST_TOOLS
        if self.mode == "off" or first:
            pins.unsaved |= not same
            if not same:
                entry = _kept(entry, without)
                accepted[name] = (
                    entry if first or (known is not None and UNASKED not in known) else {**entry, UNASKED: True}
                )
        elif twice or not same:
            entry = _kept(entry, without)
            pins.unsaved |= pins.changed.get(name) != entry
            pins.changed[name] = entry
            self.held.add(name)
            return False
        pins.unsaved |= pins.changed.pop(name, None) is not None
        self.held.discard(name)
        return True

    def digest_of(self, tool: str) -> str:
        """Of the definition that a call of it would meet; "" where none is known."""
        seen = self._seen.get(tool)
        entry = self.pins.changed.get(tool) if tool in self.held else (self.pins.accepted or {}).get(tool)
        known = entry.get("digest") if entry is not None else None
        return str((known or seen or "") if tool in self.held else (seen or known or ""))

    def hides(self, tool: str) -> bool:
        """Is it left out of lists? One that a person is asked about stays."""
        return self.mode == "deny" and self.holds(tool)

    @property
    def awaits_acceptance(self) -> bool:
        """Are calls held back that a person may let pass at any moment by accepting a tool?"""
        return bool(self.held) and self.mode in HOLDING

    def holds(self, tool: str) -> bool:
        """Must a call of this tool wait for somebody to accept it?"""
        if self.mode not in HOLDING:
            return False
        accepted = self.pins.accepted
        if tool in self.held or (not self._first and accepted is not None and tool not in accepted):
            return True
        return self.complete and tool not in self._seen


def without_findings(
    state: State, call: Call, text: str, tools: list[object]
) -> tuple[list[object], Callable[[object], object] | None]:
    """The tools of an answer as they are told from earlier ones, and what is made of a definition before it is kept;
    None: nothing. `text`: the answer as it goes out.

    INVARIANT: by what a tool is told from earlier ones is the same whether findings are logged, cut or denied.
    """
    policy = state.policy
    guards = policy.guards if policy is not None and policy.reads_lines else None
    if guards is None or guards.is_clean(text.encode(), state.memory):
        return tools, None
    found = state.screened
    if found is None or found.text != text:  # it was cut, or held until now
        found = guards.screen(SERVER, call, text, {})
    if found is not None and found.shown:
        result = wire.read(found.shown, judged=False)["result"]
        tools = result["tools"]  # type: ignore[index]  # as in the text
    return tools, lambda definition: guards.hidden(definition, state.memory)


def _by_name(tools: list[object]) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = {}
    for tool in tools:
        name = tool.get("name") if isinstance(tool, dict) else None
        if isinstance(tool, dict) and isinstance(name, str):
            found.setdefault(name, []).append(tool)
    return found


def _hints(definitions: list[dict[str, object]]) -> Mapping[str, object]:
    """What the annotations say, and which words choose what the tool does.

    Of several definitions the strictest: hints may only ever raise caution, and no one's choices hold.
    """
    found = [hints for tool in definitions if isinstance(hints := tool.get("annotations"), dict)]
    changes = any(hints.get("readOnlyHint") is False for hints in found)
    destroys = any(hints.get("destructiveHint") is True for hints in found)
    told = found[0] if len(found) == 1 else {"readOnlyHint": not changes, "destructiveHint": destroys}
    from mcpgov.core.operations.choices import with_choices

    return with_choices(told, definitions[0].get("inputSchema") if len(definitions) == 1 else None)


def _entry(definitions: list[dict[str, object]], digest: Callable[[object], str]) -> dict[str, object]:
    parts = [_definition(tool) for tool in definitions]
    made: object = parts[0] if len(parts) == 1 else parts
    return {"digest": digest(made), "definition": made, "hidden": hides(made)}


def _kept(entry: dict[str, object], without: Callable[[object], object] | None) -> dict[str, object]:
    return entry if without is None else {**entry, "definition": without(entry["definition"])}


def _definition(tool: dict[str, object]) -> dict[str, object]:
    return {key: _written(item) for key, item in tool.items() if loose(key) in DEFINITION}


def _written(value: object) -> object:
    """A copy that every reader of the stored pins can read: numbers without end as text."""
    if isinstance(value, float):
        return repr(value) if value - value else value
    if isinstance(value, dict):
        table: dict[str, object] = {}
        for key, item in value.items():
            table[key] = _written(item)
        return table
    if isinstance(value, list):
        out: list[object] = []
        for item in value:
            out.append(_written(item))
        return out
    return value


def hides(definition: object) -> bool:
    """Control or invisible characters somewhere in it: text that a person does not see and a model does."""
    return any(_hides(text) for text in texts(definition) if not (text.isascii() and text.isprintable()))


def _hides(text: str) -> bool:
    plain = text.translate(_BREAKS)
    if plain.isascii():
        return not plain.isprintable()
    if not plain.isprintable():
        import unicodedata

        if any(unicodedata.category(char) in _INVISIBLE for char in plain):
            return True
    return any(first <= ord(char) <= last for char in plain if char > "\x7f" for first, last in _BLANK_RANGES)
