"""Keys and passwords that the name before them tells: `api_key = "…"`, `"password": "…"`, `Authorization: Bearer …`."""

from __future__ import annotations

from mcpgov.guards.privacy.shape import ALNUM
from mcpgov.guards.privacy.values.assigned import assigned, behind_scheme, may_assign
from mcpgov.guards.privacy.values.password_at import SHORTEST
from mcpgov.guards.privacy.values.program_names import is_code, is_constant, is_worded_name
from mcpgov.guards.privacy.values.secret_names import is_harmless, is_issued, is_name, is_password_name
from mcpgov.guards.privacy.values.secret_values import (
    HEX,
    is_pair,
    is_password,
    is_private_number,
    is_secret,
    is_signed,
    is_uuid,
)
from mcpgov.guards.privacy.values.value_end import QUOTES, value_end

_NAME = ALNUM + "_-.ñÑ"
# What is in all names that the gate knows.
_WORDS = ("pass", "pw", "psk", "auth", "secret", "token", "cred", "key", "kennwort", "senha", "contras")
_PLAIN = ("apikey", "api_key", "api-key", "apitoken", "api_token", "api-token", "authtoken", "auth_token", "auth-token",
          "snyk", "access_key", "accesskey", "access-key", "_secret", "secret_key", "secretkey", "clientsecret",
          "authorization")  # fmt: skip
# Whole names that tell a secret even of a UUID.
_WHOLE = frozenset(("--token", "--auth-token"))
_OF_CLIENTS = ("client", "credential")  # before `secret: …`, of a login
_NO_NAME_BEHIND = frozenset("])}>%@^~+*!#=")
_AROUND = 80
_SECRET_IDS = ("secret_id", "secretid", "secret-id")  # half of a login
Span = tuple[int, int]


def is_named_secret(name: str, value: str) -> bool:
    """Is a value secret because the key of the object that holds it says so?"""
    if not is_name(name):
        return False
    return is_password(value, '"') if is_password_name(name.lower()) else is_secret(value, is_issued(name))


def named_value(text: str, start: int, end: int) -> Span | None:
    """The value of a name that begins at `start`; the gate has seen it up to `end`."""
    before = text[max(0, start - 40) : start]
    if text[start : start + 1] in QUOTES:  # `"auth"`: the gate has the quote of a name
        start += 1
    window = text[start:end]
    sign = start + len(window) - len(window.lstrip(_NAME))
    if not may_assign(text, start, sign):
        return None
    name = before[len(before.rstrip(_NAME)) :] + text[start:sign]
    if text[sign : sign + 4].lower() == " key":
        sign += 4
        name = f"{name}_key"
    low = name.lower()
    if low == "pw" and text[sign - 3 : sign - 2] in _NO_NAME_BEHIND:  # by chance, in lines of encoded data
        return None
    if not any(word in low for word in _WORDS):  # the gate has shown something else here
        return None
    at, stop = assigned(text, sign, name)
    if at < 0:
        return None
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    value = text[at:stop]
    if len(value) < SHORTEST or (not quote and (text[stop : stop + 1] in ("(", "[") or _is_program(value))):
        return None
    if is_worded_name(value) and not (is_password_name(low) or (quote and "," not in text[sign:at])):
        return None
    if is_harmless(name) or _is_part(text, sign - len(name)):
        is_half = low.endswith(_SECRET_IDS) and "role" in text[max(0, start - _AROUND) : stop + _AROUND].lower()
        return (at, stop) if is_half and is_uuid(value) else None
    if name.startswith("-") and is_password_name(low):  # behind a flag it is as sure as in quotes
        quote = quote or " "
    if text[sign : sign + 1] == "(":  # what calls are given also names what it is of: `set_password("service1", …)`
        quote = ""
    issued = is_issued(name)
    if low == "secret" and not issued:
        around = text[max(0, start - _AROUND) : start].lower()
        issued = any(word in around for word in _OF_CLIENTS)
    return (at, stop) if _is_told(low, value, quote, issued) else None


def _is_program(value: str) -> bool:
    """Code, a constant, a place in a template, the host behind `<PASSWORD>`, what minified code gives a name."""
    if is_code(value) or is_constant(value) or (value[0] == "@" and ("/" in value or ":" in value)):
        return True
    name, equals, _ = value.partition("=")
    return bool(equals) and len(name) > 11 and name.isalpha() and not (name.isupper() or name.islower())


def _is_part(text: str, at: int) -> bool:
    """Is the name one of a thing's name, `checksum/secret: …`, `arn:aws:secretsmanager:…:secret:…`?"""
    if text[at - 1 : at] not in (":", "/"):
        return False
    before = text[max(0, at - _AROUND) : at].split()[-1:]
    return bool(before) and before[0].lstrip("\"'`(").startswith(("arn:", "checksum/", "urn:"))


def _is_told(low: str, value: str, quote: str, issued: bool) -> bool:
    if is_password_name(low):
        return is_password(value, quote)
    if is_uuid(value):
        # Some issuers give out UUIDs as keys; a name that says so plainly is needed, for most UUIDs are no secrets.
        is_plain = issued or low in _WHOLE or any(word in low for word in _PLAIN)
        return is_plain and not value.lower().replace("-", "").strip(HEX)
    if "secret" in low and quote and is_signed(value):
        return True
    least_hex = 20 if any(word in low for word in _PLAIN) else 32
    if is_secret(value, issued, least_hex) or _is_sent(low, value):
        return True
    return "private" in low and is_private_number(value)


def _is_sent(low: str, value: str) -> bool:
    return "auth" in low and is_pair(value)


def bearer(text: str, at: int) -> Span | None:
    """`Bearer X`, wherever it stands."""
    start = behind_scheme(text, at)
    end = value_end(text, start, "")
    if text[end - 2 : end] == "..":  # of a document
        return None
    value = text[start:end].rstrip(".,")
    good = start > at and (is_secret(value) or is_pair(value))
    return (start, start + len(value)) if good else None
