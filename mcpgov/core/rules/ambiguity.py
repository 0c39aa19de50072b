"""Is a text ambiguous: could some reader make another path or URI of it, or one short enough to open? Pure."""

from __future__ import annotations

from mcpgov.core.rules.spellings import EDGES, LONG, changes_structure, has_control, has_escape, has_variable

LONGEST_PATH = 8192  # twice PATH_MAX: nothing longer is opened by any kernel
CONTROLS = (*range(32), *range(127, 160))
SHRINKING = ("/.", "//", "%", "\\")
LONGEST_CARRIER = 4096
# Signs before the name of a file that is read or written: `@/p`, `</p`, `>/p`.
CARRYING = "@<>"
STARTS = ("/", "~", ".", "$")


def may_shrink_to_path(text: str) -> bool:
    """Could some reading of this long text be short enough to be opened? It counts at most what may go."""
    if "$" in text or "\0" in text:
        return True
    size = len(text.strip(EDGES))
    # Each `/./`, `/name/../`, escape or back slash may go, with a name of up to 255 characters.
    for sign in SHRINKING:
        if sign[0] in text:
            size -= 260 * text.count(sign)
    if not text.isascii():
        size //= 2
    if len(text) <= LONG and not text.isprintable():
        size -= sum(text.count(chr(code)) for code in CONTROLS)
    return size <= LONGEST_PATH


def stays_too_long(text: str) -> bool:
    """Does every reading of a very long text stay too long to be opened? Works without a copy of the text."""
    if ".." in text or "$" in text or "\0" in text or not text.isascii() or has_escape(text):
        return False
    # Without those, readers drop at most slashes, dots, blanks and quotes at the edges, and control characters.
    removable = sum(map(text.count, ("/", "\\", ".", *EDGES, *map(chr, CONTROLS[:33]))))
    return len(text) - removable > LONGEST_PATH


def carried_paths(text: str) -> list[str]:
    """The paths that one word may carry: `--file=/p`, `-o/p`, `key=/p`, `@/p`, `host:/p`, `src=/p,dst=/q`, `/p:12`."""
    sign = text[:1]
    if (
        len(text) > LONGEST_CARRIER
        or "\n" in text
        or not (sign == "-" or (sign and sign in CARRYING) or "=" in text or ":" in text)
    ):
        return []
    out: list[str] = []
    if sign == "-" and text[1:2].strip():
        if text[1] != "-":
            out.append(text[2:])
        out += [text[at:] for at in (text.find("/"), text.find("~")) if at > 0]
    elif sign and sign in CARRYING:
        out.append(text.lstrip(CARRYING))
    head, equals, value = text.partition("=")
    if equals and ("/" in head or " " in head):
        value = ""  # no key: a sentence, or the query of a URL
    elif not equals and "://" not in text:
        value = text
    if equals and value:
        out.append(value)
    for field in value.replace(";", ",").split(",") if value else ():
        for piece in (field, field.partition("=")[2]):
            piece = piece.lstrip(CARRYING)
            parts = piece.split(":") if "://" not in piece else []
            out += [part for part in (piece, *parts) if part.startswith(STARTS)]
    return [path for path in dict.fromkeys(out) if path and path != text]


def is_ambiguous_path(text: str) -> bool:
    """Holds something a server might decode into another path: an escape, a variable, `{a,../../b}`, `/a:/b`."""
    return (
        len(text) > LONGEST_PATH or "~" in text or ":/" in text or "\\" in text or text != text.strip() or "`" in text
        or ("{" in text and ".." in text) or has_escape(text) or has_variable(text) or has_control(text)
        or changes_structure(text)
    )  # fmt: skip


def is_ambiguous_uri(text: str) -> bool:
    """Holds dot segments or something that a server might decode."""
    if has_escape(text) or "\\" in text or has_control(text) or changes_structure(text):
        return True
    if "." not in text:
        return False
    for sign in ":?#":
        text = text.replace(sign, "/")
    parts = text.split("/")
    return "." in parts or ".." in parts
