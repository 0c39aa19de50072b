"""Fast parsing of the usual lines: a `tools/call`, and a result. Pure.

Law: what is read here, `wire` and `lookalikes` would read and pass on the same; in doubt the answer is None.

Without blanks behind quotes, `":` follows every key directly. If a line has as many `":` as its objects have keys, no
key occurs twice, so the objects need not be checked one by one; a `":` inside a text only makes the count too high.
"""

from __future__ import annotations

from mcpgov.core.json.values import dumps, scanner
from mcpgov.core.messages.wire import DEEPEST, SCAN_ERRORS, finite, is_safe, unique

TYPE_CHECKING = False
if TYPE_CHECKING:
    Names = tuple[str | None, ...]

ARGUMENTS = '"arguments":'


def _keep(pairs: list[tuple[str, object]]) -> None:
    _tables.append(unique(pairs))


_tables: list[dict[str, object]] = []
_scan_call = scanner(parse_float=finite)
_scan_counted = scanner(parse_float=float, hook=_tables.append)
_scan_escaped = scanner(parse_float=float, pairs=_keep)


def simple_call(text: str) -> tuple[str | int, Names, dict[str, object], str] | None:
    """(id, names, parameters, text of the arguments) of a plain `tools/call`.

    The names: the tool's, its arguments', and behind None those in `_meta`. The text is empty unless the arguments are
    flat ASCII without escapes.
    """
    try:
        message, end = _scan_call(text, 0)
        params, ident = message["params"], message["id"]  # type: ignore[index]
        tool, args = params["name"], params["arguments"]
        if message["method"] != "tools/call" or message["jsonrpc"] != "2.0" or end != len(text):  # type: ignore[index]
            return None
    except (KeyError, TypeError, *SCAN_ERRORS):
        return None
    if type(args) is not dict or type(tool) is not str or (type(ident) is not int and type(ident) is not str):
        return None
    if '" :' in text or '"  ' in text or not is_safe(text):
        return None
    keys, names = 6 + len(args), (tool, *args)
    if len(params) != 2:
        meta = params.get("_meta")
        if type(meta) is not dict or len(params) != 3 or any(isinstance(item, (dict, list)) for item in meta.values()):
            return None
        keys, names = keys + 1 + len(meta), (*names, None, *meta)
    flat = True
    for value in args.values():
        if isinstance(value, (dict, list)):
            flat = False
    if not flat:
        if text.count("[") + text.count("{") > DEEPEST:
            return None
        keys += _keys_below([*args.values()])
    if text.count('":') != keys:
        return None
    if not flat or "\\" in text or not text.isascii():
        return ident, names, params, ""
    if len(params) != 2 or not text.endswith("}}}"):
        return ident, names, params, dumps(args)
    # `arguments` is the last member of `params` and `params` of the message: the last three braces close them.
    return ident, names, params, text[text.find(ARGUMENTS) + len(ARGUMENTS) : -2]


def _keys_below(values: list[object]) -> int:
    """How many keys all objects in some values have together."""
    count = 0
    while values:
        value = values.pop()
        if type(value) is dict:
            count += len(value)
            values += value.values()
        elif type(value) is list:
            values += value
    return count


def simple_answer(text: str) -> tuple[str | int, bool] | None:
    """(id, is it an error) of a result. Its texts may hold anything."""
    if not text.startswith("{"):
        return None
    tables = _tables
    tables.clear()
    try:
        if "\\" in text or '" ' in text:
            end = _scan_escaped(text, 0)[1]
        else:
            end = _scan_counted(text, 0)[1]
            if sum(map(len, tables)) != text.count('":'):
                return None
        # Inner objects come before the one around them, in which they are None.
        message, result = tables[-1], tables[-2]
        ident = message["id"]
        if message["result"] is not None or message["jsonrpc"] != "2.0" or len(message) != 3 or end != len(text):
            return None
    except (KeyError, IndexError, *SCAN_ERRORS):
        return None
    if type(ident) is not int and type(ident) is not str:
        return None
    if "\t" in text or "\r" in text or not (text.isascii() or text.isprintable()):
        return None
    return ident, "isError" in result and result["isError"] is True
