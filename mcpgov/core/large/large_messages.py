"""The value of a large line with its large lists and objects cut short; the rest is judged part by part. Pure.

Law: the line is checked as a whole (JSON, keys, depth), whatever is kept of it. Kept are what a record shows, long
texts, and other values as long as they take less memory than half of the line.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.audit.audit_preview import MOST_ITEMS
from mcpgov.core.json.json_spans import leading_request_id
from mcpgov.core.json.lookalikes import check_argument_keys
from mcpgov.core.json.values import SeparateText
from mcpgov.core.large.large_lines import CLOSE, ITEMS, OPEN, UniqueKeys, Walker, depth_of
from mcpgov.core.large.large_texts import long_text
from mcpgov.core.messages import wire
from mcpgov.core.messages.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INSIDE = ["", "params", "arguments"]
DIGESTED = 1 << 16
HEAD = 4096


class CutList(list[object]):
    """The first items of a list that had `whole` of them."""

    __slots__ = ("whole",)
    whole: int


class CutTable(dict[str, object]):
    """The first members of an object that had `whole` of them."""

    __slots__ = ("whole",)
    whole: int


class Arguments(CutTable):
    """The arguments of a large call. `cut_names`: not kept as a whole; `opened`: long texts that hold JSON."""

    __slots__ = ("cut_names", "is_cut", "opened", "raw")
    raw: bytes | bytearray
    is_cut: bool
    cut_names: frozenset[str]
    opened: list[tuple[tuple[str, ...], str]]

    @property
    def looked_into(self) -> frozenset[str]:
        """The arguments of which a part may be judged without the rest."""
        return self.cut_names.union(path[0] for path, _ in self.opened)

    def digest(self, digest_text: Callable[[str], str]) -> str:
        """The digest of the whole line, computed window by window."""
        raw = memoryview(self.raw)
        digests = [digest_text(str(raw[at : at + DIGESTED], "latin-1")) for at in range(0, len(raw), DIGESTED)]
        return digest_text(",".join(digests))


class Builder:
    """Builds the value of one line from what is kept of it."""

    def __init__(self, raw: bytes | bytearray, judged: bool, plain: bool) -> None:
        self._raw, self._judged, self._plain = raw, judged, plain
        self._room = len(raw) >> 1 if judged else 0
        self._nodes: list[CutTable | CutList] = []
        self._keys: list[UniqueKeys | None] = []
        self._path: list[str] = []
        self._cut: set[str] = set()
        self._opened: list[tuple[tuple[str, ...], str]] = []
        self._args: Arguments | None = None
        self._unsure = False

    def build(self) -> dict[str, object]:
        """The message. Raises Refused or what scanning raises."""
        root: CutTable | CutList | None = None
        for kind, key, value, weight in Walker(
            self._raw, wire.scan_judged if self._judged else wire.scan_passed
        ).walk():
            if kind == ITEMS:
                self._add(value, weight)
            elif kind == OPEN:
                node = self._open(key, str(value))
                root = root if root is not None else node
            elif kind == CLOSE:
                self._close()
            else:
                assert isinstance(value, tuple)
                self._text(key, long_text(self._raw, value, self._plain, self._judged))
        assert isinstance(root, dict)
        if self._args is not None:
            args = self._args
            args.raw, args.opened, args.cut_names = self._raw, self._opened, frozenset(self._cut)
            args.is_cut = self._unsure or args.whole > len(args)
        return root

    @property
    def _limit(self) -> int:
        return len(INSIDE) - 1 + wire.DEEPEST_ARGUMENTS if self._path[:3] == INSIDE else wire.DEEPEST

    def _open(self, key: str, kind: str) -> CutTable | CutList:
        self._path.append(key)
        if len(self._path) > self._limit and self._judged:
            raise Refused(wire.INVALID_REQUEST, "nested too deeply")
        node: CutTable | CutList
        if kind == "[":
            node = CutList()
        elif self._path == INSIDE:
            node = self._args = Arguments()
        else:
            node = CutTable()
        node.whole = 0
        if self._nodes:
            self._attach(key, node)
        self._nodes.append(node)
        self._keys.append(UniqueKeys(self._judged) if kind == "{" else None)
        return node

    def _attach(self, key: str, value: object) -> None:
        """Add a large list or object, or a long text, to the container that is open."""
        top = self._nodes[-1]
        top.whole += 1
        if isinstance(top, dict):
            keys = self._keys[-1]
            assert keys is not None
            keys.add({key: None})
            top[key] = value
        elif len(top) < MOST_ITEMS or self._room > 0:
            top.append(value)
        else:
            self._leave_out()

    def _close(self) -> None:
        keys = self._keys.pop()
        if keys is not None and not keys.check():
            raise Refused(wire.INVALID_REQUEST, "a key stands twice in one object, or in two cases")
        self._nodes.pop()
        self._path.pop()

    def _text(self, key: str, text: str) -> None:
        if self._path[:3] == INSIDE:
            if may_open(text):
                text = SeparateText(text)
                self._opened.append(((*self._path, key)[3:], text))
            self._unsure = self._unsure or is_quoted(text)
        self._room -= len(text)
        self._attach(key, text)

    def _add(self, values: object, weight: int) -> None:
        assert isinstance(values, (dict, list))
        if self._judged:
            if depth_of(values) + len(self._path) - 1 > self._limit:
                raise Refused(wire.INVALID_REQUEST, "nested too deeply")
            if "params" in self._path[:2] and not check_argument_keys(values):
                raise Refused(wire.INVALID_PARAMS, "keys that differ in case only")
        top = self._nodes[-1]
        top.whole += len(values)
        if isinstance(top, dict):
            assert isinstance(values, dict)
            keys = self._keys[-1]
            assert keys is not None
            keys.add(values)
        self._room -= abs(weight)
        if self._room < 0:
            room = max(0, MOST_ITEMS - len(top))
            if len(values) > room:
                self._leave_out()
                values = dict(list(values.items())[:room]) if isinstance(values, dict) else values[:room]
        if isinstance(top, dict):
            top.update(values)
        else:
            top += values

    def _leave_out(self) -> None:
        if len(self._path) > 3:
            self._cut.add(self._path[3])


def read(raw: bytes | bytearray, *, judged: bool, plain: bool = True) -> dict[str, object]:
    """One JSON object with unique keys, its larger parts cut. Raises Refused."""
    head = str(raw[:HEAD], "utf-8", "replace")
    if head.startswith("\ufeff"):
        raise Refused(wire.PARSE_ERROR, "begins with a byte order mark")
    if head.lstrip()[:1] == "[":
        raise Refused(wire.INVALID_REQUEST, wire.BATCH)
    try:
        return Builder(raw, judged, plain).build()
    except Refused as refused:
        refused.ident = leading_request_id(head) if refused.code != wire.PARSE_ERROR else None
        raise
    except wire.Duplicate as error:
        raise Refused(wire.INVALID_REQUEST, str(error), leading_request_id(head)) from None
    except RecursionError:
        raise Refused(wire.INVALID_REQUEST, "nested too deeply", leading_request_id(head)) from None
    except UnicodeDecodeError:
        raise Refused(wire.PARSE_ERROR, "not UTF-8") from None
    except MemoryError:
        raise
    except wire.SCAN_ERRORS:
        raise Refused(wire.PARSE_ERROR, "not JSON") from None


def may_open(text: str) -> bool:
    """Does a text begin like a list or an object?"""
    return text[:HEAD].strip().lstrip("\ufeff")[:1] in ("[", "{")


def is_quoted(text: str) -> bool:
    """Is a long text one JSON string and nothing else? Servers decode such texts once more."""
    inner = text.strip() if text[:HEAD].lstrip()[:1] == '"' else ""
    if not inner or "\\" not in inner:
        return False
    try:
        return scanstring(inner, 1, False)[1] == len(inner)
    except wire.SCAN_ERRORS:
        return False
