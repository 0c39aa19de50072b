"""A server's tools as it lists them: recorded, pinned, filtered. Pure.

Law: the first list of a server is trusted; a tool that is new or changed later is told from an accepted one by the
digest of its whole definition, and going back to the accepted definition is accepted.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEFINITION = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
HOLDING = ("prompt", "deny")
_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Co"))


class Pins:
    """What is accepted of one server's tools: name -> {digest, definition, hidden}; None: never seen."""

    __slots__ = ("accepted", "changed", "unsaved")

    def __init__(
        self, accepted: dict[str, dict[str, object]] | None = None, changed: dict[str, dict[str, object]] | None = None
    ) -> None:
        self.accepted = accepted
        self.changed = changed or {}
        self.unsaved = False


class Listing:
    """The tools of one session: what was listed so far, and what that means for calls."""

    __slots__ = ("_first", "_seen", "annotations", "complete", "held", "mode", "pins")

    def __init__(self, pins: Pins, mode: str) -> None:
        self.pins = pins
        self.mode = mode
        self.annotations: dict[str, Mapping[str, object]] = {}
        self.held: set[str] = set()
        self.complete = False
        self._seen: set[str] = set()
        self._first = pins.accepted is None

    def begin(self) -> None:
        """A list without a cursor starts over."""
        self._seen = set()
        self.complete = False

    def page(self, tools: list[object], last: bool, digest: Callable[[object], str]) -> tuple[list[str], list[str]]:
        """Take one page in. Returns the names of changed or new tools, and of those with invisible characters."""
        changed: list[str] = []
        flagged: list[str] = []
        accepted = self.pins.accepted
        if accepted is None:
            accepted = self.pins.accepted = {}
        for tool in tools:
            if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
                continue
            name = tool["name"]
            entry = _entry(tool, digest)
            self._seen.add(name)
            self.annotations[name] = _hints(tool)
            if entry["hidden"]:
                flagged.append(name)
            known = accepted.get(name)
            if known is not None and known["digest"] == entry["digest"]:
                self.pins.unsaved |= self.pins.changed.pop(name, None) is not None
                self.held.discard(name)
            elif self._first or self.mode == "off":
                accepted[name] = entry
                self.pins.changed.pop(name, None)
                self.pins.unsaved = True
            else:
                changed.append(name)
                self.pins.unsaved |= self.pins.changed.get(name) != entry
                self.pins.changed[name] = entry
                self.held.add(name)
        if last:
            self.complete = True
            self._first = False
        return changed, flagged

    def holds(self, tool: str) -> bool:
        """Must a call of this tool wait for somebody to accept it?"""
        if self.mode not in HOLDING:
            return False
        if tool in self.held:
            return True
        if self.complete:
            return tool not in self._seen
        accepted = self.pins.accepted
        return not self._first and accepted is not None and tool not in accepted and tool not in self._seen


def _hints(tool: dict[str, object]) -> dict[str, object]:
    found = tool.get("annotations")
    return found if isinstance(found, dict) else {}


def _entry(tool: dict[str, object], digest: Callable[[object], str]) -> dict[str, object]:
    definition = {key: tool[key] for key in DEFINITION if key in tool}
    return {"digest": digest(definition), "definition": definition, "hidden": hides(tool)}


def hides(tool: Mapping[str, object]) -> bool:
    """Control or invisible characters in a name or description: text that a person does not see and a model does."""
    for key in ("name", "title", "description"):
        text = tool.get(key)
        if isinstance(text, str) and not (text.isascii() and text.isprintable()):
            import unicodedata

            plain = text.translate({10: None, 13: None, 9: None})
            if any(unicodedata.category(char) in _INVISIBLE for char in plain):
                return True
    return False
