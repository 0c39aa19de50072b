"""Passwords that a sentence, a statement or a command names: `password is …`, `mysql -p…`, `login("ada", "…")`.

The gate shows where the words for one begin; each kind of words is one row of `_MARKS`.
"""

from __future__ import annotations

from mcpgov.guards.privacy.named import SHORTEST, is_named_secret
from mcpgov.guards.privacy.values.assigned import below
from mcpgov.guards.privacy.values.secret_names import NAMES
from mcpgov.guards.privacy.values.secret_values import is_password, is_secret
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
# Flags that stand before a password, and the commands in whose line they do: an empty row is any command.
_FLAG_ROWS = (
    ("-storepass ", ""), ("-keypass ", ""), ("-srcstorepass ", ""), ("-deststorepass ", ""), ("-passin pass:", ""),
    ("-passout pass:", ""), ("-password ", ""), ("-passwd ", ""), ("-pass pass:", ""), ("-pw ", ""),
    ("-p", "mysql maria mongo login sshpass psexec cqlsh rdesktop winrm crackmap netexec 7z unrar pscp plink registry "
           "sqlcmd docker podman useradd usermod helm snowsql htpasswd presto trino influx arango neo4j ncftp rclone"),
    ("-P", "sqlcmd bcp isql tsql zip mosquitto mqtt ipmitool"),
    ("-w", "ldap hdbsql"), ("-a", "redis valkey keydb"), ("-k", "openssl"), ("/p:", "freerdp"),
    ("/user:", "net use"), ("-U", "smb rpc"), ("/rp ", "schtasks"), ("-t", "codecov"),
)  # fmt: skip
_BEGINNING = 2  # characters that tell most flags apart
_FLAGS: dict[str, list[tuple[str, list[str]]]] = {}
for _flag, _commands in _FLAG_ROWS:
    _FLAGS.setdefault(_flag[:_BEGINNING], []).append((_flag, _commands.split()))
_LINE = 160
_PIPES = ("sudo -s", "--password-stdin", "passwd --stdin", "kinit")  # what reads a password that is echoed to it
_SETTERS = ("ENV ", "ARG ", "SetEnv ", "setenv ", "setx ", "setq ", "_param ", "_header ", "set ")
_AUTH = (" auth(", ":auth(", ".auth(", ">auth(")
_ORDERED = (":", "net user ", "echo ", "chpasswd ", "htpasswd ", "sqlplus ", "jdbc:orac", "send ", "enable ",
            *map(str.lower, _SETTERS), *_AUTH)  # fmt: skip
BEGINNINGS = tuple({words[:2] for words in (*_LONG_MARKS, *_MARKS, *_ORDERED)})  # of what `spoken` finds
_CALLS = ("credential", "login", "auth", "connect", "passwordauthentication", "basic", "new", "pdo", "mysqli")
_PAIRS = ("login", "cred", "user", "account")
# Of what `paired` finds: such a word, or a sign and a slash between blanks.
PAIRED = tuple({*(word[:2] for word in (*_CALLS, *_PAIRS)), *(sign + " " for sign in map(chr, range(128)))})
_SIGNING_IN = ("log in", "login", "sign in", "cred", "username", "password")
_VALUES = ("value", "default")
_SHORTEST_VALUED = min(map(len, NAMES)) + min(map(len, _VALUES))


def spoken(text: str, start: int, end: int) -> Span | None:
    """A password that a sentence, a statement or a command names: `password is …`, `identified by '…'`, `-u ada:…`."""
    words = text[start:end].lower()
    if words.startswith(_ORDERED):
        span = _ordered(text, start, end)
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
        return _told(text, _behind(text, words.index(" ", told + 1) + start, end, "\\\"'`: "))
    if mark.startswith(_FOREIGN) and (told := _behind_verb(words)):
        return _told(text, _behind(text, start + told, end, "\\\"'`: "))
    if mark[0] == " ":  # a user's name and a colon come first
        at = text.find(":", at, end) + 1
    at = _behind(text, at, end, "\\\"'`: ")
    is_bare = mark in ("password", "passwd", "passphrase") and text[at - 1] not in QUOTES
    if mark in _FOREIGN and not {":", "=", '"', "'", "`"}.intersection(text[start + len(mark) : at]):
        return None
    if is_bare and (colon := text.find(":", start, end)) > 0 and text[colon + 1 : colon + 2] in ("\n", "\r"):
        at = below(text, colon + 1)  # `the following password to proceed:`
        return _told(text, at) if at > 0 else None
    if (
        is_bare
        and not any(word in text[max(0, start - 64) : start].lower() for word in ("login", "username "))
        and (text[start - 4 : start] != "set ")
    ):
        return None  # only in a netrc, `login ada password …`, nothing more tells it
    if is_bare and text[at : at + 1].isdigit() and text[at + 1 : at + 2] == " ":  # `password 0 X` of a router
        at += 2
    return _told(text, at) if mark.endswith((" is", " was")) else _password(text, at)


def _behind_verb(words: str) -> int:
    """Behind the verb of `passwort fürs büro lautet …`; 0: there is none."""
    return max(words.rfind(verb) + len(verb) if verb in words else 0 for verb in _VERBS)


def _ordered(text: str, start: int, end: int) -> Span | None:
    """What only its place in a line tells: `echo ada:X | chpasswd`, `htpasswd -b file ada X`, `sqlplus ada/X@db`."""
    line = text[start : start + _LINE].partition("\n")[0]
    word = line[:9].lower()
    if word.startswith(":") and line[1:3] in ("54", "64") and line.count(":") == 4:  # `host:5432:db:ada:X`
        return _password(text, start + line.rindex(":") + 1)
    if word == "net user ":
        return _password(text, _behind(text, text.find(" ", start + 10, end) + 1, end, "\\\"'`"))
    if word.startswith("echo ") and any(pipe in line.partition("|")[2].lower() for pipe in _PIPES):
        return _told(text, _behind(text, start + 5, end, "\\\"'`"))
    if word.startswith("echo ") or word == "chpasswd ":
        at = text.find(":", start, end) + 1
        span = _password(text, at) if at else None
        return span if word == "chpasswd " or "chpasswd" in line else None
    if word == "htpasswd ":
        return _of_htpasswd(text, start, line)
    if word.startswith(("sqlplus ", "jdbc:orac")):
        at = text.find("/", start, end) + 1
        stop = value_end(text, at, "")
        cut = text.find("@", at, stop)
        stop = cut if cut > 0 else stop
        return (at, stop) if at and is_password(text[at:stop], '"') else None
    if word.startswith("send "):
        return _sent(text, start, end)
    if line.startswith(_SETTERS):
        return _set(text, start, line)
    if word.startswith("enable "):
        return _enabled(text, start, line)
    if word.startswith(_AUTH):
        return _password(text, _behind(text, start + 6, end, "\\\"'`"))
    return None


def _set(text: str, start: int, line: str) -> Span | None:
    """`ENV API_TOKEN X`, `(setq api-key "X")`, `set -gx API_KEY X`: a name and a blank before a value."""
    line = line.replace(" -gx ", " ", 1).replace(" -x ", " ", 1) if line.startswith("set -") else line
    name = line.partition(" ")[2].partition(" ")[0]
    at = text.find(name, start) + len(name) if name else start
    at = _behind(text, at, at + 8, "\\\"'` ")
    stop = value_end(text, at, text[at - 1] if text[at - 1] in QUOTES else "")
    return (at, stop) if stop > at and is_named_secret(name.strip("\"'`\\"), text[at:stop]) else None


def _enabled(text: str, start: int, line: str) -> Span | None:
    """`enable secret 5 X` of a router: behind the number of a way to hide it."""
    words = line.split(" ")[:4]
    at = 3 if len(words) > 3 and words[2].isdigit() and len(words[2]) == 1 else 2
    value = words[at].rstrip("\r") if len(words) > at else ""
    begin = start + sum(len(word) + 1 for word in words[:at])
    return (begin, begin + len(value)) if value.count("$") > 2 or is_password(value, '"') else None


def _of_htpasswd(text: str, start: int, line: str) -> Span | None:
    """With `-b` the password is the last word, behind a file's and a user's name; with `-n` there is no file."""
    at = start + len("htpasswd ")
    flags = ""
    left = 2
    for word in line.split(" ")[1:]:
        if word.startswith("-") and left == 2:
            flags += word
        elif left - ("n" in flags) <= 0:
            at += word[:1] in QUOTES  # or a second blank
            return _password(text, at) if "b" in flags and at < len(text) else None
        else:
            left -= 1
        at += len(word) + 1
    return None


def _sent(text: str, start: int, end: int) -> Span | None:
    """`expect "*assword:"`, and on the next line `send "X\\r"`."""
    before = text[max(0, start - _LINE) : start].lower()
    if "expect" not in before or "assw" not in before:
        return None
    at = _behind(text, start + len("send "), end, "\\\"'` -")
    stop = value_end(text, at, text[at - 1])
    value = text[at:stop]
    while value[-2:] in ("\\r", "\\n"):
        value = value[:-2].rstrip("\\")
    return (at, at + len(value)) if value and is_password(value, '"') else None


def flagged(text: str, start: int, end: int) -> Span | None:
    """`mysql -pX`, `ldapsearch -w X`, `keytool -storepass X`: ` -` at `start`."""
    line = ""
    for flag, commands in _FLAGS.get(text[start + 1 : start + 1 + _BEGINNING], ()):
        if not text.startswith(flag, start + 1):
            continue
        at = start + 1 + len(flag)
        if flag in ("-U", "/user:"):  # `user%password`, `user password`
            at = text.find("%" if flag == "-U" else " ", at, end) + 1
        span = _password(text, _behind(text, at, end, "\\\"'` =")) if at else None
        if span is None:  # before it is asked whose flag it is: that is looked for in all of the line
            continue
        line = line or text[max(0, start - _LINE) : start].rpartition("\n")[2].lower()
        if not commands or any(command in line for command in commands):
            return span
    return None


def paired(text: str, start: int, end: int) -> Span | None:
    """`credentials: ada / X`, `Login("ada", "X")`: what stands behind the last sign between the two."""
    if text.startswith(" / ", start + 1):
        span = _password(text, start + 4)
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
    if slash < 0 or text[slash] == ":":
        return None
    return _password(text, _behind(text, slash + 1, end, "\\\"'` "))


def _last_argument(text: str, start: int, end: int) -> Span | None:
    """`connect("host", "ada", "X")`: behind the last comma that the gate has seen before a value."""
    quote = max(text.find(sign, start, end) for sign in QUOTES)
    at = max(text.rfind(", " + text[quote], start, end) + 1, text.rfind("," + text[quote], start, end)) + 1
    at = _behind(text, at, end, "\\\"'` ") if at > 0 else 0
    return _password(text, at) if at and text[at - 1] in QUOTES else None


def valued(text: str, start: int, end: int) -> Span | None:
    """`variable "db_password" { default = "X"`, `name: DB_PASSWORD, value: X`: a name, and apart from it the value."""
    if end - start < _SHORTEST_VALUED:
        return None
    seen = text[start:end].lower()
    place = max(map(seen.rfind, _VALUES))
    if place < 0 or not (any(word in seen[:place] for word in NAMES) or "_key" in seen[:place]):
        return None
    at = _behind(text, start + place, end, "abcdefghijklmnopqrstuvwxyzVD")
    at = _behind(text, at, end, "\\\"'` :=>\t\n")
    if "passw" in seen or "pwd" in seen or "passphrase" in seen:
        return _password(text, at)
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    stop = value_end(text, at, quote)
    return (at, stop) if is_secret(text[at:stop]) else None


def _behind(text: str, at: int, end: int, signs: str) -> int:
    while at < end and text[at] in signs:
        at += 1
    return at


def _told(text: str, at: int) -> Span | None:
    """A password that a sentence tells in so many words."""
    return _password(text, at, is_told=True)


def _password(text: str, at: int, *, is_told: bool = False) -> Span | None:
    quote = text[at - 1] if text[at - 1] in QUOTES else ""
    stop = value_end(text, at, quote)
    if stop - at < SHORTEST:
        return None
    value = text[at:stop] if quote else text[at:stop].rstrip(".,;:?")
    if not (quote or is_told) and value[-1:] == "!" and not value[-2:-1].isdigit():  # of a sentence
        value = value.rstrip("!?")
    return (at, at + len(value)) if value and is_password(value, '"' if is_told else quote) else None
