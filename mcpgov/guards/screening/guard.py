"""The guard of `[privacy]`: looks at every line of both sides as it came, and has those read that may hold something.

Laws: a line that the gate lets pass is read by nobody. The gate is written when the policy is compiled, so that a proxy
loads neither tables nor detectors before it needs them.
"""

from __future__ import annotations

from mcpgov.core.session.guard import LineGuard
from mcpgov.guards.patterns import BytePattern, compile_bytes
from mcpgov.guards.privacy.line_gate import LineGate
from mcpgov.guards.screening.clean_lines import CleanLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Line
    from mcpgov.core.session.guard import Screened
    from mcpgov.core.world import World
    from mcpgov.guards.screening.reader import MessageReader

TOKEN = rb"\[[a-z][a-z0-9_]{0,31}-[0-9]{1,15}\]"  # placeholders.tokens_in
FIRST = 8  # lines of a process, or reads of some: how a conversation begins


class CompiledGate:
    """What the gate needs of a detector: where findings may be, and whether there are patterns of the user."""

    __slots__ = ("patterns", "places")

    def __init__(self, places: BytePattern | None, patterns: list[str]) -> None:
        self.places = places
        self.patterns = patterns


class PrivacyGuard(LineGuard):
    """By the heads of the policies in force: `privacy` has a row for each file, `privacy_gate` the gate for all."""

    def __init__(self, heads: list[dict[str, object]], world: World) -> None:
        self._heads = heads
        self._world = world
        self._read: MessageReader | None = None
        self._gates: list[LineGate] | None = None  # made for the first line that is not known to be clean
        self._tokens: BytePattern | None = None
        self._first = FIRST
        self._clean = _clean_lines(heads)
        self._reads_all = any("privacy_people" in head for head in heads)  # no gate knows names
        self.needs_call = any(
            "operation" in rule["match"] for head in heads for row in _rows(head) for rule in row["rules"]
        )

    @property
    def _reader(self) -> MessageReader:
        if self._read is None:
            from mcpgov.guards.screening.reader import reader_of

            self._read = reader_of(self._heads, self._world)
        return self._read

    def is_clean(self, line: Line, memory: dict[str, object]) -> bool:
        if self._reads_all:
            return False
        if self._gates is None or self._tokens is None:
            if self._clean is not None and self._clean.holds(line):
                return True
            self._gates = [LineGate(_gate(head)) for head in self._heads if head.get("privacy")]  # type: ignore[arg-type]
            self._tokens = compile_bytes(TOKEN)
        is_clean = not any(gate.may_hold(line) for gate in self._gates) and self._tokens.search(line, 0)[0] < 0
        if self._first:
            self._first -= 1
            if is_clean and self._clean is not None:
                self._clean.add(line)
        return is_clean

    def screen(self, sender: str, call: Call, text: str, memory: dict[str, object]) -> Screened | None:
        return self._reader.screen(sender, call, text, memory)

    def hidden(self, text: str, memory: dict[str, object]) -> str:
        return self._reader.hidden(text)

    def explain(self, call: Call) -> list[dict[str, object]]:
        return self._reader.explain(call)

    def judged(self, call: Call) -> Call:
        return self._reader.judged(call)

    def explain_answer(self, call: Call, result: object) -> tuple[list[dict[str, object]], object]:
        return self._reader.explain_answer(call, result)


def _rows(head: dict[str, object]) -> list[dict[str, Any]]:
    rows = head.get("privacy") or []
    assert isinstance(rows, list)
    return rows


def _gate(head: dict[str, object]) -> CompiledGate:
    source = str(head.get("privacy_gate") or "")
    patterns = [name for row in _rows(head) for name in row["patterns"]]
    return CompiledGate(compile_bytes(source.encode("latin-1")) if source else None, patterns)


def _clean_lines(heads: list[dict[str, object]]) -> CleanLines | None:
    """None: where it is not said where they are kept, and with patterns of the user, which have every line read."""
    folder = next((str(head["privacy_clean"]) for head in heads if head.get("privacy_clean")), "")
    gates = [head for head in heads if head.get("privacy")]
    if not folder or any(row["patterns"] for head in gates for row in _rows(head)):
        return None
    return CleanLines(folder, [str(head.get("privacy_gate") or "") for head in gates])


def make(heads: list[dict[str, object]], world: World) -> PrivacyGuard:
    return PrivacyGuard(heads, world)
