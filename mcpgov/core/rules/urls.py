"""Patterns with a scheme: scheme, userinfo, host, port, path, query and fragment are matched apart. Pure.

Law: a star never matches beyond its part. An allow needs one plain URL that every reader agrees on; a deny tries
every host, port and path that some reader might find. Loaded only for policies that have such patterns.
"""

from __future__ import annotations

from mcpgov.core.rules.globs import WILD, Glob
from mcpgov.core.rules.hosts import host_of_pattern, host_readings
from mcpgov.core.rules.spellings import fold, normal
from mcpgov.core.rules.value_patterns import fold_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    Part = tuple[Glob, Glob] | None
    Tail = tuple[Part, Part, Part]

PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.")
# What ends the authority, and what no reader agrees on inside it.
ENDS, UNSURE = "/?#", "\\%@[]"
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
# What some readers end a host at, and what may stand around a URL.
BREAKS, BRACKETS = "\\ ;&|!<>(){}\"'^`\r\n\t", "<([{"
BREAKING = frozenset(BREAKS)
DIGITS = frozenset("0123456789")
MOST_READ = 16


class Url:
    """One reading of a text as a URL; missing parts are None, a missing scheme is empty."""

    __slots__ = ("fragment", "host", "path", "port", "query", "scheme", "user")

    def __init__(self, scheme: str, authority: tuple[str | None, str, str | None], rest: str) -> None:
        self.scheme = scheme
        self.user, self.host, self.port = authority
        before, sharp, fragment = rest.partition("#")
        self.path, sign, query = before.partition("?")
        self.query = query if sign else None
        self.fragment = fragment if sharp else None


def is_url_pattern(text: str) -> bool:
    """`https://…`, `http*://…`, `*://…`: what stands before the first `://` can be a scheme."""
    scheme, sign, _ = text.partition("://")
    return bool(sign and scheme) and SCHEME.issuperset(scheme.replace("*", ""))


def _cut(text: str, signs: str) -> tuple[str, str]:
    """The text before the first of some signs, and the text from there on."""
    at = min((place for sign in signs if (place := text.find(sign)) >= 0), default=len(text))
    return text[:at], text[at:]


def _authority(text: str) -> tuple[str | None, str, str | None]:
    """(userinfo, host, port), cut at the last `@` and at the colon behind the host."""
    user, at, place = text.rpartition("@")
    if place.startswith("["):
        inner, bracket, rest = place.partition("]")
        host, port = inner + bracket, rest[1:] if rest.startswith(":") else rest or None
    else:
        host, colon, digits = place.partition(":")
        port = digits if colon else None
    return user if at else None, host, port


class UrlPattern:
    """A pattern with a scheme, taken apart once."""

    __slots__ = ("_host", "_hosts", "_literal", "_odd", "_port", "_scheme", "_tails", "_user")

    def __init__(self, text: str) -> None:
        scheme, _, rest = text.partition("://")
        # A question mark is one character, unless it plainly begins a query.
        authority, tail = _cut(rest, "/#")
        at = authority.find("?")
        if at >= 0 and "=" in authority[at:]:
            authority, tail = authority[:at], authority[at:] + tail
        user, host, port = _authority(authority)
        self._scheme = Glob(scheme.lower())
        self._user = _pair(user)
        self._host = Glob(host.lower())
        self._literal = not any(char in host for char in WILD)
        self._odd = sum(char not in LETTERS and char not in WILD for char in host)
        self._hosts = tuple(map(Glob, host_of_pattern(host)))
        self._port = None if port is None else Glob(port)
        self._tails = _tails(tail)

    def certain(self, text: str) -> bool:
        """Every reader takes the text for a URL whose parts lie inside those of the pattern.

        The whole text has matched the whole pattern before, so a part that the pattern does not name is covered by the
        star at its end.
        """
        url = plain_url(text)
        if url is None or not self._scheme.matches(url.scheme):
            return False
        if (self._user is None) != (url.user is None):
            return False
        if self._user is not None and not self._user[0].matches(url.user or ""):
            return False
        if not self._host.matches(url.host) or not self._stays_in_host(url):
            return False
        if url.port is not None and (self._port is None or not self._port.matches(url.port)):
            return False
        return any(_all_match(tail, 0, [url.path], url.query, url.fragment) for tail in self._tails)

    def _stays_in_host(self, url: Url) -> bool:
        """Do the stars match only letters, digits, `-` and `.`? Hosts of schemes not in PORTS may be anything."""
        if self._literal:
            return True
        odd = sum(char not in LETTERS for char in url.host)
        return bool(url.host) and (odd == self._odd or url.scheme not in PORTS)

    def may_begin(self, text: str) -> bool:
        """A cheap check: could a plain text without a colon be a URL without its scheme for this pattern?"""
        if not self._literal:
            return False
        return self._host.text in text.lower() or (text[:1] in DIGITS and "." in text) or text[:2] == "//"

    def possible(self, readings: list[Url]) -> bool:
        """Is some reading of the text inside? Parts that the pattern does not name may be anything."""
        return any(self._fits(url) for url in readings)

    def _fits(self, url: Url) -> bool:
        if url.scheme:
            if not any(self._scheme.matches(each) for each in (url.scheme, url.scheme.rpartition("+")[2])):
                return False
        elif not self._literal:
            return False  # a word without a scheme is a URL only to a rule that names its host
        if not any(glob.matches(each) for each in host_readings(url.host) for glob in self._hosts):
            return False
        if self._user is not None and (url.user is None or not self._user[1].matches(fold(url.user))):
            return False
        if self._port is not None and not any(map(self._port.matches, _ports(url))):
            return False
        query, fragment = (None if part is None else fold(part) for part in (url.query, url.fragment))
        return any(_all_match(tail, 1, _paths(url.path), query, fragment) for tail in self._tails)


def _ports(url: Url) -> list[str]:
    if url.port:
        return [url.port, url.port.lstrip("0")]
    return [PORTS[url.scheme]] if url.scheme in PORTS else [] if url.scheme else list(PORTS.values())


def _pair(text: str | None) -> tuple[Glob, Glob] | None:
    """Exact and folded."""
    return None if text is None else (Glob(text), Glob(fold_pattern(text)))


def _tails(text: str) -> list[Tail]:
    """The pattern's path, query and fragment; each `?` may be one character, or begin the query."""
    before, sharp, fragment = text.partition("#")
    last = _pair(fragment) if sharp else None
    out: list[Tail] = [(_pair(before or None), None, last)]
    at = before.find("?")
    while at >= 0:
        out.append((_pair(before[:at] or None), _pair(before[at + 1 :]), last))
        at = before.find("?", at + 1)
    return out


def _all_match(tail: Tail, folded: int, paths: list[str], query: str | None, fragment: str | None) -> bool:
    """Does every part that the pattern names match? Of the path, one reading has to."""
    path_globs, query_globs, fragment_globs = tail
    if path_globs is not None and not any(map(path_globs[folded].matches, paths)):
        return False
    if query_globs is not None and (query is None or not query_globs[folded].matches(query)):
        return False
    return fragment_globs is None or (fragment is not None and fragment_globs[folded].matches(fragment))


def _paths(path: str) -> list[str]:
    """A path folded, normalised, without parameters, with and without a final slash."""
    out = [fold(path)]
    if ";" in path:
        out.append("/".join(part.partition(";")[0] for part in out[0].split("/")))
    out += [normal(each) for each in out if "//" in each or "/." in each]
    return [reading for each in out for reading in (each, each.rstrip("/") or "/", each.rstrip("/") + "/")]


def plain_url(text: str) -> Url | None:
    """The URL that every reader finds in a text, its host in lower case; None where readers may differ."""
    scheme, sign, rest = text.partition("://")
    if not sign or not scheme[0:1].isalpha() or not SCHEME.issuperset(scheme) or " " in rest:
        return None
    place, tail = _cut(rest, ENDS)
    user, host, port = _authority(place)
    low = scheme.lower()
    if user is not None and any(sign in user for sign in UNSURE):
        return None
    if port is not None and not (port.isdigit() and port.isascii()):
        return None
    if not _is_plain_host(host, low):
        return None
    return Url(low, (user, host.lower(), None if port == PORTS.get(low) else port), tail)


def _is_plain_host(host: str, scheme: str) -> bool:
    if host.startswith("["):
        return host.endswith("]") and len(host_readings(host)) > 1
    if any(sign in host for sign in UNSURE):
        return False
    # Where the host is missing, browsers take the first name of the path for it.
    return scheme not in PORTS or (bool(host) and LETTERS.issuperset(host.replace("_", "")))


def loose_urls(text: str) -> list[Url]:
    """Every URL that some reader might find in one spelling of a text."""
    text = text.lstrip(BRACKETS)
    scheme, colon, rest = text.partition(":")
    if not colon or not scheme[:1].isalpha() or not SCHEME.issuperset(scheme):
        return _bare(text)
    if is_url_pattern(rest):  # `url:https://…`, `view-source:https://…`
        scheme, _, rest = rest.partition(":")
    out = _located(scheme.lower(), rest)
    # `host:80/x` looks like a scheme and a path.
    return out if rest.startswith("//") else out + _bare(text)


def _bare(text: str) -> list[Url]:
    """URLs without a scheme: `//host/x`, and `host.name/x`, which some tools complete; a mail address is none."""
    urls = _located("", text)
    if text.startswith(("//", "\\")):
        return urls
    return [url for url in urls if url.user is None and ("." in url.host or url.port is not None)]


def _located(scheme: str, rest: str) -> list[Url]:
    """Readers skip any number of slashes, disagree on where the authority ends, and on which `@` counts."""
    out: list[Url] = []
    if rest.startswith("///"):
        out.append(Url(scheme, (None, "", None), rest[2:]))
    for signs in (ENDS, "/", ENDS + BREAKS):
        authority, tail = _cut(rest.lstrip("/\\"), signs)
        tail = "/" + tail if tail[:1] in BREAKING else tail
        *before, last = authority.split("@", MOST_READ)
        # Between two `@` some readers find the host as well.
        for place in (*before[1:], *last.split(",", MOST_READ)):
            _, host, port = _authority(place)
            out.append(Url(scheme, (authority.rpartition("@")[0] if before else None, host, port), tail))
    return out
