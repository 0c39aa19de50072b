"""Our OAuth client against a strict authorization server: real redirects, no browser."""

import asyncio
import time

import pytest

from mcpgov.login import oauth_client
from mcpgov.login.callback import CallbackListener
from mcpgov.login.login_request import LoginRequest, Visitor
from mcpgov.login.oauth_rules import INVALID, LOGIN_REQUIRED, UNREACHED, LoginError
from tests.helpers.oauth_server import Knobs, oauth_server, visit

SECRET_PARTS = ("at-", "rt-")


@pytest.fixture
def server():
    with oauth_server() as made:
        yield made


def sign_in(server, *, url="", within=10.0, port=0, **wanted):
    """A login by a person who says yes to everything."""

    async def work():
        async with CallbackListener(port) as listener:
            visits = []

            def go(url, state):
                listener.expect(state)
                visits.append(asyncio.get_running_loop().run_in_executor(None, visit, url))

            request = LoginRequest(url or server.url, listener.redirect_uri, **wanted)
            try:
                return await oauth_client.authorize(request, Visitor(go, lambda: listener.answer(within)), time.time)
            finally:
                await asyncio.gather(*visits, return_exceptions=True)

    return asyncio.run(work())


def renew(login):
    return asyncio.run(oauth_client.refresh(login, time.time))


def refused(server, **wanted):
    with pytest.raises(LoginError) as caught:
        sign_in(server, **wanted)
    assert not any(part in str(caught.value) for part in SECRET_PARTS)
    return caught.value


# --- login


def test_a_login_gives_a_token_that_the_server_takes_for_this_resource_and_scope(server):
    login = sign_in(server)
    assert server.valid(login.access_token)["scope"] == "read"
    assert server.authorizations[0]["resource"] == server.token_requests[0]["resource"] == server.url
    assert (login.issuer, login.registered, login.scope) == (server.issuer, True, "read")
    assert time.time() + 3500 < login.expires_at < time.time() + 3601
    assert server.sessions == set()  # the conversation that was opened to ask is ended


@pytest.mark.parametrize(
    "knobs",
    [
        {"prm_at": ("path",)},
        {"prm_at": ("root",)},
        {"prm_at": ("header",)},
        {"tenant": "/tenant"},
        {"tenant": "/tenant", "openid": True},
        {"openid": True},
        {"iss": None, "iss_promised": False},
        {"challenge": ""},
        {"registration": "secret"},
        {"methods": ["client_secret_post"]},
        {"methods": ["client_secret_basic"]},
        {"lifetime": None},
        {"refresh_tokens": False},
        {"opened": ("initialize",)},
        {"opened": ("initialize", "tools/list")},
        {"stateless": True},
        {"only_sse": True},
    ],
    ids=str,
)
def test_a_login_works_wherever_metadata_is_and_however_clients_authenticate(server, knobs):
    server.knobs = Knobs(**knobs)
    login = sign_in(server)
    assert server.valid(login.access_token)
    assert (login.expires_at is None) == (server.knobs.lifetime is None)
    assert bool(login.refresh_token) == server.knobs.refresh_tokens


def test_a_server_of_the_first_revision_has_its_authorization_server_at_its_own_origin(server):
    server.knobs = Knobs(prm_at=(), iss_promised=False)
    assert server.valid(sign_in(server).access_token)


def test_a_server_that_wants_no_login_is_said_to_want_none(server):
    server.knobs = Knobs(opened=("initialize", "tools/list"), prm_at=())
    assert sign_in(server) is None
    assert (server.authorizations, server.sessions) == ([], set())
    server.knobs.stateless = True
    assert sign_in(server) is None


def test_a_server_that_asks_late_is_asked_for_the_scopes_of_its_first_call(server):
    server.knobs = Knobs(opened=("initialize",), challenge="late", scopes_supported=["a", "b"])
    assert sign_in(server).scope == "late"


def test_a_client_that_was_registered_by_hand_is_used_with_its_secret(server):
    server.knobs = Knobs(preregistered={"known": "s3cret"}, registration="none")
    login = sign_in(server, client_id="known", client_secret="s3cret")
    assert (login.client_id, login.registered, server.clients) == ("known", False, {})
    assert server.valid(renew(login).access_token)


def test_a_client_id_metadata_document_is_used_where_it_is_taken(server):
    server.knobs = Knobs(documents=True)
    login = sign_in(server, client_id="https://example.org/mcpgov.json")
    assert (login.client_id, login.registered, server.clients) == ("https://example.org/mcpgov.json", False, {})


def test_without_support_for_such_documents_we_register(server):
    login = sign_in(server, client_id="https://example.org/mcpgov.json")
    assert login.registered
    assert [*server.clients] == [login.client_id]


def test_a_second_login_uses_the_registration_where_it_can_come_back_to_the_same_port(server):
    first = sign_in(server)
    port = int(first.redirect_uri.split(":")[2].split("/")[0])
    second = sign_in(server, earlier=first, port=port)
    assert (second.client_id, second.registration) == (first.client_id, first.registration)
    third = sign_in(server, earlier=first)
    assert third.client_id != first.client_id


# --- scopes


def test_chosen_scopes_are_asked_for_and_no_others(server):
    sign_in(server, scopes=("a", "b"))
    assert server.authorizations[0]["scope"] == "a b"
    assert next(iter(server.clients.values()))["asked"]["scope"] == "a b"


def test_the_scopes_of_a_step_up_are_asked_for_beside_the_challenge(server):
    sign_in(server, more_scopes=("write", "read"))
    assert server.authorizations[0]["scope"] == "read write"


def test_offline_access_is_asked_for_where_it_is_offered(server):
    server.knobs.scopes_supported = ["read", "offline_access"]
    sign_in(server)
    assert server.authorizations[0]["scope"] == "read offline_access"


def test_a_server_that_wants_more_at_once_gets_a_second_authorization_with_the_union(server):
    server.knobs.needed = "write"
    login = sign_in(server)
    assert [each["scope"] for each in server.authorizations] == ["read", "read write"]
    assert server.valid(login.access_token)["scope"] == "read write"


def test_a_server_that_never_has_enough_is_given_up_on(server):
    server.knobs.needed, server.knobs.never_enough = "write", True
    assert str(refused(server)) == "you are signed in, but the server does not let you in (HTTP 403)"
    assert len(server.authorizations) == 3


# --- what must not work


def test_an_answer_from_another_issuer_is_refused_before_any_token_is_asked_for(server):
    server.knobs.iss = "https://evil.example"
    assert "iss mismatch" in str(refused(server))
    server.knobs.iss = None
    assert "missing iss" in str(refused(server))
    assert server.token_requests == []


def test_metadata_of_another_resource_is_refused_before_anybody_is_sent_anywhere(server):
    server.knobs.prm_resource = "https://other.example/mcp"
    error = refused(server)
    assert str(error) == "the server's metadata is that of another resource: https://other.example/mcp"
    assert (server.authorizations, server.clients) == ([], {})


def test_a_token_for_another_audience_is_no_login(server):
    server.knobs.audience = "https://other.example/mcp"
    assert str(refused(server)) == "the server does not accept the token that was given for it"


@pytest.mark.parametrize("pkce", [None, [], ["plain"]])
def test_without_pkce_nothing_is_registered_and_nobody_sent_anywhere(server, pkce):
    server.knobs.pkce = pkce
    assert "offers no PKCE" in str(refused(server))
    assert (server.authorizations, server.clients) == ([], {})


def test_nobody_is_sent_to_a_page_that_others_can_read(server):
    server.knobs.authorization_endpoint = "http://login.example/authorize"
    assert str(refused(server)) == "the login would go over an unprotected connection to login.example"
    assert server.clients == {}


def test_a_refused_registration_says_what_to_do(server):
    server.knobs.registration = "refused"
    error = refused(server)
    assert str(error) == (
        "mcpgov cannot register itself at the authorization server: access_denied: only partners \x1b[31mmay register"
    )
    assert "--client-id" in error.hint


def test_a_person_who_says_no_is_told_in_the_servers_words(server):
    server.knobs.denied = ("access_denied", "x" * 1000)
    assert str(refused(server)) == f"the authorization server said no: access_denied: {'x' * 300}…"


def test_an_answer_with_another_state_changes_nothing_until_the_time_is_over(server):
    server.knobs.state = "guessed"
    error = refused(server, within=0.5)
    assert "(1 answers did not belong to it)" in str(error)
    assert server.token_requests == []


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b'{"access_token": ["at-1"]}', b'{"access_token": "at-1", "token_type": "mac"}']
)
def test_an_answer_that_is_no_token_is_not_shown(server, body):
    server.knobs.token_body = body
    error = refused(server)
    assert (str(error), error.reason_code) == ("the authorization server's answer is no token", INVALID)


def test_a_refused_code_is_told_by_its_error_alone(server):
    server.knobs.token_status, server.knobs.token_body = 400, b'{"error": "invalid_grant", "x": "at-1"}'
    assert str(refused(server)) == "the authorization server gives no token: invalid_grant"
    server.knobs.token_body = b"at-1 rt-1 <html>"
    assert str(refused(server)) == "the authorization server gives no token: HTTP 400"


def test_an_endless_answer_is_cut(server):
    server.knobs.token_body = b" " * 5_000_000
    assert str(refused(server)) == "127.0.0.1 answers with more than 4 MiB"


def test_a_server_that_is_not_there_is_told_by_its_host_alone():
    error = refused(None, url="http://127.0.0.1:9/mcp?key=hidden")
    assert str(error).startswith("cannot reach 127.0.0.1: ")
    assert "hidden" not in str(error)
    assert error.reason_code == UNREACHED
    assert refused(None, url="http://[::1").reason_code == INVALID


# --- renewal and logout


@pytest.mark.parametrize("rotate", [True, False])
def test_a_login_is_renewed_again_and_again(server, rotate):
    server.knobs.rotate = rotate
    login = sign_in(server)
    for _ in range(3):
        before, login = login, renew(login)
        assert server.valid(login.access_token)
        assert login.access_token != before.access_token
        assert (login.refresh_token != before.refresh_token) == rotate
    assert len(server.authorizations) == 1


def test_a_revoked_grant_asks_for_a_login_and_an_outage_does_not(server):
    login = sign_in(server)
    server.knobs.token_status = 503
    with pytest.raises(LoginError) as caught:
        renew(login)
    assert caught.value.reason_code == UNREACHED
    server.knobs.token_status = 200
    server.end_grants()
    with pytest.raises(LoginError) as caught:
        renew(login)
    assert caught.value.reason_code == LOGIN_REQUIRED
    assert str(caught.value) == (
        "the authorization server does not renew the login: invalid_grant: this grant has ended"
    )
    with pytest.raises(LoginError) as caught:
        renew(login._replace(refresh_token=""))
    assert caught.value.reason_code == LOGIN_REQUIRED
    with pytest.raises(LoginError, match="damaged"):
        renew(login._replace(client={"client_id": 3}))


def test_a_logout_revokes_both_tokens_and_deletes_our_registration(server):
    login = sign_in(server)
    assert asyncio.run(oauth_client.revoke(login)) == []
    assert server.revoked == ["refresh_token", "access_token"]
    assert server.clients == {}


def test_what_cannot_be_revoked_is_told(server):
    login = sign_in(server)
    server.knobs.revocation_status = 503
    assert asyncio.run(oauth_client.revoke(login._replace(registered=False))) == [
        "the refresh token was not revoked: unsupported_token_type: no",
        "the access token was not revoked: unsupported_token_type: no",
    ]
    server.knobs.revocation = False
    without = sign_in(server)
    assert asyncio.run(oauth_client.revoke(without)) == [
        "the authorization server offers no revocation: the token ends by itself"
    ]
