"""Frozen dataclasses <-> JSON values: one pair of functions for every control message. Pure.

Laws: a value of the wrong type is refused with its place named, never converted; a field that is not known is passed
over, since the other end may be newer.
"""

from __future__ import annotations

import types
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
WORDS |= {list: "a list", dict: "an object", type(None): "null"}


class MessageError(ValueError):
    """A message that is not what its type says."""


def encode(message: object) -> dict[str, object]:
    """The fields of a message as JSON values."""
    return {field.name: _plain(getattr(message, field.name)) for field in fields(cast(Any, message))}


def decode(kind: type[T], value: object) -> T:
    """The message of this type. Raises MessageError, with the place and both types in words."""
    return cast(T, _object(kind, value, ""))


def _plain(value: object) -> object:
    if is_dataclass(value):
        return encode(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value


def _object(kind: type, value: object, where: str) -> object:
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    found = {}
    for field, hint in _hints(kind):
        place = f"{where}.{field.name}" if where else field.name
        if field.name in value:
            found[field.name] = _checked(hint, value[field.name], place)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise MessageError(f"`{place}` is missing")
    return kind(**found)


@lru_cache(maxsize=256)
def _hints(kind: type) -> tuple[tuple[Field[Any], Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in fields(kind))


def _checked(hint: Any, value: object, where: str) -> object:
    """The value as the type wants it: lists become tuples, objects become messages."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is object:
        return value
    if hint in (str, int, float, bool):
        return _scalar(hint, value, where)
    if origin in (Union, types.UnionType):
        return None if value is None else _checked(next(kind for kind in inner if kind is not type(None)), value, where)
    if origin is Literal:
        if value not in inner or isinstance(value, bool):
            raise MessageError(f"`{where}` should be one of {', '.join(map(str, inner))}")
        return value
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(where, "a list", value)
        return tuple(_checked(inner[0], item, f"{where}[{at}]") for at, item in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise _wrong(where, "an object", value)
        return {key: _checked(inner[1], item, f"{where}.{key}") for key, item in value.items()}
    return _object(hint, value, where)


def _scalar(hint: type, value: object, where: str) -> object:
    # `bool` is an `int` to Python, and neither is the other to JSON.
    if type(value) is hint and (hint is not float or isfinite(cast(float, value))):
        return value
    if hint is float and type(value) is int:
        return float(value)
    raise _wrong(where, WORDS[hint], value)


def _wrong(where: str, wanted: str, value: object) -> MessageError:
    about = f"`{where}`" if where else "the message"
    return MessageError(f"{about} should be {wanted} and is {WORDS.get(type(value), 'something else')}")
