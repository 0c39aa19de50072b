"""Phone numbers in a text, with a country's code, as in North America, or behind a word for them."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set
from mcpgov.guards.privacy.digits.callers import is_headed, is_told
from mcpgov.guards.privacy.digits.numbers import DIGITS, WORD, Span, begins_here, ends_here, run, speaks_of
from mcpgov.guards.privacy.plain_text import ends_escape

_PHONE = DIGITS + " ().-/"
_SEPARATORS = b" ().-/+"
SHORTEST = 7  # digits
# Countries' codes of phone numbers, and the digits that may follow each.
_TWO = word_set("""
    20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86
    90 91 92 93 94 95 98
""")
_THREE = word_set("""
    211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241
    242 243 244 245 246 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290
    291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383
    385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599
    670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 800 850 852 853 855 856
    880 886 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 992 993 994 995 996 998
""")
CODES = {"1": (10, 10), "7": (10, 10), **dict.fromkeys(_TWO, (6, 11)), **dict.fromkeys(_THREE, (5, 11))}
# Words that make a phone of digits which could be anything.
_CALLING = ("phone", "tel", "call me", "call us", "call at", "or call", "calls to", "please call", "mobile",
            "cell", "fax", "sms", "whatsapp", "contact", "number is", "dial", "ring ", "reach ", "reached",
            "hotline")  # fmt: skip
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
_EXTENSIONS = ("extension", "ext.", "ext", "x")
_PLACES = ("office", "fax", "mobile", "home", "work", "cell", "desk")
_FREE = frozenset(("800", "833", "844", "855", "866", "877", "888"))  # whom it costs nothing to call: companies
_LINE = 80
_LONGEST = 32  # characters of a number with its extension
_INFORMATION = "5551212"  # in every area of North America: nobody's, so documents write it


def phone(text: str, at: int) -> Span | None:
    """`+` with a country's code, or ten digits as they are written in North America."""
    if text[at : at + 1] == "0" != text[at + 1 : at + 2] or text[at : at + 2] == "(0":
        return national(text, at)
    if text[at : at + 1] == "+" or (text[at : at + 2] == "00" and speaks_of(text, at, _CALLING, 24)):
        return _international(text, at)
    return _american(text, at)


def encoded(text: str, at: int) -> Span | None:
    """`%2B44%207700…`, as a URL has it, with `+` for a blank."""
    number = text[at : at + 48]
    plain = number[3:].replace("%20", " ").replace("+", " ")
    length = run(plain, 0, _PHONE, 24)
    span = _international(f"+{plain[:length].rstrip(' .-/(')}", 0)
    if span is None:
        return None
    end = at + 3
    for sign in plain[: span[1] - 1]:
        end += 3 if sign == " " and text[end] == "%" else 1
    return (at, end) if ends_here(text, end) else None


def _digits(number: str) -> str:
    """Those of a number that is written in `_PHONE`."""
    return number.encode().translate(None, _SEPARATORS).decode()


def _trimmed(text: str, at: int, end: int) -> int:
    while text[end - 1] in " (.-/":
        end -= 1
    if text[end - 1] == ")" and text.count("(", at, end) < text.count(")", at, end):
        end -= 1
    return end


def _international(text: str, at: int) -> Span | None:
    before = text[at - 1 : at]
    if before and (before in WORD or before in "+.-" or before in ")]}") and not ends_escape(text, at):
        return None
    start = at + (1 if text[at] == "+" else 2)
    end = _trimmed(text, start, run(text, start, _PHONE, 24))
    number = text[start:end].replace(" (0)", "", 1).replace("(0)", "", 1)  # dialled inside of the country only
    digits = _digits(number)
    bounds = CODES.get(digits[:1]) or CODES.get(digits[:2]) or CODES.get(digits[:3])
    size = 1 if digits[:1] in CODES else 2 if digits[:2] in CODES else 3
    if bounds is None or not bounds[0] <= len(digits) - size <= bounds[1]:
        return None
    if before == "=" and number.count(".") == 1 and number.replace(".", "").isdigit():  # `lat=+48.8566`
        return None
    end = _extended(text, end)
    if end < 0:
        return None
    if digits[0] == "1" and digits.endswith(_INFORMATION):
        return None
    if len(set(digits)) < 2 or not digits.strip("01") or "  " in number or not _groups_fit(number):
        return None
    return at, end


def _extended(text: str, end: int) -> int:
    """Behind the extension, `x123`, ` ext. 49`, if one follows; -1: something else goes on, so it is no number."""
    at = end + (text[end : end + 1] == " ")
    if not (text[at : at + 1].isalpha() or text[at : at + 1] == "-"):
        return end if ends_here(text, end, grouped=True) else -1
    word = next((word for word in _EXTENSIONS if text[at : at + 9].lower().startswith(word)), "")
    if word:
        begin = at + len(word) + (text[at + len(word) : at + len(word) + 1] == " ")
        stop = run(text, begin, DIGITS, 8)
        if 0 < stop - begin < 7 and (ends_here(text, stop) or _is_placed(text, stop)):
            return stop
    return end if ends_here(text, end) or _is_placed(text, end) else -1


def _is_placed(text: str, end: int) -> bool:
    """Does a word say behind a number where it rings? `…-Office`, `… fax`."""
    return text[end : end + 1] in ("-", " ") and text[end + 1 : end + 8].lower().startswith(_PLACES)


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


def placed(text: str, last: int) -> Span | None:
    """A number that stands alone in its line but for such a word; `last` is its last digit."""
    window = text[max(0, last - _LONGEST) : last + 1]
    head = window.rstrip(DIGITS)
    if head[-1:] == "x":  # its extension
        window = head[:-1]
    number = window[len(window.rstrip(_PHONE + "+")) :]
    number = number.lstrip(" .-/)")
    if len(number) < SHORTEST:
        return None
    start = text.rindex(number, max(0, last - _LONGEST), last + 1)
    if text[max(0, start - 2) : start].strip(" ")[-1:] not in ("", "\n", ",", ":", ";", "|"):
        return None
    stop = _trimmed(text, start, run(text, start, _PHONE + "+", 24))
    if stop - start < SHORTEST:
        return None
    number = text[start:stop].replace("(0)", "", 1)
    digits = _digits(number)
    stop = _extended(text, stop)
    if stop < 0 or not _is_placed(text, stop) or not SHORTEST <= len(digits) <= 15 or len(set(digits)) < 3:
        return None
    return (start, stop) if _groups_fit(number.lstrip("(+"), 2) and not _is_day(number, digits) else None


def _groups_fit(number: str, kinds: int = 1) -> bool:
    """Groups of two digits or more, and one kind of separator beside brackets and blanks."""
    signs = {sign for sign in number if sign not in DIGITS and sign not in " ()"}
    groups = number.replace("(", " ").replace(")", " ")
    for sign in signs:
        groups = groups.replace(sign, " ")
    parts = groups.split()
    return (
        len(signs) <= kinds and len(parts) <= 7 and len(parts[-1]) > 1 and sum(len(part) < 2 for part in parts[1:]) <= 1
    )


def _american(text: str, at: int) -> Span | None:
    start = at
    if text[at : at + 1] == "1" and text[at + 1 : at + 2] in ("-", ".", " "):
        start = at + 2
    bracket = text[start : start + 1] == "("
    area = start + bracket
    if not text[area : area + 3].isdigit() or not begins_here(text, at, grouped=True):
        return None
    sign = text[area + 3 + bracket : area + 4 + bracket]
    rest = area + 3 + bracket + (1 if sign in ("-", ".", " ") else 0)
    end = rest + 8
    parts = (text[area : area + 3], text[rest : rest + 3], text[rest + 4 : end])
    whole = "".join(parts)
    if len(whole) != 10 or not (whole.isascii() and whole.isdigit()) or (bracket and text[area + 3] != ")"):
        return None
    middle = text[rest + 3]
    if start > at and not bracket and text[at + 1] != middle:
        return None
    if middle not in "-. " or (not bracket and middle != sign):
        return None
    if (
        whole.endswith(_INFORMATION)
        or parts[0][0] in "01"
        or parts[1][0] in "01"
        or parts[0][1:] == "11"
        or len(set(whole)) < 3
    ):
        return None
    end = _extended(text, end)
    if end < 0:
        return None
    is_told = speaks_of(text, at, _CALLING) or text[max(0, at - 5) : at].lower() == "call " or is_headed(text, at)
    if middle in ". " and not bracket and start == at and not is_told:
        return None
    if parts[0] in _FREE and not is_told and not _is_alone(text, at, end):
        return None
    return at, end


def _is_alone(text: str, at: int, end: int) -> bool:
    """Is nothing else in its line?"""
    before = text[max(0, at - _LINE) : at].rpartition("\n")[2]
    return not before.strip() and not text[end : end + _LINE].partition("\n")[0].strip()


def national(text: str, at: int) -> Span | None:
    """As it is dialled inside of a country that is not in North America: a nought, and what says that it is one."""
    end = _trimmed(text, at, run(text, at, _PHONE, 24))
    if text[at - 1 : at] == "(" and ")" in text[at:end]:
        at -= 1
    number = text[at:end]
    digits = _digits(number)
    if not 9 <= len(digits) <= 11 or len(set(digits)) < 3 or not _groups_fit(number.lstrip("("), 2):
        return None
    if not begins_here(text, at, grouped=True) or (number.isdigit() and len(number) < 10):
        return None
    stop = _extended(text, end)
    return (at, stop) if stop > 0 and is_told(text, at, stop) else None


def called(text: str, start: int, end: int) -> Span | None:
    """The digits behind a word for phones, as they are written in any country; `end` is behind the last."""
    at = start
    while at < end and not text[at].isdigit() and text[at] not in "+(":
        at += 1
    stop = _trimmed(text, at, run(text, at, _PHONE + "+", 24))
    number = text[at:stop]
    digits = _digits(number)
    gap = text[start:at]
    if text[start : start + 1] in "tTcCpPmM":
        gap = gap.replace(".", "", 1).replace("Nr.", "Nr")
    if gap[-1:] == ">" and gap.count(">") == 1:  # `<phone>…`
        gap = gap[:-1]
    if not SHORTEST <= len(digits) <= 15 or len(set(digits)) < 3 or "\n\n" in gap:
        return None
    number = number.replace("(0)", "", 1)
    stop = _extended(text, stop)
    words = gap.strip(" \n\"':=#*(\\").split()
    if (
        stop < 0
        or len(words) > 4
        or any(sign in gap for sign in ".;{}[]<>/")
        or not _groups_fit(number.lstrip("(+"), 2)
    ):
        return None
    if number.isdigit() and number[0] != "0" and len(number) < 9 and text[start : start + 12].lower().startswith(_WEAK):
        return None
    if _is_day(number, digits) or (_is_count(number) and gap[:7].lower() == "reached"):
        return None
    if len(digits) in (10, 11) and digits.endswith(_INFORMATION):
        return None
    return at, stop
