"""What is assigned to a name: behind a sign, a verb, a bracket, in the next cell of a table, in the line below."""

from __future__ import annotations

from mcpgov.guards.privacy.plain_text import escape_end
from mcpgov.guards.privacy.values import encoded
from mcpgov.guards.privacy.values.value_end import QUOTES, value_end

QUOTES_SET = frozenset(QUOTES)
_ASSIGNING = frozenset((":", "=", "?", "\u2192", "\uff1a", "\uff1d"))  # an arrow, and wide ones
_BETWEEN = ":=?,>+.|\u2192\uff1a\uff1d"
_BEFORE_QUOTES = frozenset("NLbru@")  # of strings, in some languages
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
# What may follow a name that a value is assigned to: quotes, blanks, what assigns, `string `, `value=`, verbs.
_BEHIND_NAME = frozenset("\\\"'`])*([% \t:=?,>+.|\u2192\uff1a\uff1dsvciwleckfotISWLEK")
_OF = ("for", "of", "to")
_ENDS_NAME = frozenset(",;:=()[]{}\"'`")
_FAR = 52  # characters up to the verb
Span = tuple[int, int]


def may_assign(text: str, start: int, sign: int) -> bool:
    """Could what stands behind a name that ends at `sign` give it a value? Asked before anything dearer."""
    behind = text[sign : sign + 1]
    if behind != " ":
        return behind in _BEHIND_NAME
    # All else that may follow a blank is behind an option, `--token …`.
    return text[sign + 1 : sign + 2] in _BEHIND_NAME or text.rfind("--", max(0, start - 40), sign) >= 0


def assigned(text: str, sign: int, name: str) -> Span:
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
    if text.startswith(_MAKERS, at):
        at += next(len(maker) for maker in _MAKERS if text.startswith(maker, at))
    return _behind_quotes(text, at)


def _behind_sign(text: str, at: int, begin: int, name: str, closed: bool) -> int:
    """Behind what assigns to the name that ends at `begin`; `closed`: by a quote. -1: nothing does."""
    sign = text[at : at + 1]
    listed = sign == "," and (name.startswith("CURLOPT") or (closed and _is_quoted(text, at + 1)))
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


def _is_quoted(text: str, at: int) -> bool:
    """Is what is listed next in quotes, as all values are? What is not is the next argument of a call."""
    value = text[at : at + 4].lstrip(" ")
    return not QUOTES_SET.isdisjoint(value[:2]) or value[:1] == "\\"


def _behind_quotes(text: str, at: int) -> int:
    if text[at : at + 1] in _BEFORE_QUOTES and text[at + 1 : at + 2] in QUOTES:
        at += 1
    while text[at : at + 1] and text[at] in "\\\"'`(":
        if text[at : at + 2] in _NEW_LINES:
            return -1
        at = at + 1 if text[at] != "\\" else escape_end(text, at)
    return behind_scheme(text, at)


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


def behind_scheme(text: str, at: int) -> int:
    """Behind `Bearer `, `Basic `, `Token `, which name how a key is sent."""
    word, blank, _ = text[at : at + 16].partition(" ")
    return at + len(word) + 1 if blank and word.lower().rstrip(":") in _SCHEMES else at
