"""What is added around the SDK; the whole flow is in test_oauth_client."""

import asyncio

import httpx2
import pytest
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, OAuthTokenError

from mcpgov.login.http_client import LoginHttp
from mcpgov.login.login_request import LoginRequest
from mcpgov.login.oauth_provider import OAuthSession, known_client, metadata_requests, sdk_errors, wants_more_scopes
from mcpgov.login.oauth_rules import INVALID, LOGIN_REQUIRED, LoginError
from mcpgov.login.stored_login import StoredLogin

BACK = "http://127.0.0.1:5/callback"
EARLIER = StoredLogin("https://x", {"client_id": "c"}, {}, {}, {}, redirect_uri=BACK, registered=True)


def known(**wanted):
    found = known_client(LoginRequest("https://x", BACK, **wanted))
    return found and (found.client_id, found.client_secret, found.token_endpoint_auth_method)


def test_a_client_is_known_by_hand_or_from_the_same_address():
    assert known() is None
    assert known(client_id="a") == ("a", None, "none")
    assert known(client_id="a", client_secret="s") == ("a", "s", None)
    assert known(client_id="https://a/b") is None
    assert known(earlier=EARLIER) == ("c", None, None)
    assert known(earlier=EARLIER, client_id="a") == ("a", None, "none")
    assert known(earlier=EARLIER._replace(redirect_uri="http://127.0.0.1:6/callback")) is None
    by_hand = EARLIER._replace(redirect_uri="http://127.0.0.1:6/callback", registered=False)
    assert known(earlier=by_hand) == ("c", None, None)
    assert known(earlier=EARLIER._replace(client={})) is None


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        (OAuthTokenError("at-1"), "the token request cannot be made for this client", INVALID),
        (OAuthFlowError("x" * 999), "the login is not safe to go on with: xxx", "refused"),
        (
            OAuthRegistrationError("at-1"),
            "mcpgov cannot register itself at the authorization server: HTTP 0",
            "refused",
        ),
        (ValueError("at-1"), "the authorization server's answer cannot be used (ValueError)", INVALID),
        (KeyError("at-1"), "the authorization server's answer cannot be used (KeyError)", INVALID),
    ],
)
def test_errors_of_the_sdk_become_ours_without_what_they_show(error, words, code):
    async def work():
        async with LoginHttp("https://x") as http:
            with sdk_errors(http):
                raise error

    with pytest.raises(LoginError) as caught:
        asyncio.run(work())
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 400
    assert ("at-1" in str(caught.value), caught.value.reason_code, caught.value.__cause__) == (False, code, None)


def test_a_damaged_record_asks_for_a_login():
    for change in ({"client": {}}, {"server": {"issuer": 3}}, {"resource": {"resource": "no url"}}):
        with pytest.raises(LoginError) as caught:
            OAuthSession.restored(EARLIER._replace(**change))
        assert caught.value.reason_code == LOGIN_REQUIRED


def test_a_step_up_is_a_403_that_says_so():
    def answer(status, words):
        return httpx2.Response(status, headers={"WWW-Authenticate": words})

    assert wants_more_scopes(answer(403, 'Bearer error="insufficient_scope", scope="a"'))
    assert not wants_more_scopes(answer(401, 'Bearer error="insufficient_scope"'))
    assert not wants_more_scopes(answer(403, "Bearer"))


def test_metadata_is_looked_for_below_the_path_then_at_the_root():
    assert [str(request.url) for request in metadata_requests("https://x/mcp?key=1")] == [
        "https://x/.well-known/oauth-protected-resource/mcp", "https://x/.well-known/oauth-protected-resource"
    ]  # fmt: skip
