"""What is at a place that the gate shows, kind by kind: each check gets the place and returns a span, or nothing."""

from __future__ import annotations

from mcpgov.guards.privacy import commands, connections, named, near, shape, spoken, texts
from mcpgov.guards.privacy.digits import numbers, phones, told_phones
from mcpgov.guards.privacy.digits.checksums import IBAN_LENGTHS
from mcpgov.guards.privacy.mail import addresses
from mcpgov.guards.privacy.plain_text import escape_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # The text, the place's start and end, where a word may begin there.
    PlaceCheck = Callable[[str, int, int, tuple[int, ...]], tuple[int, int] | None]
    NameCheck = Callable[[str, int, int], tuple[int, int] | None]

Span = tuple[int, int]
_STARTS = frozenset(shape.ALNUM + "_+")


def possible_kinds(text: str, start: int, places: tuple[int, ...]) -> tuple[str, ...]:
    """The kinds that can begin so: most places are of one or two, so nothing else is asked there."""
    first = text[places[0] : places[0] + 1]
    if text.startswith(_SIGNS_OF_MAIL, start + 1):
        return _MAIL.get(first, _ANY_MAIL)
    if text.startswith(_URLS, start):
        return _IN_URL
    kinds = _KINDS.get(first)
    return kinds or (_NUMBERS if first.isdigit() else _WORDS)


_SIGNS_OF_MAIL = ("@", addresses.ENCODED[0])
_URLS = (":/", ":\\")
_NUMBERS = ("credit_card", "ssn", "phone", "api_key")
_WORDS = ("iban", "private_key", "jwt", "api_key", "ssn", "phone")
_IN_URL = ("credential_url", "api_key")
_ANY_MAIL = ("email", *_WORDS)


def word_starts(text: str, start: int) -> tuple[int, ...]:
    """Where a word may begin at a place that the gate shows: there, or behind the boundary."""
    sign = text[start : start + 1]
    if sign in _STARTS or sign == "":
        return (start,)
    if sign == "\\":
        end = start + 2 if text[start + 1 : start + 2] in ("b", "f") else escape_end(text, start)
        return end, start + 1
    if sign == "%":
        return start + 3, start + 1
    return start + 1, start


def _private_key(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    return texts.private_key(text, start) if text.startswith(("BEGIN", "PuTTY"), start) else None


def _credential_url(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    return texts.url_password(text, start) or connections.url_token(text, start)


def _email(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    is_address = text.startswith(("@", addresses.ENCODED), start + 1)
    return addresses.email(text, start + 1) if is_address else None


def _web_token(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    at = places[0]
    return texts.web_token(text, at) if text.startswith(("eyJ", "eyj"), at) else None


def named_key(text: str, start: int, end: int, *, is_read: bool = False) -> Span | None:
    """What only a name, a command or a sentence before it tells; `is_read`: no name has the value behind it."""
    sign = text[start : start + 1]
    if sign == ":" and text.startswith((":54", ":64"), start):  # a port in a line of `.pgpass`, no name
        return spoken.spoken(text, start, end)
    for check in name_checks(text[start : start + 2]):
        if is_read and check in _READS:
            continue
        span = check(text, start, end)
        if span is not None:
            return span
    return None


def name_checks(beginning: str) -> tuple[NameCheck, ...]:
    """Those that may find something that begins with these two characters."""
    found = _name_checks.get(beginning)
    if found is None:
        if len(_name_checks) >= MOST_BEGINNINGS:
            _name_checks.clear()
        low = beginning.lower()
        found = tuple(
            check
            for check, beginnings in _NAME_CHECKS
            if beginnings is None or not low.isascii() or low.startswith(beginnings)
        )
        if _named_value in found:
            found = tuple(check for check in found if check is not named.named_value)
        _name_checks[beginning] = found
    return found


def _bearer(text: str, start: int, end: int) -> Span | None:
    word = text[start : start + 7].lower()
    return named.bearer(text, start) if word.startswith(_SENT) else None


def _named_value(text: str, start: int, end: int) -> Span | None:
    return None if near.is_weak(text, start) else named.named_value(text, start, end)


def _connection(text: str, start: int, end: int) -> Span | None:
    word = text[start : start + 7].lower()
    return connections.connection_password(text, start) if word.lstrip(';&?" ')[:1] == "p" else None


_SENT = ("bearer ", "bearer:", "basic ", "basic: ", "ntlm ", "ssws ")
# Each with how what it finds begins; None: it may begin with anything.
_NAME_CHECKS: tuple[tuple[NameCheck, tuple[str, ...] | None], ...] = (
    (_bearer, tuple(word[:2] for word in _SENT)), (_named_value, near.WEAK_BEGINNINGS),
    (named.named_value, None), (commands.flagged, (" -", " /")),
    (spoken.spoken, spoken.BEGINNINGS), (near.near_key, tuple({word[:2] for word in near.WORDS})),
    (spoken.paired, spoken.PAIRED), (spoken.valued, None), (_connection, (";", "&", "?", '"', " ", "p")),
)  # fmt: skip
_READS = (_named_value, named.named_value)
MOST_BEGINNINGS = 4096
_name_checks: dict[str, tuple[NameCheck, ...]] = {}
_ASCII = tuple(map(chr, range(128)))


def _card(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    return numbers.card(text, places[0]) if text[places[0] : places[0] + 1].isdigit() else None


def _iban(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    # The gate has eleven signs behind the country and the check digits of one in small letters.
    return numbers.iban(text, end - 15 if text[start : start + 4].lower() == "iban" else places[0])


def _ssn(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    if text[places[0] : places[0] + 1].isdigit():
        return numbers.ssn(text, places[0])
    # The gate ends behind the ninth digit that follows the word.
    return numbers.ssn(text, end - 9) if text[start : start + 1] in ("s", "S") else None


def _phone(text: str, start: int, end: int, places: tuple[int, ...]) -> Span | None:
    at = places[0]
    first = text[at : at + 1]
    if text[start : start + 3].lower() == "%2b":
        return phones.encoded(text, start)
    if not first.isdigit() and first not in "+(":
        return told_phones.called(text, at, end) if text[at : at + 12].lower().startswith(told_phones.CALLED) else None
    span = phones.phone(text, at)
    if span is None and text[start : start + 1].isdigit():
        return told_phones.placed(text, start)
    return phones.phone(text, start) if span is None and text[start : start + 1] == "(" else span


CHECKS: dict[str, PlaceCheck] = {
    "private_key": _private_key, "credential_url": _credential_url, "email": _email, "jwt": _web_token,
    "credit_card": _card, "iban": _iban, "ssn": _ssn, "phone": _phone,
}  # fmt: skip
# What a kind that is told by letters begins with; a key may begin with anything.
_FIRST_LETTERS = {
    "iban": {"i", *(country[0].lower() for country in IBAN_LENGTHS)}, "private_key": {"b", "p"}, "jwt": {"e"},
    "ssn": {"s"}, "phone": {word[0] for word in told_phones.CALLED},
}  # fmt: skip
_KINDS = {
    sign: _NUMBERS
    if sign in "0123456789+("
    else tuple(kind for kind in _WORDS if kind == "api_key" or sign.lower() in _FIRST_LETTERS[kind])
    for sign in _ASCII
}
_MAIL = {sign: ("email", *kinds) for sign, kinds in _KINDS.items() if kinds is not _NUMBERS}
