import threading

import pytest

from mcpgov.login.logins import Logins
from mcpgov.login.oauth_rules import LoginError
from mcpgov.login.sign_in import SignIn, sign_in
from tests.helpers.oauth_server import oauth_server, visit


@pytest.fixture
def server():
    with oauth_server() as made:
        yield made


@pytest.fixture
def logins(tmp_path):
    return Logins(tmp_path / "tokens")


def go(url):
    threading.Thread(target=visit, args=(url,), daemon=True).start()


def test_a_login_is_stored_when_it_is_done(server, logins):
    done = sign_in(logins, SignIn(server.url, "srv"), go)
    assert (done.issuer, done.scopes, done.renewable, done.place.kind) == (server.issuer, ("read",), True, "file")
    assert server.valid(logins.earlier(server.url).access_token)


def test_an_interrupted_login_leaves_nothing_behind(server, logins, tmp_path):
    def interrupt(url):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sign_in(logins, SignIn(server.url, "srv"), interrupt)
    with pytest.raises(LoginError):
        sign_in(logins, SignIn(server.url, "srv", within=0.05), lambda url: None)
    assert not (tmp_path / "tokens").exists()


def test_a_failed_login_leaves_the_one_that_is_there(server, logins):
    sign_in(logins, SignIn(server.url, "srv"), go)
    before = logins.earlier(server.url)
    server.knobs.denied = ("access_denied", "")
    with pytest.raises(LoginError):
        sign_in(logins, SignIn(server.url, "srv"), go)
    assert logins.earlier(server.url) == before


def test_a_second_login_comes_back_to_the_same_port_as_the_same_client(server, logins):
    first = sign_in(logins, SignIn(server.url, "srv"), go)
    assert sign_in(logins, SignIn(server.url, "srv"), go).client_id == first.client_id
    assert len({each["redirect_uri"] for each in server.authorizations}) == 1


def test_after_a_refusal_the_client_registers_again(server, logins):
    sign_in(logins, SignIn(server.url, "srv"), go)
    logins._refused(  # as after a renewal that was refused
        next(iter(logins._directory.glob("*.json"))).stem, logins.earlier(server.url), logins.marker(server.url), "gone"
    )
    server.clients.clear()
    assert sign_in(logins, SignIn(server.url, "srv"), go).client_id in server.clients


def test_the_next_login_asks_for_what_the_server_missed_unless_scopes_are_chosen(server, logins):
    sign_in(logins, SignIn(server.url, "srv"), go)
    logins.need_scopes(next(iter(logins._directory.glob("*.json"))).stem, ("write",))
    assert sign_in(logins, SignIn(server.url, "srv", scopes=("only",)), go).scopes == ("only",)
    logins.need_scopes(next(iter(logins._directory.glob("*.json"))).stem, ("write",))
    assert sign_in(logins, SignIn(server.url, "srv"), go).scopes == ("read", "only", "write")
    assert logins.marker(server.url).required_scopes == ()


def test_a_server_without_login_is_no_login(server, logins, tmp_path):
    server.knobs.opened, server.knobs.prm_at = ("initialize", "tools/list"), ()
    assert sign_in(logins, SignIn(server.url, "srv"), go) is None
    assert not (tmp_path / "tokens").exists()
