"""Paths inside a text: files of a patch, directories of a mount, files of a statement, the path of a URI. Pure.

Law: each function is one pass over the text; a text of another kind gives nothing.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set
from mcpgov.core.protection.argument_roles import STATEMENTS, Piece, has_options, is_remote
from mcpgov.core.rules.ambiguity import LONGEST_PATH

STATEMENT_VERBS = word_set("""
    select insert update delete with create alter drop explain show pragma replace merge copy attach vacuum export
    backup call load set begin
""")
FILE_WORDS = word_set("""
    attach outfile dumpfile copy vacuum writefile export backup unload spool program xp_cmdshell load_extension
    pg_write_file lo_export load import install edit log_file general_log_file backup_to restore detach csv
    read_csv write_csv
""")
INSIDE = word_set("target dst destination container bind mode type readonly driver")
HOMES = ("${env:home}", "$env:home", "{{home}}", "{home}", "%home%", "%userprofile%", "${userhome}", "<home>")
LONGEST_HOME = max(map(len, HOMES))
# Each with its rarest character: one is found far faster than several.
PATCH_SIGNS = (("+", "+++ "), ("*", "*** "), ("<", "<<<<<<< "), ("-", "diff --git "), ("m", "rename to "))


def patched(text: str) -> list[str]:
    """The files that a patch names."""
    if " " not in text or not any(char in text and sign in text for char, sign in PATCH_SIGNS):
        return []
    out: dict[str, None] = {}
    before = ""
    for line in text.splitlines():
        if line.startswith("<<<<<<< "):
            out[before] = None  # an edit by search and replace names its file in the line above
        before = line.strip()
        for sign in ("+++ ", "--- ", "rename from ", "rename to ", "copy to ", "diff --git ", "*** "):
            if line.startswith(sign):
                rest = line[len(sign) :].partition("\t")[0]
                for name in (rest, rest.rpartition(": ")[2], *rest.split(" ")):
                    out[name] = None
                    if name.startswith(("a/", "b/")):
                        out[name[2:]] = None
    return list(out)


def is_statement(piece: Piece, tool: list[str]) -> bool:
    """Is it a statement for a database, which no shell reads?"""
    if STATEMENTS.isdisjoint(piece.names) or (STATEMENTS.isdisjoint(tool) and "sql" not in piece.names):
        return False
    first = piece.text.split(None, 1)[:1]
    return bool(first) and first[0].lower().rstrip("(") in STATEMENT_VERBS and not has_options(piece.text)


def uses_files(text: str) -> bool:
    """Could a statement read or write a file?"""
    low = text.lower()
    return any(word in low for word in FILE_WORDS)


def mounted(piece: Piece) -> list[str]:
    """The directories of this machine that an argument about mounts names: `/a:/b`, `type=bind,source=/a,…`."""
    if not piece.linked or piece.is_any(INSIDE):
        return []
    text = piece.text
    values = [part.partition("=")[2] for part in text.split(",") if "=" in part and not part.startswith(("t", "dst"))]
    return [text.partition(":")[0], *values]


def spelled(text: str) -> list[str]:
    """The path in a URI of another scheme than the web's, and the home as other programs write it."""
    out = []
    scheme, colon, rest = text.partition(":")
    if colon and "/" in rest and scheme.replace("-", "").replace("+", "").isalnum() and not is_remote(text):
        out.append("/" + rest[2:].partition("/")[2] if rest.startswith("//") else rest)
    low = text[:LONGEST_HOME].lower()
    out += ["~" + text[len(sign) :] for sign in HOMES if low.startswith(sign)]
    # Invisible characters may pad a path; more visible ones than a path can have are no path.
    if "\n" in text or text[: LONGEST_PATH + 1].isprintable():
        return out
    shown: list[str] = []
    for char in text:
        if char.isprintable():
            shown.append(char)
            if len(shown) > LONGEST_PATH:
                return out
    return [*out, "".join(shown)]
