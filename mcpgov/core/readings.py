"""Does a value lie inside a pattern: certainly (for an allow) or possibly (for a deny)? Pure.

Law: certain means every reader agrees; possible means some reader might. The file system comes in as World.
"""

from __future__ import annotations

from mcpgov.core.decoding import (
    EDGES,
    LONG,
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
from mcpgov.core.globs import Glob, Reach, literal_head

TEXT, PATH, URI = "text", "path", "uri"
MOST_LINKS = 40  # as the Linux kernel
LONGEST_PATH = 8192  # twice PATH_MAX: nothing longer is opened by any kernel
CONTROLS = (*range(32), *range(127, 160))
SHRINKING = ("/.", "//", "%", "\\")


def canonical(path: str, world: World) -> str | None:
    """An absolute path as the kernel resolves it, missing parts by name. None: a loop of links."""
    out, links = "", 0
    missing = ""  # below a name that is not there nothing can be a link, so nothing is asked
    pending = path.split("/")[::-1]
    if world.cwd and path.startswith(world.cwd_slash):
        # The working directory is where the server is, by its real name: its parents need no look.
        out, pending = world.cwd.rstrip("/"), path[len(world.cwd_slash) :].split("/")[::-1]
    while pending:
        part = pending.pop()
        if part == "" or part == ".":
            continue
        if part == "..":
            out = out[: out.rfind("/")] if out else out
            missing = missing if out.startswith(missing) else ""
            continue
        out = f"{out}/{part}"
        target = None if missing else world.readlink(out)
        if target is None:
            continue
        if target == "":
            missing = out
            continue
        links += 1
        if links > MOST_LINKS:
            return None
        out = "" if target.startswith("/") else out[: out.rfind("/")]
        pending += target.split("/")[::-1]
    return out or "/"


def scheme_of(text: str) -> str:
    """`https` of `https://x`; empty where the text is no URI."""
    name, colon, _ = text.partition(":")
    plain = name.replace("+", "").replace("-", "").replace(".", "").replace("*", "")
    return name.lower() if colon and plain and NAME.issuperset(plain) and name[0].isalpha() else ""


class Pattern:
    """One pattern of a rule on values: its glob, what kind of text it is about, and its literal root."""

    __slots__ = ("_at", "_reach", "covers", "folded_head", "from_uri", "glob", "kind", "rest", "root", "text")

    def __init__(self, text: str, home: str = "", covers: bool = False) -> None:
        """`covers`: a directory that what is named lies in matches as well."""
        self.text = text
        self.covers = covers
        self._reach: dict[str, Reach] = {}
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
        self.root = head if head == body else head[: max(0, head.rfind("/"))]
        self.rest = body[len(self.root) :]
        self._at: dict[str, tuple[Glob, Glob]] = {}
        # What every folded match begins with; nothing where folding could blur it.
        self.folded_head = head.lower() if head.isascii() and "\0" not in head else ""

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

    def reach(self, root: str) -> Reach:
        """What lies above the pattern, told below the place its root really is; folded."""
        found = self._reach.get(root)
        if found is None:
            if len(self._reach) > 8:
                self._reach.clear()
            head = "" if root == "/" and self.rest.startswith("/") else root
            found = self._reach[root] = Reach(fold_pattern(self.rest), head=fold(head))
        return found


def fold_pattern(text: str) -> str:
    """A pattern folded like the readings it meets; folding must not invent wildcards."""
    folded = fold(text)
    if any(folded.count(c) != text.count(c) for c in "*?"):
        return compatible(text, "NFC").casefold()
    return folded


class Reader:
    """The readings of one call's values, each made once. New for every decision: links may change between two.

    `roots` outlives it: where the rules' own directories lie is looked up less often (see RuleSet.forget_links).
    """

    __slots__ = ("_forms", "_paths", "leaves", "roots", "world")

    def __init__(self, world: World, roots: dict[str, str] | None = None) -> None:
        self.world = world
        self.roots = {} if roots is None else roots
        self._forms: dict[str, Forms] = {}
        self._paths: dict[str, Forms] = {}
        # What arguments.satisfied found under an argument's name, for the next rule that names it.
        self.leaves: dict[tuple[str, ...], list[str | int | float] | None] = {}

    def certain(self, pattern: Pattern, text: str, *, uri: bool = False) -> bool:
        """Every reader sees a value inside. `uri`: the text is a resource URI, where `file:///` is the plain form."""
        if pattern.kind == TEXT:
            return pattern.glob.matches(text)
        if pattern.kind == URI:
            return pattern.glob.matches(text) and not _slippery_uri(text)
        if (uri or pattern.from_uri) and text.startswith("file:///"):
            if "?" in text or "#" in text:
                return False  # some readers cut there, others do not
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
        is_path = pattern.kind == PATH
        forms = self.path_forms(text) if is_path else self.text_forms(text)
        if forms.texts is None:
            return True
        if forms.might_match(pattern.folded_head) and _any_inside(pattern.at(pattern.root), forms):
            return True
        root = self._root(pattern.root) if is_path else pattern.root
        if root != pattern.root and _any_inside(pattern.at(root), forms):
            return True
        return pattern.covers and is_path and _any_above((pattern.reach(pattern.root), pattern.reach(root)), forms)

    def text_forms(self, text: str) -> Forms:
        found = self._forms.get(text)
        if found is None:
            found = self._forms[text] = Forms(spellings(text, self.world))
        return found

    def path_forms(self, text: str) -> Forms:
        """The spellings and every place they may lead to, a directory also with its final slash."""
        found = self._paths.get(text)
        if found is None:
            if len(text) > LONGEST_PATH and not may_be_place(text):
                found = Forms([text])
            else:
                texts = self.text_forms(text).texts
                found = Forms(None if texts is None else self._places(texts))
            self._paths[text] = found
        return found

    def paths(self, text: str) -> list[str] | None:
        return self.path_forms(text).texts

    def _places(self, forms: list[str]) -> list[str]:
        out = list(forms)
        for form in forms:
            if form.startswith("/"):
                bases = [form]
            else:
                bases = [f"{base}/{form}" for base in self.world.bases] if form else []
            for base in bases:
                out += [reading for reading in self._leads(base) if reading not in out]
        return out

    def _leads(self, path: str) -> list[str]:
        """Where an absolute path may lead, by its text and by the links on the way; each also as a directory."""
        tidy = normal(path)
        places: list[str | None] = [tidy]
        if len(tidy) <= LONGEST_PATH:
            places.append(canonical(tidy, self.world))
        if "/.." in path and len(path) <= LONGEST_PATH:
            places.append(canonical(path, self.world))
        return [reading for place in dict.fromkeys(places) if place is not None for reading in (place, place + "/")]

    def _inside(self, pattern: Pattern, path: str) -> bool:
        return pattern.glob.matches(path) or pattern.at(self._root(pattern.root))[0].matches(path)

    def _root(self, root: str) -> str:
        known = self.roots.get(root)
        if known is None:
            known = self.roots[root] = canonical(root, self.world) or root if root.startswith("/") else root
        return known


class Forms:
    """The readings of one text, exact and folded. texts None: too many to tell."""

    __slots__ = ("_heap", "folded", "texts")

    def __init__(self, texts: list[str] | None) -> None:
        self.texts = texts
        self.folded = [fold(text) for text in texts or ()]
        # All of them in one string, so that one search tells whether any begins with a pattern's head.
        heap = "\0" + "\0".join(self.folded)
        self._heap = heap if heap.isascii() else ""

    def might_match(self, head: str) -> bool:
        return not head or not self._heap or "\0" + head in self._heap


def _any_inside(globs: tuple[Glob, Glob], forms: Forms) -> bool:
    exact, folded = globs
    return any(map(exact.matches, forms.texts or ())) or any(map(folded.matches, forms.folded))


def _any_above(reaches: tuple[Reach, ...], forms: Forms) -> bool:
    """Some reading is a directory in which the pattern may match something."""
    directories = [form for form in forms.folded if form.startswith("/") and form.endswith("/")]
    return any(reach.begins(form.rstrip("/") + "/") for form in directories for reach in reaches)


def may_be_place(text: str) -> bool:
    """Could some reading of this long text be short enough to be opened? What shrinks it is counted, generously."""
    if "$" in text or "\0" in text:
        return True
    size = len(text.strip(EDGES))
    # Each `/./`, `/name/../`, escape or back slash may go, with a name of up to 255 characters.
    for sign in SHRINKING:
        if sign[0] in text:
            size -= 260 * text.count(sign)
    if not text.isascii():
        size //= 2
    if len(text) <= LONG and not text.isprintable():
        size -= sum(text.count(chr(code)) for code in CONTROLS)
    return size <= LONGEST_PATH


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
    """Holds dot segments or something that a server might decode."""
    if has_escape(text) or "\\" in text or has_control(text) or changes_structure(text):
        return True
    if "." not in text:
        return False
    for sign in ":?#":
        text = text.replace(sign, "/")
    parts = text.split("/")
    return "." in parts or ".." in parts
