"""The protected places, and whether a path is one of them, lies in one, or leads to one. Pure.

Law: folded absolute paths are compared. `*/name` is a file of that name in any directory: a project's own file.
"""

from __future__ import annotations

from mcpgov.core.rules.ambiguity import LONGEST_PATH, may_shrink_to_path
from mcpgov.core.rules.globs import Glob, literal_head
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.spellings import expand_home, expand_variables, fold
from mcpgov.core.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ANYWHERE = "*/"
PROJECT_POLICY = "*/.mcpgov.toml"
LONGEST_GLOB = 4096
MOST_HEADS = 64
WILD = "*?["
NOT_FIRST, NOT_LAST = "/.[{\"'` @<>", "\"'` "
LONGEST_PLAIN = 4096


class ProtectedPlaces:
    """The places as written and as resolved when the policy was loaded."""

    __slots__ = (
        "_begins",
        "_initials",
        "_longest",
        "_tails",
        "above",
        "first_names",
        "names",
        "parents",
        "parts",
        "project_files",
        "roots",
        "world",
    )  # fmt: skip

    def __init__(self, paths: list[str], world: World, *, projects: bool = True) -> None:
        """`projects`: a project's own policy counts too, wherever it is."""
        fixed = [path for path in paths if not path.startswith(ANYWHERE)]
        places = dict.fromkeys(fixed)
        # Many places lie in few directories: each link is read once.
        once = World(_remembered(world.readlink), world.cwd)
        places.update(dict.fromkeys(canonical(path, once) or path for path in fixed))
        self.world = world
        self.names = {fold(path): path for path in places}
        loose = dict.fromkeys(path for path in paths if path.startswith(ANYWHERE))
        loose |= {PROJECT_POLICY: None} if projects else {}
        self.project_files = tuple(fold(path[1:]) for path in loose)
        # Every directory above a place, with the first such place. Project directories are kept apart (roots): people
        # work in them, and a project's file is recognised by its name wherever it is moved.
        self.above: dict[str, str] = {}
        self.roots: dict[str, str] = {}
        for low, path in self.names.items():
            end = next((len(low) - len(name) for name in self.project_files if low.endswith(name)), -1)
            for parent in _parents(low):
                (self.roots if len(parent) <= end else self.above).setdefault(parent, path)
        self.parents = tuple({parent for name in self.project_files for parent in _parents(name) if parent != "/"})
        self._longest = max(map(len, self.names), default=0)
        self.parts = {"..", "."}.union(*(low.split("/") for low in (*self.names, *self.project_files)))
        self._tails: dict[str, list[str]] | None = None
        self._begins: dict[str, list[tuple[str, str]]] = {}
        self._initials = {name[name.rfind("/") + 1] for name in self.project_files}
        self.first_names = self._first_names()

    def _first_names(self) -> set[str] | None:
        """The first names below the server's directories that lead to a protected place; None: all of them do."""
        names = {name[1:].partition("/")[0] for name in self.project_files}
        for base in self.world.bases:
            here = fold(base.rstrip("/"))
            if self.place_at(here):
                return None
            names |= {p[len(here) + 1 :].partition("/")[0] for p in self.names if p.startswith(here + "/")}
        # Also without the file extension: that may be an argument of its own.
        return names | {name.rpartition(".")[0] for name in names if "." in name[1:]}

    @property
    def any_place(self) -> str:
        """A place to name in a denial where the very place is not known."""
        return next(iter(self.names.values()), PROJECT_POLICY)

    def place_at(self, low: str) -> str:
        """The place that a folded path is or lies in; empty: none."""
        end = len(low) if len(low) <= self._longest else low.rfind("/", 0, self._longest + 1)
        while end > 0:
            place = self.names.get(low[:end])
            if place is not None:
                return place
            end = low.rfind("/", 0, end)
        return ""

    def place_in(self, text: str, reader: Reader, *, prose: bool = False) -> str:
        """The place that some reading of a text is or lies in; `prose` is not taken for a file in a project."""
        if len(text) > LONGEST_PATH and not may_shrink_to_path(text):
            return ""
        forms = reader.paths(text)
        if forms is None:
            return self.any_place
        for form in forms:
            low = fold(form)
            place = self.place_at(low)
            if place:
                return self.names.get(low, form)
            if not prose and low.endswith(self.project_files):
                return form
        return ""

    def place_below(self, texts: list[str], reader: Reader, *, roots: bool = False) -> str:
        """The place that lies below a directory which one of the texts names: what happens to it happens to the place.

        `roots`: the directory of a known project counts too.
        """
        for text in texts:
            for form in reader.paths(text) or ():
                low = fold(form).rstrip("/") or form[:1]
                place = self.above.get(low, "")
                if not place and low.endswith(self.parents):
                    place = form
                if not place and roots:
                    place = self.roots.get(low, "")
                if place:
                    return place
        return ""

    def place_by_glob(self, word: str) -> str:
        """The protected place, or a directory above one, that a shell would expand a word to; empty: none."""
        if len(word) > LONGEST_GLOB or not ("*" in word or "?" in word or "[" in word):
            return ""
        plain = expand_variables(word, self.world)
        pattern = one_of(fold(expand_home(plain, self.world) if plain.startswith("~") else plain))
        bases = [""] if pattern.startswith("/") else [fold(base.rstrip("/")) + "/" for base in self.world.bases]
        for base in bases:
            place = self._expanded(base + pattern)
            if place:
                return place
        if pattern[pattern.rfind("/") + 1 :][:1] not in self._initials:
            return ""  # the last name of the pattern must begin like a protected project file
        return next((name for name in self.project_files if _ends_like(pattern, name)), "")

    def _expanded(self, pattern: str) -> str:
        itself: Glob | None = None
        for low, path in self._beginning(literal_head(pattern)):
            itself = itself or Glob(pattern)
            if itself.matches(low):
                return path
        # A pattern that matches all entries of a directory counts as the directory.
        inside = pattern.rpartition("/")[0]
        directories = self._beginning(literal_head(inside))
        contents = Glob(inside) if directories else None
        return next((path for low, path in directories if contents and low in self.names and contents.matches(low)), "")

    def _beginning(self, head: str) -> list[tuple[str, str]]:
        """The places that begin with `head`, and the directories above them. Cached: many patterns begin alike."""
        parent = head[: head.rfind("/")] if "/" in head else ""
        if parent and parent not in self.above and parent not in self.roots:
            return []  # no place lies in this directory
        places = self._begins.get(head)
        if places is None:
            if len(self._begins) >= MOST_HEADS:
                self._begins.clear()
            candidates = (*self.names.items(), *self.above.items())
            places = [(low, path) for low, path in candidates if low.startswith(head)]
            self._begins[head] = places
        return places

    def tails(self) -> dict[str, list[str]]:
        """The ends of paths that identify a place in any directory: `.claude.json`, `.config/mcpgov`."""
        if self._tails is None:
            self._tails = {}
            for low in self.names:
                parts = low.split("/")[1:]
                for size in range(1, len(parts)):
                    if size > 1 or parts[-1].startswith(".") or "mcpgov" in parts[-1]:
                        self._tails.setdefault("/".join(parts[-size:]), []).append(low)
        return self._tails

    def places_by_tail(self, name: str) -> list[str]:
        """The places that a folded relative name may be or lie in."""
        end = len(name) if len(name) <= self._longest else name.rfind("/", 0, self._longest + 1)
        while end > 0:
            places = self.tails().get(name[:end])
            if places is not None:
                return places
            end = name.rfind("/", 0, end)
        return []


def _remembered(readlink: Callable[[str], str | None]) -> Callable[[str], str | None]:
    targets: dict[str, str | None] = {}

    def cached(path: str) -> str | None:
        if path not in targets:
            targets[path] = readlink(path)
        return targets[path]

    return cached


def _parents(low: str) -> list[str]:
    """The directories a folded absolute path lies in, the nearest first, the root last."""
    parts = low.split("/")
    return ["/".join(parts[:size]) or "/" for size in range(len(parts) - 1, 0, -1)]


def one_of(pattern: str) -> str:
    """`[abc]` as `?`, which matches more."""
    pieces = pattern.split("[")
    return pieces[0] + "".join("?" + piece.partition("]")[2] if "]" in piece else "[" + piece for piece in pieces[1:])


def _ends_like(pattern: str, name: str) -> bool:
    """Could the pattern's last names match this project file? A name that begins with a wildcard counts as no match."""
    last = pattern.split("/")[-name.count("/") :]
    return all(part and part[0] not in WILD for part in last) and Glob("/" + "/".join(last)).matches(name)


def is_plain(text: str) -> bool:
    """Does every reader take it for the same relative name, with nothing to decode, expand, fold or split?"""
    return (
        0 < len(text) <= LONGEST_PLAIN and text[0] not in NOT_FIRST and "%" not in text and "\\" not in text
        and "$" not in text and "~" not in text and ".." not in text and ":" not in text and "=" not in text
        and text.isascii() and text.isprintable() and text[-1] not in NOT_LAST
    )  # fmt: skip
