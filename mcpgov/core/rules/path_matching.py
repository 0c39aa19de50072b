"""Does a value lie inside a pattern: certainly (for an allow) or possibly (for a deny)? Pure.

Law: certain means every reader agrees; possible means some reader might. The file system comes in as World.
"""

from __future__ import annotations

from mcpgov.core.decision import MOST_STEPS, StepLimitExceeded
from mcpgov.core.rules.ambiguity import (
    LONGEST_PATH,
    carried_paths,
    is_ambiguous_path,
    is_ambiguous_uri,
    may_shrink_to_path,
    stays_too_long,
)
from mcpgov.core.rules.globs import PrefixGlob
from mcpgov.core.rules.links import ELSEWHERE, aliases, canonical
from mcpgov.core.rules.spellings import LONG, expand_variables, fold, has_expression, normal, spellings
from mcpgov.core.rules.value_patterns import PATH, TEXT, URI, Pattern, Patterns
from mcpgov.core.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcpgov.core.rules.text_screen import Screen
    from mcpgov.core.rules.urls import Url
    from mcpgov.core.rules.value_patterns import PatternGroup

MANY = 64  # texts: more of them are screened before they are read one by one
MOST_KEPT = 512


class Reader:
    """Matches the values of one call against patterns. New for every decision: links may change in between.

    `roots` and `displaced` outlive it: where the rules' own directories lie is resolved less often (see
    RuleSet.forget_links).
    """

    __slots__ = (
        "_base_known",
        "_certain_places",
        "_forms",
        "_paths",
        "_too_long",
        "_urls_of",
        "displaced",
        "leaves",
        "left",
        "roots",
        "screens",
        "world",
    )  # fmt: skip

    def __init__(
        self,
        world: World,
        roots: dict[str, str] | None = None,
        displaced: dict[PatternGroup, tuple[Pattern, ...]] | None = None,
    ) -> None:
        self.world = world
        self.roots = {} if roots is None else roots
        self.displaced = {} if displaced is None else displaced
        self._forms: dict[str, Spellings] = {}
        self._paths: dict[str, Spellings] = {}
        self._too_long: tuple[str, Spellings] | None = None  # the latest text that is no path
        self._urls_of: dict[str, list[Url]] = {}
        self._certain_places: dict[str, str] = {}
        self._base_known = False  # world.locate() has brought the server's directories up to date
        # The values under an argument's path (arguments.satisfied), for the next rule that names it.
        self.leaves: dict[tuple[str, ...], list[str | int | float] | None] = {}
        self.screens: dict[tuple[str, ...], Screen] = {}
        self.left = MOST_STEPS

    def next_part(self) -> Reader:
        """Forget the values of one part of a large call. Steps and spellings stay: they count for all parts."""
        self.leaves, self.screens, self._urls_of, self._certain_places = {}, {}, {}, {}
        return self

    def spend(self, steps: int) -> None:
        """Steps are counted, not timed: the verdict is the same on every machine. Raises StepLimitExceeded."""
        self.left -= steps
        if self.left < 0:
            raise StepLimitExceeded

    def any_possible(self, patterns: tuple[Pattern, ...], texts: Sequence[str], key: tuple[str, ...] = ()) -> bool:
        """Might some reader see one of the texts inside one of the patterns? `key`: the path of the texts' argument."""
        if len(texts) <= MANY:
            return any(self.matches_any(patterns, text) for text in texts)
        screen = self.screens.get(key) if key else None
        if screen is None:
            from mcpgov.core.rules.text_screen import Screen

            screen = Screen(list(texts), self)
            if key:
                self.screens[key] = screen
        return screen.any_possible(patterns)

    def certain(self, pattern: Pattern, text: str, *, uri: bool = False, named: bool = False) -> bool:
        """Does every reader see the value inside? `uri`: it is a resource URI, for which `file:///` is the plain form.

        `named`: no shell reads the text, so `$id` in it is part of a name.
        """
        self.spend(4 + (len(text) >> 4))
        if pattern.kind == TEXT:
            return pattern.glob.matches(text)
        if pattern.kind == URI:
            if not pattern.glob.matches(text) or is_ambiguous_uri(text):
                return False
            return pattern.url is None or pattern.url.certain(text)
        if (uri or pattern.from_uri) and text.startswith("file:///"):
            if "?" in text or "#" in text:
                return False  # readers differ: some end the path there
            text = text[7:]
        if named:
            return self._certain_by_name(pattern, text)
        real = self._certain_place(text)
        if not real or not self._inside(pattern, real):
            return False
        # A server that removes `..` by text alone ends up elsewhere where a link stands before it.
        return "/.." not in text or self._inside(pattern, canonical(normal(text), self.world) or "")

    def _certain_place(self, text: str) -> str:
        """The path that every reader finds in a text; empty where readers may differ."""
        place = self._certain_places.get(text)
        if place is None:
            plain = text.startswith("/") and not is_ambiguous_path(text)
            place = self._certain_places[text] = (canonical(text, self.world) or "") if plain else ""
        return place

    def _certain_by_name(self, pattern: Pattern, text: str) -> bool:
        """certain() where `$id` may be part of a name: also with the variables put in that are set."""
        if has_expression(text):
            return False
        # Some readers replace an unset variable by nothing; a `..` behind it then leads further up.
        emptied = (expand_variables(text, self.world),) if "/.." in text else ()
        for form in (text, expand_variables(text, self.world, keep=True), *emptied):
            if not form.startswith("/") or is_ambiguous_path(form.replace("$", "")):
                return False
            places = (canonical(form, self.world), canonical(normal(form), self.world))
            if not all(place and self._inside(pattern, place) for place in places):
                return False
        return True

    def matches_any(self, patterns: tuple[Pattern, ...], text: str) -> bool:
        """Might some reader see the text inside one of the patterns?"""
        group = patterns.group if isinstance(patterns, Patterns) else None
        if group is None:
            return any(self.possible(pattern, text) for pattern in patterns)
        if group.grouped:
            forms = self.path_forms(text)
            self.spend(2 + (forms.size >> 8))
            if forms.texts is None:
                return True
            if any(self.possible(pattern, text) for pattern in self._displaced(group)):
                return True
            if group.may_match(forms) and any(self.possible(pattern, text) for pattern in group.grouped):
                return True
        return any(self.possible(pattern, text) for pattern in group.others)

    def _displaced(self, group: PatternGroup) -> tuple[Pattern, ...]:
        """The patterns whose directory is a link: their matches do not begin as the patterns are written."""
        patterns = self.displaced.get(group)
        if patterns is None:
            patterns = tuple(pattern for pattern in group.grouped if self.root(pattern.root) != pattern.root)
            self.displaced[group] = patterns
        return patterns

    def possible(self, pattern: Pattern, text: str) -> bool:
        """Might some reader see the value inside?"""
        is_path = pattern.kind == PATH
        forms = self.path_forms(text) if is_path else self.text_forms(text)
        if forms.texts is None:
            return True
        self.spend(1 + (forms.size >> 12))
        if forms.might_match(pattern.folded_head) and self._any_inside(pattern, pattern.root, forms):
            return True
        if not is_path:
            url = pattern.url
            if url is None or (":" not in text and len(forms.texts) == 1 and not url.may_begin(text)):
                return False
            return url.possible(self._urls(text, forms.texts))
        root = self.root(pattern.root)
        if root != pattern.root and self._any_inside(pattern, root, forms):
            return True
        return pattern.covers and _any_above((pattern.prefix_glob(pattern.root), pattern.prefix_glob(root)), forms)

    def _any_inside(self, pattern: Pattern, root: str, forms: Spellings) -> bool:
        exact, folded = pattern.at(root)
        if exact.walks:
            self.spend(forms.size >> 3)
        return any(map(exact.matches, forms.texts or ())) or any(map(folded.matches, forms.folded))

    def _urls(self, text: str, forms: list[str]) -> list[Url]:
        """The URLs that readers might find in the spellings of a text."""
        urls = self._urls_of.get(text)
        if urls is None:
            from mcpgov.core.rules.urls import loose_urls

            carried = [piece for form in forms for piece in carried_paths(form)]
            urls = self._urls_of[text] = [url for form in (*forms, *carried) for url in loose_urls(form)]
        return urls

    def text_forms(self, text: str) -> Spellings:
        forms = self._forms.get(text)
        if forms is None:
            forms = Spellings(spellings(text, self.world, self.spend))
            _keep(self._forms, text, forms)
        return forms

    def path_forms(self, text: str) -> Spellings:
        """The spellings and every place they may lead to, a directory also with its final slash."""
        forms = self._paths.get(text)
        if forms is None and self._too_long is not None and self._too_long[0] is text:
            forms = self._too_long[1]
        if forms is None:
            if len(text) > LONGEST_PATH and (
                not may_shrink_to_path(text) or (len(text) > LONG and stays_too_long(text))
            ):
                forms = Spellings([text])
                self._too_long = text, forms
            else:
                texts = self._with_carried(self.text_forms(text).texts)
                forms = Spellings(None if texts is None else self._places(texts))
            _keep(self._paths, text, forms)
        return forms

    def _with_carried(self, texts: list[str] | None) -> list[str] | None:
        """The spellings of a text, and of every path that it carries behind an option, a key or a host."""
        carried = {path: None for text in texts or () for path in carried_paths(text)}
        for path in carried:
            forms = self.text_forms(path).texts
            texts = None if texts is None or forms is None else [*texts, *forms]
        return texts

    def paths(self, text: str) -> list[str] | None:
        return self.path_forms(text).texts

    def _places(self, forms: list[str]) -> list[str] | None:
        """The forms and all paths they may lead to; None: one of them leads to an unknown place."""
        out = list(forms)
        for form in forms:
            if len(form) > LONG and "/.." not in form:
                continue  # longer than any path, and without `..` it does not get shorter
            if len(form) > LONG:
                self.spend(4 * form.count("/"))
            if form.startswith("/"):
                bases = [form]
            else:
                if not self._base_known:
                    self._base_known = True
                    self.world.locate()
                bases = [f"{base}/{form}" for base in self.world.bases] if form else []
            for base in bases:
                self.spend(6 + (len(base) >> 3))
                places = self._resolved(base)
                if places is None:
                    return None
                out += [reading for reading in places if reading not in out]
        return out

    def _resolved(self, path: str) -> list[str] | None:
        """The paths an absolute path may lead to, by its text and by links; each also with a final slash."""
        tidy = normal(path)
        places: list[str | None] = [tidy]
        if len(tidy) <= LONGEST_PATH:
            places.append(canonical(tidy, self.world))
        if "/.." in path and len(path) <= LONGEST_PATH:
            places.append(canonical(path, self.world))
        if ELSEWHERE in places:
            return None
        resolved = [place for place in places if place is not None]
        if "/proc/" in path or "/System/" in path:
            resolved += [other for place in resolved for other in aliases(place)]
        return [reading for place in dict.fromkeys(resolved) for reading in (place, place + "/")]

    def _inside(self, pattern: Pattern, path: str) -> bool:
        return pattern.glob.matches(path) or pattern.at(self.root(pattern.root))[0].matches(path)

    def root(self, root: str) -> str:
        real = self.roots.get(root)
        if real is None:
            real = self.roots[root] = canonical(root, self.world) or root if root.startswith("/") else root
        return real


class Spellings:
    """The spellings of one text, exact and folded. texts None: too many to list. Long ones are folded on demand."""

    __slots__ = ("_folded", "_heap", "size", "texts")

    def __init__(self, texts: list[str] | None) -> None:
        self.texts = texts
        self.size = sum(map(len, texts or ()))
        self._folded = [fold(text) for text in texts or ()] if self.size <= LONG else None
        # All in one string: a single search finds out whether any begins with a pattern's head.
        heap = "\0" + "\0".join(self._folded or ())
        self._heap = heap if heap.isascii() else ""

    @property
    def folded(self) -> Iterable[str]:
        return map(fold, self.texts or ()) if self._folded is None else self._folded

    def might_match(self, head: str) -> bool:
        if self._folded is None:
            return any(not text.isascii() or text[: len(head)].lower() == head for text in self.texts or ())
        return not head or not self._heap or "\0" + head in self._heap


def _keep(cache: dict[str, Spellings], text: str, forms: Spellings) -> None:
    """Cache spellings for the next rule; long ones, and more than MOST_KEPT, would take too much memory."""
    if forms.size <= LONG:
        if len(cache) >= MOST_KEPT:
            cache.clear()
        cache[text] = forms


def _any_above(reaches: tuple[PrefixGlob, ...], forms: Spellings) -> bool:
    """Is some spelling a directory in which the pattern may match something?"""
    directories = [form for form in forms.folded if form.startswith("/") and form.endswith("/")]
    return any(reach.may_match_longer(form.rstrip("/") + "/") for form in directories for reach in reaches)
