"""The logins of one person: made, used, renewed, ended. Every change of what is stored happens under the login's lock.

Laws: renewed tokens are stored before one of them is handed out, and no signal to end comes between; of several that
renew at once one does, and the others take what it got. A login that is refused for good stays marked, so that its
entry stays wrapped.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mcpgov.login import login_lock, markers, token_store
from mcpgov.login.markers import LoginMarker
from mcpgov.login.oauth_rules import INSUFFICIENT_SCOPE, LOGIN_REQUIRED, LoginError, scopes_in
from mcpgov.login.stored_login import StoredLogin
from mcpgov.login.token_store import TokenPlace
from mcpgov.remote_servers import url_digest

MARGIN = 60.0  # seconds before its end in which a token is renewed
# A token this young is not renewed again: requests that were refused together ask one after the other.
FRESH = 10.0


class AccessToken(NamedTuple):
    access_token: str
    expires_at: float | None
    token_type: str = "Bearer"

    def __repr__(self) -> str:
        return "<AccessToken>"


class Logins:
    """`directory`: where markers, locks and, without a keyring, tokens are."""

    def __init__(self, directory: Path, clock: Callable[[], float] = time.time) -> None:
        self._directory, self._clock = directory, clock

    def marker(self, url: str) -> LoginMarker | None:
        return markers.load_marker(self._directory, url_digest(url))

    def earlier(self, url: str) -> StoredLogin | None:
        """The login that is there; None also if the keyring does not tell, for a new login needs none."""
        try:
            return token_store.load(self._directory, url_digest(url))
        except LoginError:
            return None

    def keep(self, login: StoredLogin, name: str) -> TokenPlace:
        """A new login, which replaces one that is there. Raises McpgovError."""
        digest = url_digest(login.url)
        with login_lock.held(self._directory, digest):
            return self._kept(digest, login, name)

    def _kept(self, digest: str, login: StoredLogin, name: str, required: tuple[str, ...] = ()) -> TokenPlace:
        place = token_store.keep(self._directory, digest, login)
        marker = LoginMarker(
            login.url, name, login.issuer, scopes_in(login.scope), login.client_id, place.kind,
            login.obtained_at, login.expires_at, required,
        )  # fmt: skip
        markers.keep_marker(self._directory, digest, marker)
        return place

    def access_token(self, digest: str, *, renew: bool = False) -> AccessToken:
        """A token that holds for a while; `renew`: the server has refused the last one. Raises LoginError."""
        began = self._clock()
        if not renew and (login := self._load(digest)).is_valid(self._clock(), MARGIN):
            return AccessToken(login.access_token, login.expires_at)
        with login_lock.held(self._directory, digest):
            login = self._load(digest)
            now = self._clock()
            just_renewed = login.is_valid(now) and login.obtained_at > min(began, now - FRESH)
            if just_renewed or (not renew and login.is_valid(now, MARGIN)):
                return AccessToken(login.access_token, login.expires_at)
            with _undisturbed():
                return self._renewed(digest, login, must=renew)

    def _load(self, digest: str) -> StoredLogin:
        login = token_store.load(self._directory, digest)
        if login is None:
            raise LoginError("there is no login for this server", reason_code=LOGIN_REQUIRED)
        return login

    def _renewed(self, digest: str, login: StoredLogin, *, must: bool) -> AccessToken:
        from mcpgov.login import oauth_client  # the SDK costs most of a second

        marker = markers.load_marker(self._directory, digest)
        try:
            new = oauth_client.run(oauth_client.refresh(login, self._clock))
        except LoginError as error:
            if error.reason_code == LOGIN_REQUIRED:
                self._refused(digest, login, marker, str(error))
            elif not must and login.is_valid(self._clock()):
                return AccessToken(login.access_token, login.expires_at)  # renewed too early to need it yet
            raise
        name = marker.name if marker is not None else login.url
        self._kept(digest, new, name, marker.required_scopes if marker is not None else ())
        return AccessToken(new.access_token, new.expires_at)

    def _refused(self, digest: str, login: StoredLogin, marker: LoginMarker | None, why: str) -> None:
        """The tokens are worth nothing now; asking again would change nothing."""
        token_store.keep(self._directory, digest, login._replace(access_token="", refresh_token=""))
        if marker is not None:
            markers.keep_marker(self._directory, digest, marker._replace(refused=why))

    def need_scopes(self, digest: str, scopes: tuple[str, ...]) -> LoginError:
        """The server wants more scopes than the login has: kept for the next login. Returns what to tell."""
        with login_lock.held(self._directory, digest):
            marker = markers.load_marker(self._directory, digest)
            if marker is None:
                return LoginError("there is no login for this server", reason_code=LOGIN_REQUIRED)
            required = scopes_in(*marker.required_scopes, *scopes)
            if required != marker.required_scopes:
                markers.keep_marker(self._directory, digest, marker._replace(required_scopes=required))
        return LoginError("the server wants more rights than the login has", reason_code=INSUFFICIENT_SCOPE)

    def end(self, url: str, *, revoke: bool = True) -> list[str]:
        """Sign out; returns what did not work there, in words. Raises McpgovError if the token is still here."""
        digest = url_digest(url)
        problems: list[str] = []
        with login_lock.held(self._directory, digest):
            try:
                login = token_store.load(self._directory, digest)
            except LoginError as error:
                login, problems = None, [f"not revoked: {error}"]
            if login is not None and revoke:
                problems += _revoked(login)
            token_store.forget(self._directory, digest)
        return problems


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """The old refresh token may be worth nothing once the request is sent: whoever ends us waits until the new one is
    stored. Bounded by the time limits of the requests.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _revoked(login: StoredLogin) -> list[str]:
    from mcpgov.login import oauth_client

    try:
        return oauth_client.run(oauth_client.revoke(login))
    except LoginError as error:
        return [f"not revoked: {error}"]
