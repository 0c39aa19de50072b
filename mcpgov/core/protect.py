"""Built-in protection: no governed call writes, moves or deletes what governs it. Pure.

Law: it speaks before every rule. A read passes; what a shell does after `cd` is not seen, and we say so.
"""

from __future__ import annotations

from mcpgov.core.arguments import loose_texts
from mcpgov.core.calls import Call
from mcpgov.core.decoding import World, expand_home, expand_variables, fold
from mcpgov.core.globs import Glob, literal_head
from mcpgov.core.preview import LONGEST_TEXT, looks_open
from mcpgov.core.readings import LONGEST_PATH, MANY, Reader, canonical, may_be_place
from mcpgov.core.words import words

# Where a command line may begin a new word.
BREAKS = "\"'`=;|&<>(),:\n\t\r"
MOVES = frozenset(("move", "mv", "rename", "relocate", "replace", "swap"))
# Arguments of a reading tool that name what it writes.
OUTPUTS = frozenset(("filename", "output", "out", "outfile", "save", "dest", "destination", "download", "export"))
# Arguments that say where a tool works, not what it removes.
SETTING_WORDS = frozenset(("repo", "repository", "cwd", "working", "workspace", "project"))
# Words of a command line that can take a directory away with everything in it.
REMOVERS = frozenset(("rm", "mv", "rmdir", "unlink", "shred", "find", "rsync", "chmod", "chown", "tar", "ln", "trash"))
PROJECT_POLICY = "/.mcpgov.toml"
NOT_FIRST, NOT_LAST = "/.[{\"'` ", "\"'` "
WORDS_AT_MOST = 4096
LONGEST_PLAIN = 4096
MOST_REMEMBERED = 512


class Protection:
    """The protected places, as written and as resolved when the policy was loaded."""

    __slots__ = ("_below", "_executes", "_first", "_names", "_places", "_world")

    def __init__(self, paths: list[str], world: World) -> None:
        places = dict.fromkeys(paths)
        places.update(dict.fromkeys(canonical(path, world) or path for path in paths))
        self._names = {fold(path): path for path in places}
        self._places = tuple(self._names)
        self._below = tuple(path + "/" for path in self._places)
        self._world = world
        self._executes: dict[tuple[str | None, ...], bool] = {}
        # The first names below the server's directories that lead to a protected place; None: all of them do.
        self._first: set[str] | None = set()
        for base in world.bases:
            here = fold(base.rstrip("/") + "/")
            if any(here.startswith(path) for path in self._below):
                self._first = None
                break
            self._first |= {p[len(here) :].partition("/")[0] for p in self._places if p.startswith(here)}

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
        if not is_plain(text):
            return False
        name = text.partition("/")[0].lower()
        return self._first is not None and name not in self._first and self._world.absent(name)

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
        if not looks_open(text):
            return False
        name = text.partition("/")[0].lower()
        return self._first is not None and name not in self._first and self._world.absent(name)

    def _may_execute(self, call: Call) -> bool:
        """Could this tool with these arguments run a command line? Told by the names alone, and remembered."""
        key = (call.tool, *(call.args or ()))
        found = self._executes.get(key)
        if found is None:
            from mcpgov.core.operations import classify, raised

            if len(self._executes) >= MOST_REMEMBERED:
                self._executes.clear()
            names = list(call.args or ())
            named = classify(call.tool or "", names)[0]
            found = named == "execute" or raised("read", dict.fromkeys(names, "x y"))[0] == "execute"
            self._executes[key] = found
        return found

    def touched(self, call: Call, reader: Reader) -> str:
        """The protected place the call would change, or nothing."""
        operation, args = call.operation, call.args or {}
        if operation == "read":
            # A picture or a download is a look at the world, but its file is written.
            args = {name: value for name, value in args.items() if not OUTPUTS.isdisjoint(words(name))}
        if not args:
            return ""
        texts = loose_texts(list(args.values()))
        if texts is None:
            return self._names[self._places[0]]
        commands: list[str] = []
        if operation == "execute":
            for text in texts:
                commands += _split(text)
                if len(commands) > WORDS_AT_MOST:
                    return self._names[self._places[0]]
        for text in (*self._suspects(texts, reader), *commands):
            found = self._holds(text, reader) or self._globbed(text, reader)
            if found:
                return found
        if not REMOVERS.isdisjoint(commands):
            return self._above(commands, reader)
        if operation == "delete" or not MOVES.isdisjoint(words(call.tool or "")):
            return self._ancestor(args, reader)
        return ""

    def _suspects(self, texts: list[str], reader: Reader) -> list[str]:
        """Of many texts those that may lead to a protected place."""
        if len(texts) <= MANY or self._first is None:
            return texts
        from mcpgov.core.screen import suspects

        return suspects(texts, reader, self._first, PROJECT_POLICY)

    def _holds(self, text: str, reader: Reader) -> str:
        if len(text) > LONGEST_PATH and not may_be_place(text):
            return ""
        forms = reader.paths(text)
        if forms is None:
            return self._names[self._places[0]]
        for form in forms:
            low = fold(form)
            if low in self._names:
                return self._names[low]
            if low.startswith(self._below) or low.endswith(PROJECT_POLICY):
                return form
        return ""

    def _globbed(self, word: str, reader: Reader) -> str:
        """A word that a shell would expand to a protected place."""
        if len(word) > LONGEST_PLAIN or not ("*" in word or "?" in word or "[" in word):
            return ""
        expanded = expand_variables(word, self._world)
        pattern = _one_of(fold(expand_home(expanded, self._world) if expanded.startswith("~") else expanded))
        above = pattern.rpartition("/")[0]
        head = literal_head(above)
        if head and not any(place.startswith(head) for place in self._places):
            return ""
        reader.spend(8 * len(self._places))
        # What expands to the contents of a directory is as good as the directory.
        itself, contents = Glob(pattern), Glob(above)
        for place in self._places:
            if contents.matches(place) or any(itself.matches(step) for step in _lineage(place)):
                return self._names[place]
        return ""

    def _ancestor(self, args: dict[str, object], reader: Reader) -> str:
        """Removing or moving a directory takes everything below along."""
        for key, value in args.items():
            if SETTING_WORDS.isdisjoint(words(key)):
                found = self._above(loose_texts(value) or [], reader)
                if found:
                    return found
        return ""

    def _above(self, texts: list[str], reader: Reader) -> str:
        for text in self._suspects(texts, reader):
            for form in reader.paths(text) or ():
                low = fold(form).rstrip("/") + "/"
                found = next((place for place in self._below if place.startswith(low)), None)
                if found is not None and low.startswith("/"):
                    return self._names[found[:-1]]
        return ""


def _one_of(pattern: str) -> str:
    """`[abc]` as `?`: any letter will do."""
    pieces = pattern.split("[")
    return pieces[0] + "".join("?" + piece.partition("]")[2] if "]" in piece else "[" + piece for piece in pieces[1:])


def _lineage(place: str) -> list[str]:
    """The place and the directories it lies in, but for the root."""
    parts = place.split("/")
    return ["/".join(parts[:size]) for size in range(2, len(parts) + 1)]


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
        and text.isascii()
        and text.isprintable()
        and text[-1] not in NOT_LAST
    )


def _split(text: str) -> list[str]:
    """The words of a command line: quotes as blanks, quotes taken out, and what stands behind an option's letter."""
    out: dict[str, None] = {}
    for joined in (text, text.replace('"', "").replace("'", "")):
        for char in BREAKS:
            joined = joined.replace(char, " ")
        for word in joined.split(None, WORDS_AT_MOST + 1):
            out[word] = None
            if word.startswith("-"):
                starts = [at for at in (word.find("/"), word.find("~")) if at > 0]
                if starts:
                    out[word[min(starts) :]] = None
    return list(out)
