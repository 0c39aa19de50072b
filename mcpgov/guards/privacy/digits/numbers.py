"""Numbers in a text: cards, social security numbers, IBANs; asked about one place that the gate showed."""

from __future__ import annotations

from mcpgov.guards.privacy.digits.checksums import IBAN_LENGTHS, is_card, is_iban, is_ssn, luhn
from mcpgov.guards.privacy.digits.headings import heading
from mcpgov.guards.privacy.digits.labels import is_other
from mcpgov.guards.privacy.plain_text import ends_escape

DIGITS = "0123456789"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORD = frozenset(DIGITS + _CAPITALS + _CAPITALS.lower() + "_")
_HEX = DIGITS + "ABCDEFabcdef"
Span = tuple[int, int]
# A number that goes on behind these is part of something longer: a decimal, a version, a UUID, a path of an SVG.
_JOINTS = ".-,/:+"
# The digits that the groups of a card may have.
_CARD_GROUPS = ((4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (6, 13))
_IN_CARD = DIGITS + " -."
SHORTEST_CARD = 12
_OF_DINERS = 14  # a length that few other numbers have; as a text of its own it needs no word
_SHORTEST_IBAN = min(IBAN_LENGTHS.values())
_CARDS = ("card", " cc ", "cc=", "cc:", "ccnum", "cc_num", " pan ", "\"pan\"", "pan=", "pan:", "visa", "amex", "diners",
          "maestro", "unionpay", "tarjeta", "kreditkart", "carte ", "cartão", "kaart", "karta", "credit",
          "debit")  # fmt: skip
_NEAR_CARDS = 40
_HEADS_OF_CARDS = ("card", "pan", "number")
_NAMED_SSN = ("ssn", "ss#", "ss #", "social sec", "social_sec", "socialsec", "soc sec", "soc. sec", "social is",
              "social #", "social:")  # fmt: skip
_BEHIND = 24
_AROUND = 1024  # characters in which numbers of the same length are counted
_FEW = 7
_ONLY_DIGITS = bytes(code if chr(code).isdigit() else 32 for code in range(128)) + b" " * 128
_MOST_ZEROS = 6
_MOST_OF_COLUMN = 11  # digits: beside longer ones it is a list of such numbers, and no row


def run(text: str, at: int, alphabet: str, most: int) -> int:
    window = text[at : at + most]
    return at + len(window) - len(window.lstrip(alphabet))


def ends_here(text: str, end: int, *, grouped: bool = False) -> bool:
    """Is a number over here, and no part of a longer one, a word, a version, a decimal? `grouped`: its form leaves no
    doubt that a comma beside it is one between columns."""
    behind = text[end : end + 1]
    if behind and behind in WORD:
        return False
    after = text[end + 1 : end + 2]
    if behind == ",":  # behind it a list goes on, or the next column of a row
        return grouped or not (after and after in DIGITS)
    if behind == "." and after == "0":  # a whole number, as tables with gaps write it
        stop = run(text, end + 1, "0", _MOST_ZEROS)
        behind, after = text[stop : stop + 1], text[stop + 1 : stop + 2]
        return not (behind and (behind in WORD or (behind in _JOINTS and behind != "," and after in WORD)))
    return not (behind and behind in _JOINTS and after in WORD)


def without_noughts(text: str, at: int, end: int) -> int:
    """Where a whole number ends that is written as a decimal, `….0`."""
    bare = text[at:end].rstrip("0")
    return at + len(bare) - 1 if bare[-1:] == "." and "." not in bare[:-1] else end


def begins_here(text: str, at: int, *, grouped: bool = False) -> bool:
    before = text[at - 1 : at]
    if not before:
        return True
    if before in WORD:
        return ends_escape(text, at)
    if before in ".-+/%&":
        return False
    return not (before in ",:" and text[at - 2 : at - 1].isdigit()) or (grouped and before == ",")


def card(text: str, at: int) -> Span | None:
    if text[at : at + SHORTEST_CARD].lstrip(_IN_CARD):
        return None
    end = run(text, at, _IN_CARD, 24)
    while text[end - 1] in " -.":
        end -= 1
    is_column = not begins_here(text, at)
    if is_column and not _begins_column(text, at):
        return None
    whole = text[at:end]
    while len(whole) >= SHORTEST_CARD:
        span = _card(text, at, at + len(whole), whole, is_column)
        if span is not None:
            return None if is_other(text, at) else span
        # Digits behind a blank may be another number.
        cut = whole.rfind(" ")
        whole = whole[:cut].rstrip(" -.") if cut > 0 else ""
    return None


def _begins_column(text: str, at: int) -> bool:
    """Is the number before it the column of a row that goes on behind?"""
    if text[at - 1 : at] != ",":
        return False
    before = text[max(0, at - 2 - _MOST_OF_COLUMN) : at - 1]
    digits = len(before) - len(before.rstrip(DIGITS))
    end = run(text, at, DIGITS + " -", 24)
    if digits > _MOST_OF_COLUMN or before[: len(before) - digits][-1:] == "." or text[end : end + 1] != ",":
        return False
    return run(text, end + 1, DIGITS, _MOST_OF_COLUMN + 1) - end - 1 <= _MOST_OF_COLUMN


def _ends_column(text: str, end: int) -> bool:
    """Does the next column of a row begin here: `,12/29`, `,250,`? One that ends there may be a decimal's digits."""
    if text[end : end + 1] != ",":
        return False
    stop = run(text, end + 1, DIGITS, _MOST_OF_COLUMN + 1)
    is_date = stop == end + 3 and text[stop : stop + 1] in ("/", "-") and text[stop + 1 : stop + 3].isdigit()
    return stop - end - 1 <= _MOST_OF_COLUMN and (is_date or text[stop : stop + 1] == ",")


def _card(text: str, at: int, end: int, whole: str, is_column: bool) -> Span | None:
    end = without_noughts(text, at, end)
    whole = text[at:end]
    digits = whole.replace(" ", "").replace("-", "").replace(".", "")
    if not SHORTEST_CARD <= len(digits) <= 19 or not (ends_here(text, end) or is_column or _ends_column(text, end)):
        return None
    if len(digits) != len(whole):
        sign = next(sign for sign in " -." if sign in whole)
        groups = tuple(map(len, whole.split(sign)))
        if groups not in _CARD_GROUPS or len(whole) - len(digits) != len(groups) - 1 or _in_table(text, at, end):
            return None
    elif (len(digits) != 16 and len(digits) != 15) or digits[0] == "1":
        # Lengths that other numbers have, too: only where a card is spoken of.
        if not luhn(digits) or len(set(digits)) < 2:
            return None
        is_whole = len(digits) == _OF_DINERS and len(text) == end and at == 0
        return (at, end) if _is_told(text, at, end) or (is_whole and is_card(digits)) else None
    elif speaks_of(text, at, _CARDS, 24):
        return (at, end) if luhn(digits) and len(set(digits)) > 1 else None
    if not is_card(digits):
        return None
    return None if _is_in_series(text, at, end, whole) or _is_one_of_many(text, at, digits) else (at, end)


def _is_in_series(text: str, at: int, end: int, whole: str) -> bool:
    """`5039 5055 5056 …`: groups that grow, beside another number; so do those of one card in 24."""
    groups = whole.split(" ")
    if len(groups) < 3 or groups != sorted(groups):
        return False
    before, behind = text[max(0, at - 6) : at].split()[-1:], text[end : end + 6].split()[:1]
    return any(beside.isdigit() for beside in (*before, *behind))


def _is_one_of_many(text: str, at: int, digits: str) -> bool:
    """Do more numbers of this length stand around it than cards are among them? One number in ten passes by chance."""
    around = text[max(0, at - _AROUND) : at + _AROUND].encode("ascii", "replace").translate(_ONLY_DIGITS).split()
    like = [number for number in around if len(number) == len(digits)]
    return len(like) > _FEW and sum(is_card(number.decode()) for number in like) * 2 < len(like)


def _is_told(text: str, at: int, end: int) -> bool:
    """Does a word before or behind it, or the head of its column, say that it is a card's?"""
    if speaks_of(text, at, _CARDS, _NEAR_CARDS) or "card" in text[end : end + _NEAR_CARDS].lower():
        return True
    head = heading(text, at).lower()
    return any(word in head for word in _HEADS_OF_CARDS)


def _in_table(text: str, at: int, end: int) -> bool:
    """Do groups of the same form go on around it, as in a table of code points? One more may be a date."""
    around = text[max(0, at - 12) : at].split()[-2:] + text[end : end + 12].split()[:2]
    groups = [group for group in around if 4 <= len(group) <= 5 and not group.strip(_HEX)]
    return len(groups) > 2 or any(group.isalnum() and not group.isdigit() for group in groups)


def speaks_of(text: str, at: int, words: tuple[str, ...], reach: int = 48) -> bool:
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
    grouped = end - at > len(digits)  # then no comma beside it is one of a decimal or of a long number
    if not begins_here(text, at, grouped=grouped) or not (
        ends_here(text, end, grouped=grouped) or _ends_column(text, end)
    ):
        return None
    if whole[3:4] != "-" and not (speaks_of(text, at, _NAMED_SSN) or _is_behind(text, end, "social", "ssn")):
        return None
    return None if is_other(text, at, is_person=True) else (at, end)


def _is_behind(text: str, end: int, *said: str) -> bool:
    return any(word in text[end : end + _BEHIND].lower() for word in said)


def iban(text: str, at: int) -> Span | None:
    """In capitals, or all in small letters."""
    length = IBAN_LENGTHS.get(text[at : at + 2].upper())
    before = text[at - 1 : at]
    if length is None or (before and (before in "/+" or (before in WORD and not ends_escape(text, at)))):
        return None
    window = text[at : at + length + 12]
    if not window[:_SHORTEST_IBAN].isalnum() and window[4:5] not in (" ", "-"):
        return None
    if window[4:5] in (" ", "-"):
        digits = _grouped(window, window[4], length)
        end = at + len(digits)
        digits = digits.replace(window[4], "")
    else:
        digits, end = window[:length], at + length
    if len(digits) != length or not (digits.isascii() and digits.isalnum()):
        return None
    if digits not in (digits.upper(), digits.lower()):
        return None
    behind = text[end : end + 1]
    return (at, end) if not (behind and behind in WORD) and is_iban(digits.upper()) else None


def _grouped(window: str, sign: str, length: int) -> str:
    """As much of it as has so many characters beside its signs: a country may have groups of its own."""
    count = 0
    for place, character in enumerate(window):
        count += character != sign
        if count == length:
            return window[: place + 1]
    return window
