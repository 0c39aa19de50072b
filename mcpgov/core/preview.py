"""Arguments for the record: short, with what looks secret masked and listed. Pure."""

from __future__ import annotations

from mcpgov.core.words import words

LONGEST_TEXT = 120
LONGEST_URL = 2048
MOST_ITEMS = 20
DEEPEST = 4
MASK = "***"
_SECRETS = (
    "password passwd passphrase pwd secret token apikey credential credentials auth authorization bearer cookie "
    "cookies jwt pin otp cvv ssn privatekey signature"
)
SECRET_WORDS = frozenset(_SECRETS.split())
# `api_key`, `private_key`, `access_key`: a key is secret beside one of these words.
_BESIDE_KEY = "api private access secret signing encryption ssh client"
KEY_WORDS = frozenset(_BESIDE_KEY.split())
PREFIXES = (
    "sk-", "sk_", "pk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-",
    "xoxa-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ", "-----BEGIN", "Bearer ", "Basic ", "npm_", "hf_",
)  # fmt: skip
# One look at these tells that most texts begin like none of them.
HEADS = frozenset(prefix[:3] for prefix in PREFIXES)
MOST_KEYS = 512
_known: dict[str, bool] = {}


def is_secret_name(key: str) -> bool:
    found = _known.get(key)
    if found is None:
        if len(_known) >= MOST_KEYS:
            _known.clear()
        parts = set(words(key))
        named = not SECRET_WORDS.isdisjoint(parts) or "".join(words(key)) in SECRET_WORDS
        found = _known[key] = named or ("key" in parts and not KEY_WORDS.isdisjoint(parts))
    return found


def looks_secret(text: str) -> bool:
    """Begins like a known kind of key, or is a URL with a password in it."""
    if text[:3] in HEADS and text.startswith(PREFIXES):
        return True
    head = text[:LONGEST_URL]
    return "://" in head and "@" in head and ":" in head.partition("://")[2]


def looks_open(text: str) -> bool:
    """Short and without anything to mask: its preview is itself."""
    return len(text) <= LONGEST_TEXT and not looks_secret(text)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…(+{len(text) - LONGEST_TEXT})"


def preview(value: object, masked: list[str], path: str = "", depth: int = 0) -> object:
    """A short copy of a value; the places that were masked are added to `masked`."""
    if isinstance(value, str):
        if looks_secret(value):
            masked.append(path)
            return MASK
        return shortened(value)
    if isinstance(value, dict):
        return _table(value, masked, path, depth) if depth < DEEPEST else f"…({len(value)} keys)"
    if isinstance(value, list):
        if depth >= DEEPEST:
            return f"…({len(value)} items)"
        short: list[object] = [preview(item, masked, f"{path}[]", depth + 1) for item in value[:MOST_ITEMS]]
        return short + ([f"…(+{len(value) - MOST_ITEMS})"] if len(value) > MOST_ITEMS else [])
    return value


def _table(value: dict[str, object], masked: list[str], path: str, depth: int) -> dict[str, object]:
    out: dict[str, object] = {}
    for key, item in list(value.items())[:MOST_ITEMS]:
        shown = MASK if looks_secret(key) else shortened(key)
        here = f"{path}.{shown}" if path else shown
        if shown == MASK or (is_secret_name(key) and item is not None and not isinstance(item, bool)):
            masked.append(here)
            out[shown] = MASK
        else:
            out[shown] = preview(item, masked, here, depth + 1)
    if len(value) > MOST_ITEMS:
        out["…"] = f"+{len(value) - MOST_ITEMS}"
    return out
