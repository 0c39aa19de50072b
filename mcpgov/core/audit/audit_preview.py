"""Arguments for the record: short, with what looks secret masked and listed. Pure.

Law: where the fast checks here (is_plain, may_hold_secret) find nothing, `secrets` finds nothing to mask either.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_TEXT = 120
LONGEST_URL = 2048
MOST_ITEMS = 20
DEEPEST = 4
MASK = "***"
SECRET_WORDS = word_set("""
    password passwd passphrase passcode pass pwd secret token apikey credential credentials auth authorization bearer
    cookie cookies jwt pin otp cvv ssn privatekey signature passwords secrets passphrases apikeys
""")
# Ends of words written together: `PGPASSWORD`, `githubtoken`.
ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "accesskey", "secretkey")
# `api_key`, `private_key`, `access_key`: a key is secret beside one of these words.
KEY_WORDS = word_set("api private access secret signing encryption ssh client")
PREFIXES = (
    "sk-", "sk_", "pk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-",
    "xoxa-", "xapp-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ", "-----BEGIN", "Bearer ", "Basic ", "npm_", "hf_",
)  # fmt: skip
DIGITS = "0123456789"
# A quick check: most texts begin with none of these.
HEADS = frozenset(prefix[:3] for prefix in PREFIXES)
# How known kinds of key (`issuers`) begin, up to their first `_` or `-`, by the last three characters of that.
_BEGINNINGS = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_ glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- gloas- npm_ pypi- "
    "rubygems_ dckr_ CLOJARS_ sgp_ bkua_ CCIPAT_ lin_ figd_ ntn_ secret_ PMAK- rdme_ GOCSPX- dop_ doo_ dor_ pul- HRKU- "
    "nfp_ sbp_ sb_ pscale_ fm2_ NRAK- sntrys_ sntryu_ glc_ glsa_ ops_ AGE- CFPAT- sk- gsk_ xai- pplx- hf_ r8_ tvly- "
    "fc- pcsk_ lsv2_ nvapi- jina_ csk- sk_ rk_ pk_ whsec_ sq0atp- sq0csp- sq0idp- shpat_ shpca_ shppa_ shpss_ duffel_ "
    "FLWSECK- FLWSECK_ shippo_ access_ xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xapp- key- re_ xkeysib- "
    "tfp_"
)
_beginnings: dict[str, list[str]] = {}
for _head in _BEGINNINGS.split():
    _beginnings.setdefault(_head[-3:], []).append(_head)
# `{"name": "X-Api-Key", "value": "…"}`: one key says what the other one holds.
NAMERS = word_set(
    "name key field header variable var param parameter property attribute env label option setting type k"
)
HOLDERS = word_set("value values val content contents data default v")
# Names in a list in which names and values alternate (a server's raw headers).
HEADERS = frozenset(("authorization", "cookie"))
MOST_KEYS = 512
_known: dict[str, bool] = {}


def is_secret_name(key: str) -> bool:
    is_secret = _known.get(key)
    if is_secret is None:
        if len(_known) >= MOST_KEYS:
            _known.clear()
        parts = {word.rstrip(DIGITS) for word in words(key)}
        named = not SECRET_WORDS.isdisjoint(parts) or "".join(words(key)) in SECRET_WORDS
        named = named or any(part.endswith(ENDINGS) for part in parts)
        is_secret = _known[key] = named or ("key" in parts and not KEY_WORDS.isdisjoint(parts))
    return is_secret


def is_plain(text: str) -> bool:
    """The fastest check: has it neither `:` nor `=`, nor a sign that every known kind of key has?"""
    return not (
        ":" in text or "=" in text or "_" in text or "-" in text or "A" in text or "B" in text or "J" in text
        or _has_rare_sign(text)
    )  # fmt: skip


def _has_rare_sign(text: str) -> bool:
    """Has it the beginning of a key without the usual signs, `bearer `, `basic `, or a quoted name before a comma?"""
    return (
        (
            "." in text
            and ("29." in text or "hv" in text or "SG." in text or "dp." in text or "01." in text or "xe." in text)
        )
        or "dapi" in text
        or "bearer " in text
        or "basic " in text
        or ("," in text and ("'," in text or '",' in text or "`," in text))
    )


def looks_secret(text: str) -> bool:
    """Does it begin like a known kind of key, or is it a URL with a password?"""
    if text[:3] in HEADS and text.startswith(PREFIXES):
        return True
    head = text[:LONGEST_URL]
    return "://" in head and "@" in head and ":" in head.partition("://")[2]


def may_hold_secret(text: str) -> bool:
    """Could a text without `:` and `=` contain a secret? A secret that this check misses is not masked."""
    return (
        ("_" in text and _has_key_beginning(text, "_"))
        or ("-" in text and _has_key_beginning(text, "-"))
        or ("A" in text and _has_capital_key(text))
        or ("B" in text and ("Bearer " in text or "Basic " in text or "BEARER " in text or "BASIC " in text))
        or ("J" in text and "eyJ" in text)
        or _has_rare_sign(text)
    )


def _has_key_beginning(text: str, sign: str) -> bool:
    """Does a known kind of key with this sign begin a word, or an option that may be called like a secret?"""
    at = text.find(sign)
    while at >= 0:
        heads = _beginnings.get(text[at - 2 : at + 1])
        if heads is not None:
            for head in heads:
                start = at + 1 - len(head)
                if start >= 0 and text.startswith(head, start) and not _is_inside_word(text, start):
                    return True
        before = text[at - 1 : at]
        if sign == "-" and not (before.isalnum() or before == "_") and text[at + 1 : at + 2].strip():
            return True
        at = text.find(sign, at + 1)
    return False


def _is_inside_word(text: str, at: int) -> bool:
    """Is the character before this place a letter, a digit or `_`?"""
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")


def _has_capital_key(text: str) -> bool:
    return (
        "AKI" in text or "ASIA" in text or "ABIA" in text or "ACCA" in text or "AIza" in text or "AKCp" in text
        or "LTAI" in text or "TT3" in text or "ATBB" in text or "BSA" in text or "EAA" in text or "EZAK" in text
    )  # fmt: skip


def concealed(text: str, most: int = LONGEST_TEXT) -> str | None:
    """The beginning of a text with secrets masked; None: there is nothing to mask."""
    text = text[:LONGEST_URL]  # more is never shown
    return None if is_plain(text) else _masked_or_none(text, most)


def _masked_or_none(text: str, most: int) -> str | None:
    if looks_secret(text):
        return MASK
    if not ("=" in text or ":" in text or may_hold_secret(text)):
        return None
    from mcpgov.core.audit.secrets import masked

    return masked(text, most)


def needs_no_mask(text: str) -> bool:
    """Is it short and without secrets, so that its preview is the text itself?"""
    return len(text) <= LONGEST_TEXT and (is_plain(text) or _masked_or_none(text, LONGEST_TEXT) is None)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}{_more(text)}"


def _more(text: str) -> str:
    return f"…(+{len(text) - LONGEST_TEXT})" if len(text) > LONGEST_TEXT else ""


def preview(value: object, masked: list[str], path: str = "", depth: int = 0) -> object:
    """A short copy of a value; the paths of masked values are added to `masked`."""
    if isinstance(value, str):
        hidden = concealed(value)
        if hidden is None:
            return shortened(value)
        masked.append(path)
        return hidden if hidden == MASK else hidden + _more(value)
    if isinstance(value, dict):
        return _table(value, masked, path, depth) if depth < DEEPEST else f"…({_size(value)} keys)"
    if isinstance(value, list):
        return _list(value, masked, f"{path}[]", depth) if depth < DEEPEST else f"…({_size(value)} items)"
    return value


def _list(value: list[object], masked: list[str], path: str, depth: int) -> list[object]:
    out: list[object] = []
    for at, item in enumerate(value[:MOST_ITEMS]):
        if at and is_secret_of_name(value, at):
            masked.append(path)
            out.append(MASK)
        else:
            out.append(preview(item, masked, path, depth + 1))
    return out + ([f"…(+{_size(value) - MOST_ITEMS})"] if _size(value) > MOST_ITEMS else [])


def is_secret_of_name(value: list[object], at: int) -> bool:
    """Is this item the secret that the item before it names: as an option, or in a pair of name and value?"""
    before, item = value[at - 1], value[at]
    if not isinstance(before, str) or item is None or isinstance(item, bool) or not is_name_of_secret(before):
        return False
    if before[:1] == "-":
        return not str(item).startswith("-")
    if len(value) == 2:
        return True
    # In a list of alternating names and values, names are written like headers or variables.
    return at % 2 == 1 and len(value) % 2 == 0 and ("-" in before or "_" in before or before.lower() in HEADERS)


def _table(value: dict[str, object], masked: list[str], path: str, depth: int) -> dict[str, object]:
    out: dict[str, object] = {}
    holders = secret_value_keys(value) if len(value) > 1 else ()
    for key, item in list(value.items())[:MOST_ITEMS]:
        shown = shortened(key) if concealed(key) is None else MASK
        here = f"{path}.{shown}" if path else shown
        named = (is_secret_name(key) or key in holders) and item is not None and not isinstance(item, bool)
        if shown == MASK or named:
            masked.append(here)
            out[shown] = MASK
        else:
            out[shown] = preview(item, masked, here, depth + 1)
    if _size(value) > MOST_ITEMS:
        out["…"] = f"+{_size(value) - MOST_ITEMS}"
    return out


def _size(value: list[object] | dict[str, object]) -> int:
    """How many items there were: of a large list or object only the first are kept (large_messages)."""
    return len(value) if type(value) is list or type(value) is dict else value.whole  # type: ignore[union-attr]


def pairs_up(names: Iterable[str]) -> bool:
    """Does one of these arguments name what another one holds? Then a value alone does not show if it is secret."""
    roles = [_role(name) for name in names]
    return True in roles and False in roles


def secret_value_keys(table: dict[str, object]) -> list[str]:
    """The keys whose values are secret because another value of the object says so."""
    holders = [key for key in table if _role(key) is False]
    if not holders:
        return []
    names = [item for key, item in table.items() if isinstance(item, str) and _role(key)]
    return holders if any(map(is_name_of_secret, names)) else []


def is_name_of_secret(text: str) -> bool:
    """Is a text the name of a secret, and neither a sentence nor a name together with its value?"""
    short = len(text) <= LONGEST_TEXT and text.count(" ") <= 1
    return short and ":" not in text and "=" not in text and is_secret_name(text)


def _role(key: str) -> bool | None:
    """True: the key is for a name; False: for the value of a name; None: neither."""
    last = words(key)[-1:]
    if NAMERS.isdisjoint(last):
        return None if HOLDERS.isdisjoint(last) else False
    return True
