"""Passwords that only their place in a command tells: `echo ada:X | chpasswd`, `mysql -pX`, `ENV API_KEY X`."""

from __future__ import annotations

from mcpgov.guards.privacy.named import is_named_secret
from mcpgov.guards.privacy.values.password_at import behind, password_at, told_at
from mcpgov.guards.privacy.values.secret_values import is_password
from mcpgov.guards.privacy.values.value_end import QUOTES, value_end

Span = tuple[int, int]
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
ORDERED = (":", "net user ", "echo ", "chpasswd ", "htpasswd ", "sqlplus ", "jdbc:orac", "send ", "enable ",
            *map(str.lower, _SETTERS), *_AUTH)  # fmt: skip


def ordered(text: str, start: int, end: int) -> Span | None:
    """What only its place in a line tells: `echo ada:X | chpasswd`, `htpasswd -b file ada X`, `sqlplus ada/X@db`."""
    line = text[start : start + _LINE].partition("\n")[0]
    word = line[:9].lower()
    if word.startswith(":") and line[1:3] in ("54", "64") and line.count(":") == 4:  # `host:5432:db:ada:X`
        return password_at(text, start + line.rindex(":") + 1)
    if word == "net user ":
        return password_at(text, behind(text, text.find(" ", start + 10, end) + 1, end, "\\\"'`"))
    if word.startswith("echo ") and any(pipe in line.partition("|")[2].lower() for pipe in _PIPES):
        return told_at(text, behind(text, start + 5, end, "\\\"'`"))
    if word.startswith("echo ") or word == "chpasswd ":
        at = text.find(":", start, end) + 1
        span = password_at(text, at) if at else None
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
        return password_at(text, behind(text, start + 6, end, "\\\"'`"))
    return None


def _set(text: str, start: int, line: str) -> Span | None:
    """`ENV API_TOKEN X`, `(setq api-key "X")`, `set -gx API_KEY X`: a name and a blank before a value."""
    line = line.replace(" -gx ", " ", 1).replace(" -x ", " ", 1) if line.startswith("set -") else line
    name = line.partition(" ")[2].partition(" ")[0]
    at = text.find(name, start) + len(name) if name else start
    at = behind(text, at, at + 8, "\\\"'` ")
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
            return password_at(text, at) if "b" in flags and at < len(text) else None
        else:
            left -= 1
        at += len(word) + 1
    return None


def _sent(text: str, start: int, end: int) -> Span | None:
    """`expect "*assword:"`, and on the next line `send "X\\r"`."""
    before = text[max(0, start - _LINE) : start].lower()
    if "expect" not in before or "assw" not in before:
        return None
    at = behind(text, start + len("send "), end, "\\\"'` -")
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
        span = password_at(text, behind(text, at, end, "\\\"'` =")) if at else None
        if span is None:  # before it is asked whose flag it is: that is looked for in all of the line
            continue
        line = line or text[max(0, start - _LINE) : start].rpartition("\n")[2].lower()
        if not commands or any(command in line for command in commands):
            return span
    return None
