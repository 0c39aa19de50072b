"""Screens many texts at once: which of them may name a path or match a pattern? By searches over all of them. Pure.

Law: a text that is left out certainly does not match; the others are judged one by one. Used for messages with more
than path_matching.MANY texts: judging each alone would take seconds, and their spellings gigabytes.
"""

from __future__ import annotations

from mcpgov.core.rules.ambiguity import carried_paths
from mcpgov.core.rules.globs import literal_tail
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.spellings import EDGES, fold, has_escape, local_path, normal, strip_controls
from mcpgov.core.rules.value_patterns import PATH, URI, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 255  # of a file, on every system
LONGEST_PLAIN = 4096


class PlainNames:
    """Finds plain names: texts that no reader takes for anything else, and that lead through no link."""

    __slots__ = ("_missing", "_world")

    def __init__(self, reader: Reader) -> None:
        self._world = reader.world
        self._missing: dict[str, bool] = {}

    def forms(self, text: str) -> tuple[str, ...]:
        """The spellings of a plain name, whose first part does not exist as a file. Empty: it is none."""
        if not text.isascii() or "\\" in text or "$" in text or "\0" in text or len(text) > LONGEST_PLAIN:
            return ()
        inner = text.strip(EDGES)
        if (
            not inner
            or inner[0] in "/~."
            or ("%" in text and has_escape(text))
            or (":" in text and ("file:" in text.lower() or local_path(inner)))
        ):
            return ()
        forms: tuple[str, ...] = (text,) if inner is text or inner == text else (text, inner)
        if not text.isprintable():
            if len(forms) > 1 or not (text[0].isprintable() and text[-1].isprintable()):
                return ()
            forms = (text, strip_controls(text))
        for form in forms:
            if ("../" in form or "/.." in form) or carried_paths(form) or not self._is_missing(form.partition("/")[0]):
                return ()
            if "//" in form or "/." in form or form[-1] == "/":
                forms += (normal(f"/{form}")[1:],)
        return forms

    def _is_missing(self, name: str) -> bool:
        """Does none of the server's directories have an entry of this name?"""
        if len(name) > LONGEST_NAME or self._world.absent(name.lower()):
            return True
        missing = self._missing.get(name)
        if missing is None:
            if len(self._missing) >= LONGEST_PLAIN:
                self._missing.clear()
            world = self._world
            missing = self._missing[name] = all(world.readlink(f"{base}/{name}") == "" for base in world.bases)
        return missing


def suspects(texts: Iterable[str], reader: Reader, names: set[str], endings: str | tuple[str, ...]) -> list[str]:
    """The texts that may lead to a protected place: all but plain names that begin with none of `names`."""
    plain_names, out, size = PlainNames(reader), [], 0
    for text in texts:
        size += 2 + (len(text) >> 6)
        forms = plain_names.forms(text)
        for form in forms:
            if form.partition("/")[0].lower() in names or form.lower().endswith(endings):
                forms = ()
        if not forms or "*" in text or "?" in text or "[" in text:
            out.append(text)
    reader.spend(size)
    return out


class Screen:
    """The texts of one argument, for all rules that look at it."""

    __slots__ = ("_bases", "_other_texts", "_plain_texts", "_reader", "_texts", "_undecided")

    def __init__(self, texts: list[str], reader: Reader) -> None:
        self._texts, self._reader = texts, reader
        bases = [base.rstrip("/") + "/" for base in reader.world.bases]
        self._bases = {*map(fold, bases), *map(str.lower, bases)}
        plain_names = PlainNames(reader)
        relative: list[str] = []
        others: list[str] = []
        self._undecided = False
        for text in texts:
            reader.spend(2 + (len(text) >> 6))
            forms = plain_names.forms(text)
            if forms:
                relative += forms
            else:
                others += self._spelled(text)
        self._plain_texts = _joined(relative)
        self._other_texts = _joined(others)

    def _spelled(self, text: str) -> list[str]:
        """Every spelling of a text, folded; outside of ASCII also unfolded: folding may make characters equal."""
        reader = self._reader
        out: list[str] = []
        for forms in (reader.path_forms(text), reader.text_forms(text)):
            self._undecided = self._undecided or forms.texts is None
            out += forms.folded
            out += [form for form in forms.texts or () if not form.isascii()]
        return list(dict.fromkeys(out))

    def any_possible(self, patterns: tuple[Pattern, ...]) -> bool:
        """Might some text lie inside some pattern?"""
        if self._undecided:
            return bool(patterns)
        reader, texts = self._reader, self._texts
        return any(self._may_match(pattern) and any(reader.possible(pattern, t) for t in texts) for pattern in patterns)

    def _may_match(self, pattern: Pattern) -> bool:
        self._reader.spend(1 + (len(self._other_texts) + len(self._plain_texts) >> 12))
        if pattern.covers:
            return True  # a directory above may be any text
        if pattern.kind == URI:
            # A URL has more spellings than a search can find; without one of these signs a text is no URL.
            return bool(self._other_texts.strip("\0")) or any(sign in self._plain_texts for sign in (":", "//", "."))
        if pattern.kind == PATH:
            elsewhere = self._linked_heads(pattern)
            heads = {pattern.folded_head, *elsewhere}
            # Behind a link, a match of a pattern without wildcards may end otherwise, too.
            return (bool(elsewhere) or self._may_end(pattern)) and (
                "" in heads or any("\0" + head in self._other_texts or self._may_begin_below(head) for head in heads)
            )
        if pattern.folded_head:
            probe = "\0" + pattern.folded_head
        else:
            tail = literal_tail(pattern.glob.text)
            probe = tail.lower() + "\0" if tail.isascii() else "\0"
        return probe in self._other_texts or probe in self._plain_texts

    def _may_end(self, pattern: Pattern) -> bool:
        """Could some spelling end as every match of a path pattern does?"""
        tail = literal_tail(pattern.glob.text)
        if not tail or not tail.isascii():
            return True
        low = tail.lower()
        # A plain name is relative: the first part of the pattern's tail may belong to the server's directory.
        whole = ["\0" + low[at + 1 :] for at, char in enumerate(low) if char == "/"]
        for end in ("\0", "/\0"):
            if (
                low + end in self._other_texts
                or low + end in self._plain_texts
                or any(text + end in self._plain_texts for text in whole)
            ):
                return True
        return low.endswith("/")

    def _linked_heads(self, pattern: Pattern) -> tuple[str, ...]:
        """What a match begins with where the pattern's own directory is a link."""
        root = self._reader.root(pattern.root)
        if root == pattern.root:
            return ()
        return (fold(root),) if root.isascii() else ("",)

    def _may_begin_below(self, head: str) -> bool:
        """Could a plain name, put behind one of the server's directories, begin with `head`?"""
        for base in self._bases:
            # The text may name a directory: a slash may follow it.
            if base.startswith(head) or (
                head.startswith(base) and "\0" + head[len(base) :].rstrip("/") in self._plain_texts
            ):
                return True
        return False


def _joined(forms: list[str]) -> str:
    """All texts in one, with a NUL before and behind each; none of them contains one."""
    return f"\0{chr(0).join(forms)}\0".lower() if forms else ""
