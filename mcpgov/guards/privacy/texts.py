"""What has a form of its own in a text: web tokens, private keys, passwords in URLs."""

from __future__ import annotations

from mcpgov.guards.privacy.shape import ALNUM, run_end

_TOKEN = ALNUM + "_-"
LONGEST_PART = 8000
LONGEST_KEY = 20_000
_BASE64 = bytes(65 if sign in (ALNUM + "+/=").encode() else 0 for sign in range(256))
_RUN = b"A" * 40
_PUTTY = "PuTTY-User-Key-File-"
Span = tuple[int, int]
# What documents write into a URL.
_STAND_INS = frozenset(("pass", "passwd", "password", "pwd", "pw"))
_DEMO = ("scott", "tiger")  # the account that came with every Oracle, and stands in documents since
_USERS = frozenset(("user", "username", "", "me"))
_OPENED = {")": "(", "]": "[", "}": "{", ">": "<"}
_ENDS_URL = " \t\r\n\"'<>`"


def web_token(text: str, at: int) -> Span | None:
    """`eyJ….eyJ….signature`: a header and claims in base64, and what signs them."""
    end = at
    parts = 0
    while True:
        count = run_end(text, end, _TOKEN, LONGEST_PART) - end
        if count < (10 if parts < 2 else 0):
            return None
        if parts == 1 and text[end : end + 2] != "ey" and not _is_encrypted(text, end):
            return None
        end += count
        parts += 1
        if parts == 5 or text[end : end + 1] != "." or (parts == 3 and not text[end + 1 : end + 2].isalnum()):
            break
        end += 1
    if parts < 2 or (parts == 2 and end - at < 60):
        return None
    return at, end - (text[end - 1] == ".")


def _is_encrypted(text: str, at: int) -> bool:
    """Do the four parts of an encrypted token follow its header?"""
    window = text[at : at + LONGEST_PART]
    return window[: len(window) - len(window.lstrip(_TOKEN + "."))].count(".") == 3


def private_key(text: str, at: int) -> Span | None:
    """From `-----BEGIN … PRIVATE KEY-----` to its end; without one, to where the lines of base64 end."""
    if text.startswith(_PUTTY, at):
        stop = text.find("Private-MAC:", at, _next_key(text, _PUTTY, at + 1))
        return (at, _line_end(text, stop)) if stop > 0 else None
    dashes = text[max(0, at - 5) : at]
    start = at - (len(dashes) - len(dashes.rstrip("-")))
    head = text.find("PRIVATE KEY", at, at + 64)
    if head < 0:
        return None
    body = head + len("PRIVATE KEY")
    label = text[at + 5 : head].strip()
    last = _next_key(text, "BEGIN ", body)
    while last > body and text[last - 1 : last] == "-":
        last -= 1
    stop = text.find("-END", body, last)
    if stop >= 0:
        close = text.find("PRIVATE KEY", stop, stop + 64)
        end = close + len("PRIVATE KEY") if close > 0 else stop
        if text.startswith(" BLOCK", end):
            end += len(" BLOCK")
        while text[end : end + 1] == "-":
            end += 1
    else:
        end = _block_end(text, body, last)
    return (start, end) if _has_key(text[body:end]) and len(label) < 48 else None


def _next_key(text: str, head: str, at: int) -> int:
    """Where the next one begins, or none would reach: a text of beginnings is read once."""
    begins = text.find(head, at, at + LONGEST_KEY)
    return begins if begins >= 0 else at + LONGEST_KEY


def _has_key(body: str) -> bool:
    """Are there forty characters of base64 at one place?"""
    return _RUN in body[:4000].encode("ascii", "replace").translate(_BASE64)


def _block_end(text: str, at: int, last: int) -> int:
    window = text[at:last]
    rest = window.lstrip(ALNUM + "+/=-\\ \r\n\t:,")
    return at + len(window) - len(rest)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def url_password(text: str, at: int) -> Span | None:
    """The password of `scheme://user:password@host`; `at` is the colon before the slashes."""
    start = text.find("/", at, at + 4)
    while text[start : start + 1] in ("/", "\\"):
        start += 1
    window = text[start : start + 240]
    for place, sign in enumerate(window):
        if sign == "," and _is_directory_name(window[:place]):
            continue
        if sign in _ENDS_URL or sign in "/\\?#,":
            window = window[:place]
            break
    host = window.rfind("@")
    user, colon, password = window[: max(host, 0)].partition(":")
    if "@" in user:
        user, colon, password = window[:host].rpartition(":")
    low = password.lower()
    if low in ("pass", "redacted") or (
        low in _STAND_INS and (user.lower().lstrip("[") in _USERS or _is_reserved(window[host + 1 :]))
    ):
        return None
    if user == "anonymous" or low.rpartition(":")[2] == "anoncvs" or (user, low) == _DEMO:
        return None
    if (password.isalpha() or len(password) < 6) and _is_reserved(window[host + 1 :]):
        return None
    if user.isupper() and password.isupper() and (user + password).isalpha():  # `USER:SECRET@`
        return None
    if "%20" in low and any(word in low for word in ("secret", "password")):
        return None
    if not colon or len(password) < 3 or not window[host + 1 : host + 2] or _is_variable(password, user):
        return None
    return start + len(user) + 1, start + host


def _is_directory_name(user: str) -> bool:
    """`cn=admin` of `ldap://cn=admin,dc=corp:password@host`: commas belong to it until the password begins."""
    return user.partition("=")[0].isalpha() and "=" in user and ":" not in user


def _is_reserved(host: str) -> bool:
    """A host that documents use and nobody has."""
    name = host.partition(":")[0].lower().rstrip(".")
    return name.endswith((".example", ".test", ".invalid", "example.com", "example.org", "example.net"))


def _is_variable(password: str, user: str) -> bool:
    """`${PASSWORD}`, `<password>`, `%s`, `{password}`, `***`: a place for a password, or what documents write there."""
    if password[0] in "$<{%[(" or password.startswith("&lt;") or password.strip("*x.X") == "":
        return True
    if _OPENED.get(password[-1], " ") in user + password:  # opened before the colon, in `[user[:password]]@`
        return True
    return len(set(password)) < 3
