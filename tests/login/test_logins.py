"""Tokens stored, handed out and renewed: against the strict authorization server."""

import stat
import time

import pytest

from mcpgov.login import markers, token_store
from mcpgov.login.logins import AccessToken, Logins
from mcpgov.login.oauth_rules import INSUFFICIENT_SCOPE, LOGIN_REQUIRED, UNREACHED, LoginError
from mcpgov.remote_servers import url_digest
from tests.helpers.oauth_server import oauth_server
from tests.login.test_oauth_client import sign_in


class Clock:
    def __init__(self):
        self.ahead = 0.0

    def __call__(self):
        return time.time() + self.ahead


@pytest.fixture
def server():
    with oauth_server() as made:
        yield made


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def logins(tmp_path, server, clock):
    made = Logins(tmp_path / "tokens", clock)
    made.keep(sign_in(server), "srv")
    return made


def fails(logins, server, **options):
    with pytest.raises(LoginError) as caught:
        logins.access_token(url_digest(server.url), **options)
    return caught.value.reason_code


def test_a_token_that_holds_is_handed_out_as_it_is(logins, server):
    first = logins.access_token(url_digest(server.url))
    assert logins.access_token(url_digest(server.url)) == first
    assert server.valid(first.access_token)
    assert (server.count("refresh_token"), repr(first)) == (0, "<AccessToken>")


def test_the_marker_tells_what_is_known_and_no_secret(logins, server, tmp_path):
    marker = logins.marker(server.url)
    assert (marker.url, marker.name, marker.issuer, marker.scopes, marker.where) == (
        server.url, "srv", server.issuer, ("read",), "file"
    )  # fmt: skip
    path = tmp_path / "tokens" / f"{url_digest(server.url)}.json"
    text = path.read_text()
    held = logins.earlier(server.url)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not any(
        secret in text for secret in (held.access_token, held.refresh_token, held.registration["access_token"])
    )


def test_a_token_is_renewed_a_minute_before_its_end_and_stored_first(logins, server, clock, tmp_path):
    before = logins.access_token(url_digest(server.url))
    clock.ahead = 3600 - 59
    after = logins.access_token(url_digest(server.url))
    assert after.access_token != before.access_token
    assert server.valid(after.access_token)
    stored = logins.earlier(server.url)
    assert AccessToken(stored.access_token, stored.expires_at) == after
    assert stored.refresh_token in server.refreshes
    assert server.refreshes[stored.refresh_token]["used"] is False
    assert logins.marker(server.url).expires_at == after.expires_at


def test_a_refused_token_is_renewed_once_for_all_that_ask_at_the_same_time(logins, server, clock):
    clock.ahead = 20
    digest = url_digest(server.url)
    first = logins.access_token(digest, renew=True)
    assert [logins.access_token(digest, renew=True) for _ in range(3)] == [first] * 3
    assert server.count("refresh_token") == 1
    clock.ahead = 40
    assert logins.access_token(digest, renew=True) != first
    assert server.count("refresh_token") == 2


def test_a_grant_that_was_revoked_asks_for_a_login_and_stays_marked(logins, server, clock):
    clock.ahead = 20
    server.end_grants()
    assert fails(logins, server, renew=True) == LOGIN_REQUIRED
    assert "this grant has ended" in logins.marker(server.url).refused
    asked = len(server.token_requests)
    assert fails(logins, server) == LOGIN_REQUIRED
    assert len(server.token_requests) == asked, "it is known to be over"
    logins.keep(sign_in(server), "srv")
    assert logins.marker(server.url).refused == ""
    assert server.valid(logins.access_token(url_digest(server.url)).access_token)


def test_while_the_authorization_server_is_down_a_token_is_used_to_its_end(logins, server, clock):
    server.knobs.token_status = 503
    clock.ahead = 3600 - 30
    before = logins.earlier(server.url)
    assert logins.access_token(url_digest(server.url)).access_token == before.access_token
    assert fails(logins, server, renew=True) == UNREACHED
    clock.ahead = 3601
    assert fails(logins, server) == UNREACHED
    server.knobs.token_status = 200
    assert logins.access_token(url_digest(server.url)).access_token != before.access_token
    assert len(server.authorizations) == 1, "no second login"


def test_a_token_that_was_rotated_survives_a_keyring_that_breaks_just_then(logins, server, clock, ring, monkeypatch):
    logins.keep(sign_in(server), "srv")
    assert logins.marker(server.url).where == "keyring"
    clock.ahead = 20
    monkeypatch.setattr(ring, "set_password", lambda *_: 1 / 0)
    digest = url_digest(server.url)
    first = logins.access_token(digest, renew=True)
    assert logins.marker(server.url).where == "file"
    clock.ahead = 40
    assert logins.access_token(digest, renew=True) != first, "its refresh token was kept, too"


def test_what_cannot_be_stored_is_not_handed_out(logins, server, clock, tmp_path):
    clock.ahead = 20
    (tmp_path / "tokens" / f"{url_digest(server.url)}.secret").unlink()
    (tmp_path / "tokens" / f"{url_digest(server.url)}.secret").mkdir()
    assert fails(logins, server, renew=True) == LOGIN_REQUIRED


def test_no_login_is_told(tmp_path, server):
    assert fails(Logins(tmp_path), server) == LOGIN_REQUIRED


def test_scopes_that_a_server_missed_are_kept_for_the_next_login(logins, server):
    digest = url_digest(server.url)
    error = logins.need_scopes(digest, ("write",))
    assert error.reason_code == INSUFFICIENT_SCOPE
    logins.need_scopes(digest, ("admin", "write"))
    assert logins.marker(server.url).required_scopes == ("write", "admin")
    assert logins.need_scopes("0" * 32, ("x",)).reason_code == LOGIN_REQUIRED


def test_they_outlive_a_renewal(logins, server, clock):
    logins.need_scopes(url_digest(server.url), ("write",))
    clock.ahead = 3590
    logins.access_token(url_digest(server.url))
    assert logins.marker(server.url).required_scopes == ("write",)


def test_the_end_revokes_and_forgets(logins, server, tmp_path):
    assert logins.end(server.url) == []
    assert server.revoked == ["refresh_token", "access_token"]
    assert [*(tmp_path / "tokens").iterdir()] == []
    assert logins.end(server.url) == []


def test_a_server_that_cannot_be_reached_keeps_nobody_signed_in(logins, server, tmp_path):
    server.knobs.revocation_status = 500
    assert [problem.partition(":")[0] for problem in logins.end(server.url)] == [
        "the refresh token was not revoked", "the access token was not revoked"
    ]  # fmt: skip
    assert markers.known_digests(tmp_path / "tokens") == []
    assert token_store.load(tmp_path / "tokens", url_digest(server.url)) is None
