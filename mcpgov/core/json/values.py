"""JSON values as a server might see them. Pure.

Law: the text of numbers is kept (`1.0` is not `1`); what readers may read differently is not decided here.
The scanner is CPython's own, in C.
"""

from __future__ import annotations

from _json import encode_basestring_ascii, make_encoder, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

quote = encode_basestring_ascii
BLANK = " \t\n\r"
# With a larger exponent the plain form would have more zeros than anybody writes in a rule.
_PLAIN_EXPONENT = 64
_FIRST_OF_NUMBERS = frozenset("0123456789+-. \t\r\n\v\f")
_LAST_OF_NUMBERS = frozenset("0123456789abcdefABCDEF. \t\r\n\v\f")
MOST_EMBEDDED = 4  # JSON inside a string inside JSON …
_LONGEST_INT = 4300  # digits: int() refuses more by default


class SeparateText(str):
    """A long text of a large call whose JSON is judged apart (core/large), so embedded_json() does not open it."""

    __slots__ = ()


class Tangled(Exception):
    """Values nested too deeply to be read: whoever judges must assume the worst."""


class Float(float):
    """A JSON number with a fraction or exponent; `text` is what stood in the message."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Float:
        self = super().__new__(cls, text)
        self.text = text
        return self


def refuse_constant(name: str) -> object:
    raise ValueError(f"`{name}` is not JSON")


class _Context:
    """The attributes that the C scanner reads."""

    def __init__(
        self, parse_float: object, parse_int: object, pairs: object, hook: object, parse_constant: object, strict: bool
    ) -> None:
        self.strict = strict
        self.parse_constant = parse_constant
        self.parse_float = parse_float
        self.parse_int = parse_int
        self.object_pairs_hook = pairs
        self.object_hook = hook
        self.memo: dict[str, str] = {}


def scanner(
    parse_float: Callable[[str], float],
    parse_int: Callable[[str], int] = int,
    pairs: object = None,
    hook: object = None,
    constant: Callable[[str], object] = refuse_constant,
    strict: bool = True,
) -> Callable[[str, int], tuple[object, int]]:
    """A function that reads the value at a place of a text and says where it ends.

    Raises StopIteration, ValueError, RecursionError; SystemError where the C scanner looks for `json.decoder`'s
    error class, which a lean process never loads.
    """
    return make_scanner(_Context(parse_float, parse_int, pairs, hook, constant, strict))  # type: ignore[arg-type]


_scan = scanner(Float)


def _long_int(text: str) -> int | float:
    """An integer with more digits than int() accepts, which other readers do read, becomes a Float."""
    return int(text) if len(text) <= _LONGEST_INT else Float(text)


def _all_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; a key that occurs twice gets a list of its values, as some readers take the first, some the last."""
    out = dict(pairs)
    if len(out) < len(pairs):
        for key in out:
            values = [value for name, value in pairs if name == key]
            out[key] = values if len(values) > 1 else values[0]
    return out


# Reads what the most lenient libraries read: NaN and Infinity, control characters in strings, endless digits.
scan_generous = scanner(Float, _long_int, _all_pairs, constant=Float, strict=False)  # type: ignore[arg-type]


def scan(text: str, start: int, read: Callable[[str, int], tuple[object, int]] = _scan) -> tuple[object, int]:
    """The value that begins at `start`, and where it ends. Raises ValueError or RecursionError."""
    try:
        value, end = read(text, start)
    except (StopIteration, SystemError, ValueError):
        raise ValueError("not a JSON value") from None
    return value, end


def parse(text: str, read: Callable[[str, int], tuple[object, int]] = _scan) -> object:
    """One JSON value and nothing else. Raises ValueError or RecursionError."""
    start, end = 0, len(text)
    while start < end and text[start] in BLANK:
        start += 1
    value, at = scan(text, start, read)
    while at < end and text[at] in BLANK:
        at += 1
    if at != end:
        raise ValueError(f"more text after the value, at character {at}")
    return value


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not JSON")


_encode = make_encoder(None, _refuse, quote, None, ":", ",", True, False, False)


def dumps(value: object) -> str:
    """Compact ASCII JSON with sorted keys: the same text for equal values. A number beyond JSON's is its text."""
    try:
        return "".join(_encode(value, 0))
    except ValueError:
        return "".join(_encode(_with_texts(value), 0))


def _with_texts(value: object) -> object:
    """`1e999` and NaN are read as floats that no JSON can name."""
    if isinstance(value, dict):
        return {key: _with_texts(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_texts(item) for item in value]
    if isinstance(value, float) and value - value != 0.0:
        return value.text if isinstance(value, Float) else repr(value)
    return value


def number_texts(value: int | float) -> tuple[str, str]:
    """(as written in the JSON text, shortest decimal form)."""
    if isinstance(value, int):
        text = str(value)
        return text, text
    text = value.text if isinstance(value, Float) else repr(value)
    return text, shortest(text)


def shortest(text: str) -> str:
    """The decimal form without needless zeros or exponent: `1.50e1` is `15`, `0.10` is `0.1`."""
    sign = "-" if text.startswith("-") else ""
    mantissa, _, exponent = text.lstrip("-+").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    if not digits.isdigit() or len(exponent) > 6:
        return text
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if not digits:
        return "0"
    if point > _PLAIN_EXPONENT or point < -_PLAIN_EXPONENT:
        return f"{sign}{digits}e{point - len(digits)}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def as_double(value: int | float) -> str:
    """How a reader with doubles only (JavaScript) sees a number, in its shortest form."""
    if isinstance(value, int) and -(1 << 53) <= value <= 1 << 53:
        return str(value)
    try:
        return shortest(repr(float(value))).replace("inf", "Infinity")
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def number_of(text: str) -> float | None:
    """The number that some reader makes of a text (`100`, ` 1e2 `, `0x64`); None: the text is no number."""
    if not text or not (text[0] in _FIRST_OF_NUMBERS or text[0].isdecimal()):
        return None
    if text[-1] not in _LAST_OF_NUMBERS and not text[-1].isdecimal():  # digits of other scripts are digits to int()
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(int(text, 0))
    except (ValueError, OverflowError):
        return None


def embedded_json(text: str) -> object:
    """The list or object that a string holds as JSON, which servers decode; None: there is none.

    A JSON string with escapes is returned as a list of its text. RecursionError passes through.
    """
    if type(text) is SeparateText:
        return None
    inner = text.strip().lstrip("\ufeff")
    first = inner[:1]
    if first not in ("[", "{") and not (first == '"' and "\\" in inner):
        return None
    try:
        value = parse(inner, scan_generous)
    except ValueError:
        return None
    return [value] if first == '"' else value


def opened_json(text: str, depth: int) -> object:
    """embedded_json() of a text inside `depth` strings of JSON. Raises Tangled."""
    try:
        value = embedded_json(text)
    except RecursionError:
        raise Tangled from None
    if value is not None and depth >= MOST_EMBEDDED:
        raise Tangled
    return value
