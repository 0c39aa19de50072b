"""The fields of a request's query or body, of the types they must have. Pure.

Law: a field of another type, or too long, is refused by its name; one that nobody asked for is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcpgov.web.page_errors import PageError

LONGEST = 2000


def text(given: Mapping[str, object], name: str, *, most: int = LONGEST, optional: bool = False) -> str:
    """An optional one may be missing, null or empty."""
    value = given.get(name)
    if optional and (value is None or value == ""):
        return ""
    if not isinstance(value, str) or not value or len(value) > most or "\0" in value:
        raise PageError("wrong", f"`{name}` should be a text of at most {most} characters")
    return value


def choice(given: Mapping[str, object], name: str, known: tuple[str, ...], usual: str = "") -> str:
    value = given.get(name, usual)
    if not isinstance(value, str) or value not in known:
        raise PageError("wrong", f"`{name}` should be one of {', '.join(known)}")
    return value


def number(given: Mapping[str, object], name: str, least: float, most: float, usual: float) -> float:
    """A number, or a text that is one: a query has only texts."""
    value = given.get(name, usual)
    try:
        found = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else least - 1
    except ValueError:
        found = least - 1
    if not least <= found <= most:
        raise PageError("wrong", f"`{name}` should be a number from {least:g} to {most:g}")
    return found


def texts(given: Mapping[str, object], name: str, most: int = 100) -> tuple[str, ...]:
    value = given.get(name, [])
    if not isinstance(value, list) or len(value) > most or not all(isinstance(item, str) for item in value):
        raise PageError("wrong", f"`{name}` should be a list of texts")
    return tuple(item[:LONGEST] for item in value)


def mapping(given: Mapping[str, object], name: str) -> dict[str, object]:
    value = given.get(name)
    if value is not None and not isinstance(value, dict):
        raise PageError("wrong", f"`{name}` should be an object")
    return value or {}
