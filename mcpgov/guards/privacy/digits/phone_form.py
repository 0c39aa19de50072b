"""How a phone number is written: its digits, groups and extension, and what says behind it where it rings."""

from __future__ import annotations

from mcpgov.guards.privacy.digits.numbers import DIGITS, ends_here, run

PHONE = DIGITS + " ().-/"
_SEPARATORS = b" ().-/+"
SHORTEST = 7  # digits
_EXTENSIONS = ("extension", "ext.", "ext", "x")
_PLACES = ("office", "fax", "mobile", "home", "work", "cell", "desk")
INFORMATION = "5551212"  # in every area of North America: nobody's, so documents write it


def digits_of(number: str) -> str:
    """Those of a number that is written in `PHONE`."""
    return number.encode().translate(None, _SEPARATORS).decode()


def trimmed(text: str, at: int, end: int) -> int:
    while text[end - 1] in " (.-/":
        end -= 1
    if text[end - 1] == ")" and text.count("(", at, end) < text.count(")", at, end):
        end -= 1
    return end


def extended(text: str, end: int) -> int:
    """Behind the extension, `x123`, ` ext. 49`, if one follows; -1: something else goes on, so it is no number."""
    at = end + (text[end : end + 1] == " ")
    if not (text[at : at + 1].isalpha() or text[at : at + 1] == "-"):
        return end if ends_here(text, end, grouped=True) else -1
    word = next((word for word in _EXTENSIONS if text[at : at + 9].lower().startswith(word)), "")
    if word:
        begin = at + len(word) + (text[at + len(word) : at + len(word) + 1] == " ")
        stop = run(text, begin, DIGITS, 8)
        if 0 < stop - begin < 7 and (ends_here(text, stop) or is_placed(text, stop)):
            return stop
    return end if ends_here(text, end) or is_placed(text, end) else -1


def is_placed(text: str, end: int) -> bool:
    """Does a word say behind a number where it rings? `…-Office`, `… fax`."""
    return text[end : end + 1] in ("-", " ") and text[end + 1 : end + 8].lower().startswith(_PLACES)


def groups_fit(number: str, kinds: int = 1) -> bool:
    """Groups of two digits or more, and one kind of separator beside brackets and blanks."""
    signs = {sign for sign in number if sign not in DIGITS and sign not in " ()"}
    groups = number.replace("(", " ").replace(")", " ")
    for sign in signs:
        groups = groups.replace(sign, " ")
    parts = groups.split()
    return (
        len(signs) <= kinds and len(parts) <= 7 and len(parts[-1]) > 1 and sum(len(part) < 2 for part in parts[1:]) <= 1
    )
