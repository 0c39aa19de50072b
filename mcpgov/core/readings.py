"""Does a value lie inside a pattern: certainly (for an allow) or possibly (for a deny)? Pure.

Law: certain means every reader agrees; possible means some reader might. The file system comes in as World.
"""

from __future__ import annotations

from mcpgov.core.decoding import (
    NAME,
    World,
    changes_structure,
    compatible,
    file_paths,
    fold,
    has_control,
    has_escape,
    has_variable,
    normal,
    spellings,
    unquote,
)
from mcpgov.core.globs import Glob, literal_head

TEXT, PATH, URI = "text", "path", "uri"
MOST_LINKS = 40  # as the Linux kernel
LONGEST_PATH = 8192  # twice PATH_MAX: nothing longer is opened by any kernel


def canonical(path: str, world: World) -> str | None:
    """An absolute path as the kernel resolves it, missing parts by name. None: a loop of links."""
    out, links = "", 0
    pending = path.split("/")[::-1]
    while pending:
        part = pending.pop()
        if part == "" or part == ".":
            continue
        if part == "..":
            out = out[: out.rfind("/")] if out else out
            continue
        step = f"{out}/{part}"
        target = world.readlink(step)
        if target is None:
            out = step
            continue
        links += 1
        if links > MOST_LINKS:
            return None
        if target.startswith("/"):
            out = ""
        pending += target.split("/")[::-1]
    return out or "/"


def scheme_of(text: str) -> str:
    """`https` of `https://x`; empty where the text is no URI."""
    name, colon, _ = text.partition(":")
    plain = name.replace("+", "").replace("-", "").replace(".", "").replace("*", "")
    return name.lower() if colon and plain and NAME.issuperset(plain) and name[0].isalpha() else ""


class Pattern:
    """One pattern of a rule on values: its glob, what kind of text it is about, and its literal root."""

    __slots__ = ("_at", "from_uri", "glob", "kind", "rest", "root", "text")

    def __init__(self, text: str, home: str = "") -> None:
        self.text = text
        self.kind, self.from_uri = TEXT, False
        body = text
        if text[:5].lower() == "file:":
            self.kind, self.from_uri = PATH, True
            body = unquote(file_paths(text)[0])
        elif text.startswith(("/", "~")):
            self.kind = PATH
        elif "://" in text or scheme_of(text):
            self.kind = URI
        if body == "~" or body.startswith("~/"):
            body = home + body[1:]
        self.glob = Glob(body)
        head = literal_head(body)
        self.root = head if head == body else head[: head.rfind("/")]
        self.rest = body[len(self.root) :]
        self._at: dict[str, tuple[Glob, Glob]] = {}

    def at(self, root: str) -> tuple[Glob, Glob]:
        """The pattern below the place its root really is: exact and folded."""
        found = self._at.get(root)
        if found is None:
            if len(self._at) > 8:
                self._at.clear()
            head = "" if root == "/" and self.rest.startswith("/") else root
            exact = self.glob if root == self.root else Glob(self.rest, head=head)
            found = self._at[root] = (exact, Glob(fold_pattern(self.rest), head=fold(head)))
        return found


def fold_pattern(text: str) -> str:
    """A pattern folded like the readings it meets; folding must not invent wildcards."""
    folded = fold(text)
    if any(folded.count(c) != text.count(c) for c in "*?"):
        return compatible(text, "NFC").casefold()
    return folded


class Reader:
    """The readings of one call's values, each made once. New for every decision: links may change between two."""

    __slots__ = ("_forms", "_paths", "_roots", "world")

    def __init__(self, world: World) -> None:
        self.world = world
        self._forms: dict[str, list[str] | None] = {}
        self._paths: dict[str, list[str] | None] = {}
        self._roots: dict[str, str] = {}

    def certain(self, pattern: Pattern, text: str, *, uri: bool = False) -> bool:
        """Every reader sees a value inside. `uri`: the text is a resource URI, where `file:///` is the plain form."""
        if pattern.kind == TEXT:
            return pattern.glob.matches(text)
        if pattern.kind == URI:
            return pattern.glob.matches(text) and not _slippery_uri(text)
        if (uri or pattern.from_uri) and text.startswith("file:///"):
            text = text[7:]
        if not text.startswith("/") or _slippery_path(text):
            return False
        real = canonical(text, self.world)
        if real is None or not self._inside(pattern, real):
            return False
        # Servers that tidy `..` by text alone, before asking the kernel, go elsewhere when a link comes first.
        return "/.." not in text or self._inside(pattern, canonical(normal(text), self.world) or "")

    def possible(self, pattern: Pattern, text: str) -> bool:
        """Some reader might see a value inside."""
        forms = self.paths(text) if pattern.kind == PATH else self.forms(text)
        if forms is None:
            return True
        roots = [pattern.root]
        if pattern.kind == PATH and self._root(pattern.root) != pattern.root:
            roots.append(self._root(pattern.root))
        for exact, folded in [pattern.at(root) for root in roots]:
            if any(exact.matches(form) or folded.matches(fold(form)) for form in forms):
                return True
        return False

    def forms(self, text: str) -> list[str] | None:
        if text not in self._forms:
            self._forms[text] = spellings(text, self.world)
        return self._forms[text]

    def paths(self, text: str) -> list[str] | None:
        """The spellings and every place they may lead to, a directory also with its final slash."""
        if text not in self._paths:
            forms = self.forms(text)
            self._paths[text] = None if forms is None else self._places(forms)
        return self._paths[text]

    def _places(self, forms: list[str]) -> list[str]:
        out = list(forms)
        for form in forms:
            if form.startswith("/"):
                base = form
            elif form and self.world.cwd:
                base = f"{self.world.cwd}/{form}"
            else:
                continue
            tidy = normal(base)
            places: list[str | None] = [tidy]
            if len(tidy) <= LONGEST_PATH:
                places.append(canonical(tidy, self.world))
            if "/.." in base and len(base) <= LONGEST_PATH:
                places.append(canonical(base, self.world))
            for place in places:
                if place is not None and place not in out:
                    out += [place, place + "/"]
        return out

    def _inside(self, pattern: Pattern, path: str) -> bool:
        return pattern.glob.matches(path) or pattern.at(self._root(pattern.root))[0].matches(path)

    def _root(self, root: str) -> str:
        if not root.startswith("/"):
            return root
        known = self._roots.get(root)
        if known is None:
            known = self._roots[root] = canonical(root, self.world) or root
        return known


def _slippery_path(text: str) -> bool:
    """Holds something a server might decode into another path."""
    return (
        len(text) > LONGEST_PATH
        or "~" in text
        or "\\" in text
        or text != text.strip()
        or has_escape(text)
        or has_variable(text)
        or has_control(text)
        or changes_structure(text)
    )


def _slippery_uri(text: str) -> bool:
    return (
        has_escape(text)
        or "\\" in text
        or "/./" in text
        or "/../" in text
        or text.endswith(("/.", "/.."))
        or "/.?" in text
        or "/..?" in text
        or "/.#" in text
        or "/..#" in text
        or has_control(text)
        or changes_structure(text)
    )
