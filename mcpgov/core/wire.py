"""Bytes <-> messages: one line, one JSON object, read so that no two readers can disagree. Pure.

Law: what is forwarded is what was judged. A line that some reader might split, or read another value from,
is refused or goes out as our own text.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote
from _json import scanstring

from mcpgov.core.values import BLANK, Float, scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
CLIENT_LINE_LIMIT = 32 * 1024 * 1024
SERVER_LINE_LIMIT = 64 * 1024 * 1024
DEEPEST, DEEPEST_ARGUMENTS = 64, 512
LONGEST_SIMPLE = 4096  # beyond it one look more is no loss
_BLANKS = frozenset(BLANK)

ENVELOPE = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
# Keys of params that decide something: a look-alike of one of these is refused, never chosen.
PARAMETERS = frozenset(
    ("name", "arguments", "uri", "notifications", "ref", "argument", "_meta", "task", "taskid", "inputresponses",
     "requeststate", "cursor", "requestid", "messages", "systemprompt")
)  # fmt: skip
# Bytes some line reader takes for an end of line, or some decoder for something else.
_CONTROLS = tuple(bytes((code,)) for code in range(32))
_LINE_ENDS = ("\x85".encode(), "\u2028".encode(), "\u2029".encode(), "\ufeff".encode())


class Refused(Exception):
    """A line that is not passed on. `ident` is its request's id, where that is plain."""

    def __init__(self, code: int, why: str, ident: object = None, *, answer: bool = True) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.ident = ident
        self.answer = answer


class Duplicate(ValueError):
    """An object names a key twice: readers differ about which one counts."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Duplicate("a key stands twice in one object")
    return found


class IntText(int):
    """An integer that remembers its text (`-0`)."""

    text: str

    def __new__(cls, text: str) -> IntText:
        self = super().__new__(cls, text)
        self.text = text
        return self


_scan_judged = scanner(parse_float=Float, pairs=_unique)
_scan_passed = scanner(parse_float=float, pairs=_unique)
_scan_exact = scanner(parse_float=Float, parse_int=IntText, pairs=_unique)
_scan_loose = scanner(parse_float=float, pairs=None)
_scan_flat = scanner(parse_float=Float, pairs=None)


def decode(line: bytes | bytearray) -> str:
    """The line's text. Raises Refused."""
    try:
        text = str(line, "utf-8")
    except UnicodeDecodeError:
        raise Refused(PARSE_ERROR, "not UTF-8") from None
    if text.startswith("\ufeff"):
        raise Refused(PARSE_ERROR, "begins with a byte order mark")
    return text


def _whole(scan: Callable[[str, int], tuple[object, int]], text: str) -> object:
    """Exactly one value on the line."""
    try:
        start = 0 if text[:1] == "{" else len(text) - len(text.lstrip(BLANK))
        value, end = scan(text, start)
    except Duplicate as error:
        raise Refused(INVALID_REQUEST, str(error), plain_id(text)) from None
    except RecursionError:
        raise Refused(INVALID_REQUEST, "nested too deeply") from None
    except (StopIteration, SystemError, ValueError, MemoryError):
        raise Refused(PARSE_ERROR, "not JSON") from None
    if end != len(text) and text[end:].strip(BLANK):
        raise Refused(PARSE_ERROR, "more than one value on the line")
    return value


def read(line: bytes | bytearray, text: str, *, judged: bool) -> dict[str, object]:
    """One JSON object with unique keys. `judged` keeps the text of numbers. Raises Refused."""
    value = _whole(_scan_judged if judged else _scan_passed, text)
    if not isinstance(value, dict):
        batch = "a batch is not accepted" if isinstance(value, list) else "not a JSON object"
        raise Refused(INVALID_REQUEST, batch)
    # Only a line with many brackets can be deep; counting them is far cheaper than walking.
    if judged and line.count(b"[") + line.count(b"{") > DEEPEST:
        _check_depth(value)
    return value


_SCAN_ERRORS = (StopIteration, SystemError, ValueError, RecursionError, MemoryError)


def simple_call(text: str) -> tuple[str | int, str, dict[str, object]] | None:
    """(id, tool, arguments), if the line is a plain `tools/call` that no reader can take for anything else; else None.

    Plain: compact, printable ASCII, no escapes, flat arguments. Then every `":` ends a key, so as many keys in the
    text as in the value means that none stands twice, which saves asking object by object.
    """
    if len(text) > LONGEST_SIMPLE or "\\" in text or not text.isascii() or not text.isprintable():
        return None
    try:
        message, end = _scan_flat(text, 0)
        if end != len(text) or type(message) is not dict or len(message) != 4 or message["method"] != "tools/call":
            return None
        params, ident = message["params"], message["id"]
        if message["jsonrpc"] != "2.0" or type(params) is not dict or len(params) != 2:
            return None
        tool, args = params["name"], params["arguments"]
    except (KeyError, *_SCAN_ERRORS):
        return None
    if type(tool) is not str or type(args) is not dict or (type(ident) is not int and type(ident) is not str):
        return None
    return (ident, tool, args) if text.count('":') == 6 + len(args) else None


def simple_answer(text: str) -> tuple[str | int, bool] | None:
    """(id, is it an error), if the line is a plain result; else None."""
    if not text.isascii() or not text.isprintable():
        return None
    try:
        message, end = _scan_passed(text, 0)
        if end != len(text) or type(message) is not dict or len(message) != 3 or message["jsonrpc"] != "2.0":
            return None
        ident, result = message["id"], message["result"]
    except (KeyError, *_SCAN_ERRORS):
        return None
    if type(result) is not dict or (type(ident) is not int and type(ident) is not str):
        return None
    return ident, result.get("isError") is True


def _check_depth(message: dict[str, object]) -> None:
    params = message.get("params")
    arguments = params.get("arguments") if isinstance(params, dict) else None
    stack: list[tuple[object, int, int]] = [(message, 1, DEEPEST)]
    while stack:
        node, depth, most = stack.pop()
        if isinstance(node, (dict, list)):
            if node is arguments:
                depth, most = 1, DEEPEST_ARGUMENTS
            if depth > most:
                raise Refused(INVALID_REQUEST, "nested too deeply", _usable(message.get("id")))
            inner = node.values() if isinstance(node, dict) else node
            stack += [(item, depth + 1, most) for item in inner if isinstance(item, (dict, list))]


def _usable(ident: object) -> object:
    return ident if isinstance(ident, (str, int)) and not isinstance(ident, bool) else None


def plain_id(text: str) -> object:
    """The id of a message that cannot be used otherwise: one top-level `id`, a string or integer; else None."""
    found: list[object] = []
    try:
        for key, start, end in _members(text, _skip(text, 0)):
            if key.casefold() == "id":
                found.append(_scan_loose(text[start:end], 0)[0] if key == "id" else None)
    except (StopIteration, SystemError, ValueError, RecursionError, MemoryError):
        return None
    return _usable(found[0]) if len(found) == 1 else None


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANKS:
        at += 1
    return at


def _members(text: str, at: int) -> list[tuple[str, int, int]]:
    """Key, start and end of each value of the object that begins at `at`. Raises what scanning raises."""
    out: list[tuple[str, int, int]] = []
    if text[at : at + 1] != "{":
        raise ValueError("not an object")
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = scanstring(text, at + 1, True)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("not an object")
        start = _skip(text, at + 1)
        end = _scan_loose(text, start)[1]
        out.append((key, start, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return out


def _elements(text: str, at: int) -> list[tuple[int, int]]:
    """Start and end of each value of the list that begins at `at`."""
    out: list[tuple[int, int]] = []
    if text[at : at + 1] != "[":
        raise ValueError("not a list")
    at = _skip(text, at + 1)
    while text[at : at + 1] not in ("]", ""):
        end = _scan_loose(text, at)[1]
        out.append((at, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return out


def items(text: str) -> list[str]:
    """The texts of a batch's messages; nothing where it is no list."""
    try:
        return [text[start:end] for start, end in _elements(text, _skip(text, 0))]
    except (StopIteration, SystemError, ValueError, RecursionError, MemoryError):
        return []


def without_items(text: str, path: tuple[str, ...], gone: frozenset[int]) -> str:
    """The text of a valid object with some items of one of its lists taken out; every other character stays."""
    at = _skip(text, 0)
    for key in path:
        at = next(start for name, start, _ in _members(text, at) if name == key)
    spans = _elements(text, at)
    kept = [text[start:end] for number, (start, end) in enumerate(spans) if number not in gone]
    first, last = spans[0][0], spans[-1][1]
    return text[:first] + ",".join(kept) + text[last:]


def check_keys(message: dict[str, object]) -> None:
    """Refuse look-alikes of the keys that decide: some readers fold case. Raises Refused."""
    if not message.keys() <= ENVELOPE:
        for key in message.keys() - ENVELOPE:
            if key.casefold() in ENVELOPE:
                raise Refused(INVALID_REQUEST, f"a look-alike of `{key.casefold()}`", _usable(message.get("id")))
    params = message.get("params")
    if isinstance(params, dict) and len(params) > 1:
        folded = {key.casefold() for key in params}
        if len(folded) != len(params):
            raise Refused(INVALID_PARAMS, "keys that differ in case only", _usable(message.get("id")))
    if isinstance(params, dict):
        for key in params:
            low = key.casefold()
            if low in PARAMETERS and key not in SPELLED:
                raise Refused(INVALID_PARAMS, f"a look-alike of `{SPELLING[low]}`", _usable(message.get("id")))


SPELLED = frozenset(
    ("name", "arguments", "uri", "notifications", "ref", "argument", "_meta", "task", "taskId", "inputResponses",
     "requestState", "cursor", "requestId", "messages", "systemPrompt")
)  # fmt: skip
SPELLING = {key.casefold(): key for key in SPELLED}


def check_argument_keys(arguments: object) -> bool:
    """No object inside has two keys that are equal after case folding."""
    stack = [arguments]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if len(node) > 1 and len({key.casefold() for key in node}) != len(node):
                return False
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return True


def is_safe(line: bytes | bytearray, text: str) -> bool:
    """Every reader finds one line in it, and the same text."""
    if text.isascii() and text.isprintable():
        return True
    return not any(byte in line for byte in _CONTROLS) and not any(end in line for end in _LINE_ENDS)


def outgoing(line: bytes | bytearray, text: str) -> bytes | bytearray:
    """The line as it may go out: itself, or our own text of the same value."""
    return line if is_safe(line, text) else dump(_whole(_scan_exact, text)).encode("ascii")


def dump(value: object) -> str:
    """One line of ASCII JSON; numbers keep their text."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quote(key)}:{dump(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dump, value)) + "]"
    if isinstance(value, (Float, IntText)):
        return value.text
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def error(ident: object, code: int, message: str, data: dict[str, object] | None = None) -> bytes:
    """A JSON-RPC error, one line."""
    body: dict[str, object] = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return dump({"jsonrpc": "2.0", "id": ident, "error": body}).encode("ascii") + b"\n"


def result(ident: object, body: object) -> bytes:
    return dump({"jsonrpc": "2.0", "id": ident, "result": body}).encode("ascii") + b"\n"
