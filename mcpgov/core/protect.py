"""Built-in protection: no governed call writes, moves or deletes what governs it. Pure.

Law: it speaks before every rule. A read passes; what a shell does after `cd` is not seen, and we say so.
"""

from __future__ import annotations

from mcpgov.core.arguments import loose_texts, names_place
from mcpgov.core.calls import Call
from mcpgov.core.decoding import World, fold
from mcpgov.core.operations import words
from mcpgov.core.readings import Reader, canonical

# Where a command line may begin a new word.
BREAKS = "\"'`=;|&<>()[],:\n\t\r"
MOVES = frozenset(("move", "mv", "rename", "relocate", "replace", "swap"))
# Arguments that say where a tool works, not what it removes.
SETTING_WORDS = frozenset(("repo", "repository", "cwd", "root", "base", "working", "workspace", "project"))
WORDS_AT_MOST = 4096


class Protection:
    """The protected places, as written and as resolved when the policy was loaded."""

    __slots__ = ("_below", "_names", "_places")

    def __init__(self, paths: list[str], world: World) -> None:
        places = dict.fromkeys(paths)
        places.update(dict.fromkeys(canonical(path, world) or path for path in paths))
        self._names = {fold(path): path for path in places}
        self._places = tuple(self._names)
        self._below = tuple(path + "/" for path in self._places)

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


def _split(text: str) -> list[str]:
    """The words of a command line, quotes and operators as blanks."""
    for char in BREAKS:
        text = text.replace(char, " ")
    return text.split(None, WORDS_AT_MOST)[:WORDS_AT_MOST]
