"""The patterns of a rule on values: one pattern, and many path patterns asked at once. Pure.

Law: what `PatternGroup.may_match` says no to, none of the `grouped` patterns matches by its text. A pattern whose
directory is a link is asked by itself (Reader.displaced).
"""

from __future__ import annotations

from mcpgov.core.json.values import number_of
from mcpgov.core.rules.globs import Glob, PrefixGlob, literal_head
from mcpgov.core.rules.spellings import NAME, compatible, file_paths, fold, unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcpgov.core.rules.path_matching import Spellings
    from mcpgov.core.rules.urls import UrlPattern

TEXT, PATH, URI = "text", "path", "uri"
FEW = 4  # patterns: up to here, asking each one is as fast


def scheme_of(text: str) -> str:
    """`https` of `https://x`; empty where the text is no URI."""
    name, colon, _ = text.partition(":")
    plain = name.replace("+", "").replace("-", "").replace(".", "").replace("*", "")
    return name.lower() if colon and plain and NAME.issuperset(plain) and name[0].isalpha() else ""


class Pattern:
    """One pattern of a rule on values: its glob, what kind of text it is about, and its literal root."""

    __slots__ = (
        "_at", "_prefix_globs", "covers", "folded_head", "from_uri", "glob", "kind", "number", "rest", "root", "text",
        "url",
    )  # fmt: skip

    def __init__(self, text: str, home: str = "", covers: bool = False) -> None:
        """`covers`: a directory above a match counts as a match, too."""
        self.text = text
        self.covers = covers
        self._prefix_globs: dict[str, PrefixGlob] = {}
        self.kind, self.from_uri = TEXT, False
        self.url: UrlPattern | None = None
        body = text
        if text[:5].lower() == "file:":
            self.kind, self.from_uri = PATH, True
            body = unquote(file_paths(text)[0])
        elif text.startswith(("/", "~")):
            self.kind = PATH
        elif "://" in text:
            from mcpgov.core.rules.urls import UrlPattern, is_url_pattern

            self.kind = URI
            self.url = UrlPattern(text) if is_url_pattern(text) else None
        elif scheme_of(text):
            self.kind = URI
        self.number = number_of(text) if self.kind == TEXT else None
        if body == "~" or body.startswith("~/"):
            body = home + body[1:]
        self.glob = Glob(body)
        head = literal_head(body)
        self.root = head if head == body else head[: max(0, head.rfind("/"))]
        self.rest = body[len(self.root) :]
        self._at: dict[str, tuple[Glob, Glob]] = {}
        # What every folded match begins with; empty where folding could change it.
        self.folded_head = head.lower() if head.isascii() and "\0" not in head else ""

    @property
    def is_literal(self) -> bool:
        """Without wildcards."""
        return not self.rest

    def at(self, root: str) -> tuple[Glob, Glob]:
        """The globs of the pattern below the place its root really is: exact and folded."""
        globs = self._at.get(root)
        if globs is None:
            if len(self._at) > 8:
                self._at.clear()
            head = "" if root == "/" and self.rest.startswith("/") else root
            exact = self.glob if root == self.root else Glob(self.rest, head=head)
            globs = self._at[root] = (exact, Glob(fold_pattern(self.rest), head=fold(head)))
        return globs

    def prefix_glob(self, root: str) -> PrefixGlob:
        """Matches directories above the pattern, below the place its root really is; folded."""
        prefix = self._prefix_globs.get(root)
        if prefix is None:
            if len(self._prefix_globs) > 8:
                self._prefix_globs.clear()
            head = "" if root == "/" and self.rest.startswith("/") else root
            prefix = self._prefix_globs[root] = PrefixGlob(fold_pattern(self.rest), head=fold(head))
        return prefix


def fold_pattern(text: str) -> str:
    """A pattern folded like the texts it is matched against; folding must not create wildcards."""
    folded = fold(text)
    if any(folded.count(c) != text.count(c) for c in "*?"):
        return compatible(text, "NFC").casefold()
    return folded


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
            # A head that ends inside a name, or at the directory itself, is only the beginning of a name.
            (names if slash or pattern.is_literal else starts).add(name)
        self._common, self._names, self._starts = common, names, tuple(starts)
        self.grouped, self.others = tuple(grouped), tuple(others)

    def may_match(self, forms: Spellings) -> bool:
        """Could one of the grouped patterns match one of the spellings?"""
        common, size = self._common, len(self._common)
        if not forms.might_match(common):
            return False  # a long text need not be folded as a whole to see that
        for form in forms.folded:
            if not form.isascii():
                return True  # folding may make different characters equal
            if form.startswith(common):
                name = form[size:].partition("/")[0]
                if name in self._names or name.startswith(self._starts):
                    return True
        return False


def _is_below_a_directory(pattern: Pattern) -> bool:
    return pattern.kind == PATH and not pattern.covers and pattern.folded_head.count("/") > 1


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
