"""Which protected place a call would change: named, behind an option, in two arguments, by a copy, move or link. Pure.

Law: every text counts unless the tool certainly only reads it, or it is content; what cannot be told apart is denied.
"""

from __future__ import annotations

from mcpgov.core.operations.words import words
from mcpgov.core.protection import argument_roles as roles
from mcpgov.core.protection import carried_texts
from mcpgov.core.protection.argument_roles import Piece
from mcpgov.core.protection.protected_places import ProtectedPlaces, is_plain
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.path_matching import MANY, Reader
from mcpgov.core.rules.spellings import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WORDS_AT_MOST = 4096
STEPS_OF_A_PAIR = 8


class ChangedPlaces:
    """One call: the roles of its texts, and the protected places they lead to."""

    __slots__ = ("all", "leads_nowhere", "moves_trees", "places", "reader", "runs", "tool")

    def __init__(
        self,
        guarded: ProtectedPlaces,
        nowhere: Callable[[str], bool],
        call: Call,
        reader: Reader,
        pieces: list[Piece],
        *,
        secret: bool = False,
    ) -> None:
        """`nowhere`: a plain text that surely names no file (Protection.leads_nowhere). `secret`: reads count."""
        self.places, self.leads_nowhere, self.reader = guarded, nowhere, reader
        self.tool = words(call.tool or "")
        reads = call.operation == "read"
        self.runs = (not reads and not roles.RUNNERS.isdisjoint(self.tool)) or any(map(dispatches, pieces))
        shifts = not (roles.MOVES | roles.LINKS).isdisjoint(self.tool)
        self.all = self._relevant(pieces, shifts and "replace" not in self.tool)
        plainly = roles.plainly_reads(call.operation, self.tool) and not roles.writes_after_all(call.args or {})
        plainly = plainly and not secret
        # A fetched file may be stored at the path that is named beside its URL.
        fetched = plainly and any(roles.is_remote(piece.text) for piece in self.all)
        for piece in self.all:
            piece.read = plainly and roles.is_read(piece) and (not fetched or roles.is_remote(piece.text))
        # Removing or moving a directory affects everything below it; a link gives it another name.
        self.moves_trees = call.operation == "delete" or shifts or not roles.PERMISSIONS.isdisjoint(self.tool)

    def _relevant(self, pieces: list[Piece], shifts: bool) -> list[Piece]:
        """Every text but content; of a patch, the files it names."""
        placed = any(piece.is_any(roles.PLACES) for piece in pieces)
        patches = not (roles.PATCHERS if placed else roles.EDITORS).isdisjoint(self.tool)
        out: list[Piece] = []
        for piece in pieces:
            if carried_texts.is_statement(piece, self.tool):
                if carried_texts.uses_files(piece.text):
                    out.append(Piece(["command"], piece.text))
                continue
            names = carried_texts.patched(piece.text) if patches else []
            if names:
                out += [Piece(["file"], name) for name in names]
            elif self.runs or shifts or not roles.is_content(piece, placed):
                out.append(piece)
        return out

    def touched(self) -> str:
        unread = [piece for piece in self.all if not piece.read]
        if not unread or not (self.runs or any(self._may_name_file(piece) for piece in unread)):
            return ""
        return (
            self._named(unread)
            or self._commands(unread)
            or self._joined()
            or self._copied()
            or self._above(unread)
            or self.places.place_below([text for piece in unread for text in carried_texts.mounted(piece)], self.reader)
        )

    def _may_name_file(self, piece: Piece) -> bool:
        return not self.leads_nowhere(piece.text) or piece.is_any(roles.COMMANDS)

    def _named(self, unread: list[Piece]) -> str:
        """A text that is a protected place, or has one behind an option or in a patch."""
        first = self._program(unread)
        for piece in self._suspects(unread):
            text = piece.text
            if self.leads_nowhere(text):
                continue
            prose = " " in text.strip() and not text.startswith(("/", "~", ".", "$")) and not piece.is_any(roles.PLACES)
            # A remote page is no local file, unless the tool stores what it loads under the same name.
            prose = prose or (roles.is_remote(text) and roles.COPIES.isdisjoint(self.tool))
            # Starting a program from a protected directory changes nothing there; Commands judges its words.
            started = piece is first and "/bin/" in text.partition(" ")[0]
            place = (
                ""
                if started
                else self.places.place_in(text, self.reader, prose=prose) or self.places.place_by_glob(text)
            )
            if place:
                return place
            if self.runs or piece.is_any(roles.COMMANDS):
                continue  # read word by word in _commands
            values = roles.option_values(text, WORDS_AT_MOST)
            if values is None:
                return self.places.any_place
            for value in (*values, *carried_texts.patched(text), *carried_texts.spelled(text)):
                place = self.places.place_in(value, self.reader) or self.places.place_by_glob(value)
                if place:
                    return place
        return ""

    def _suspects(self, unread: list[Piece]) -> list[Piece]:
        """Of many texts, those that may name a place: judging each alone would take seconds."""
        if len(unread) <= MANY or self.runs or self.places.first_names is None:
            return unread
        from mcpgov.core.rules.text_screen import suspects

        texts = [piece.text for piece in unread]
        suspicious = set(suspects(texts, self.reader, self.places.first_names, self.places.project_files))
        return [p for p in unread if p.text in suspicious or "=" in p.text or "-" in p.text or "\n" in p.text]

    def _commands(self, unread: list[Piece]) -> str:
        """A protected place in the texts that a shell or an interpreter reads."""
        texts = [piece for piece in unread if self.runs or piece.is_any(roles.COMMANDS)]
        lines = [piece.text for piece in unread if piece.last_in(roles.COMMAND_LINES)]
        started = [word for word in self.tool if word in roles.PROGRAMS] if lines else []
        # `tar` with `-x -C DIR` in a list is one command; each text alone says little.
        texts += [Piece(["command"], " ".join((program, *lines))) for program in started]
        if not texts:
            return ""
        from mcpgov.core.protection.commands import Commands

        elsewhere = [piece.text for piece in self.all if piece.last_in(roles.DIRECTORIES)]
        first = self._program(unread)
        look = Commands(self.places, self.reader, self.leads_nowhere)
        return look.touched([piece.text for piece in texts], elsewhere, first.text if first else "")

    def _program(self, unread: list[Piece]) -> Piece | None:
        """The text that begins with the program to start; what follows it in a list are its arguments."""
        return next((piece for piece in unread if piece.is_any(roles.COMMANDS)), None)

    def _joined(self) -> str:
        """A directory in one argument and a name in another, which the tool joins to one path."""
        names = [piece for piece in self.all if piece.text and not piece.text.startswith(("/", "~/"))]
        if not names or (len(self.all) < 2):
            return ""
        bases, leading = self._bases(), names
        if len(bases) * len(names) > MANY:
            names = list({piece.text: piece for piece in names}.values())
            leading = [piece for piece in names if self._may_lead(piece.text)]
        endings = self._endings()
        for base in bases:
            # Below a missing directory, only `..` and names of project files can lead to a protected place.
            beside = leading if leading is not names and self.leads_nowhere(base.text) else names
            self.reader.spend(2 + len(beside) * STEPS_OF_A_PAIR)
            forms = [form for form in self.reader.paths(base.text) or () if form.startswith("/")] if beside else []
            for name in beside:
                if name is base or (base.read and (name.read or name.last_in(roles.MANNERS))):
                    continue
                for text in (name.text, *(f"{name.text}.{ending}" for ending in endings)):
                    place = self._pair(base.text, forms, text)
                    if place:
                        return place
        return ""

    def _may_lead(self, text: str) -> bool:
        """Could this name lead out of a missing directory, or be a protected project file in it?"""
        if self.leads_nowhere(text):
            return False
        forms = self.reader.text_forms(text).texts
        return forms is None or any(
            ".." in form or fold("/" + form).endswith(self.places.project_files) for form in forms
        )

    def _bases(self) -> list[Piece]:
        """Texts that may be a directory, and pairs of them that may be one together."""
        out = [p for p in self.all if p.last_in(roles.DIRECTORIES) or p.text.startswith(("/", "~", "$", "..", "file:"))]
        if len(out) <= 8:
            lower = [p for p in out if not p.text.startswith(("/", "~"))]
            pairs = [(a, b) for a in out for b in lower if a is not b]
            out += [roles.Piece(a.names, f"{a.text}/{b.text}", read=a.read and b.read) for a, b in pairs]
        return out

    def _endings(self) -> list[str]:
        endings = [piece.text.lstrip(".") for piece in self.all if piece.last_in(roles.EXTENSIONS)]
        return [ending for ending in dict.fromkeys(endings) if 0 < len(ending) <= 16]

    def _pair(self, base: str, forms: list[str], name: str) -> str:
        if not is_plain(name) and not (name[:1] == "." and is_plain(name[1:])):
            return self.places.place_in(f"{base}/{name}", self.reader)
        for form in forms:
            path = form.rstrip("/") + "/" + name
            low = fold(path)
            if self.places.place_at(low) or low.endswith(self.places.project_files):
                return path
        # By its text it is no protected place; a link on the way may lead to one.
        real = canonical(f"{forms[-1]}/{name}", self.places.world) if forms else ""
        return self.places.place_at(fold(real or "")) if forms else ""

    def _copied(self) -> str:
        """A copy gets its source's name below the destination; in a copied tree any name may occur."""
        if self.moves_trees is False and roles.COPIES.isdisjoint(self.tool):
            return ""
        texts = [piece.text for piece in self.all if not piece.is_any(roles.SETTINGS)]
        names = dict.fromkeys(text.rstrip("/").rpartition("/")[2] for text in texts if "/" in text.rstrip("/"))
        names |= {name.removesuffix(".git"): None for name in names}
        into = [p.text for p in self.all if not p.is_any(roles.SETTINGS | roles.SOURCES)]
        self.reader.spend(len(names) * len(into) * STEPS_OF_A_PAIR)
        for text in into:
            for name in names:
                place = self.places.place_in(f"{text}/{name}", self.reader) if name else ""
                if place:
                    return place
        trees = not roles.TREES.isdisjoint(self.tool) or any(
            p.text.endswith(("/", "/.", "*")) or p.is_any(roles.TREES) for p in self.all
        )
        return self.places.place_below(into, self.reader) if trees and not roles.COPIES.isdisjoint(self.tool) else ""

    def _above(self, unread: list[Piece]) -> str:
        if not self.moves_trees:
            return ""
        texts = [piece.text for piece in unread if not piece.is_any(roles.SETTINGS)]
        if not roles.LINKS.isdisjoint(self.tool):
            # A link's target is relative to the directory of the link.
            places = [text.rpartition("/")[0] for text in texts if "/" in text]
            texts += [f"{place}/{text}" for place in places[:16] for text in texts[:16] if not text.startswith("/")]
        return self.places.place_below(texts, self.reader) or self.places.place_below(
            self._moved_texts(unread), self.reader, roots=True
        )

    def _moved_texts(self, unread: list[Piece]) -> list[str]:
        """The texts that certainly name what is moved, linked to or removed, and not where the tool works."""
        if "git" in self.tool or "replace" in self.tool:
            return []
        named = roles.SOURCES | roles.LINKED if not roles.LINKS.isdisjoint(self.tool) else roles.SOURCES
        return [p.text for p in unread if len(unread) == 1 or p.is_any(named)]


def dispatches(piece: Piece) -> bool:
    """Is it the name of a tool that runs commands, as an argument of a tool that calls others?"""
    return piece.last_in(roles.DISPATCH) and len(piece.text) <= 64 and not roles.RUNNERS.isdisjoint(words(piece.text))
