"""Which patterns of a list a path could match, told by how they begin: one look instead of one for each. Pure.

Law: what `may_match` says no to, none of the `grouped` patterns matches by its text. A pattern whose directory is a
link is asked by itself (`displaced` in Reader).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpgov.core.rules.path_matching import Pattern, Spellings

FEW = 4  # patterns: asking each of them costs no more


class PatternGroup:
    """The path patterns of a list that lie below one directory, by the names that lead to them; and the others."""

    __slots__ = ("_common", "_names", "_starts", "grouped", "others")

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        grouped: list[Pattern] = []
        others: list[Pattern] = []
        for pattern in patterns:
            (grouped if _is_below_a_directory(pattern) else others).append(pattern)
        common = _common_directory([pattern.folded_head for pattern in grouped])
        names: set[str] = set()
        starts: set[str] = set()
        for pattern in grouped:
            name, slash, _ = pattern.folded_head[len(common) :].partition("/")
            # A head that ends inside a name, or with the directory itself, tells how the name begins.
            (names if slash or pattern.is_literal else starts).add(name)
        self._common, self._names, self._starts = common, names, tuple(starts)
        self.grouped, self.others = tuple(grouped), tuple(others)

    def may_match(self, forms: Spellings) -> bool:
        """Could one of the grouped patterns match one of the readings?"""
        common, size = self._common, len(self._common)
        for form in forms.folded:
            if not form.isascii():
                return True  # folding may have joined what a pattern tells apart
            if form.startswith(common):
                name = form[size:].partition("/")[0]
                if name in self._names or name.startswith(self._starts):
                    return True
        return False


def _is_below_a_directory(pattern: Pattern) -> bool:
    return pattern.is_path and not pattern.covers and pattern.folded_head.count("/") > 1


def _common_directory(heads: list[str]) -> str:
    """The longest directory that all of them begin with, with its final slash."""
    if not heads:
        return ""
    first, last = min(heads), max(heads)
    size = 0
    while size < len(first) and size < len(last) and first[size] == last[size]:
        size += 1
    return first[: first.rfind("/", 0, size) + 1]


class Patterns(tuple["Pattern", ...]):
    """The patterns of one matcher of a rule, with their group where they are many."""

    group: PatternGroup | None

    def __new__(cls, patterns: Iterable[Pattern]) -> Patterns:
        self = super().__new__(cls, patterns)
        self.group = PatternGroup(self) if len(self) > FEW else None
        return self
