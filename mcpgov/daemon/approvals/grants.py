"""The grants that hold: made from answers, found for questions, used up, expired, revoked. Pure; the clock comes in.

Laws: a grant is found only if the proxy would find it to hold as well (core.grants has the last word, at dispatch);
one that is for one use is handed out once; none is handed out past its bound, by whichever clock is there first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mcpgov.core.approvals.grants import (
    CLOCK_SLACK,
    EXACT,
    FOLDER,
    ONCE,
    PIN,
    RESOURCE,
    SESSION,
    TIME,
    Folder,
    Grant,
)
from mcpgov.core.approvals.question import DESK
from mcpgov.core.approvals.resource_grants import operation_fits, places_fit
from mcpgov.daemon.approvals.choices import ALWAYS, APP_SURFACE, LONGEST, Choice
from mcpgov.daemon.approvals.question import Question

ONE_USE_SECONDS = 600.0  # in which the call must be tried again
HELD_SECONDS = 60.0  # in which a held call that got its yes is dispatched
SESSION_SECONDS = 7 * 24 * 3600.0  # a session that lasts longer is asked again
MOST = 1000


class Now(NamedTuple):
    """Both clocks in seconds: one that is never set and counts a sleep, and the time of day that outlives a restart."""

    mono: float
    wall: float

    def passed(self, start: Now, seconds: float) -> bool:
        """By the clock that is never set: no deadline comes early, or never, because somebody set the time of day."""
        return self.mono - start.mono >= seconds


START = Now(0.0, 0.0)


def grant_for(
    question: Question, choice: Choice, surface: str, ident: str, session: str, now: Now, seconds: float
) -> Grant:
    """The grant that an answer makes for a session's call."""
    term = ONCE if choice.term == ALWAYS else choice.term
    scope = RESOURCE if question.is_permission else EXACT if term == ONCE else choice.scope
    texts = {
        "id": ident,
        "server": question.server,
        "method": question.method,
        "target": question.target,
        "tool_digest": question.tool_digest,
        "asked_by": question.asked_by,
        "layer": question.layer,
        "scope": scope,
        "args_digest": question.args_digest if scope == EXACT else "",
        "term": term,
        # A yes inside an app is for that app's conversation, also where it came too late.
        "session": session if term == SESSION or surface == APP_SURFACE else "",
        "decision": question.number,
        "surface": surface,
    }
    folders = question.folders if scope == FOLDER else ()
    return Grant(texts, folders, now.wall, now.wall + seconds)


def lasting(choice: Choice) -> float:
    """Seconds that the grant of an answer holds."""
    terms = {TIME: choice.seconds, SESSION: SESSION_SECONDS}
    return terms.get(choice.term, ONE_USE_SECONDS)


def outlasts(grant: Grant) -> bool:
    """Is it for longer than any answer makes one? Then nobody gave it."""
    return grant.until - grant.made > lasting(Choice(True, grant.term, grant.scope, LONGEST)) + 1.0


class Grants:
    """What holds now, by id, in the order it was made."""

    def __init__(self, known: Iterable[Grant] = (), now: Now = START) -> None:
        """`now`: when `known` were read back; from then on the clock that is never set bounds them too."""
        self._all: dict[str, Grant] = {grant.id: grant for grant in known}
        # When each ends on the clock that is never set.
        self._ends = {ident: now.mono + (grant.until - now.wall) for ident, grant in self._all.items()}

    def __iter__(self) -> Iterator[Grant]:
        return iter(list(self._all.values()))

    def __len__(self) -> int:
        return len(self._all)

    def get(self, ident: str) -> Grant | None:
        return self._all.get(ident)

    def add(self, grant: Grant, now: Now) -> list[Grant]:
        """Returns what had to give way: nobody needs a thousand."""
        self._all[grant.id] = grant
        self._ends[grant.id] = now.mono + (grant.until - grant.made)
        return [self._end(ident) for ident in list(self._all)[: max(0, len(self._all) - MOST)]]

    def find(self, question: Question, session: str, now: Now) -> Grant | None:
        """A grant for the call; of several one that lasts, so that none is used up in vain."""
        found = [grant for grant in self._all.values() if self._fits(grant, question, session, now)]
        return min(found, key=lambda grant: grant.term == ONCE, default=None)

    def _fits(self, grant: Grant, question: Question, session: str, now: Now) -> bool:
        if grant.scope == RESOURCE and not question.is_permission:
            mine = grant.session in ("", session) and not self._expired(grant, now)
            return mine and grant.server == question.server and _permits(grant, question)
        bound = (grant.server, grant.method, grant.target, grant.tool_digest, grant.asked_by, grant.layer)
        asked = (question.server, question.method, question.target, question.tool_digest, question.asked_by)
        if bound != (*asked, question.layer) or self._expired(grant, now):
            return False
        if grant.session not in ("", session):
            return False
        if grant.scope == EXACT:
            return grant.args_digest == question.args_digest
        return grant.scope != FOLDER or _all_inside(question.folders, grant.folders)

    def _expired(self, grant: Grant, now: Now) -> bool:
        held = grant.made - CLOCK_SLACK <= now.wall < grant.until
        return not held or now.mono >= self._ends[grant.id]

    def _end(self, ident: str) -> Grant:
        del self._ends[ident]
        return self._all.pop(ident)

    def use(self, grant: Grant) -> bool:
        """True: it was the one use."""
        if grant.term == ONCE:
            self._end(grant.id)
        return grant.term == ONCE

    def revoke(self, ident: str) -> list[Grant]:
        """By its id, or by the decision it was given for."""
        found = [grant.id for grant in self._all.values() if ident in (grant.id, grant.decision)]
        return [self._end(each) for each in found]

    def revoke_all(self) -> list[Grant]:
        return [self._end(ident) for ident in list(self._all)]

    def expire(self, now: Now) -> list[Grant]:
        return [self._end(grant.id) for grant in list(self._all.values()) if self._expired(grant, now)]

    def end_session(self, session: str) -> list[Grant]:
        found = [grant.id for grant in self._all.values() if session and grant.session == session]
        return [self._end(each) for each in found]

    def keep_sessions(self, alive: Iterable[str]) -> list[Grant]:
        """After a restart: those of sessions that did not come back end."""
        known = set(alive)
        gone = {grant.session for grant in self._all.values()} - {"", *known}
        return [grant for session in sorted(gone) for grant in self.end_session(session)]


def _permits(grant: Grant, question: Question) -> bool:
    """Was the server allowed what the call does? What a rule keeps from the desk, a yes given there does not answer."""
    if question.asked_by == PIN or question.layer == "managed" or question.is_answer or not question.lets(DESK):
        return False
    if question.args is None or not question.complete or not operation_fits(grant.method, question.operations):
        return False
    return places_fit(grant.method, grant.target, question.args, (place.leads for place in question.paths))


def _all_inside(asked: tuple[Folder, ...], granted: tuple[Folder, ...]) -> bool:
    """Each folder of the call, which certainly holds its paths, is one of the granted or below one, argument by
    argument; an argument that the grant names is there."""
    if not asked or {keys for keys, _ in asked} != {keys for keys, _ in granted}:
        return False
    return all(
        any(keys == others and pattern.startswith(above[:-2]) for others, above in granted) for keys, pattern in asked
    )
