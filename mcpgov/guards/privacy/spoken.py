"""Passwords that a sentence or a statement names: `password is …`, `identified by '…'`, `login("ada", "…")`.

The gate shows where the words for one begin; each kind of words is one row of `_MARKS`.
"""

from __future__ import annotations

from mcpgov.guards.privacy import commands
from mcpgov.guards.privacy.shape import ALNUM
from mcpgov.guards.privacy.values.assigned import below
from mcpgov.guards.privacy.values.password_at import behind, password_at, told_at
from mcpgov.guards.privacy.values.secret_names import NAMES, is_harmless
from mcpgov.guards.privacy.values.secret_values import is_secret
from mcpgov.guards.privacy.values.value_end import QUOTES, value_end

Span = tuple[int, int]
_TOLD = tuple(
    verb + done
    for verb in (" is", " was", " has been", " now", "")
    for done in (" now", " set to", " reset to", " changed to", "")
)
_FOREIGN = ("kennwort", "passwort", "senha", "mot de passe", "contraseña", "contrasena")
_VERBS = (" ist ", " lautet ", " est ", " es ", " é ", " è ", " ist: ", " lautet: ", " est: ", " es: ")
_LONG_MARKS = (
    *(word + told for word in ("password", "passwd", "passphrase") for told in _TOLD if told),
    *(word + verb for word in _FOREIGN for verb in (" ist", " lautet", " est", " es", "")),
)
_MARKS = (
    "convertto-securestring -string", "convertto-securestring", "password", "passwd", "identified by", "sshpass -p",
    "redis-cli -a", "requirepass", "masterauth", "bindpw", "snmp-server community", "passphrase", " -user", " --user",
    " -u",
)  # fmt: skip
_SIGN_MARKS = {
    sign: tuple(tuple(mark for mark in marks if mark[0] == sign) for marks in (_LONG_MARKS, _MARKS))
    for sign in {mark[0] for mark in (*_LONG_MARKS, *_MARKS)}
}
BEGINNINGS = tuple({words[:2] for words in (*_LONG_MARKS, *_MARKS, *commands.ORDERED)})  # of what `spoken` finds
_CALLS = ("credential", "login", "auth", "connect", "passwordauthentication", "basic", "new", "pdo", "mysqli")
_PAIRS = ("login", "cred", "user", "account")
# Of what `paired` finds: such a word, or a sign and a slash between blanks.
PAIRED = tuple({*(word[:2] for word in (*_CALLS, *_PAIRS)), *(sign + " " for sign in map(chr, range(128)))})
_SIGNING_IN = ("log in", "login", "sign in", "cred", "username", "password")
_VALUES = ("value", "default")
_NAME = ALNUM + "_-"
MOST_BEFORE = 32  # characters of a name before the word that makes it one of a secret
_SHORTEST_VALUED = min(map(len, NAMES)) + min(map(len, _VALUES))


def spoken(text: str, start: int, end: int) -> Span | None:
    """A password that a sentence, a statement or a command names: `password is …`, `identified by '…'`, `-u ada:…`."""
    words = text[start:end].lower()
    if words.startswith(commands.ORDERED):
        span = commands.ordered(text, start, end)
        if span is not None:
            return span
    long_marks, marks = _SIGN_MARKS.get(words[:1], ((), ()))
    marks = long_marks if words.startswith(long_marks) else marks if words.startswith(marks) else ()
    mark = next((mark for mark in marks if words.startswith(mark)), "")
    if not mark:
        return None
    at = start + len(mark)
    told = max(words.rfind(" is "), words.rfind(" was "))
    if mark[0] == "p" and words.startswith((" for ", " of ", " to ", " on "), len(mark)) and told > 0:
        return told_at(text, behind(text, words.index(" ", told + 1) + start, end, "\\\"'`: "))
    if mark.startswith(_FOREIGN) and (told := _behind_verb(words)):
        return told_at(text, behind(text, start + told, end, "\\\"'`: "))
    if mark[0] == " ":  # a user's name and a colon come first
        at = text.find(":", at, end) + 1
    if mark[0] == "p" and (text[at : at + 1].isalnum() or text[at : at + 1] in ("_", "-", ".")):  # a longer name
        return None
    at = behind(text, at, end, "\\\"'`: ")
    is_bare = mark in ("password", "passwd", "passphrase") and text[at - 1] not in QUOTES
    if mark in _FOREIGN and not {":", "=", '"', "'", "`"}.intersection(text[start + len(mark) : at]):
        return None
    if is_bare and (colon := text.find(":", start, end)) > 0 and text[colon + 1 : colon + 2] in ("\n", "\r"):
        at = below(text, colon + 1)  # `the following password to proceed:`
        return told_at(text, at) if at > 0 else None
    if (
        is_bare
        and not any(word in text[max(0, start - 64) : start].lower() for word in ("login", "username "))
        and (text[start - 4 : start] != "set ")
    ):
        return None  # only in a netrc, `login ada password …`, nothing more tells it
    if is_bare and text[at : at + 1].isdigit() and text[at + 1 : at + 2] == " ":  # `password 0 X` of a router
        at += 2
    return told_at(text, at) if mark.endswith((" is", " was")) else password_at(text, at)


def _behind_verb(words: str) -> int:
    """Behind the verb of `passwort fürs büro lautet …`; 0: there is none."""
    return max(words.rfind(verb) + len(verb) if verb in words else 0 for verb in _VERBS)


def paired(text: str, start: int, end: int) -> Span | None:
    """`credentials: ada / X`, `Login("ada", "X")`: what stands behind the last sign between the two."""
    if text.startswith(" / ", start + 1):
        span = password_at(text, start + 4)
        if span is None:
            return None
        around = text[max(0, start - 40) : end + 40].lower()
        return span if any(word in around for word in _SIGNING_IN) else None
    word = text[start : start + 24].lower()
    if word.startswith(_CALLS) and ("(" in text[start:end] or "[" in text[start:end]):
        return _last_argument(text, start, end)
    before = text[start - 1 : start]
    if not word.startswith(_PAIRS) or before.isalnum() or before in ("-", "_", "/", "."):
        return None
    slash = max(text.rfind(" / ", start, end), text.rfind("/", start, end), text.rfind(":", start, end))
    if slash < 0 or text[slash] == ":" or "\n" in text[start:slash] or "://" in text[start:slash]:
        return None
    return password_at(text, behind(text, slash + 1, end, "\\\"'` "))


def _last_argument(text: str, start: int, end: int) -> Span | None:
    """`connect("host", "ada", "X")`: behind the last comma that the gate has seen before a value."""
    quote = max(text.find(sign, start, end) for sign in QUOTES)
    at = max(text.rfind(", " + text[quote], start, end) + 1, text.rfind("," + text[quote], start, end)) + 1
    at = behind(text, at, end, "\\\"'` ") if at > 0 else 0
    return password_at(text, at) if at and text[at - 1] in QUOTES else None


def valued(text: str, start: int, end: int) -> Span | None:
    """`variable "db_password" { default = "X"`, `name: DB_PASSWORD, value: X`: a name, and apart from it the value."""
    if end - start < _SHORTEST_VALUED:
        return None
    seen = text[start:end].lower()
    place = max(map(seen.rfind, _VALUES))
    if place < 0 or not (any(word in seen[:place] for word in NAMES) or "_key" in seen[:place]):
        return None
    named = seen.lstrip(QUOTES)  # the gate has the quote of some names
    before = text[max(0, start - MOST_BEFORE) : start] if named == seen else ""
    if is_harmless(before[len(before.rstrip(_NAME)) :] + named[: len(named) - len(named.lstrip(_NAME))]):
        return None
    at = behind(text, start + place, end, "abcdefghijklmnopqrstuvwxyzVD")
    at = behind(text, at, end, "\\\"'` :=>\t\n")
    if "passw" in seen or "pwd" in seen or "passphrase" in seen:
        return password_at(text, at)
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    stop = value_end(text, at, quote)
    return (at, stop) if is_secret(text[at:stop]) else None
