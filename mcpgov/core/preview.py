"""Arguments for the record: short, with what looks secret masked and listed. Pure."""

from __future__ import annotations

from mcpgov.core.words import words

LONGEST_TEXT = 120
LONGEST_URL = 2048
MOST_ITEMS = 20
DEEPEST = 4
MASK = "***"
_SECRETS = (
    "password passwd passphrase passcode pass pwd secret token apikey credential credentials auth authorization bearer "
    "cookie cookies jwt pin otp cvv ssn privatekey signature"
)
SECRET_WORDS = frozenset(_SECRETS.split())
# `PGPASSWORD`, `githubtoken`: joined words that end so.
ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "accesskey", "secretkey")
# `api_key`, `private_key`, `access_key`: a key is secret beside one of these words.
_BESIDE_KEY = "api private access secret signing encryption ssh client"
KEY_WORDS = frozenset(_BESIDE_KEY.split())
PREFIXES = (
    "sk-", "sk_", "pk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-",
    "xoxa-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ", "-----BEGIN", "Bearer ", "Basic ", "npm_", "hf_",
)  # fmt: skip
# Shorter texts hide nothing behind their beginning.
SHORTEST_HIDDEN = 8
DIGITS = "0123456789"
# One look at these tells that most texts begin like none of them.
HEADS = frozenset(prefix[:3] for prefix in PREFIXES)
MOST_KEYS = 512
_known: dict[str, bool] = {}


def is_secret_name(key: str) -> bool:
    found = _known.get(key)
    if found is None:
        if len(_known) >= MOST_KEYS:
            _known.clear()
        parts = {word.rstrip(DIGITS) for word in words(key)}
        named = not SECRET_WORDS.isdisjoint(parts) or "".join(words(key)) in SECRET_WORDS
        named = named or any(part.endswith(ENDINGS) for part in parts)
        found = _known[key] = named or ("key" in parts and not KEY_WORDS.isdisjoint(parts))
    return found


def is_plain(text: str) -> bool:
    """Neither `:` nor `=`, nor what every known kind of key has somewhere: the quickest of looks."""
    return not (":" in text or "=" in text or "_" in text or "-" in text or "A" in text or "B" in text or "J" in text)


def looks_secret(text: str) -> bool:
    """Begins like a known kind of key, or is a URL with a password in it."""
    if text[:3] in HEADS and text.startswith(PREFIXES):
        return True
    head = text[:LONGEST_URL]
    return "://" in head and "@" in head and ":" in head.partition("://")[2]


def may_hide(text: str) -> bool:
    """Could a secret stand behind the beginning of a text without `:` and `=`? What this does not see is left."""
    return (
        ("_" in text and ("k_" in text or "gh" in text or "npm_" in text or "hf_" in text))
        or (
            "-" in text
            and ("--" in text or " -" in text or "sk-" in text or "pat-" in text or "xo" in text or "xa" in text)
        )
        or ("A" in text and ("AKIA" in text or "ASIA" in text or "AIza" in text or "ya29." in text))
        or ("B" in text and ("Bearer " in text or "Basic " in text))
        or ("J" in text and "eyJ" in text)
    )


def concealed(text: str, most: int = LONGEST_TEXT) -> str | None:
    """The beginning of a text with what looks secret masked; None: there is nothing to mask in it."""
    text = text[:LONGEST_URL]  # more is never shown, and a text may be large
    if is_plain(text):
        return None
    if looks_secret(text):
        return MASK
    if not ("=" in text or ":" in text or (len(text) >= SHORTEST_HIDDEN and may_hide(text))):
        return None
    from mcpgov.core.secrets import masked

    return masked(text, most)


def looks_open(text: str) -> bool:
    """Short and without anything to mask: its preview is itself."""
    return len(text) <= LONGEST_TEXT and concealed(text) is None


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}{_more(text)}"


def _more(text: str) -> str:
    return f"…(+{len(text) - LONGEST_TEXT})" if len(text) > LONGEST_TEXT else ""


def preview(value: object, masked: list[str], path: str = "", depth: int = 0) -> object:
    """A short copy of a value; the places that were masked are added to `masked`."""
    if isinstance(value, str):
        hidden = concealed(value)
        if hidden is None:
            return shortened(value)
        masked.append(path)
        return hidden if hidden == MASK else hidden + _more(value)
    if isinstance(value, dict):
        return _table(value, masked, path, depth) if depth < DEEPEST else f"…({len(value)} keys)"
    if isinstance(value, list):
        return _list(value, masked, f"{path}[]", depth) if depth < DEEPEST else f"…({len(value)} items)"
    return value


def _list(value: list[object], masked: list[str], path: str, depth: int) -> list[object]:
    out: list[object] = []
    before = ""
    for item in value[:MOST_ITEMS]:
        # As in a command line: what stands behind an option with such a name belongs to it.
        if before[:1] == "-" and not str(item).startswith("-") and is_secret_name(before):
            masked.append(path)
            out.append(MASK)
        else:
            out.append(preview(item, masked, path, depth + 1))
        before = item if isinstance(item, str) else ""
    return out + ([f"…(+{len(value) - MOST_ITEMS})"] if len(value) > MOST_ITEMS else [])


def _table(value: dict[str, object], masked: list[str], path: str, depth: int) -> dict[str, object]:
    out: dict[str, object] = {}
    for key, item in list(value.items())[:MOST_ITEMS]:
        shown = shortened(key) if concealed(key) is None else MASK
        here = f"{path}.{shown}" if path else shown
        if shown == MASK or (is_secret_name(key) and item is not None and not isinstance(item, bool)):
            masked.append(here)
            out[shown] = MASK
        else:
            out[shown] = preview(item, masked, here, depth + 1)
    if len(value) > MOST_ITEMS:
        out["…"] = f"+{len(value) - MOST_ITEMS}"
    return out
