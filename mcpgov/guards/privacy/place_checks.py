"""What is at a place that the gate shows, kind by kind: each check gets the place and returns a span, or nothing."""

from __future__ import annotations

from mcpgov.guards.privacy import connections, named, near, shape, spoken, texts
from mcpgov.guards.privacy.digits import numbers, phones
from mcpgov.guards.privacy.mail import addresses
from mcpgov.guards.privacy.plain_text import escape_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # The text, the place's start and end, where a word may begin there.
    PlaceCheck = Callable[[str, int, int, list[int]], tuple[int, int] | None]

Span = tuple[int, int]
_STARTS = frozenset(shape.ALNUM + "_+")


def possible_kinds(text: str, start: int, places: list[int]) -> tuple[str, ...]:
    if text[start + 1 : start + 2] == "@" or text.startswith(addresses.ENCODED, start + 1):
        return ("email", *_WORDS)
    first = text[places[0] : places[0] + 1]
    if first.isdigit() or first == "+" or first == "(":
        return _NUMBERS
    if text[start : start + 1] == ":" and text[start + 1 : start + 2] in ("/", "\\"):
        return ("credential_url", *_WORDS)
    return _WORDS


_SENT_AS = ("bearer ", "bearer:", "basic ", "basic: ", "ntlm ", "ssws ")
_NUMBERS = ("credit_card", "ssn", "phone", "api_key")
_WORDS = ("iban", "private_key", "jwt", "api_key", "ssn", "phone")


def word_starts(text: str, start: int) -> list[int]:
    """Where a word may begin at a place that the gate shows: there, or behind the boundary."""
    sign = text[start : start + 1]
    if sign == "\\":
        end = start + 2 if text[start + 1 : start + 2] in ("b", "f") else escape_end(text, start)
        return [end, start + 1]
    if sign == "%":
        return [start + 3, start + 1]
    return [start] if sign in _STARTS or sign == "" else [start + 1, start]


def _private_key(text: str, start: int, end: int, places: list[int]) -> Span | None:
    return texts.private_key(text, start) if text.startswith(("BEGIN", "PuTTY"), start) else None


def _credential_url(text: str, start: int, end: int, places: list[int]) -> Span | None:
    return texts.url_password(text, start) or connections.url_token(text, start)


def _email(text: str, start: int, end: int, places: list[int]) -> Span | None:
    return addresses.email(text, start + 1)


def _web_token(text: str, start: int, end: int, places: list[int]) -> Span | None:
    at = places[0]
    return texts.web_token(text, at) if text.startswith(("eyJ", "eyj"), at) else None


def named_key(text: str, start: int, end: int) -> Span | None:
    word = text[start : start + 7].lower()
    if word[:3] in (":54", ":64"):  # a port in a line of `.pgpass`, no name
        return spoken.spoken(text, start, end)
    span = named.bearer(text, start) if word.startswith(_SENT_AS) else None
    if not near.is_weak(text, start):
        span = span or named.named_value(text, start, end)
    if span is None and text[start : start + 1] == " ":
        span = spoken.flagged(text, start, end)
    for check in (spoken.spoken, near.near_key, spoken.paired, spoken.valued):
        span = span or check(text, start, end)
    return span or (connections.connection_password(text, start) if word.lstrip(';&?" ')[:1] == "p" else None)


def _card(text: str, start: int, end: int, places: list[int]) -> Span | None:
    return numbers.card(text, places[0]) if text[places[0] : places[0] + 1].isdigit() else None


def _iban(text: str, start: int, end: int, places: list[int]) -> Span | None:
    # The gate has eleven signs behind the country and the check digits of one in small letters.
    return numbers.iban(text, end - 15 if text[start : start + 4].lower() == "iban" else places[0])


def _ssn(text: str, start: int, end: int, places: list[int]) -> Span | None:
    if text[places[0] : places[0] + 1].isdigit():
        return numbers.ssn(text, places[0])
    # The gate ends behind the ninth digit that follows the word.
    return numbers.ssn(text, end - 9) if text[start : start + 1] in ("s", "S") else None


def _phone(text: str, start: int, end: int, places: list[int]) -> Span | None:
    at = places[0]
    if text[start : start + 3].lower() == "%2b":
        return phones.encoded(text, start)
    if text[at : at + 12].lower().startswith(phones.CALLED):
        return phones.called(text, at, end)
    span = phones.phone(text, places[0])
    if span is None and text[start : start + 1].isdigit():
        return phones.placed(text, start, end)
    return phones.phone(text, start) if span is None and text[start : start + 1] == "(" else span


CHECKS: dict[str, PlaceCheck] = {
    "private_key": _private_key, "credential_url": _credential_url, "email": _email, "jwt": _web_token,
    "credit_card": _card, "iban": _iban, "ssn": _ssn, "phone": _phone,
}  # fmt: skip
