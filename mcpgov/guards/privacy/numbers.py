"""Numbers in a text: cards, social security numbers, IBANs, phones; asked about one place that the gate showed."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set
from mcpgov.guards.privacy.checksums import IBAN_LENGTHS, is_card, is_iban, is_ssn, luhn

DIGITS = "0123456789"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD = frozenset(DIGITS + _CAPITALS + _CAPITALS.lower() + "_")
_PHONE = DIGITS + " ().-/"
Span = tuple[int, int]
_ESCAPES = ("\\n", "\\t", "\\r", "\\b", "\\f")
# A number that goes on behind these is part of something longer: a decimal, a version, a UUID, a path of an SVG.
_JOINTS = ".-,/:+"
# The digits that the group of a card, or the number behind a country's code, may have.
_CARD_GROUPS = ((4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (6, 13))
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
_CALLING = ("phone", "tel", "call", "mobile", "cell", "fax", "sms", "whatsapp", "contact", "number is", "dial")
CALLED = ("phone", "mobile", "fax", "call me", "whatsapp")
_CARDS = ("card", " cc ", "visa", "mastercard", "amex", "diners", "maestro", "unionpay")
_NAMED_SSN = ("ssn", "social sec", "social_sec", "socialsec")


def _run(text: str, at: int, alphabet: str, most: int) -> int:
    window = text[at : at + most]
    return at + len(window) - len(window.lstrip(alphabet))


def _ends_here(text: str, end: int) -> bool:
    """Is a number over here, and no part of a longer one, a word, a version, a decimal?"""
    behind = text[end : end + 1]
    if behind and behind in _WORD:
        return False
    return not (behind and behind in _JOINTS and text[end + 1 : end + 2] in _WORD)


def _begins_here(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if not before:
        return True
    if before in _WORD:
        return text[at - 2 : at] in _ESCAPES
    if before in ".-+/%&":
        return False
    return not (before in ",:" and text[at - 2 : at - 1].isdigit())


def card(text: str, at: int) -> Span | None:
    end = _run(text, at, DIGITS + " -", 24)
    while text[end - 1] in " -":
        end -= 1
    if not _begins_here(text, at):
        return None
    whole = text[at:end]
    while len(whole) > 11:
        span = _card(text, at, at + len(whole), whole)
        if span is not None:
            return span
        # Digits behind a blank may be another number.
        cut = whole.rfind(" ")
        whole = whole[:cut].rstrip(" -") if cut > 0 else ""
    return None


def _card(text: str, at: int, end: int, whole: str) -> Span | None:
    digits = whole.replace(" ", "").replace("-", "")
    if not 12 <= len(digits) <= 19 or not _ends_here(text, end):
        return None
    if len(digits) != len(whole):
        sign = " " if " " in whole else "-"
        groups = tuple(map(len, whole.split(sign)))
        if groups not in _CARD_GROUPS or len(whole) - len(digits) != len(groups) - 1:
            return None
    elif (len(digits) != 16 and len(digits) != 15) or digits[0] == "1":
        # Lengths that other numbers have, too: only where a card is spoken of.
        return (at, end) if _speaks_of(text, at, _CARDS, 24) and luhn(digits) and len(set(digits)) > 1 else None
    elif _speaks_of(text, at, _CARDS, 24):
        return (at, end) if luhn(digits) and len(set(digits)) > 1 else None
    return (at, end) if is_card(digits) else None


def _speaks_of(text: str, at: int, words: tuple[str, ...], reach: int = 48) -> bool:
    """Does one of these words stand shortly before this place?"""
    before = text[max(0, at - reach) : at].lower()
    return any(word in before for word in words)


def ssn(text: str, at: int) -> Span | None:
    whole = text[at : at + 11]
    if whole[3:4] in ("-", " ", ".") and whole[6:7] == whole[3:4]:
        digits = whole[:3] + whole[4:6] + whole[7:]
        end = at + 11
    else:
        digits, end = text[at : at + 9], at + 9
    if len(digits) != 9 or not (digits.isascii() and digits.isdigit()) or not is_ssn(digits):
        return None
    if not _begins_here(text, at) or not _ends_here(text, end):
        return None
    if whole[3:4] != "-" and not _speaks_of(text, at, _NAMED_SSN):
        return None
    return at, end


def iban(text: str, at: int) -> Span | None:
    length = IBAN_LENGTHS.get(text[at : at + 2])
    before = text[at - 1 : at]
    if length is None or (before and (before in "/+" or (before in _WORD and text[at - 2 : at] not in _ESCAPES))):
        return None
    window = text[at : at + length + 12]
    if window[4:5] in (" ", "-"):
        sign = window[4]
        whole = length + (length - 1) // 4
        digits, end = window[:whole].replace(sign, ""), at + whole
    else:
        digits, end = window[:length], at + length
    if len(digits) != length or not (digits.isascii() and digits.isalnum() and digits == digits.upper()):
        return None
    behind = text[end : end + 1]
    return (at, end) if not (behind and behind in _WORD) and is_iban(digits) else None


def phone(text: str, at: int) -> Span | None:
    """`+` with a country's code, or ten digits as they are written in North America."""
    if text[at : at + 1] == "+" or (text[at : at + 2] == "00" and _speaks_of(text, at, _CALLING, 24)):
        return _international(text, at)
    return _american(text, at)


def _trimmed(text: str, at: int, end: int) -> int:
    while text[end - 1] in " (.-/":
        end -= 1
    if text[end - 1] == ")" and text.count("(", at, end) < text.count(")", at, end):
        end -= 1
    return end


def _international(text: str, at: int) -> Span | None:
    before = text[at - 1 : at]
    if before and (before in _WORD or before in "+/=.-" or before in ")]}"):
        return None
    start = at + (1 if text[at] == "+" else 2)
    end = _trimmed(text, start, _run(text, start, _PHONE, 22))
    digits = "".join(sign for sign in text[start:end] if sign in DIGITS)
    bounds = CODES.get(digits[:1]) or CODES.get(digits[:2]) or CODES.get(digits[:3])
    size = 1 if digits[:1] in CODES else 2 if digits[:2] in CODES else 3
    if bounds is None or not bounds[0] <= len(digits) - size <= bounds[1] or not _ends_here(text, end):
        return None
    if len(set(digits)) < 2 or "  " in text[start:end] or not _groups_fit(text[start:end]):
        return None
    return at, end


def _groups_fit(number: str) -> bool:
    """Groups of two digits or more, and one kind of separator beside brackets."""
    signs = {sign for sign in number if sign not in DIGITS and sign not in " ()"}
    groups = number.replace("(", " ").replace(")", " ")
    for sign in signs:
        groups = groups.replace(sign, " ")
    parts = groups.split()
    return len(signs) < 2 and len(parts) <= 7 and len(parts[-1]) > 1 and sum(len(part) < 2 for part in parts[1:]) <= 1


def _american(text: str, at: int) -> Span | None:
    start = at
    if text[at : at + 1] == "1" and text[at + 1 : at + 2] in ("-", ".", " "):
        start = at + 2
    bracket = text[start : start + 1] == "("
    area = start + bracket
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
    if parts[0][0] in "01" or parts[1][0] in "01" or parts[0][1:] == "11" or len(set(whole)) < 3:
        return None
    if not _begins_here(text, at) or not _ends_here(text, end):
        return None
    if middle in ". " and not bracket and start == at and not _speaks_of(text, at, _CALLING):
        return None
    return at, end


def called(text: str, start: int, end: int) -> Span | None:
    """The digits behind a word for phones, as they are written in any country; `end` is behind the last."""
    at = start
    while at < end and not text[at].isdigit() and text[at] not in "+(":
        at += 1
    stop = _trimmed(text, at, _run(text, at, _PHONE + "+", 24))
    number = text[at:stop]
    digits = "".join(sign for sign in number if sign in DIGITS)
    gap = text[start:at]
    if not 7 <= len(digits) <= 15 or not _ends_here(text, stop) or len(set(digits)) < 3 or "\n\n" in gap:
        return None
    words = gap.strip(" \n\"':=#*(\\").split()
    if len(words) > 4 or any(sign in gap for sign in ".;{}[]<>/") or not _groups_fit(number.lstrip("(+")):
        return None
    if "-" in number and len(digits) == 8 and digits[:2] in ("19", "20"):
        return None  # a day
    return at, stop
