"""Phone numbers that only words tell: behind `phone`, before `office`, in a column of phones, `call 020 …`."""

from __future__ import annotations

from mcpgov.guards.privacy.digits.callers import is_told
from mcpgov.guards.privacy.digits.numbers import DIGITS, Span, begins_here, run, without_noughts
from mcpgov.guards.privacy.digits.phone_form import (
    INFORMATION,
    PHONE,
    SHORTEST,
    digits_of,
    extended,
    groups_fit,
    is_placed,
    trimmed,
)

CALLED = ("phone", "mobile", "mobil ", "mobil:", "mobil.",
          "fax", "call me", "whatsapp", "telefon", "teléfono", "contact no", "contact_n",
          "contact-n", "contact nu", "contactn", "my number is", "tel.",
          "tel:", "tel ", "tél", "desk:", "office:", "cell:", "text me", "can call", "answering at", "messages to",
          "registered", "call us", "call him", "call her", "ring me", "ring us", "reach me", "reach us", "reached at",
          "reached on", "hotline", "handy:", "handynum", "joindre au", "portable:", "portable :", "celular",
          "cellulare", "móvil", "movil", "rückruf", "durchwahl", "erreichbar", "erreichen", "unter 0", "unter +",
          "unter (", "telefoon", "ph:", "ph.", "mob:", "mob.", "cel:", "cel.", "call 0", "call +", "call (", "dial 0",
          "dial +", "dial (", "cell is ")  # fmt: skip
# Those that other numbers follow, too: of them a phone's has a blank or a dash.
_WEAK = ("can call", "answering at", "messages to", "registered", "unter ", "erreich")
_LONGEST = 32  # characters of a number with its extension


def national(text: str, at: int) -> Span | None:
    """As it is dialled inside of a country that is not in North America: a nought, and what says that it is one."""
    end = trimmed(text, at, run(text, at, PHONE, 24))
    if text[at - 1 : at] == "(" and ")" in text[at:end]:
        at -= 1
    number = text[at:end]
    digits = digits_of(number)
    if not 9 <= len(digits) <= 11 or len(set(digits)) < 3 or not groups_fit(number.lstrip("("), 2):
        return None
    if not begins_here(text, at, grouped=True) or (number.isdigit() and len(number) < 10):
        return None
    stop = extended(text, end)
    return (at, stop) if stop > 0 and is_told(text, at, stop) else None


def called(text: str, start: int, end: int) -> Span | None:
    """The digits behind a word for phones, as they are written in any country; `end` is behind the last."""
    at = start
    while at < end and not text[at].isdigit() and text[at] not in "+(":
        at += 1
    stop = trimmed(text, at, run(text, at, PHONE + "+", 24))
    whole = without_noughts(text, at, stop)
    stop = whole if text[at:whole].isdigit() else stop
    number = text[at:stop]
    digits = digits_of(number)
    gap = text[start:at]
    if text[start : start + 1] in "tTcCpPmM":
        gap = gap.replace(".", "", 1).replace("Nr.", "Nr")
    if gap[-1:] == ">" and gap.count(">") == 1:  # `<phone>…`
        gap = gap[:-1]
    if not SHORTEST <= len(digits) <= 15 or len(set(digits)) < 3 or "\n\n" in gap:
        return None
    number = number.replace("(0)", "", 1)
    stop = extended(text, stop)
    words = gap.strip(" \n\"':=#*(\\").split()
    if stop < 0 or len(words) > 4 or any(sign in gap for sign in ".;{}[]<>/") or not groups_fit(number.lstrip("(+"), 2):
        return None
    if number.isdigit() and number[0] != "0" and len(number) < 9 and text[start : start + 12].lower().startswith(_WEAK):
        return None
    if _is_day(number, digits) or (_is_count(number) and gap[:7].lower() == "reached"):
        return None
    if len(digits) in (10, 11) and digits.endswith(INFORMATION):
        return None
    return at, stop


def placed(text: str, last: int) -> Span | None:
    """A number that stands alone in its line but for such a word; `last` is its last digit."""
    window = text[max(0, last - _LONGEST) : last + 1]
    head = window.rstrip(DIGITS)
    if head[-1:] == "x":  # its extension
        window = head[:-1]
    number = window[len(window.rstrip(PHONE + "+")) :]
    number = number.lstrip(" .-/)")
    if len(number) < SHORTEST:
        return None
    start = text.rindex(number, max(0, last - _LONGEST), last + 1)
    if text[max(0, start - 2) : start].strip(" ")[-1:] not in ("", "\n", ",", ":", ";", "|"):
        return None
    stop = trimmed(text, start, run(text, start, PHONE + "+", 24))
    if stop - start < SHORTEST:
        return None
    number = text[start:stop].replace("(0)", "", 1)
    digits = digits_of(number)
    stop = extended(text, stop)
    if stop < 0 or not is_placed(text, stop) or not SHORTEST <= len(digits) <= 15 or len(set(digits)) < 3:
        return None
    return (start, stop) if groups_fit(number.lstrip("(+"), 2) and not _is_day(number, digits) else None


def _is_count(number: str) -> bool:
    """`12 345 678`, as people write a count."""
    first, *others = number.split(" ")
    return number[0] not in "0+(" and len(first) < 3 and others != [] and all(len(group) == 3 for group in others)


def _is_day(number: str, digits: str) -> bool:
    """`2026-11-18`, `18.11.2026`, `8/11/2026`?"""
    parts = number.replace(".", "-").replace("/", "-").split("-")
    if len(parts) == 3 and len(parts[2]) == 4 and parts[2][:2] in ("19", "20") and max(map(len, parts[:2])) < 3:
        return True
    return "-" in number and len(digits) == 8 and digits[:2] in ("19", "20")
