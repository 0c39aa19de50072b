"""The role of each text of a call: the file that is read, content, a directory, a name, a command line. Pure.

Law: the names of tool and arguments decide; a text under a name that says nothing is a path that may be written.
"""

from __future__ import annotations

from mcpgov.core.json.values import Tangled, opened_json
from mcpgov.core.operations.words import word_set, words
from mcpgov.core.rules.ambiguity import LONGEST_PATH

LONGEST_KEY = 256
MOST_VALUES = 1 << 22  # characters: values of one text taken together
TEXT_HOLDERS = (str, list, dict)  # types that may hold a text
QUOTES = "\"'`"


# Verbs that only read what their argument names, and words by which such a tool writes a file after all.
READERS = word_set("""
    read get list view show cat stat head tail search find grep glob tree info fetch describe exists check count diff
    query ls walk browse lookup inspect open preview scan compare hash status log blame summarize explain
""")
MAKERS = word_set("""
    screenshot capture dump export save download record snapshot backup archive print render trace profile pdf
    generate convert copy clone write edit create take har heap coverage sync link symlink extract
""")
# Last words of arguments that name what a reading tool reads or searches for.
SUBJECTS = word_set("""
    path paths file files filepath filepaths filename filenames uri uris url urls dir dirs directory directories
    folder folders root roots location locations source sources src name names cwd workdir repo repository project
    workspace base input inputs document documents resource resources target targets item items
    query queries q pattern patterns glob globs regex filter filters text keyword keywords include exclude ignore
""")
OUTPUTS = word_set("""
    output out outfile outpath outdir save saved saving dest destination download export into log logfile report trace
    write store result results cache backup dump copy
""")
# Arguments that hold content, if another argument names the file.
CONTENT = word_set("""
    content contents text body message description comment prompt instructions summary title subject string str
    replacement snippet question answer note notes thought reason explanation code markdown html css json yaml xml svg
    template new old repl replace
""")
# Of these, text for people, which no tool takes for the name of a file.
PROSE = word_set("body message description comment question thought reason explanation summary")
PLACES = word_set("""
    path paths file files filepath filename dir directory folder uri url location source src destination dest target
    root cwd workdir repo
""")
# Arguments that name where a tool works, not what it removes or moves.
SETTINGS = word_set("repo repository cwd workdir working workspace project")
DIRECTORIES = SETTINGS | word_set("""
    path dir directory folder location destination dest target root base home prefix parent folders dirs directories
    output to into in at
""")
SOURCES = word_set("source sources src from files old oldpath")
LINKED = word_set("target to original")
EXTENSIONS = word_set("ext extension suffix format type")
# Tools that pass their texts to a shell or an interpreter.
RUNNERS = word_set("""
    run exec execute shell bash sh zsh fish terminal tty console command cmd powershell pwsh python node eval evaluate
    script process ssh repl spawn invoke sandbox kernel notebook cell keys input interact stdin tmux applescript
    osascript jxa
""")
COMMANDS = word_set("""
    command commands cmd cmdline commandline argv script shell bash powershell python javascript applescript hook hooks
    recipe entrypoint exec chars keystrokes
""")
# Tools named after the program that they start, and the arguments that hold its command line.
PROGRAMS = word_set("""
    7z 7za bsdtar cp cpio curl dd docker find git install ln mv nerdctl patch podman rm rsync sed tar tee unzip wget
    xargs
""")
COMMAND_LINES = word_set("args arguments argv options flags params parameters")
# Arguments that name another tool, which gets the other arguments.
DISPATCH = word_set("tool program interpreter")
# Tools and arguments that hold a statement for a database.
STATEMENTS = word_set("sql query queries statement statements database sqlite duckdb postgres mysql cypher")
PATCHERS = word_set("patch patches diff apply")
EDITORS = PATCHERS | word_set("edit block")
# Arguments whose directories get another name.
MOUNTS = word_set("volume volumes mount mounts bind binds")
PERMISSIONS = word_set("chmod chown chgrp permission permissions owner ownership acl attributes")
# Arguments by which a tool with a reading name writes, and values of `mode` that do.
WRITING = word_set("write truncate overwrite append data save delete clear")
WRITING_MODES = word_set("w a x r+ wb ab xb w+ a+ rb+ r+b wt at write append overwrite")
# Arguments on how a file is read; their values are no part of its name.
MANNERS = word_set("encoding charset mode format type sort order lang language unit level style kind view")
REMOTE = ("http://", "https://", "ftp://", "s3://", "gs://")
MOVES = word_set("move mv rename relocate replace swap")
LINKS = word_set("link symlink ln hardlink symlinks links junction mount bind shortcut alias")
COPIES = word_set("""
    copy cp clone sync rsync mirror extract unzip untar unpack decompress restore install deploy upload put download
    save import pull
""")
# Words for copies of whole trees: the call does not show which files are written.
TREES = word_set("""
    directory dir folder tree recursive recursively sync rsync mirror extract unzip untar unpack decompress restore
    directories folders archive
""")


class Piece:
    """One text of a call with the words of its argument's name; `written`: a name further up means output."""

    __slots__ = ("linked", "names", "read", "text", "written")

    def __init__(
        self, names: list[str], text: str, written: bool = False, read: bool = False, linked: bool = False
    ) -> None:
        self.names = names
        self.text = text
        self.written = written
        self.read = read  # only read: set by ChangedPlaces, which knows the tool
        self.linked = linked  # below a name of MOUNTS

    def is_any(self, group: frozenset[str]) -> bool:
        return not group.isdisjoint(self.names)

    def last_in(self, group: frozenset[str]) -> bool:
        return bool(self.names) and self.names[-1] in group


def pieces(args: dict[str, object]) -> list[Piece] | None:
    """Every text some reader might find, with keys of nested objects and embedded JSON; None: nested too deeply."""
    out: list[Piece] = []
    stack: list[tuple[object, list[str], bool, bool, int]] = [
        (value, key_words(key), False, False, 0) for key, value in reversed(args.items())
    ]
    while stack:
        node, names, written, linked, depth = stack.pop()
        linked = linked or not MOUNTS.isdisjoint(names)
        if isinstance(node, str):
            out.append(Piece(names, node, written, linked=linked))
            try:
                node, depth = opened_json(node, depth), depth + 1
            except Tangled:
                return None
        if isinstance(node, list):
            with_text = [item for item in reversed(node) if isinstance(item, TEXT_HOLDERS) and item]
            stack += [(item, names, written, linked, depth) for item in with_text]
            if node[:1] in (["/"], ["~"], [""]) and all(isinstance(item, str) for item in node):
                out.append(Piece(names, "/".join(map(str, node)), written, linked=linked))  # a path, part by part
        elif isinstance(node, dict):
            written = written or not OUTPUTS.isdisjoint(names)
            out += [Piece(names, key, written, linked=linked) for key in node]
            stack += [
                (item, key_words(key), written, linked, depth)
                for key, item in reversed(node.items())
                if isinstance(item, TEXT_HOLDERS) and item
            ]
    return out


def key_words(key: str) -> list[str]:
    """The words of an argument's name. A path as a name stands for a file, and its value is the content."""
    return ["content"] if "/" in key or "." in key else words(key[:LONGEST_KEY])


def plainly_reads(operation: str, tool: list[str]) -> bool:
    return operation == "read" and not READERS.isdisjoint(tool) and MAKERS.isdisjoint(tool)


def is_read(piece: Piece) -> bool:
    """Does it name what a reading tool reads? Not a text with options: an option's value may be written."""
    if piece.written or not piece.last_in(SUBJECTS) or piece.is_any(OUTPUTS) or piece.names[0] == "to":
        return False
    return not has_options(piece.text)


def has_options(text: str) -> bool:
    # One sign is found far faster than two, and most long texts do not have it.
    return "-" in text and (text.startswith("-") or " -" in text or "\n-" in text or "\t-" in text)


def is_content(piece: Piece, placed: bool) -> bool:
    """Is it content, which is only stored: prose, or any text if another argument names the file (`placed`)?"""
    if piece.last_in(PROSE):
        return True
    return piece.last_in(CONTENT) and (placed or any(sign in piece.text.strip() for sign in " \n\t"))


def writes_after_all(args: dict[str, object]) -> bool:
    """Does an argument say that a tool with a reading name writes?"""
    for key, value in args.items():
        names = key_words(key)
        if value and not WRITING.isdisjoint(names):
            return True
        if isinstance(value, str) and names[-1:] in (["mode"], ["flag"], ["flags"]) and value.lower() in WRITING_MODES:
            return True
    return False


def is_remote(text: str) -> bool:
    return text[:8].lower().startswith(REMOTE)


def option_values(text: str, most: int) -> list[str] | None:
    """What may stand behind `--output=`, `-o` or `key=`; None: the text has more words than `most`."""
    if not ("=" in text or has_options(text)):
        return []
    parts = text.split(None, most + 1)
    if len(parts) > most:
        return None
    out: dict[str, None] = {}
    size = 0
    for part in parts:
        out[part] = None
        # Of a long word that no reader shortens, only the last values are short enough to be a path.
        at = part.find("=", len(part) - LONGEST_PATH if _keeps_length(part) else 0)
        while at >= 0:
            size += len(part) - at
            if size > MOST_VALUES:
                return None
            out[part[at + 1 :]] = None
            at = part.find("=", at + 1)
        if part.startswith("-") and len(part) > 2:
            out[part[2:]] = None
    return list(out)


def _keeps_length(word: str) -> bool:
    """Does every reading of a long word stay as long as it is?"""
    if len(word) <= LONGEST_PATH or not word.isascii() or not word.isprintable():
        return False
    return not any(sign in word for sign in ("$", "%", "\\", "/.", "//", *QUOTES))
