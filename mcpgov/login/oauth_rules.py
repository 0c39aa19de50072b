"""What we ask of authorization servers beyond what the SDK checks, and how their refusals are told. Pure.

Laws: no token or code travels in clear text to another machine; texts of a server are cut and never trusted; no error
says a secret.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from mcpgov.errors import McpgovError

# What a program may tell apart in the errors of a login.
LOGIN_REQUIRED, UNREACHED, REFUSED, INSUFFICIENT_SCOPE = "login_required", "unreached", "refused", "insufficient_scope"
STORE, INVALID = "token_store", "invalid_answer"
LONGEST_WORDS = 300
# RFC 6749 5.2: the grant, or the client it was given to, is no longer known.
GONE = ("invalid_grant", "invalid_client", "unauthorized_client")
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,200}")  # RFC 6749 3.3
MOST_SCOPES = 100


class LoginError(McpgovError):
    """A login, a refresh or a logout that failed; `reason_code` is one of the words above."""

    reason_code = REFUSED


def short(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}…"


def oauth_error(body: bytes) -> tuple[str, str]:
    """`error` and `error_description` of an answer; nothing else of it is ever shown."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return "", ""
    if not isinstance(value, dict):
        return "", ""
    code, words = value.get("error"), value.get("error_description")
    return (short(code) if isinstance(code, str) else "", short(words) if isinstance(words, str) else "")


def refusal(what: str, status: int, body: bytes, *, hint: str = "") -> LoginError:
    code, words = oauth_error(body)
    said = ": ".join(filter(None, (code, words))) or f"HTTP {status}"
    return LoginError(f"{what}: {said}", hint=hint)


def host_of(url: str) -> str:
    """For messages: the rest of a URL may hold a key."""
    try:
        return urlsplit(url).hostname or "an unknown host"
    except ValueError:
        return "an unknown host"


def check_endpoint(url: str, server_url: str) -> None:
    """Raises LoginError unless it is https, or http on this machine or on the host of a server that is http itself."""
    try:
        parts, server = urlsplit(url), urlsplit(server_url)
        host = parts.hostname or ""
    except ValueError:
        raise LoginError("a URL of the authorization server cannot be read", reason_code=INVALID) from None
    if host and parts.scheme == "https":
        return
    if host and parts.scheme == "http" and (is_loopback(host) or (server.scheme, server.hostname) == ("http", host)):
        return
    message = f"the login would go over an unprotected connection to {host or 'no host'}"
    raise LoginError(message, reason_code=REFUSED)


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_origin(one: str, other: str) -> bool:
    try:
        first, second = urlsplit(one), urlsplit(other)
        return (first.scheme, first.hostname, first.port) == (second.scheme, second.hostname, second.port)
    except ValueError:
        return False


def scopes_in(*texts: str) -> tuple[str, ...]:
    """The scopes of these texts, each once, in order; what is no scope is left out."""
    words: Iterable[str] = (word for text in texts for word in text.split())
    return tuple(dict.fromkeys(word for word in words if _SCOPE.fullmatch(word)))[:MOST_SCOPES]
