"""What headers repeat of a body (revision 2026-07-28), held against that body. Pure.

Law: the body is judged; a header that says something else is refused, because somebody behind us may go by it.
"""

from __future__ import annotations

import binascii
import re

from mcpgov.core.json.lookalikes import VERSION_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcpgov.loopback.request_checks import RequestHead

MISMATCH = -32020
FIRST_MODERN = b"2026-07-28"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_BEGIN, _END = "=?base64?", "?="
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_DEEPEST_SCHEMA = 64


def is_modern_header(version: bytes | None) -> bool:
    return version is not None and len(version) == len(FIRST_MODERN) and version >= FIRST_MODERN


def version_in(message: dict[str, object]) -> object:
    """The revision that a body names; None: it names none."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


def mismatch(head: RequestHead, message: dict[str, object]) -> str:
    """How the headers of a message of the stateless revision differ from its body; "" if they do not."""
    version = version_in(message)
    if version is not None and _stripped(head, b"mcp-protocol-version") != version:
        return "MCP-Protocol-Version is missing or differs from the body"
    method = message.get("method")
    if _stripped(head, b"mcp-method") != method:
        return "Mcp-Method is missing or differs from the body"
    params = message.get("params")
    key = NAMED.get(method) if isinstance(method, str) else None
    named = params.get(key) if key is not None and isinstance(params, dict) else None
    if named is not None and decoded(_stripped(head, b"mcp-name")) != named:
        return "Mcp-Name is missing or differs from the body"
    return ""


def differing_param(head: RequestHead, arguments: object, schema: object) -> str:
    """The first `Mcp-Param-*` header that says something else than its argument; "" if none does.

    `schema`: the tool's, as it was listed. A header that it does not know passes.
    """
    for path, token in annotated(schema):
        given = _stripped(head, b"mcp-param-" + token.lower().encode("utf-8", "replace"))
        if given is not None and not _matches(decoded(given), _at(arguments, path)):
            return f"Mcp-Param-{token}"
    return ""


def headers_for(message: dict[str, object], tools: Mapping[str, object]) -> list[tuple[str, str]]:
    """The headers that repeat a message, for one that we send ourselves. `tools`: what is known of the server's."""
    version, method, params = version_in(message), message.get("method"), message.get("params")
    out = [("MCP-Protocol-Version", version)] if isinstance(version, str) else []
    out += [("Mcp-Method", encoded(method))] if isinstance(method, str) else []
    key = NAMED.get(method) if isinstance(method, str) else None
    name = params.get(key) if key is not None and isinstance(params, dict) else None
    if isinstance(name, str):
        out.append(("Mcp-Name", encoded(name)))
        arguments = params.get("arguments") if isinstance(params, dict) else None
        for path, token in annotated(schema_of(tools, name)):
            said = _rendered(_at(arguments, path))
            out += [(f"Mcp-Param-{token}", encoded(said))] if said is not None and _TOKEN.fullmatch(token) else []
    return out


def repeats(name: str) -> bool:
    """Is this one of the headers that repeat a message?"""
    return name.lower() in ("mcp-protocol-version", "mcp-method", "mcp-name") or name.lower().startswith("mcp-param-")


def schema_of(tools: Mapping[str, object], name: str) -> object:
    """The input schema of a tool, as its pin has it."""
    entry = tools.get(name)
    definition = entry.get("definition") if isinstance(entry, dict) else None
    return definition.get("inputSchema") if isinstance(definition, dict) else None


def encoded(text: str) -> str:
    plain = text.isascii() and text.isprintable() and text == text.strip(" \t")
    if plain and not (text.startswith(_BEGIN) and text.endswith(_END)):
        return text
    return f"{_BEGIN}{binascii.b2a_base64(text.encode('utf-8', 'replace'), newline=False).decode('ascii')}{_END}"


def _rendered(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int)) else None


def decoded(value: str | None) -> str | None:
    """A header's value without its base64 form; None for a form that is not whole."""
    if value is None or not (value.startswith(_BEGIN) and value.endswith(_END)):
        return value
    inner = value[len(_BEGIN) : -len(_END)]
    try:
        raw = binascii.a2b_base64(inner.encode("ascii"), strict_mode=True)
        return raw.decode("utf-8") if binascii.b2a_base64(raw, newline=False).decode("ascii") == inner else None
    except (binascii.Error, UnicodeError):
        return None


def annotated(schema: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The arguments that are repeated in headers, by their places below `properties`."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or len(path) >= _DEEPEST_SCHEMA:
        return
    for name, inner in properties.items():
        token = inner.get("x-mcp-header") if isinstance(inner, dict) else None
        if isinstance(token, str):
            yield (*path, name), token
        yield from annotated(inner, (*path, name))


def _stripped(head: RequestHead, name: bytes) -> str | None:
    value = head.get(name)
    return None if value is None else value.decode("ascii", "replace").strip(" \t")


def _at(value: object, path: tuple[str, ...]) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _matches(said: str | None, value: object) -> bool:
    if said is None or value is None:
        return False
    if isinstance(value, bool):
        return said == ("true" if value else "false")
    if isinstance(value, str):
        return said == value
    if isinstance(value, (int, float)):
        try:
            return float(said) == float(value) and (not isinstance(value, int) or "." in said or int(said) == value)
        except ValueError:
            return False
    return False
