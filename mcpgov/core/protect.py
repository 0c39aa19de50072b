"""Built-in protection: no governed call writes, moves or deletes what governs it. Pure.

Law: it speaks before every rule. Only a tool that plainly reads the very argument may name a protected place.
What passes(), passes_by_name() with harmless() or unmarked(), and leads_nowhere() let pass, touched() does not stop.
"""

from __future__ import annotations

from mcpgov.core.calls import Call
from mcpgov.core.decoding import World, fold
from mcpgov.core.guarded import Guarded
from mcpgov.core.preview import HEADS, LONGEST_TEXT, PREFIXES, looks_open, may_hide
from mcpgov.core.readings import Reader, canonical
from mcpgov.core.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.roles import Piece

NOT_FIRST, NOT_LAST = "/.[{\"'` ", "\"'` "
WORDS_AT_MOST = 4096
PAIRS_AT_MOST = 20_000
LONGEST_PLAIN = 4096
MOST_REMEMBERED = 512


class Protection:
    """The protected places, and what a call does to them."""

    __slots__ = ("_below", "_ends", "_executes", "_first", "_guarded", "_reads", "_wild", "_world")

    def __init__(self, paths: list[str], world: World) -> None:
        self._guarded = Guarded(paths, world)
        self._world = world
        self._executes: dict[tuple[str | None, ...], bool] = {}
        self._reads: dict[tuple[str | None, ...], bool] = {}
        self._first = self._guarded.first
        # A project's file may stand in any directory: those without a dot are told by how a text ends.
        loose = [name for name in self._guarded.suffixes if not name.startswith("/.")]
        self._below = tuple(form for name in loose for form in (name, name.rpartition(".")[0]))
        self._ends = frozenset(letter for name in self._below for letter in (name[-1], name[-1].upper()))
        # Only where a place lies below the server's directory can a relative glob lead to one.
        self._wild = any(fold(base.rstrip("/")) in self._guarded.above or base == "/" for base in world.bases)

    def passes(self, call: Call) -> bool:
        """Surely nothing of ours: every value is a number, or plain text that names no file there is."""
        if not call.args:
            return True
        if not self.passes_by_name(call):
            return False
        for value in call.args.values():
            if isinstance(value, str):
                if not self.leads_nowhere(value):
                    return False
            elif isinstance(value, (dict, list)):
                return False
        return True

    def passes_by_name(self, call: Call) -> bool:
        """Nothing in the names speaks against it; the values are still to be looked at."""
        return self._first is not None and not self._may_execute(call)

    def leads_nowhere(self, text: str) -> bool:
        """Plain text whose first name leads to nothing of ours, because nothing of that name is there."""
        # Behind an option may stand what the first name does not tell.
        return is_plain(text) and text[0] != "-" and " -" not in text and self._nowhere(text)

    def _nowhere(self, text: str) -> bool:
        name = text
        if "/" in text:
            name = text[: text.index("/")]
            if "/." in text or (text[-1] in self._ends and text.lower().endswith(self._below)):
                return False
        name = name.lower()
        if self._first is None or name in self._first or not self._world.absent(name):
            return False
        return not (self._wild and ("*" in text or "?" in text or "[" in text))

    def harmless(self, text: str) -> bool:
        """The same of a text that stands for itself (forms.TEXT), short and not secret: a record may show it."""
        if not 0 < len(text) <= LONGEST_TEXT or text[0] in NOT_FIRST or text[-1] in NOT_LAST:
            return False
        # Without `:` it is no URL with a password in it, without `=` there is no name before a value.
        if ":" in text or "=" in text or "%" in text or "$" in text or "~" in text:
            return False
        return self.unmarked(text)

    def unmarked(self, text: str) -> bool:
        """What is left to ask of a text that has the signs of a harmless one only (forms.VALUE)."""
        if ".." in text:
            return False
        # All other secrets have one of these in them (preview.is_plain), and so have options.
        if "_" in text or "-" in text or "A" in text or "B" in text or "J" in text:
            if (text[:3] in HEADS and text.startswith(PREFIXES)) or (may_hide(text) and not looks_open(text)):
                return False
            if text[0] == "-" or " -" in text:
                return False
        # As _nowhere() has it, without a call: this is asked of every value of a usual line.
        name = text
        if "/" in text:
            name = text[: text.index("/")]
            if "/." in text or (text[-1] in self._ends and text.lower().endswith(self._below)):
                return False
        name = name.lower()
        if self._first is None or name in self._first or not self._world.absent(name):
            return False
        return not (self._wild and ("*" in text or "?" in text or "[" in text))

    def _may_execute(self, call: Call) -> bool:
        """Could this tool with these arguments run a command line? Told by the names alone, and remembered."""
        key = (call.tool, *(call.args or ()))
        found = self._executes.get(key)
        if found is None:
            from mcpgov.core.roles import COMMANDS, RUNNERS, key_words

            if len(self._executes) >= MOST_REMEMBERED:
                self._executes.clear()
            found = not RUNNERS.isdisjoint(words(call.tool or "")) or any(
                not COMMANDS.isdisjoint(key_words(name)) for name in call.args or ()
            )
            self._executes[key] = found
        return found

    def _may_only_read(self, call: Call) -> bool:
        """By the names every argument is what a reading tool reads, and nothing hides in the values."""
        from mcpgov.core import roles

        args = call.args or {}
        for value in args.values():
            if isinstance(value, (dict, list)):
                return False
            if isinstance(value, str) and ("{" in value or ("-" in value and roles.has_options(value))):
                return False
        key = (call.tool, *args)
        found = self._reads.get(key)
        if found is None:
            if len(self._reads) >= MOST_REMEMBERED:
                self._reads.clear()
            named = all(roles.is_read(roles.Piece(roles.key_words(name), "")) for name in args)
            found = self._reads[key] = named and roles.plainly_reads("read", words(call.tool or ""))
        return found

    def touched(self, call: Call, reader: Reader) -> str:
        """The protected place the call would change, or nothing."""
        if not call.args or (self._may_only_read(call) and call.operation == "read"):
            return ""
        from mcpgov.core import roles

        found = roles.pieces(call.args)
        if found is None:
            return self._guarded.some
        return _Look(self, call, reader, found).touched()


class _Look:
    """One call looked at: what its texts are for, and where they lead."""

    __slots__ = ("all", "guarded", "protection", "reader", "runs", "tool", "touching")

    def __init__(self, protection: Protection, call: Call, reader: Reader, found: list[Piece]) -> None:
        from mcpgov.core import roles

        self.protection, self.guarded, self.reader = protection, protection._guarded, reader
        self.tool = words(call.tool or "")
        reads = call.operation == "read"
        self.runs = not reads and not roles.RUNNERS.isdisjoint(self.tool)
        placed = any(piece.is_any(roles.PLACES) for piece in found)
        shifts = not (roles.MOVES | roles.LINKS).isdisjoint(self.tool)
        self.all = [p for p in found if self.runs or shifts or not roles.is_content(p, placed)]
        plainly = roles.plainly_reads(call.operation, self.tool)
        for piece in self.all:
            piece.read = plainly and roles.is_read(piece)
        # Removing or moving a directory takes everything below along; a link gives it another name.
        self.touching = call.operation == "delete" or shifts

    def touched(self) -> str:
        looked = [piece for piece in self.all if not piece.read]
        if not looked or not (self.runs or any(self._leads(piece) for piece in looked)):
            return ""
        return self._named(looked) or self._commands(looked) or self._joined() or self._copied() or self._above(looked)

    def _leads(self, piece: Piece) -> bool:
        from mcpgov.core import roles

        return not self.protection.leads_nowhere(piece.text) or piece.is_any(roles.COMMANDS)

    def _named(self, looked: list[Piece]) -> str:
        """A text that is a place, or has one behind an option, or in a patch."""
        from mcpgov.core import roles

        first = self._program(looked)
        for piece in looked:
            text = piece.text
            if self.protection.leads_nowhere(text):
                continue
            prose = " " in text.strip() and not text.startswith(("/", "~", ".", "$")) and not piece.is_any(roles.PLACES)
            # A program started from a protected environment is no place: Commands looks at its words.
            started = piece is first and "/bin/" in text.partition(" ")[0]
            found = "" if started else self.guarded.holds(text, self.reader, prose=prose) or self.guarded.globbed(text)
            if found:
                return found
            if self.runs or piece.is_any(roles.COMMANDS):
                continue  # read word by word in _commands
            values = roles.option_values(text, WORDS_AT_MOST)
            if values is None:
                return self.guarded.some
            for value in (*values, *roles.patched(text)):
                found = self.guarded.holds(value, self.reader) or self.guarded.globbed(value)
                if found:
                    return found
        return ""

    def _commands(self, looked: list[Piece]) -> str:
        """What a shell or an interpreter would make of the texts that it gets."""
        from mcpgov.core import roles

        texts = [piece for piece in looked if self.runs or piece.is_any(roles.COMMANDS)]
        if not texts:
            return ""
        from mcpgov.core.commands import Commands

        elsewhere = [piece.text for piece in self.all if piece.last_in(roles.DIRECTORIES)]
        first = self._program(looked)
        look = Commands(self.guarded, self.reader, self.protection.leads_nowhere)
        return look.touched([piece.text for piece in texts], elsewhere, first.text if first else "")

    def _program(self, looked: list[Piece]) -> Piece | None:
        """The text that begins with the program to start; what follows it in a list are its arguments."""
        from mcpgov.core import roles

        return next((piece for piece in looked if piece.is_any(roles.COMMANDS)), None)

    def _joined(self) -> str:
        """A directory in one argument and a name in another, both read by the same tool as one place."""
        names = [piece for piece in self.all if piece.text and not piece.text.startswith(("/", "~/"))]
        if not names or (len(self.all) < 2):
            return ""
        bases = self._bases()
        if len(bases) * len(names) > PAIRS_AT_MOST:
            return self.guarded.some
        endings = self._endings()
        for base in bases:
            forms = [form for form in self.reader.paths(base.text) or () if form.startswith("/")]
            for name in names:
                if name is base or (base.read and name.read):
                    continue
                for text in (name.text, *(f"{name.text}.{ending}" for ending in endings)):
                    found = self._pair(base.text, forms, text)
                    if found:
                        return found
        return ""

    def _bases(self) -> list[Piece]:
        """Texts that may be a directory, and those of them that are named in two parts."""
        from mcpgov.core import roles

        out = [p for p in self.all if p.last_in(roles.DIRECTORIES) or p.text.startswith(("/", "~", "$", "..", "file:"))]
        if len(out) <= 8:
            lower = [p for p in out if not p.text.startswith(("/", "~"))]
            pairs = [(a, b) for a in out for b in lower if a is not b]
            out += [roles.Piece(a.names, f"{a.text}/{b.text}", read=a.read and b.read) for a, b in pairs]
        return out

    def _endings(self) -> list[str]:
        from mcpgov.core import roles

        found = [piece.text.lstrip(".") for piece in self.all if piece.last_in(roles.EXTENSIONS)]
        return [ending for ending in dict.fromkeys(found) if 0 < len(ending) <= 16]

    def _pair(self, base: str, forms: list[str], name: str) -> str:
        if not is_plain(name) and not (name[:1] == "." and is_plain(name[1:])):
            return self.guarded.holds(f"{base}/{name}", self.reader)
        for form in forms:
            path = form.rstrip("/") + "/" + name
            low = fold(path)
            if self.guarded.at(low) or low.endswith(self.guarded.suffixes):
                return path
        # By its text it leads nowhere; a link on the way may lead there.
        real = canonical(f"{forms[-1]}/{name}", self.guarded.world) if forms else ""
        return self.guarded.at(fold(real or "")) if forms else ""

    def _copied(self) -> str:
        """A copy ends up under its source's name below the destination; a tree of files under names nobody sees."""
        from mcpgov.core import roles

        if self.touching is False and roles.COPIES.isdisjoint(self.tool):
            return ""
        texts = [piece.text for piece in self.all if not piece.is_any(roles.SETTINGS)]
        names = dict.fromkeys(text.rstrip("/").rpartition("/")[2] for text in texts if "/" in text.rstrip("/"))
        into = [p.text for p in self.all if not p.is_any(roles.SETTINGS | roles.SOURCES)]
        if len(names) * len(into) > PAIRS_AT_MOST:
            return self.guarded.some
        for text in into:
            for name in names:
                found = self.guarded.holds(f"{text}/{name}", self.reader) if name else ""
                if found:
                    return found
        trees = not roles.TREES.isdisjoint(self.tool) or any(
            p.text.endswith(("/", "/.", "*")) or p.is_any(roles.TREES) for p in self.all
        )
        return self.guarded.over(texts, self.reader) if trees and not roles.COPIES.isdisjoint(self.tool) else ""

    def _above(self, looked: list[Piece]) -> str:
        from mcpgov.core import roles

        if not self.touching:
            return ""
        texts = [piece.text for piece in looked if not piece.is_any(roles.SETTINGS)]
        if not roles.LINKS.isdisjoint(self.tool):
            # A link's text is read from where the link stands.
            places = [text.rpartition("/")[0] for text in texts if "/" in text]
            texts += [f"{place}/{text}" for place in places[:16] for text in texts[:16] if not text.startswith("/")]
        return self.guarded.over(texts, self.reader)


def is_plain(text: str) -> bool:
    """Read by everybody as the same relative name: nothing to decode, expand, fold or take apart."""
    return (
        0 < len(text) <= LONGEST_PLAIN
        and text[0] not in NOT_FIRST
        and "%" not in text
        and "\\" not in text
        and "$" not in text
        and "~" not in text
        and ".." not in text
        and ":" not in text
        and "=" not in text
        and text.isascii()
        and text.isprintable()
        and text[-1] not in NOT_LAST
    )
