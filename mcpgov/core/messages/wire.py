"""Bytes <-> messages: one line, one JSON object, read so that no two readers can disagree. Pure.

Law: what is forwarded is what was judged. A line that some reader might split, or read differently, is refused or
rewritten as our own text.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote

from mcpgov.core.json.values import BLANK, Float, scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Nest = dict[str, object] | list[object]

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
CLIENT_LINE_LIMIT = 32 * 1024 * 1024
SERVER_LINE_LIMIT = 64 * 1024 * 1024
DEEPEST, DEEPEST_ARGUMENTS = 64, 512
LONG_LINE = 1 << 16
MOST_PLAIN_DIGITS = 15
MOST_DIGITS = 4300  # the interpreter converts no longer integer
LARGE_LINE = 1 << 20
BATCH = "a batch is not accepted"
# What some line reader takes for an end of line, or some decoder for something else.
_LINE_ENDS = "\x85\u2028\u2029\ufeff"


class Refused(Exception):
    """A line that is not passed on. `ident`: the id of its request, if that is certain."""

    def __init__(self, code: int, why: str, ident: object = None, *, answer: bool = True) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.ident = ident
        self.answer = answer


class Duplicate(ValueError):
    """An object names a key twice: readers differ about which one counts."""


class Verbatim(str):
    """A number as it stood in the message: too large to convert, or only to be written out again."""

    __slots__ = ()


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise Duplicate("a key stands twice in one object")
    return table


def finite(text: str) -> Float:
    value = Float(text)
    if value - value:  # infinite or NaN: readers differ about such numbers
        raise ValueError("too large")
    return value


def _integer(text: str) -> int | Verbatim:
    return int(text) if len(text) <= MOST_DIGITS else Verbatim(text)


scan_judged = scanner(parse_float=finite, pairs=unique)
scan_passed = scanner(parse_float=float, pairs=unique)
_scan_wide = scanner(parse_float=float, parse_int=_integer, pairs=unique)  # type: ignore[arg-type]
_scan_exact = scanner(parse_float=Verbatim, parse_int=Verbatim, pairs=unique)  # type: ignore[arg-type]
SCAN_ERRORS = (StopIteration, SystemError, ValueError, RecursionError, MemoryError)


def decode(line: bytes | bytearray) -> str:
    """The line's text. Raises Refused."""
    try:
        text = str(line, "utf-8")
    except UnicodeDecodeError:
        raise Refused(PARSE_ERROR, "not UTF-8") from None
    if text.startswith("\ufeff"):
        raise Refused(PARSE_ERROR, "begins with a byte order mark")
    return text


def release_buffer(line: bytes | bytearray) -> bool:
    """Free the bytes of a large line while its text is judged: text and value already take twice their memory."""
    if not isinstance(line, bytearray) or len(line) <= LARGE_LINE:
        return False
    line.clear()
    return True


def _whole(scan: Callable[[str, int], tuple[object, int]], text: str) -> object:
    """Exactly one value on the line."""
    try:
        start = 0 if text[:1] == "{" else len(text) - len(text.lstrip(BLANK))
        value, end = scan(text, start)
    except Duplicate as error:
        raise Refused(INVALID_REQUEST, str(error), plain_id(text)) from None
    except RecursionError:
        raise Refused(INVALID_REQUEST, "nested too deeply", plain_id(text)) from None
    except MemoryError:
        raise
    except SCAN_ERRORS:
        raise Refused(PARSE_ERROR, "not JSON") from None
    if end != len(text) and text[end:].strip(BLANK):
        raise Refused(PARSE_ERROR, "more than one value on the line")
    return value


def read(text: str, *, judged: bool) -> dict[str, object]:
    """One JSON object with unique keys. `judged` keeps the text of numbers and bounds them. Raises Refused."""
    if len(text) > LONG_LINE and text.lstrip(BLANK)[:1] == "[":
        raise Refused(INVALID_REQUEST, BATCH)  # without parsing it
    try:
        value = _whole(scan_judged if judged else scan_passed, text)
    except Refused as refused:
        if refused.code != PARSE_ERROR:
            raise
        value = _whole(_scan_wide, text)
        if judged:
            raise Refused(INVALID_PARAMS, "a number is too large", plain_id(text)) from None
    if not isinstance(value, dict):
        raise Refused(INVALID_REQUEST, BATCH if isinstance(value, list) else "not a JSON object")
    # Only a line with many brackets can be deep; counting them is cheaper than walking, except in a long text.
    if judged and (len(text) > LONG_LINE or text.count("[") + text.count("{") > DEEPEST):
        params = value.get("params")
        arguments = params.get("arguments") if isinstance(params, dict) else None
        check_depth(value, DEEPEST, value.get("id"), arguments)
    return value


def check_depth(value: object, most: int, ident: object = None, arguments: object = None) -> None:
    """Refuse values nested deeper than `most`; `arguments` have a limit of their own. Raises Refused."""
    _check_levels(value, most, ident, arguments)
    _check_levels(arguments, DEEPEST_ARGUMENTS, ident)


def _check_levels(value: object, most: int, ident: object, apart: object = None) -> None:
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        if most <= 0:
            raise Refused(INVALID_REQUEST, "nested too deeply", usable(ident))
        most -= 1
        level = [node for node in next_level(level) if node is not apart]


def next_level(level: list[Nest]) -> list[Nest]:
    """The lists and objects directly inside others: going level by level is fast even for millions of them."""
    out: list[Nest] = []
    for node in level:
        if node:
            inner = node.values() if isinstance(node, dict) else node
            out += [item for item in inner if type(item) is list or type(item) is dict]
    return out


def usable(ident: object) -> str | int | None:
    """An id that can be answered; neither a bool nor a number too large to convert."""
    return ident if type(ident) is str or type(ident) is int else None


def plain_id(text: str) -> str | int | None:
    """The id of a request that is refused: its only top-level `id`, a string or integer; else None.

    Also None for what looks like an answer: its id was chosen by the other side.
    """
    from mcpgov.core.json.json_spans import ANSWER_KEYS, outline

    ident, names = outline(text)
    return ident if names.isdisjoint(ANSWER_KEYS) else None


def early_id(text: str) -> str | int | None:
    """plain_id(), but of a long text only the beginning is read if the id stands there."""
    if len(text) > LONG_LINE:
        from mcpgov.core.json.json_spans import leading_request_id

        ident = leading_request_id(text)
        if ident is not None:
            return ident
    return plain_id(text)


def refusal_of_limit(error: Exception, text: str) -> Refused:
    """The refusal of a line that exceeds the interpreter's depth or memory."""
    if isinstance(error, RecursionError):
        return Refused(INVALID_REQUEST, "nested too deeply", plain_id(text))
    from mcpgov.core.json.json_spans import leading_request_id

    return Refused(INTERNAL_ERROR, "out of memory", leading_request_id(text))


def is_number(text: str) -> bool:
    """Is it an integer that every reader reads alike?"""
    return text.isdigit() and text.isascii() and len(text) <= MOST_PLAIN_DIGITS and (text[0] != "0" or len(text) == 1)


def is_safe(text: str) -> bool:
    """Does every reader find one line in it, and the same text?"""
    # Line ends, control characters and the byte order mark are not printable.
    if len(text) <= LONG_LINE and text.isprintable():
        return True
    # INVARIANT: the text was parsed as strict JSON, so its only control characters are blanks between values.
    if "\t" in text or "\r" in text:
        return False
    return text.isascii() or not any(end in text for end in _LINE_ENDS)


def outgoing(line: bytes | bytearray, text: str) -> bytes | bytearray:
    """The line to forward: the line itself, or our own text of the same value. `text` is empty for a large line."""
    if not text:
        return single_line(line)
    return line if is_safe(text) else dump(exact(text)).encode("ascii")


def single_line(line: bytes | bytearray) -> bytes | bytearray:
    """A valid line, changed so that every reader finds one line in it; the line is not parsed for that."""
    # Tab and CR stand between values only; the other signs only in texts, where an escape means the same.
    for sign in (b"\t", b"\r"):
        if sign in line:
            line = line.replace(sign, b" ")
    if not line.isascii():
        for end in _LINE_ENDS:
            if end.encode() in line:
                line = line.replace(end.encode(), b"\\u%04x" % ord(end))
    return line


def exact(text: str) -> dict[str, object]:
    """The object of a line that was read before, with the text of every number."""
    value = _whole(_scan_exact, text)
    assert isinstance(value, dict)
    return value


def dump(value: object) -> str:
    """One line of ASCII JSON; numbers keep their text. A stack instead of recursion: the sender chooses the depth."""
    out: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            out.append(node if isinstance(node, Verbatim) else quote(node))
        elif isinstance(node, dict):
            parts: list[object] = [Verbatim("{")]
            for key, item in node.items():
                parts += (Verbatim(f"{',' if len(parts) > 1 else ''}{quote(key)}:"), item)
            stack += reversed((*parts, Verbatim("}")))
        elif isinstance(node, list):
            parts = [Verbatim("[")]
            for item in node:
                parts += (Verbatim(","), item) if len(parts) > 1 else (item,)
            stack += reversed((*parts, Verbatim("]")))
        elif node is None or isinstance(node, bool):
            out.append({None: "null", True: "true", False: "false"}[node])
        else:
            out.append(node.text if isinstance(node, Float) else repr(node))
    return "".join(out)


def error(ident: object, code: int, message: str, data: dict[str, object] | None = None) -> bytes:
    """A JSON-RPC error, one line."""
    body: dict[str, object] = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return dump({"jsonrpc": "2.0", "id": ident, "error": body}).encode("ascii") + b"\n"


def result(ident: object, body: object) -> bytes:
    return dump({"jsonrpc": "2.0", "id": ident, "result": body}).encode("ascii") + b"\n"
