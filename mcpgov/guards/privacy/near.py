"""Keys that the name of their issuer tells, a few characters before them: `walkscore access 8f…`, `tiingo_key = 9a…`.

Law: a word for keys stands between the name and the key; without an issuer's name what is assigned to `…_key` must look
random by itself.
"""

from __future__ import annotations

from mcpgov.core.operations.words import words
from mcpgov.guards.privacy.gate import ISSUERS
from mcpgov.guards.privacy.shape import ALNUM
from mcpgov.guards.privacy.values.program_names import is_code
from mcpgov.guards.privacy.values.randomness import is_dense, is_random
from mcpgov.guards.privacy.values.secret_names import is_issued
from mcpgov.guards.privacy.values.secret_values import HEX, is_secret, is_uuid
from mcpgov.guards.privacy.values.value_end import QUOTES

CALLS = ("client(", "client.new(")  # of an issuer: `mailjet.Client("…")`
WORDS = (*CALLS, "key", "token", "secret", "access", "api", "auth", "login", "pat", "credential", *ISSUERS)
_WEAK = frozenset(("api", "auth", "login", "pat", "credential", *ISSUERS))  # must be assigned to
_TOKEN = ALNUM + "_-.+/="
_BEFORE = 48  # characters in which the issuer's name may stand
_LEAST, _MOST = 16, 200
_NAMED_KEYS = ("key", "pat")
_COMMANDS = ("auth", "login")  # `snyk auth …`
# Names that end in `key`, of what is no secret.
_KEYS = frozenset(("primary", "foreign", "public", "cache", "sort", "partition", "hash", "index", "map", "row", "group",
                   "object", "lookup", "storage", "unique", "pub", "host", "known", "ssh", "gpg", "pgp", "dedup",
                   "idempotency", "commit", "blob", "translation", "react", "query", "i18n", "message", "id", "layer",
                   "s3", "dataset", "image", "upload", "etag", "digest", "fingerprint", "content", "build", "restore",
                   "pubkey", "registry", "file", "path", "shard", "routing", "slot", "signing", "test", "fake",
                   "sample", "verification", "verify", "checksum", "site", "publishable"))  # fmt: skip
# Words that make a secret of any key, wherever it stands: `Secret Key: …`.
_TELLING = frozenset(("secret", "api", "access", "private", "auth", "account", "encryption", "master", "client",
                      "license", "subscription", "service", "application", "app", "unseal"))  # fmt: skip
_ALWAYS_WEAK, _MOSTLY_WEAK = ("key", "login", "pat", *ISSUERS), ("access", "api", "auth")
WEAK_BEGINNINGS = tuple({word[:2] for word in (*_ALWAYS_WEAK, *_MOSTLY_WEAK)})  # of what `is_weak` is true for
Span = tuple[int, int]


def is_weak(text: str, start: int) -> bool:
    """Does the word for keys at `start` tell nothing by itself, as the names of `named` do?"""
    word = text[start : start + 14].lower()
    if word.startswith(_ALWAYS_WEAK):
        return True
    if word.startswith(("author", "authen")):
        return False
    return word.startswith(_MOSTLY_WEAK) and "key" not in word[:11]


def near_key(text: str, start: int, end: int) -> Span | None:
    """The key behind a word for keys that begins at `start`; the gate has seen some of it up to `end`."""
    beginning = text[start : start + 14].lower()
    if not beginning.startswith(WORDS):
        return None
    word = next(word for word in WORDS if beginning.startswith(word))
    behind = start + len(word)
    at = _behind_signs(text, behind, end)
    if text[at : at + 1].isdigit() and text[at + 1 : at + 2] in (":", " ", "="):  # `Unseal Key 2: …`
        at = _behind_signs(text, at + 1, end)
    shortest = text[at : at + _LEAST]
    if at == behind or len(shortest) < _LEAST or shortest.lstrip(_TOKEN):
        return None
    between = text[behind:at]
    assigned = "=" in between or ":" in between or between.strip(" *`\r") == "\n"  # below it, as in a list of fields
    if not assigned and word in _WEAK and word not in _COMMANDS:
        return None
    stop = _token_end(text, at)
    value = text[at:stop]
    if not _LEAST <= len(value) <= _MOST or text[stop : stop + 1] in ("(", "\\"):
        return None
    before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    # What is sooner asked comes first: of a short value if it is a key, of a long one whose it is.
    may_be_any = word in ISSUERS or (assigned and word in _NAMED_KEYS)
    if not may_be_any and not (is_issued(before) if len(value) > _BEFORE else _is_key(value)):
        return None
    if _is_place(before, between):
        return None
    named = [name.lower() for name in words(before)]
    if _KEYS.intersection(named[-2:]) or is_code(value):
        return None
    before_word = text[max(0, start - 1) : start]
    if word in CALLS and between[-1:] not in QUOTES:
        return None
    if word in ISSUERS or is_issued(before):
        is_command = word in _COMMANDS and before_word == " " and is_issued(before.split()[-1])
        return (at, stop) if _is_key(value) and (assigned or word not in _WEAK or is_command) else None
    good = word in _NAMED_KEYS and assigned and _ends_name(before, text[start : start + 2], named)
    return (at, stop) if good and is_secret(value) and _is_dense(value) else None


def _is_place(before: str, between: str) -> bool:
    """A resource's name, or that of a place in a URL that goes on."""
    return "arn:" in before or ("://" in before.rpartition(" ")[2] and not between.strip("-_"))


def _ends_name(before: str, first: str, named: list[str]) -> bool:
    """Is `key` the end of a longer name: `x_key`, `xKey`, `secret key`? `first`: its first two letters."""
    last = before[-1:]
    if last == " ":
        return not _TELLING.isdisjoint(named[-1:])
    return last in ("_", "-", ".", "?", "&") or (last.islower() and first[0] in "KP" and first[1:].islower())


def _behind_signs(text: str, at: int, end: int) -> int:
    """Behind what assigns, quotes and blanks."""
    while at < end and not (text[at].isascii() and text[at].isalnum()):
        at += 1
    return at


def _token_end(text: str, at: int) -> int:
    window = text[at : at + _MOST + 1]
    return at + len(window[: len(window) - len(window.lstrip(_TOKEN))].rstrip(".-"))


def _is_key(value: str) -> bool:
    if is_uuid(value):
        return True
    low = value.lower()
    digits = sum(map(value.count, "0123456789"))
    if digits < 2 or digits == len(value) or not is_random(value, 0, len(value), True):
        return False
    if "/" in value and not is_dense(value.replace("/", "").replace("+", "")):
        return False
    if not low.strip(HEX):
        return len(value) > 19 and len(set(low)) > 5
    return is_secret(value, True)


def _is_dense(value: str) -> bool:
    return any(is_dense(piece) for piece in value.replace("-", "_").split("_")) or not value.lower().strip(HEX)
