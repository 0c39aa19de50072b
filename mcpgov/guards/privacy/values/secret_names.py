"""Which names tell that their value is a secret: `db_password`, `clientSecret`, `Authorization`, however written."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words
from mcpgov.guards.privacy.issuers.names import NAMES as ISSUERS

MOST_NAMES = 512
PASSWORDS = ("passw", "passphrase", "pwd", "psk", "_pw", "kennwort", "senha", "motdepasse", "mot_de_passe",
             "mot-de-passe", "contrasena", "contraseña")  # fmt: skip
# Parts of the names of secrets, as the gate has them.
NAMES = (
    *PASSWORDS, "_auth", "secret", "token", "credential", "creds", "authorization", "apikey", "api_key", "api-key",
    "accesskey", "access_key", "access-key", "privatekey", "private_key", "authkey", "auth_key", "accountkey",
    "account_key",
)  # fmt: skip
# Words in the names of what is no secret: pages of lists, forms, languages' tokens, public halves.
_HARMLESS = word_set("""
    page next cursor sync csrf xsrf authenticity antiforgery public max num count limit cache hash digest checksum sha
    sha1 sha256 md5 id url uri path file dir directory name field header length size version tokens integrity
    fingerprint arn test testing fake mock sample dummy partition placeholder updated changed created modified
""")
# What the names of texts about passwords end with.
_ABOUT_PASSWORDS = word_set("hint label title prompt help policy rule rules regex pattern strength message error text")
# The same in names that are written together.
_HARMLESS_PARTS = (
    "_id", "-id", "keyid", "nextpage", "pagetoken", "nexttoken", "synctoken", "csrf", "xsrf", "continu", "tokenizer",
    "token_type", "tokentype", "publickey", "expir", "idempot", "filename", "username", "hostname", "max_",
)  # fmt: skip
_known: dict[str, bool] = {}
_harmless: dict[str, bool] = {}


def is_name(name: str) -> bool:
    """Is it the name of a secret? Keys repeat in every row of a result, so what was asked is kept."""
    known = _known.get(name)
    if known is None:
        if len(_known) >= MOST_NAMES:
            _known.clear()
        low = name.lower()
        known = (is_password_name(low) or any(word in low for word in NAMES)) and not is_harmless(name)
        _known[name] = known
    return known


def is_harmless(name: str) -> bool:
    known = _harmless.get(name)
    if known is None:
        if len(_harmless) >= MOST_NAMES:
            _harmless.clear()
        low = name.lower()
        parts = words(name)
        known = not _HARMLESS.isdisjoint(parts) or any(part in low for part in _HARMLESS_PARTS)
        known = known or (is_password_name(low) and not _ABOUT_PASSWORDS.isdisjoint(parts[-1:]))
        _harmless[name] = known
    return known


def is_issued(name: str) -> bool:
    """Does a name tell an issuer of keys? Its name may be one word or two: `app_center`, `OpenAI`."""
    parts = words(name)
    if parts[-3:] == ["secret", "access", "key"]:
        return True
    return not ISSUERS.isdisjoint(parts) or not ISSUERS.isdisjoint(map(str.__add__, parts, parts[1:]))


def is_password_name(low: str) -> bool:
    for word in PASSWORDS:
        if word in low:
            return True
    return low == "pw" or (low.endswith("pass") and not low.endswith("bypass"))
