"""The usual lines, read with the least work: a `tools/call` with flat arguments, and a result. Pure.

Law: what is read here, `wire` and `keys` would read and pass on the same; in doubt the answer is None.

Without escapes and without a blank behind a quote every key is followed by `":` at once. So as many of those as there
are keys in all objects means that no key stands twice, which saves asking object by object; a text that begins with a
colon only makes the count too high.
"""

from __future__ import annotations

from mcpgov.core.values import dumps, scanner
from mcpgov.core.wire import SCAN_ERRORS, finite, unique

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
    """(id, names, arguments, their text) of a plain `tools/call` in ASCII.

    The names: the tool's, its arguments', and behind None those in `_meta`.
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
    if "\\" in text or '" ' in text or not text.isprintable() or not text.isascii():
        return None
    if len(params) != 2:
        return _with_meta(text, ident, tool, params)
    if text.count('":') != 6 + len(args):
        return None
    # The last three braces close the arguments, the parameters and the message, if all the others stand in front.
    shown = text[text.find(ARGUMENTS) + len(ARGUMENTS) : -2] if text.endswith("}}}") else dumps(args)
    return ident, (tool, *args), args, shown


def _with_meta(
    text: str, ident: str | int, tool: str, params: dict[str, object]
) -> tuple[str | int, Names, dict[str, object], str] | None:
    args, meta = params["arguments"], params.get("_meta")
    if type(args) is not dict or type(meta) is not dict or len(params) != 3:
        return None
    if text.count('":') != 7 + len(args) + len(meta) or any(isinstance(held, (dict, list)) for held in meta.values()):
        return None
    return ident, (tool, *args, None, *meta), args, dumps(args)


def simple_answer(text: str) -> tuple[str | int, bool] | None:
    """(id, does it tell of an error) of a result. Its texts may hold anything."""
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
        # Inner objects are kept before the one around them, and stand as None in it.
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
