"""What a command line does to the protected places, as far as its text can tell. Pure.

Law: a command that names a protected place in any form we can decode is denied, even if it only reads it: what a
program does with its arguments is not known. A command that is too long to be read is denied as well.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set
from mcpgov.core.protection.encoded_texts import decoded_views
from mcpgov.core.protection.operands import Operands, last_name
from mcpgov.core.protection.protected_places import WILD, ProtectedPlaces
from mcpgov.core.protection.shell_expansion import UNKNOWN
from mcpgov.core.protection.shell_words import LONGEST, WORDS_AT_MOST, Shell, TooMuch
from mcpgov.core.rules.globs import Glob
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.spellings import expand_home, fold, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Characters behind which a new word may begin.
BREAKS = "\"'`=;|&<>(),:\n\t\r[]@{}"
# Words that can remove or move a directory with everything in it, or give it another name.
REMOVERS = word_set("""
    rm mv rmdir unlink shred rsync chmod chown chgrp chattr setfacl ln link trash mount rmtree rename renames replace
    symlink symlinksync rimraf rmsync renamesync unlinksync rm_rf move symlink_to hardlink_to moveto moveitem
    remove-item move-item rename-item gio --remove-files truncate restorecon copytree unpack_archive extractall cpsync
    cp_r bindfs bwrap proot sshfs
""")
# These only with one of the options.
ONLY_WITH = {
    "find": ("-delete", "-exec", "-execdir", "-ok", "-fprint"),
    "tar": ("x", "--extract", "--get"),
    "cp": ("-l", "-s", "-al", "-as", "-rl", "-rs", "--link", "--symbolic-link", "-la", "-sa"),
    "unzip": ("unzip",),
    "bsdtar": ("bsdtar",),
    "7z": ("x", "e"),
    "7za": ("x", "e"),
    "patch": ("patch",),
    "cpio": ("cpio",),
    "xargs": ("-i", "-pi"),
    "git": ("clean", "apply", "checkout", "reset", "restore", "am"),
    "docker": ("-v", "--volume", "--mount"),
    "podman": ("-v", "--volume", "--mount"),
    "nerdctl": ("-v", "--volume", "--mount"),
    "walk": ("remove", "unlink", "open"),
}
# Copies in a program's text, and programs that save what they load under its own name.
COPIERS = word_set("copy copy2 copyfile copyfilesync copysync copyto cp_r curl wget aria2c download urlretrieve")
CHDIR_WORDS = ("cd", "pushd", "chdir", "-c", "--chdir", "--directory", "--work-tree", "--git-dir", "--prefix")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
HOME_WORDS = ("home", "~", "userprofile", "expanduser", "pw_dir")
MOST_BASES = 64


class Commands:
    """The texts of one call that a shell or an interpreter would read."""

    __slots__ = (
        "_bases", "_commands", "_goes_anywhere", "_leads_nowhere", "_places", "_programs", "_reader", "_relative",
        "_words",
    )  # fmt: skip

    def __init__(self, guarded: ProtectedPlaces, reader: Reader, nowhere: Callable[[str], bool]) -> None:
        """`nowhere`: a plain word that surely names no file (Protection.leads_nowhere)."""
        self._places, self._reader, self._leads_nowhere = guarded, reader, nowhere
        self._words: dict[str, None] = {}
        self._programs: set[str] = set()
        self._bases: dict[str, None] = {}  # directories above a protected place that the text names, folded
        self._relative: list[str] = []
        self._commands: list[list[str]] = []
        self._goes_anywhere = False  # the text changes to a directory that is not known

    def touched(self, texts: list[str], elsewhere: list[str], first: str) -> str:
        """The place that texts may change. `elsewhere`: directories in other arguments; `first`: the program's text."""
        try:
            for text in texts:
                self._read(text, text is first)
        except TooMuch:
            return self._places.any_place
        if len(self._words) > WORDS_AT_MOST:
            return self._places.any_place
        file_words = [word for word in self._words if not self._leads_nowhere(word)]
        for word in file_words:
            place = self._named(word)
            if place:
                return place
        self._find_bases(texts, [*file_words, *elsewhere])
        operands = Operands(self._commands, "\n".join(texts))
        return self._below() or self._copied(operands) or self._removed(file_words, operands)

    def _read(self, text: str, starts: bool) -> None:
        if len(text) > LONGEST:
            raise TooMuch
        shell = Shell(self._reader.world.env)
        shell.read(text)
        self._words |= shell.words
        self._words |= dict.fromkeys(word for command in shell.commands for word in _handed_in(command))
        self._commands += shell.commands
        self._words |= dict.fromkeys(split(text))
        self._words |= dict.fromkeys(split(text.replace('"', "").replace("'", "")))
        # Starting a program from a protected directory changes nothing there.
        if starts and "<<" not in text:
            self._programs |= {word for word in shell.programs if "/bin/" in word and text.count(word) == 1}
        for view in decoded_views(text):
            self._words |= dict.fromkeys(split(view))
            decoded = Shell(self._reader.world.env)
            decoded.read(view)
            self._words |= decoded.words
            self._commands += decoded.commands

    def _named(self, word: str) -> str:
        if word in self._programs:
            return ""
        if UNKNOWN in word:
            return self._by_pattern(word)
        return self._places.place_in(word, self._reader) or self._places.place_by_glob(word)

    def _by_pattern(self, word: str) -> str:
        """The place that a partly unknown word may be: its known end must be the end of a place."""
        known_end = fold(word.rpartition(UNKNOWN)[2]).lstrip("/")
        if known_end and (word.rpartition(UNKNOWN)[2].startswith("/") or word.startswith(UNKNOWN)):
            places = self._places.places_by_tail(known_end)
            if places:
                return self._places.names[places[0]]
            if ("/" + known_end).endswith(self._places.project_files):
                return known_end
        if word[0] == "~":
            word = expand_home(word, self._reader.world)
        if len(word.replace(UNKNOWN, "")) < 8:
            return ""
        if word.endswith(UNKNOWN):
            return self._by_beginning(fold(word.rstrip(UNKNOWN)))
        pattern = Glob(fold(word.replace(UNKNOWN, "**")))
        hidden = f"/{UNKNOWN}" in word
        for low, place in self._places.names.items():
            # As in a shell's own patterns, what is not known is no hidden name, unless the text speaks of it.
            if pattern.matches(low) and (not hidden or "/." not in low or self._mentions(last_name(low))):
                return place
        return ""

    def _by_beginning(self, begin: str) -> str:
        """The place whose beginning is known, if the text has its end as well: `~/.cl$(x)`, `aude.json`."""
        if UNKNOWN in begin:
            return ""  # `/home/?/.claude.?` could be many files
        for low, place in self._places.names.items():
            rest = low[len(begin) :]
            if low.startswith(begin) and len(rest) > 2 and any(rest in fold(word) for word in self._words):
                return place
        return ""

    def _mentions(self, name: str) -> bool:
        """Does some word have a file's name, without its ending?"""
        core = name.strip(".").partition(".")[0]
        return any(core in fold(word) for word in self._words)

    def _find_bases(self, texts: list[str], places: list[str]) -> None:
        for word in places:
            if UNKNOWN not in word and len(word) <= LONGEST:
                for form in self._reader.paths(word) or ():
                    self._add_base(fold(form).rstrip("/") or form[:1])
        low = "\n".join(texts).lower()
        goes = [word for word in split(low) if word.rpartition(".")[2] in CHDIR_WORDS or word in CHDIR_WORDS]
        if any(sign in low for sign in HOME_WORDS) or "cd" in goes or self._starts_login():
            self._add_base(fold(self._reader.world.home))
        self._goes_anywhere = bool(goes) and any(UNKNOWN in word or word == "-" for word in self._words)
        # `cd ~; cd .config`: each step may start where another one ended.
        self._relative = self._find_relative()
        for _ in range(3):
            for base in list(self._bases):
                for word in self._relative:
                    self._add_base(normal(f"{base}/{word}"))

    def _add_base(self, low: str) -> None:
        if (low in self._places.above or low.endswith(self._places.parents)) and len(self._bases) < MOST_BASES:
            self._bases[low] = None

    def _starts_login(self) -> bool:
        """A login starts at home."""
        words = self._words
        return (
            "su" in words
            or ("sudo" in words and "-i" in words)
            or ("ssh" in words and any(s in words for s in LOCAL_HOSTS))
        )

    def _find_relative(self) -> list[str]:
        """The words, folded, whose first name occurs in a protected place; no other can lead to one by its text."""
        # `home + "/.claude.json"`: an absolute word may be the rest of one that begins elsewhere.
        words = (fold(word).lstrip("/") for word in self._words if word[:1] != "~" and UNKNOWN not in word)
        return [low for low in words if low.removeprefix("./").partition("/")[0] in self._places.parts]

    def _below(self) -> str:
        """A directory in one word and what lies below it in another."""
        for low in self._relative:
            for base in self._bases:
                path = normal(f"{base}/{low}")
                protected = self._places.place_at(path)
                if protected or path.endswith(self._places.project_files):
                    return protected or path
            name = low.removeprefix("./")
            for place in self._places.places_by_tail(name):
                if self._goes_anywhere or any(place.startswith(base.rstrip("/") + "/") for base in self._bases):
                    return self._places.names[place]
        return ""

    def _copied(self, operands: Operands) -> str:
        """A protected place that a copy overwrites: a copy has its source's name; a hidden name may be any."""
        for copy in operands.copies:
            forms = [fold(form) for form in self._reader.paths(copy.target) or ()] if copy.target else []
            forms += [normal(f"{base}/{fold(copy.target)}") for base in self._bases if copy.target[:1] not in "/~"]
            for form in forms:
                if copy.hides_names and form in self._places.above:
                    return self._places.above[form]
                place = self._place_of_copy(form, copy.sources)
                if place:
                    return place
        low = {part for word in self._words for part in word.lower().split(".")}
        if COPIERS.isdisjoint(low):
            return ""
        return next(
            (place for place in (self._place_of_copy(base, list(self._words)) for base in self._bases) if place), ""
        )

    def _place_of_copy(self, base: str, words: list[str]) -> str:
        names = dict.fromkeys(fold(last_name(word)) for word in words if UNKNOWN not in word)
        paths = [normal(f"{base}/{name}") for name in names if name in self._places.parts and name.strip(".")]
        return next(
            (place for path in paths if (place := self._places.place_at(path) or self._places.above.get(path))), ""
        )

    def _removed(self, file_words: list[str], operands: Operands) -> str:
        """A protected place below a directory that the command may remove or move."""
        low = {part for word in self._words for part in word.lower().split("/")}
        low |= {part for word in low for part in word.split(".")[1:]}
        wide = any(
            name in low and any(option in low or (option == "x" and _extracts(low)) for option in options)
            for name, options in ONLY_WITH.items()
        )
        if not wide and REMOVERS.isdisjoint(low):
            return ""
        known = [word for word in file_words if UNKNOWN not in word]
        # Where the names that a program gets are not in the text, every directory counts.
        if (
            wide
            or operands.hides_names
            or any(UNKNOWN in word for word in operands.affected)
            or any("pwd" in w for w in low)
        ):
            return self._places.place_below(known, self._reader)
        untouched = operands.visited | {copy.target for copy in operands.copies}
        removable = [word for word in known if word in operands.affected or not self._is_untouched(word, untouched)]
        shifted = [word for word in operands.moved if UNKNOWN not in word]
        return (
            self._places.place_below(removable, self._reader)
            or self._places.place_below(shifted, self._reader, roots=True)
            or self._removed_below(operands)
        )

    def _is_untouched(self, word: str, untouched: set[str]) -> bool:
        """Is it only entered, listed or copied into, in any spelling?"""
        if word in untouched:
            return True
        forms = {form for form in self._reader.paths(word) or () if fold(form).rstrip("/") in self._places.above}
        return any(
            forms and forms <= set(self._reader.paths(other) or ()) for other in untouched if UNKNOWN not in other
        )

    def _removed_below(self, operands: Operands) -> str:
        """A place removed by a name relative to a directory that the text changes to, or as `.` in it."""
        plain_words = [word for word in operands.visited if UNKNOWN not in word]
        entered = {fold(form) for word in plain_words for form in self._reader.paths(word) or ()}
        entered |= {normal(f"{base}/{fold(word)}") for base in self._bases for word in operands.visited}
        for base in self._bases:
            for word in operands.affected:
                path = normal(f"{base}/{fold(word)}") if word and word[0] not in "/~" else ""
                place = self._places.above.get(path, "") if path != base or base in entered else ""
                if not place and path and any(sign in word for sign in WILD):
                    place = self._places.place_by_glob(path)
                if place:
                    return place
        return ""


def _handed_in(command: list[str]) -> list[str]:
    """The words of `xargs -I% rm ~/%` with what it fills in as UNKNOWN."""
    if "xargs" not in command and "parallel" not in command:
        return []
    marks = {"{}", *(word[2:] for word in command if word[:2] == "-I")}
    marks |= {command[at + 1] for at, word in enumerate(command[:-1]) if word in ("-I", "-J", "--replace")}
    found = [(word, mark) for word in command for mark in marks if mark and mark in word and word[0] != "-"]
    return [word.replace(mark, UNKNOWN) for word, mark in found]


def _extracts(words: set[str]) -> bool:
    """`tar xf`, `tar -zxf`: the letters of its first word."""
    return any("x" in word and word.lstrip("-").isalpha() and len(word) <= 6 and "f" in word for word in words)


def split(text: str) -> list[str]:
    """The words of a command line in any language: quotes count as blanks; also the text behind an option's letter."""
    out: dict[str, None] = {}
    joined = text.translate(dict.fromkeys(map(ord, BREAKS), " "))
    for word in joined.split():
        out[word] = None
        if word.startswith("-"):
            starts = [at for at in (word.find("/"), word.find("~"), word.find(".")) if at > 0]
            if starts:
                out[word[min(starts) :]] = None
    return list(out)
