"""The URL of an entry: which key holds it, whether it can be governed, how the app signs in there. Pure.

Law: an entry whose URL is not certain (a variable, two URLs) is reported, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcpgov import reason_codes
from mcpgov.reason_codes import NONE, Reason
from mcpgov.remote_servers import HTTP, SSE, id_in

URLS = ("url", "httpUrl", "serverUrl", "uri", "baseUrl")
REMOTE = {
    "http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "streamable_http": HTTP, "remote": HTTP,
    "ws": HTTP, "sse": SSE,
}  # fmt: skip
SSE_BY_KEY = ("gemini", "qwen")  # without a `type`, `url` is legacy SSE there and `httpUrl` is not
HEADERS = ("headers", "http_headers", "env_http_headers")
# Members that give a credential without being headers.
CREDENTIALS = ("bearer_token_env_var", "bearer_token", "headersHelper", "headers_helper")
LOGINS = ("oauth", "auth", "authProviderType", "authorization")
_CREDENTIAL = re.compile(r"auth|key|token|secret|password|credential|cookie", re.I)
_VARIABLE = re.compile(r"\$\{|\$\(|\$[A-Za-z_]|\{env:|\{file:|\{\{")
_ODD = re.compile(r"[\x00-\x20\x7f-\xa0\\\"<>^`{|}\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class RemoteFacts:
    """A URL in an entry. `ident`: the id of ours that it holds; `key`: the member."""

    key: str
    url: str
    ident: str
    credential: bool  # the entry has a static credential of its own
    authorization: bool  # in the header that a login of ours would write
    oauth: bool


def transport_of(client: str, command_first: bool, value: Mapping[str, object]) -> str:
    """The transport of a remote entry; "" for one with a command."""
    kind = value.get("type")
    if isinstance(kind, str) and kind in REMOTE:
        return REMOTE[kind]
    keys = url_keys(value)
    if not keys:
        return ""
    if "command" in value and (command_first or kind in ("stdio", "local")):
        return ""
    by_key = client in SSE_BY_KEY and keys == ["url"]
    return SSE if by_key else HTTP


def url_keys(value: Mapping[str, object]) -> list[str]:
    return [key for key in URLS if isinstance(value.get(key), str)]


def read_url(value: Mapping[str, object]) -> RemoteFacts | None:
    """The URL of a remote entry; None if it has none."""
    keys = url_keys(value)
    if not keys:
        return None
    url = str(value[keys[0]])
    names = _headers(value)
    credential = any(value.get(key) for key in CREDENTIALS) or any(_CREDENTIAL.search(name) for name in names)
    oauth = any(_is_login(value.get(key)) for key in LOGINS)
    authorization = any(name.lower() == "authorization" for name in names) or bool(value.get(CREDENTIALS[0]))
    return RemoteFacts(keys[0], url, id_in(url), credential, authorization, oauth)


def why_unreadable(value: Mapping[str, object]) -> str:
    """Why a remote entry is invalid, or ""."""
    keys = url_keys(value)
    if not keys:
        return "its type is a remote one, and it names no URL"
    return "" if str(value[keys[0]]) else "its URL is empty"


def why_native(value: Mapping[str, object], facts: RemoteFacts) -> Reason:
    """Why its URL cannot be governed whatever is known of the server; NONE if it can."""
    keys = url_keys(value)
    if len(keys) > 1:
        both = f"names several URLs (`{'`, `'.join(keys)}`), and which one counts is the client's choice: not governed"
        return Reason(reason_codes.REMOTE_SEVERAL, both)
    if facts.ident:
        return NONE
    scheme = facts.url.partition(":")[0].lower()
    if scheme in ("ws", "wss") or value.get("type") == "ws":
        return Reason(reason_codes.REMOTE_WEBSOCKET, "speaks over a WebSocket, which mcpgov does not govern")
    if _VARIABLE.search(facts.url):
        text = "a variable in its URL, which the client fills in: write the URL out to have it governed"
        return Reason(reason_codes.REMOTE_VARIABLE, text)
    if not _is_plain(facts.url, scheme):
        return Reason(reason_codes.REMOTE_NOT_HTTP, "its URL is no plain http or https one: not governed")
    return NONE


def _is_plain(url: str, scheme: str) -> bool:
    if scheme not in ("http", "https") or _ODD.search(url):
        return False
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _headers(value: Mapping[str, object]) -> list[str]:
    """The names of the entry's headers."""
    init = value.get("requestInit")
    tables = [value.get(key) for key in HEADERS] + [init.get("headers") if isinstance(init, dict) else None]
    return [str(name) for table in tables if isinstance(table, dict) for name, held in table.items() if held]


def _is_login(value: object) -> bool:
    return (bool(value) and not (isinstance(value, dict) and value.get("enabled") is False)) or value == {}
