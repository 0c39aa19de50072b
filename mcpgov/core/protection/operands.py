"""What the simple commands of a shell text do with their operands: enter, list, copy into, or anything else. Pure.

Law: operands count as changed unless the program is known to leave them alone.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set

# A program's name follows these.
PREFIX_PROGRAMS = (
    "sudo",
    "env",
    "exec",
    "nohup",
    "time",
    "nice",
    "command",
    "then",
    "do",
    "else",
    "if",
    "while",
    "!",
    "{",
)
# Programs that do not change their operands.
HARMLESS = word_set("cd pushd popd ls echo stat du df pwd test [ tree")
COPY_PROGRAMS = word_set("cp mv install scp gcp gmv ditto copy-item move-item")
REMOVE_PROGRAMS = ("rm", "rmdir", "ln", "mount", "remove-item")
REMOTE_COPY_PROGRAMS = ("docker", "podman", "nerdctl", "kubectl", "lxc", "aws", "gsutil", "rclone")
# Words that pass names of files to a program which are not in the text.
NAME_PASSING = word_set("xargs parallel eval source while read")
REPEAT_SIGNS = ("(", "{", "for ", "while ", "until ", "trap ")


class Copy:
    """One command that copies or moves: sources, target, and whether names of copied files are not in the text."""

    __slots__ = ("hides_names", "sources", "target")

    def __init__(self, sources: list[str], target: str, unseen: bool) -> None:
        self.sources, self.target, self.hides_names = sources, target, unseen


class Operands:
    """The operands of all simple commands of one text, by what happens to them."""

    __slots__ = ("affected", "copies", "hides_names", "moved", "programs", "visited")

    def __init__(self, commands: list[list[str]], text: str) -> None:
        self.visited: set[str] = set()  # directories entered, files listed
        self.affected: set[str] = set()  # anything may happen to these
        self.moved: set[str] = set()  # of these: removed, moved or linked to
        self.copies: list[Copy] = []
        self.programs: set[str] = set()
        self.hides_names = False
        sorted_out = [(name, rest) for name, rest in map(_program, commands) if name]
        if not any(sign in text for sign in REPEAT_SIGNS):
            # A `cd` after all other commands changes nothing any more.
            while sorted_out and sorted_out[-1][0] in HARMLESS:
                self.visited |= set(sorted_out.pop()[1])
        for name, rest in sorted_out:
            self._sort(name, rest)
        self.hides_names = not NAME_PASSING.isdisjoint(self.programs)

    def _sort(self, name: str, rest: list[str]) -> None:
        self.programs.add(name)
        if name in HARMLESS:
            self.visited |= set(rest)
        elif name in COPY_PROGRAMS:
            self._copy(name, rest)
        elif name in REMOTE_COPY_PROGRAMS and rest[:1] == ["cp"]:
            self._copy("cp", rest[1:])
        else:
            self.affected |= {name, *rest}
            if name in REMOVE_PROGRAMS:
                self.moved |= set(rest[:-1] if name == "ln" and len(rest) > 1 else rest)

    def _copy(self, name: str, rest: list[str]) -> None:
        options = [word for word in rest if word.startswith("-")]
        names = [word for word in rest if not word.startswith("-")]
        target = next((word.partition("=")[2] for word in options if word.startswith("--target")), "")
        behind = [at for at, word in enumerate(rest[:-1]) if word == "-t"]
        if behind:
            target = rest[behind[-1] + 1]
            names.remove(target)
        if not target and len(names) > 1:
            target = names.pop()
        unseen = any("T" in word for word in options if word[:2] != "--") or "--no-target-directory" in options
        unseen = unseen or any(word.endswith(("/", "/.", "*")) for word in names)
        self.copies.append(Copy(names, target, unseen))
        if name in ("mv", "gmv", "move-item"):
            self.affected |= set(names)
            self.moved |= set(names)


def _program(words: list[str]) -> tuple[str, list[str]]:
    """The name of the program that a simple command starts, and what follows it."""
    for at, word in enumerate(words):
        if word not in PREFIX_PROGRAMS and "=" not in word and not (at and word.startswith("-")):
            return word.rpartition("/")[2].lower(), words[at + 1 :]
    return "", []


def last_name(word: str) -> str:
    """The name under which a copy of a file, a URL or `host:file` arrives."""
    plain = word.partition("?")[0].partition("#")[0] if "://" in word else word
    return plain.rstrip("/").rpartition("/")[2].rpartition(":")[2]
