"""Phone numbers in a text whose form tells them: with a country's code, or as in North America."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set
from mcpgov.guards.privacy.digits.callers import is_headed
from mcpgov.guards.privacy.digits.numbers import WORD, Span, begins_here, ends_here, run, speaks_of
from mcpgov.guards.privacy.digits.phone_form import INFORMATION, PHONE, digits_of, extended, groups_fit, trimmed
from mcpgov.guards.privacy.digits.told_phones import national
from mcpgov.guards.privacy.plain_text import ends_escape

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
_FREE = frozenset(("800", "833", "844", "855", "866", "877", "888"))  # whom it costs nothing to call: companies
_LINE = 80


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
    length = run(plain, 0, PHONE, 24)
    span = _international(f"+{plain[:length].rstrip(' .-/(')}", 0)
    if span is None:
        return None
    end = at + 3
    for sign in plain[: span[1] - 1]:
        end += 3 if sign == " " and text[end] == "%" else 1
    return (at, end) if ends_here(text, end) else None


def _international(text: str, at: int) -> Span | None:
    before = text[at - 1 : at]
    if before and (before in WORD or before in "+.-" or before in ")]}") and not ends_escape(text, at):
        return None
    start = at + (1 if text[at] == "+" else 2)
    end = trimmed(text, start, run(text, start, PHONE, 24))
    number = text[start:end].replace(" (0)", "", 1).replace("(0)", "", 1)  # dialled inside of the country only
    digits = digits_of(number)
    bounds = CODES.get(digits[:1]) or CODES.get(digits[:2]) or CODES.get(digits[:3])
    size = 1 if digits[:1] in CODES else 2 if digits[:2] in CODES else 3
    if bounds is None or not bounds[0] <= len(digits) - size <= bounds[1]:
        return None
    if before == "=" and number.count(".") == 1 and number.replace(".", "").isdigit():  # `lat=+48.8566`
        return None
    end = extended(text, end)
    if end < 0:
        return None
    if digits[0] == "1" and digits.endswith(INFORMATION):
        return None
    if len(set(digits)) < 2 or not digits.strip("01") or "  " in number or not groups_fit(number):
        return None
    return at, end


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
        whole.endswith(INFORMATION)
        or parts[0][0] in "01"
        or parts[1][0] in "01"
        or parts[0][1:] == "11"
        or len(set(whole)) < 3
    ):
        return None
    end = extended(text, end)
    if end < 0:
        return None
    is_plain = middle in ". " and not bracket and start == at  # so other numbers are written, too
    is_free = parts[0] in _FREE and not _is_alone(text, at, end)
    if (is_plain or is_free) and not _is_spoken_of(text, at):
        return None
    return at, end


def _is_spoken_of(text: str, at: int) -> bool:
    return speaks_of(text, at, _CALLING) or text[max(0, at - 5) : at].lower() == "call " or is_headed(text, at)


def _is_alone(text: str, at: int, end: int) -> bool:
    """Is nothing else in its line?"""
    before = text[max(0, at - _LINE) : at].rpartition("\n")[2]
    return not before.strip() and not text[end : end + _LINE].partition("\n")[0].strip()
