"""Keys and passwords that the name before them tells: `api_key = "…"`, `"password": "…"`, `Authorization: Bearer …`."""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words
from mcpgov.guards.privacy.issuers.names import NAMES as ISSUERS
from mcpgov.guards.privacy.plain_text import escape_end
from mcpgov.guards.privacy.shape import ALNUM
from mcpgov.guards.privacy.values import encoded
from mcpgov.guards.privacy.values.secret_values import (
    HEX,
    is_code,
    is_pair,
    is_password,
    is_private_number,
    is_secret,
    is_signed,
    is_uuid,
)

_NAME = ALNUM + "_-.ñÑ"
QUOTES = "\"'`"
QUOTES_SET = frozenset(QUOTES)
_ASSIGNING = frozenset((":", "=", "?", "\u2192", "\uff1a", "\uff1d"))  # an arrow, and wide ones
_BETWEEN = ":=?,>+.|\u2192\uff1a\uff1d"
_BEFORE_QUOTES = frozenset("NLbru@")  # of strings, in some languages
_ENDS_VALUE = " \"'\n,;`\t\r<>()[]{}\\"
MOST_AMPERSANDS = 8  # of a value that are looked at
_FIELDS_BEFORE = 120
_LONGEST_FIELD = 32
_FIELD = ALNUM + "_-.%[]#"
LONGEST_VALUE = 6000
SHORTEST = 8  # characters of a password or a key
SOON = 48  # characters in which most values end
LONG = 256  # characters of a value: names in a longer one are not all looked at
Span = tuple[int, int]
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
    page next cursor sync csrf xsrf public max num count limit cache hash digest checksum sha sha1 sha256 md5 id url
    uri path file dir directory name field header length size version tokens integrity fingerprint arn test testing
    fake mock sample dummy partition placeholder updated changed created modified
""")
# What the names of texts about passwords end with.
_ABOUT_PASSWORDS = word_set("hint label title prompt help policy rule rules regex pattern strength message error text")
# The same in names that are written together.
_HARMLESS_PARTS = (
    "_id", "-id", "keyid", "nextpage", "pagetoken", "nexttoken", "synctoken", "csrf", "xsrf", "continu", "tokenizer",
    "token_type", "tokentype", "publickey", "expir", "idempot", "filename", "username", "hostname", "max_",
)  # fmt: skip
# What is in all names that the gate knows.
_WORDS = ("pass", "pw", "psk", "auth", "secret", "token", "cred", "key", "kennwort", "senha", "contras")
_PLAIN = ("apikey", "api_key", "api-key", "apitoken", "api_token", "api-token", "authtoken", "auth_token", "auth-token",
          "snyk", "access_key", "accesskey", "access-key", "_secret", "secret_key", "secretkey", "clientsecret",
          "authorization")  # fmt: skip
# Whole names that tell a secret even of a UUID.
_WHOLE = frozenset(("--token", "--auth-token"))
_OF_CLIENTS = ("client", "credential")  # before `secret: …`, of a login
_AROUND = 80
_SECRET_IDS = ("secret_id", "secretid", "secret-id")  # half of a login
# How a key is sent, in a header: `Authorization: Bearer …`.
_SCHEMES = frozenset(("bearer", "basic", "token", "ntlm", "digest", "ssws", "apikey", "api-key", "splunk", "geniekey",
                      "oauth", "bot", "key", "sso-key", "api-token", "deepl-auth-key"))  # fmt: skip
# What adds to a value, or sets one that is not there: `token += "…"`.
_ADDS = ("+=", ".=", "|=", "||=")
_NEW_LINES = ("\\n", "\\r")  # of a text within a text
_MAKERS = ("String::from(", "String::new(", "SecretString::from(", "SecretString::new(", "Secret::new(", "Some(",
           "String(", "Secret(", "SecretStr(", "SecureString(", "Buffer.from(", "bytes(", "str(",
           "b64decode(")  # fmt: skip
_BELOW = 80  # characters of a line that a value has for itself
_VERBS = frozenset(("is", "was", "lautet", "est"))  # of a sentence that tells a secret


_ENDS = bytes(0 if chr(code) in _ENDS_VALUE else 65 for code in range(256))
# What may follow a name that a value is assigned to: quotes, blanks, what assigns, `string `, `value=`, verbs.
_BEHIND_NAME = frozenset("\\\"'`])*([% \t:=?,>+.|\u2192\uff1a\uff1dsvciwleckfotISWLEK")
_OF = ("for", "of", "to")
_ENDS_NAME = frozenset(",;:=()[]{}\"'`")
_FAR = 52  # characters up to the verb
_known: dict[str, bool] = {}
_harmless: dict[str, bool] = {}


def is_name(name: str) -> bool:
    """Is it the name of a secret? Keys repeat in every row of a result, so what was asked is kept."""
    known = _known.get(name)
    if known is None:
        if len(_known) >= MOST_NAMES:
            _known.clear()
        low = name.lower()
        known = (is_password_name(low) or any(word in low for word in NAMES)) and not _is_harmless(name)
        _known[name] = known
    return known


def is_named_secret(name: str, value: str) -> bool:
    """Is a value secret because the key of the object that holds it says so?"""
    if not is_name(name):
        return False
    return is_password(value, '"') if is_password_name(name.lower()) else is_secret(value, is_issued(name))


def _is_harmless(name: str) -> bool:
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


def named_value(text: str, start: int, end: int) -> Span | None:
    """The value of a name that begins at `start`; the gate has seen it up to `end`."""
    before = text[max(0, start - 40) : start]
    if text[start : start + 1] in QUOTES:  # `"auth"`: the gate has the quote of a name
        start += 1
    window = text[start:end]
    sign = start + len(window) - len(window.lstrip(_NAME))
    if not _may_assign(text, start, sign):
        return None
    name = before[len(before.rstrip(_NAME)) :] + text[start:sign]
    if text[sign : sign + 4].lower() == " key":
        sign += 4
        name = f"{name}_key"
    low = name.lower()
    if not any(word in low for word in _WORDS):  # the gate has shown something else here
        return None
    at, stop = _assigned(text, sign, name)
    if at < 0:
        return None
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    if stop - at < SHORTEST:
        return None
    value = text[at:stop]
    if not quote and (text[stop : stop + 1] == "(" or is_code(value)):
        return None
    if _is_harmless(name) or _is_part(text, sign - len(name)):
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


def _may_assign(text: str, start: int, sign: int) -> bool:
    """Could what stands behind a name that ends at `sign` give it a value? Asked before anything dearer."""
    behind = text[sign : sign + 1]
    if behind != " ":
        return behind in _BEHIND_NAME
    # All else that may follow a blank is behind an option, `--token …`.
    return text[sign + 1 : sign + 2] in _BEHIND_NAME or text.rfind("--", max(0, start - 40), sign) >= 0


def _is_part(text: str, at: int) -> bool:
    """Is the name one of a thing's name, `checksum/secret: …`, `arn:aws:secretsmanager:…:secret:…`?"""
    if text[at - 1 : at] not in (":", "/"):
        return False
    before = text[max(0, at - _AROUND) : at].split()[-1:]
    return bool(before) and before[0].lstrip("\"'`(").startswith(("arn:", "checksum/", "urn:"))


def _assigned(text: str, sign: int, name: str) -> Span:
    """The value that is assigned to the name before `sign`; it begins at -1 where none is."""
    if text[sign : sign + 1] == "%":
        at = encoded.value_start(text, sign)
        return at, encoded.value_end(text, at, value_end(text, at, "")) if at >= 0 else at
    at = _value_start(text, sign, name, text[sign - len(name) - 1 : sign - len(name)])
    if at < 0:
        return at, at
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    stop = value_end(text, at, quote)
    if not quote and text[at - 1] == " " and text[stop - 1] in ".:?" and text[stop - 2] != ".":
        stop -= 1  # the end of a sentence is not the value's
    return at, stop


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


def _value_start(text: str, at: int, name: str, before: str) -> int:
    """Behind what assigns; -1: nothing does. `before` is the sign before the name."""
    named = at - len(name)
    while text[at : at + 1] and text[at] in "\\\"'`])*":
        at += 1
    begin = at
    at = _behind_blanks(text, at)
    if text.startswith("string ", at):  # `var token string = …`
        at += len("string ")
    sign = text[at : at + 1]
    closed = begin > 0 and text[begin - 1] in QUOTES
    is_element = sign == ">" and at == begin and (closed or before in ("<", ":"))  # `<password>…`, `name="Password">…`
    if is_element or (sign == "|" and _is_cell(text, named)):
        at += 1
    else:
        at = _behind_sign(text, at, begin, name, closed)
    if at < 0:
        return at
    at = _behind_blanks(text, at)
    if sign == ":" and text[at : at + 1] in ("\n", "\r"):
        return below(text, at)
    maker = next((maker for maker in _MAKERS if text.startswith(maker, at)), "")
    return _behind_quotes(text, at + len(maker))


def _behind_sign(text: str, at: int, begin: int, name: str, closed: bool) -> int:
    """Behind what assigns to the name that ends at `begin`; `closed`: by a quote. -1: nothing does."""
    sign = text[at : at + 1]
    listed = sign == "," and (closed or name.startswith("CURLOPT"))
    if sign == "(" and at == begin and text[at + 1 : at + 3].lstrip("\\")[:1] in QUOTES_SET:  # `setPassword("…")`
        return at + 1
    if sign in _ASSIGNING or listed or text.startswith(_ADDS, at):
        while text[at : at + 1] and text[at] in _BETWEEN:
            at += 1
        if text.startswith(("** ", "**\n"), at):  # `**Password:** …`
            at += 2
        return _behind_type(text, at)
    if text.startswith("||", at):  # or else: `process.env.API_KEY || "…"`
        at = _behind_blanks(text, at + 2)
        return at if text[at : at + 1] in QUOTES_SET else -1
    if closed and text.startswith(("value=", "content="), at):  # `key="Password" value="…"`
        return text.index("=", at) + 1
    if at > begin and (told := _behind_verb(text, at)):
        return told
    return at if name.startswith("-") and at > begin else -1


def _behind_quotes(text: str, at: int) -> int:
    if text[at : at + 1] in _BEFORE_QUOTES and text[at + 1 : at + 2] in QUOTES:
        at += 1
    while text[at : at + 1] and text[at] in "\\\"'`(":
        if text[at : at + 2] in _NEW_LINES:
            return -1
        at = at + 1 if text[at] != "\\" else escape_end(text, at)
    return _behind_scheme(text, at)


def _is_cell(text: str, at: int) -> bool:
    """Does a name stand in a cell of a table, `| password | … |`?"""
    return text[max(0, at - 4) : at].rstrip(" *`")[-1:] == "|"


def below(text: str, at: int) -> int:
    """A value that has the next line for itself, or the one behind an empty one; -1: that is something else."""
    window = text[at : at + _BELOW]
    line, behind, _ = window.lstrip(" \t\r\n").partition("\n")
    value = line.strip("\r")
    breaks = len(window) - len(window.lstrip(" \t\r\n"))
    if window.count("\n", 0, breaks) > 2 or " " in value or value[-1:] in (":", "") or value[0] in "-#{[<&*!|>":
        return -1
    return at + breaks if behind or len(window) < _BELOW else -1


def _behind_verb(text: str, at: int) -> int:
    """Behind the verb of `the client secret was …`, and what a prompt shows in brackets, `Secret Key [None]: …`."""
    if text[at : at + 1] == "[":
        close = text.find("]:", at, at + 28)
        return close + 2 if close > 0 else 0
    word, blank, _ = text[at : at + 10].partition(" ")
    if word in _OF:  # `the API key for our account is …`
        line = text[at : at + _FAR].partition("\n")[0]
        place = max(line.find(" is "), line.find(" was "))
        return line.index(" ", place + 1) + at + 1 if place > 0 and not _ENDS_NAME.intersection(line[:place]) else 0
    return at + len(word) + 1 if blank and word.lower().rstrip(":") in _VERBS else 0


def _behind_type(text: str, at: int) -> int:
    """Behind `string =` of `token: string = …`."""
    word, equals, _ = text[at : at + 14].partition("=")
    return at + len(word) + 1 if equals and word.strip().isalpha() and word[:1] in " \t" else at


def _behind_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t") or text.startswith("\\t", at):
        at += 1 if text[at] != "\\" else 2
    return at


def _behind_scheme(text: str, at: int) -> int:
    """Behind `Bearer `, `Basic `, `Token `, which name how a key is sent."""
    word, blank, _ = text[at : at + 16].partition(" ")
    return at + len(word) + 1 if blank and word.lower().rstrip(":") in _SCHEMES else at


def value_end(text: str, at: int, quote: str) -> int:
    if quote:
        end = text.find(quote, at, at + 400)
        if end >= 0:
            while text[end - 1] == "\\":
                end -= 1
            return end
    # Most end soon: the whole length is searched for the others only.
    near = text[at : at + SOON].encode("ascii", "replace").translate(_ENDS).find(0)
    end = _pair_end(text, at, at + (SOON if near < 0 else near))
    if near >= 0 or end < at + SOON:
        return min(end, len(text))
    for length in (LONG, LONGEST_VALUE):
        end = most = min(at + length, len(text))
        for sign in _ENDS_VALUE:
            found = text.find(sign, at, end)
            if found >= 0:
                end = found
        end = _pair_end(text, at, end)
        if end < most:
            break
    return end


def _pair_end(text: str, at: int, end: int) -> int:
    """The first `&` of a value that ends it: between the fields of a URL or a form, two commands, in an entity."""
    found = text.find("&", at, end)
    if found < 0:
        return end
    if found == at:  # what it stands before has an address: `token: &config.Token`
        return at
    before = text[max(0, at - _FIELDS_BEFORE) : at].split()[-1:]
    if before and any(sign in before[0] for sign in ("?", "&", "://")):
        return found
    for _ in range(MOST_AMPERSANDS):
        window = text[found + 1 : found + 1 + _LONGEST_FIELD]
        behind = window.lstrip(_FIELD)[:1]
        if not window or window[0] in "& \t\r\n\"'`;|" or behind == "=" or (behind == ";" and _is_entity(window)):
            return found
        found = text.find("&", found + 1, end)
        if found < 0:
            return end
    return found


def _is_entity(window: str) -> bool:
    """`amp;`, `#39;`: what stands for a sign in HTML."""
    name = window.partition(";")[0]
    return name[0] == "#" or (name.isalnum() and name[0].isalpha() and len(name) > 1)


def last_long_value(text: str, at: int) -> int:
    """Where the last value begins that is longer than LONG, of those that end where one at `at` does; -1: none is.

    In a run without any end every name has nearly all of it as its value: to look at one of them is enough.
    """
    far = at + LONG
    if len(text) < far or text.find(" ", at, far) >= 0 or text.find("\n", at, far) >= 0 or text.find('"', at, far) >= 0:
        return -1
    end = value_end(text, at, "")
    return end - LONG if end - at > LONG else -1


def bearer(text: str, at: int) -> Span | None:
    """`Bearer X`, wherever it stands."""
    start = _behind_scheme(text, at)
    end = value_end(text, start, "")
    value = text[start:end].rstrip(".,")
    good = start > at and (is_secret(value) or is_pair(value))
    return (start, start + len(value)) if good else None
