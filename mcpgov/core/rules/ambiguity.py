"""Is a text ambiguous: could some reader make another path or URI of it, or one short enough to open? Pure."""

from __future__ import annotations

from mcpgov.core.rules.spellings import EDGES, LONG, changes_structure, has_control, has_escape, has_variable

LONGEST_PATH = 8192  # twice PATH_MAX: nothing longer is opened by any kernel
CONTROLS = (*range(32), *range(127, 160))
SHRINKING = ("/.", "//", "%", "\\")


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


def is_ambiguous_path(text: str) -> bool:
    """Holds something a server might decode into another path: an escape, a variable, `{a,../../b}`."""
    return (
        len(text) > LONGEST_PATH or "~" in text or "\\" in text or text != text.strip() or "`" in text
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
