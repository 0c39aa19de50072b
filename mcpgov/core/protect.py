"""Built-in protection: no governed call writes, moves or deletes what governs it. Pure.

Law: it speaks before every rule. A read passes; what a shell does after `cd` is not seen, and we say so.
"""

from __future__ import annotations

from mcpgov.core.arguments import loose_texts, names_place
from mcpgov.core.calls import Call
from mcpgov.core.decoding import World, fold
from mcpgov.core.readings import LONGEST_PATH, Reader, canonical, may_be_place
from mcpgov.core.words import words

# Where a command line may begin a new word.
BREAKS = "\"'`=;|&<>()[],:\n\t\r"
MOVES = frozenset(("move", "mv", "rename", "relocate", "replace", "swap"))
# Arguments that say where a tool works, not what it removes.
SETTING_WORDS = frozenset(("repo", "repository", "cwd", "root", "base", "working", "workspace", "project"))
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
                if not self.harmless(value):
                    return False
            elif isinstance(value, (dict, list)):
                return False
        return True

    def passes_by_name(self, call: Call) -> bool:
        """Nothing in the names speaks against it; the values are still to be looked at."""
        return self._first is not None and not self._may_execute(call)

    def harmless(self, text: str) -> bool:
        """Plain text whose first name leads to nothing of ours, because nothing of that name is there."""
        if not is_plain(text):
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
        operation = call.operation
        if operation == "read" or not call.args:
            return ""
        texts = loose_texts(list(call.args.values()))
        if texts is None:
            return self._names[self._places[0]]
        if operation == "execute":
            texts += [word for text in texts for word in _split(text)]
        for text in texts:
            found = self._holds(text, reader)
            if found:
                return found
        if operation == "delete" or not MOVES.isdisjoint(words(call.tool or "")):
            return self._ancestor(call.args, reader)
        return ""

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
            if low.startswith(self._below):
                return form
        return ""

    def _ancestor(self, args: dict[str, object], reader: Reader) -> str:
        """Removing or moving a directory takes everything below along."""
        for key, value in args.items():
            if not names_place(key) or not SETTING_WORDS.isdisjoint(words(key)):
                continue
            for text in loose_texts(value) or ():
                for form in reader.paths(text) or ():
                    low = fold(form).rstrip("/") + "/"
                    found = next((place for place in self._below if place.startswith(low)), None)
                    if found is not None and low.startswith("/"):
                        return self._names[found[:-1]]
        return ""


def is_plain(text: str) -> bool:
    """Read by everybody as the same relative name: nothing to decode, expand, fold or take apart."""
    return (
        0 < len(text) <= LONGEST_PLAIN
        and text[0] not in "/.[{\"'` "
        and "%" not in text
        and "\\" not in text
        and "$" not in text
        and "~" not in text
        and ".." not in text
        and ":" not in text
        and text.isascii()
        and text.isprintable()
        and text[-1] not in "\"'` "
    )


def _split(text: str) -> list[str]:
    """The words of a command line, quotes and operators as blanks."""
    for char in BREAKS:
        text = text.replace(char, " ")
    return text.split(None, WORDS_AT_MOST)[:WORDS_AT_MOST]
