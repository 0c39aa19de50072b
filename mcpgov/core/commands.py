"""What a command line does to the protected places, as far as its text can tell. Pure.

Law: a command that names a protected place in any form we can decode is stopped, be it only to read it: which of the
two a program does with its arguments cannot be told. A command too long to be read is stopped as well.
"""

from __future__ import annotations

from mcpgov.core.decoding import fold, normal
from mcpgov.core.encoded import views
from mcpgov.core.globs import Glob
from mcpgov.core.guarded import Guarded
from mcpgov.core.readings import Reader
from mcpgov.core.shell_words import LONGEST, UNKNOWN, WORDS_AT_MOST, Shell, TooMuch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Where a command line may begin a new word.
BREAKS = "\"'`=;|&<>(),:\n\t\r[]@{}"
# Words that can take a directory away with everything in it, or give it another name.
_REMOVERS = """
    rm mv rmdir unlink shred rsync chmod chown chgrp chattr setfacl ln link trash mount rmtree rename renames replace
    symlink symlinksync rimraf rmsync renamesync unlinksync rm_rf move symlink_to hardlink_to moveto moveitem
    remove-item move-item rename-item gio --remove-files truncate restorecon
"""
REMOVERS = frozenset(_REMOVERS.split())
# These only with an option that says so.
ONLY_WITH = {
    "find": ("-delete", "-exec", "-execdir", "-ok", "-fprint"),
    "tar": ("x", "--extract", "--get"),
    "cp": ("-l", "-s", "-al", "-as", "-rl", "-rs", "--link", "--symbolic-link", "-la", "-sa"),
    "unzip": ("-d", "-o"),
    "git": ("clean",),
}
GOING = ("cd", "pushd", "chdir", "-c", "--chdir", "--directory", "--work-tree", "--git-dir", "--prefix")
HOMES = ("home", "~", "userprofile", "expanduser")
MOST_BASES = 64


class Commands:
    """The texts of one call that a shell or an interpreter would read."""

    __slots__ = ("_bases", "_guarded", "_nowhere", "_programs", "_reader", "_relative", "_unknown", "_words")

    def __init__(self, guarded: Guarded, reader: Reader, nowhere: Callable[[str], bool]) -> None:
        """`nowhere`: a plain word that surely names no file (Protection.leads_nowhere)."""
        self._guarded, self._reader, self._nowhere = guarded, reader, nowhere
        self._words: dict[str, None] = {}
        self._programs: set[str] = set()
        self._bases: dict[str, None] = {}  # folded directories that lie above a place and are named
        self._relative: list[str] = []
        self._unknown = False  # the text goes to a directory that nobody can tell

    def touched(self, texts: list[str], elsewhere: list[str], first: str) -> str:
        """`elsewhere`: directories that other arguments name; `first`: the text that starts a program."""
        try:
            for text in texts:
                self._read(text, text is first)
        except TooMuch:
            return self._guarded.some
        if len(self._words) > WORDS_AT_MOST:
            return self._guarded.some
        led = [word for word in self._words if not self._nowhere(word)]
        for word in led:
            found = self._named(word)
            if found:
                return found
        self._find_bases(texts, [*led, *elsewhere])
        return self._below() or self._removed(led)

    def _read(self, text: str, starts: bool) -> None:
        if len(text) > LONGEST:
            raise TooMuch
        shell = Shell(self._reader.world.env)
        shell.read(text)
        self._words |= shell.words
        self._words |= dict.fromkeys(split(text))
        self._words |= dict.fromkeys(split(text.replace('"', "").replace("'", "")))
        # A program may be started from a protected environment: that changes nothing there.
        if starts and "<<" not in text:
            self._programs |= {word for word in shell.programs if "/bin/" in word and text.count(word) == 1}
        for view in views(text):
            self._words |= dict.fromkeys(split(view))
            again = Shell(self._reader.world.env)
            again.read(view)
            self._words |= again.words

    def _named(self, word: str) -> str:
        if word in self._programs:
            return ""
        if UNKNOWN in word:
            return self._by_pattern(word)
        return self._guarded.holds(word, self._reader) or self._guarded.globbed(word)

    def _by_pattern(self, word: str) -> str:
        """A word of which a part is unknown: told by its known end, where that is an end of a place."""
        known = fold(word.rpartition(UNKNOWN)[2]).lstrip("/")
        if known and (word.rpartition(UNKNOWN)[2].startswith("/") or word.startswith(UNKNOWN)):
            found = self._guarded.by_tail(known)
            if found:
                return self._guarded.names[found[0]]
            if ("/" + known).endswith(self._guarded.suffixes):
                return known
        literal = word.replace(UNKNOWN, "")
        if len(literal) < 8:
            return ""
        pattern = Glob(fold(word.replace(UNKNOWN, "**")))
        # Enough of it is known, and at its end: `/home/?/.claude.?` could still be many files.
        found_at = next((low for low in self._guarded.names if pattern.matches(low)), "")
        return self._guarded.names[found_at] if found_at and not word.endswith(UNKNOWN) else ""

    def _find_bases(self, texts: list[str], places: list[str]) -> None:
        for word in places:
            if UNKNOWN not in word and len(word) <= LONGEST:
                for form in self._reader.paths(word) or ():
                    self._base(fold(form).rstrip("/") or form[:1])
        low = "\n".join(texts).lower()
        goes = [word for word in split(low) if word.rpartition(".")[2] in GOING or word in GOING]
        if any(sign in low for sign in HOMES) or "cd" in goes:
            self._base(fold(self._reader.world.home))
        self._unknown = bool(goes) and any(UNKNOWN in word or word == "-" for word in self._words)
        # `cd ~; cd .config`: each step may start where another one ended.
        self._relative = self._find_relative()
        for _ in range(3):
            for base in list(self._bases):
                for word in self._relative:
                    self._base(normal(f"{base}/{word}"))

    def _base(self, low: str) -> None:
        if low in self._guarded.above and len(self._bases) < MOST_BASES:
            self._bases[low] = None

    def _find_relative(self) -> list[str]:
        """The words, folded, whose first name is a part of some place: no other can lead there by its text."""
        # `home + "/.claude.json"`: an absolute word may be the rest of one that begins elsewhere.
        found = (fold(word).lstrip("/") for word in self._words if word[:1] != "~" and UNKNOWN not in word)
        return [low for low in found if low.removeprefix("./").partition("/")[0] in self._guarded.parts]

    def _below(self) -> str:
        """A directory in one word and what lies below it in another."""
        for low in self._relative:
            for base in self._bases:
                found = self._guarded.at(normal(f"{base}/{low}"))
                if found:
                    return found
            name = low.removeprefix("./")
            for place in self._guarded.by_tail(name):
                if self._unknown or any(place.startswith(base.rstrip("/") + "/") for base in self._bases):
                    return self._guarded.names[place]
        return ""

    def _removed(self, led: list[str]) -> str:
        """A directory above a place is named, and a word that can take it away."""
        low = {word.lower().rpartition("/")[2] for word in self._words}
        low |= {part for word in low for part in word.split(".")[1:]}
        removes = not REMOVERS.isdisjoint(low) or any(
            name in low and any(option in low or (option == "x" and _extracts(low)) for option in options)
            for name, options in ONLY_WITH.items()
        )
        return self._guarded.over([word for word in led if UNKNOWN not in word], self._reader) if removes else ""


def _extracts(words: set[str]) -> bool:
    """`tar xf`, `tar -zxf`: the letters of its first word."""
    return any("x" in word and word.lstrip("-").isalpha() and len(word) <= 6 and "f" in word for word in words)


def split(text: str) -> list[str]:
    """The words of a command line in any language: quotes as blanks, and what stands behind an option's letter."""
    out: dict[str, None] = {}
    joined = text.translate(dict.fromkeys(map(ord, BREAKS), " "))
    for word in joined.split():
        out[word] = None
        if word.startswith("-"):
            starts = [at for at in (word.find("/"), word.find("~"), word.find(".")) if at > 0]
            if starts:
                out[word[min(starts) :]] = None
    return list(out)
