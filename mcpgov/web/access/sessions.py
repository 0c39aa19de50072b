"""Who may use the page: one-time codes, the sessions they become, the CSRF token of every change. Pure.

Laws: a code lets in once, and not for long; sessions end by age and by disuse; only digests of what a browser holds are
kept; every comparison takes the same time whatever was sent.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

LIFETIME, UNUSED = 12 * 3600.0, 3600.0  # seconds
MOST_CODES, MOST_SESSIONS = 8, 16
LONGEST = 200  # characters of a code or a cookie that are looked at
TOKEN = b"mcpgov page: changes"


@dataclass(frozen=True, slots=True)
class _Code:
    digest: str
    until: float
    file: str


class OneTimeCodes:
    def __init__(self) -> None:
        self._codes: list[_Code] = []

    def add(self, code: str, until: float, file: str = "") -> list[str]:
        """Holds until then. Returns the files of codes that had to go, as there are only so many at once."""
        self._codes.append(_Code(digest(plain_code(code)), until, file))
        gone, self._codes = self._codes[:-MOST_CODES], self._codes[-MOST_CODES:]
        return [each.file for each in gone if each.file]

    def redeem(self, code: str, now: float) -> tuple[bool, list[str]]:
        """Does it let in: at most once. The files of what no longer holds are to be removed."""
        given, right = digest(plain_code(code)), False
        for each in self._codes:
            right |= hmac.compare_digest(each.digest, given) and now < each.until
        return right, self._drop(lambda each: hmac.compare_digest(each.digest, given) or now >= each.until)

    def expire(self, now: float) -> list[str]:
        return self._drop(lambda each: now >= each.until)

    def due(self) -> float | None:
        """When the next one ends."""
        return min((each.until for each in self._codes), default=None)

    def _drop(self, ended: Callable[[_Code], bool]) -> list[str]:
        gone = [each for each in self._codes if ended(each)]
        self._codes = [each for each in self._codes if each not in gone]
        return [each.file for each in gone if each.file]


@dataclass(slots=True, eq=False)
class PageSession:
    """`begun` and `used`: seconds of the day's clock. `token`: against CSRF, in the header of every change."""

    key: str
    begun: float
    used: float
    token: str = ""

    @property
    def ends(self) -> float:
        return min(self.begun + LIFETIME, self.used + UNUSED)


class PageSessions:
    """`kept`: as `as_data` gave them before a restart. A cookie is as good after it; its token is made of it."""

    def __init__(self, kept: Mapping[str, object] | None = None) -> None:
        self._all: dict[str, PageSession] = {}
        for key, times in (kept or {}).items():
            if isinstance(times, list) and len(times) == 2 and all(isinstance(time, (int, float)) for time in times):
                self._all[key] = PageSession(key, float(times[0]), float(times[1]))

    def begin(self, cookie: str, now: float) -> PageSession:
        self.expire(now)
        made = PageSession(digest(cookie), now, now, token_of(cookie))
        self._all[made.key] = made
        for key in sorted(self._all, key=lambda key: self._all[key].used)[:-MOST_SESSIONS]:
            del self._all[key]
        return made

    def find(self, cookie: str, now: float) -> PageSession | None:
        """The session of this cookie, which is used now."""
        given = digest(cookie[:LONGEST])
        found = [each for key, each in self._all.items() if hmac.compare_digest(key, given)]
        if not found or now >= found[0].ends:
            return None
        found[0].used, found[0].token = now, token_of(cookie)
        return found[0]

    def holds(self, session: PageSession, now: float) -> bool:
        return session.key in self._all and now < session.ends

    def end(self, session: PageSession) -> None:
        self._all.pop(session.key, None)

    def expire(self, now: float) -> None:
        self._all = {key: each for key, each in self._all.items() if now < each.ends}

    def until(self) -> float:
        """When the last of them ends; 0: there is none."""
        return max((each.ends for each in self._all.values()), default=0.0)

    def as_data(self) -> dict[str, object]:
        return {key: [each.begun, each.used] for key, each in self._all.items()}


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def plain_code(text: str) -> str:
    """A code as it is compared: one that is typed may have blanks, and no dashes, and small letters."""
    return _short(text).upper() if is_typed(text) else text[:LONGEST]


def is_typed(text: str) -> bool:
    """Is it as short as a code that a person types?"""
    return len(_short(text)) < 20


def _short(text: str) -> str:
    return text[:LONGEST].replace(" ", "").replace("-", "")


def token_of(cookie: str) -> str:
    return hmac.new(cookie.encode("utf-8", "replace"), TOKEN, sha256).hexdigest()


def is_token(session: PageSession, given: str) -> bool:
    return hmac.compare_digest(session.token.encode("ascii"), given[:LONGEST].encode("utf-8", "replace"))
