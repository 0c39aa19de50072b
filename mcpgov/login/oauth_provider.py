"""The SDK's OAuth flow, with what it leaves out. The only user of `mcp`.

Beyond the SDK: PKCE must be offered by name, no endpoint in clear text, scopes that a person or a step-up asks for, the
way a client authenticates, a resource that is another server's, and errors that show no answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.client.auth.utils import (
    build_protected_resource_metadata_discovery_urls,
    create_oauth_metadata_request,
    extract_field_from_www_auth,
)
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url

from mcpgov.login import oauth_rules
from mcpgov.login.http_client import Flow, LoginHttp
from mcpgov.login.login_request import LoginRequest, Visitor
from mcpgov.login.oauth_rules import INVALID, LOGIN_REQUIRED, LoginError, check_endpoint, scopes_in
from mcpgov.login.stored_login import StoredLogin, expiry

CLIENT_NAME = "mcpgov"
OWN_CLIENT = "register mcpgov there by hand, and name that: --client-id ID --client-secret-env VAR"
METHODS = ("none", "client_secret_post", "client_secret_basic")


class _Memory:
    """The SDK's storage: what is stored for good is decided when all is done."""

    def __init__(self, tokens: OAuthToken | None, client: OAuthClientInformationFull | None) -> None:
        self.tokens, self.client = tokens, client
        self.changed = False

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens, self.changed = tokens, True

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class _ClientMetadata(OAuthClientMetadata):
    """The SDK assigns `scope` after discovery and before the registration: there `_discovered` has its say."""

    _discovered: Callable[[str | None], str | None] | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "scope" and self._discovered is not None:
            value = self._discovered(value)
        super().__setattr__(name, value)


class _Provider(OAuthClientProvider):
    def __init__(self, wanted: LoginRequest, memory: _Memory, visitor: Visitor | None) -> None:
        metadata = _ClientMetadata.model_validate(
            {"redirect_uris": [wanted.redirect_uri], "client_name": CLIENT_NAME, "software_id": CLIENT_NAME}
        )
        metadata._discovered = self._discovered
        self._wanted, self._visitor = wanted, visitor
        super().__init__(
            wanted.url, metadata, memory, self._visit, self._answer, wanted.document, validate_resource_url=_resource
        )

    async def _visit(self, url: str) -> None:
        assert self._visitor is not None
        check_endpoint(url, self.context.server_url)
        (state,) = parse_qs(urlsplit(url).query)["state"]
        self._visitor.visit(url, state)

    async def _answer(self) -> AuthorizationCodeResult:
        assert self._visitor is not None
        answer = await self._visitor.answer()
        return AuthorizationCodeResult(code=answer.code, state=answer.state, iss=answer.iss)

    def _discovered(self, scope: str | None) -> str | None:
        """Metadata is known, nothing was sent yet. Returns the scopes to ask for. Raises LoginError."""
        found, metadata = self.context.oauth_metadata, self.context.client_metadata
        if found is not None:
            for url in (found.authorization_endpoint, found.token_endpoint, found.registration_endpoint):
                if url is not None:
                    check_endpoint(str(url), self.context.server_url)
            if "S256" not in (found.code_challenge_methods_supported or ()):
                raise LoginError("the authorization server offers no PKCE (S256), without which a login is not safe")
            offered = found.token_endpoint_auth_methods_supported or ()
            usable = [method for method in METHODS if method in offered]
            metadata.token_endpoint_auth_method = usable[0] if usable else None  # type: ignore[assignment]
        offline = ("offline_access",) if "offline_access" in (scope or "").split() else ()
        chosen = (*self._wanted.scopes, *offline) if self._wanted.scopes else (scope or "",)
        return " ".join(scopes_in(*chosen, *self._wanted.more_scopes)) or None

    async def _perform_authorization(self) -> httpx2.Request:
        """RFC 7591 2: a client with a secret, and no word about how to send it, uses Basic."""
        client, found = self.context.client_info, self.context.oauth_metadata
        if client is not None and client.client_secret and client.token_endpoint_auth_method is None:
            offered = (found.token_endpoint_auth_methods_supported if found else None) or ["client_secret_basic"]
            post = "client_secret_basic" not in offered and "client_secret_post" in offered
            client.token_endpoint_auth_method = "client_secret_post" if post else "client_secret_basic"
        return await super()._perform_authorization()

    async def _handle_token_response(self, response: httpx2.Response) -> None:
        if response.status_code not in (200, 201):
            body = await response.aread()
            raise oauth_rules.refusal("the authorization server gives no token", response.status_code, body)
        try:
            await super()._handle_token_response(response)
        except OAuthTokenError:  # its text shows the answer
            raise LoginError("the authorization server's answer is no token", reason_code=INVALID) from None


async def _resource(server_url: str, resource: str | None) -> None:
    """RFC 8707: the metadata must speak of this server, else the token would be for another one."""
    if resource and not check_resource_allowed(resource_url_from_server_url(server_url), resource):
        raise LoginError(f"the server's metadata is that of another resource: {oauth_rules.short(resource)}")


class OAuthSession:
    """The SDK's provider with its state: for a new login, or restored from a stored one."""

    def __init__(self, wanted: LoginRequest, visitor: Visitor | None) -> None:
        self._wanted = wanted
        self._memory = _Memory(None, known_client(wanted))
        self._provider = _Provider(wanted, self._memory, visitor)

    @classmethod
    def restored(cls, login: StoredLogin) -> OAuthSession:
        """As it was after the login; the SDK will refresh before it sends anything. Raises LoginError."""
        try:
            made = cls(LoginRequest(login.url, login.redirect_uri, earlier=login), None)
            made._restore(login)
        except ValueError:
            raise LoginError("what is stored of this login is damaged", reason_code=LOGIN_REQUIRED) from None
        return made

    def _restore(self, login: StoredLogin) -> None:
        tokens = {"access_token": login.access_token, "refresh_token": login.refresh_token or None}
        self._memory.tokens = OAuthToken.model_validate({**tokens, "scope": login.scope or None})
        self._memory.client = OAuthClientInformationFull.model_validate(login.client)
        context = self._provider.context
        context.client_info = self._memory.client
        context.oauth_metadata = OAuthMetadata.model_validate(login.server) if login.server else None
        if login.resource:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(login.resource)
        context.token_expiry_time = 1.0  # long ago

    @property
    def access_token(self) -> str:
        """Given by this session; "" if none was."""
        tokens = self._memory.tokens
        return tokens.access_token if self._memory.changed and tokens is not None else ""

    def flow(self, request: httpx2.Request) -> Flow:
        return self._provider.async_auth_flow(request)

    def with_client(self, data: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Form and headers by which the authorization server knows the client."""
        return self._provider.context.prepare_token_auth(data, {})

    def token_fields(self, now: float) -> dict[str, Any]:
        tokens = self._memory.tokens
        assert tokens is not None
        return {
            "access_token": tokens.access_token,
            "refresh_token": tokens.refresh_token or "",
            "scope": tokens.scope or "",
            "expires_at": expiry(tokens.expires_in, now),
            "obtained_at": now,
        }

    def stored(self, registration: dict[str, object], now: float) -> StoredLogin:
        context, wanted = self._provider.context, self._wanted
        client, earlier = context.client_info, wanted.earlier
        assert client is not None
        if client.issuer is None and context.oauth_metadata is not None:
            client.issuer = str(context.oauth_metadata.issuer)  # these credentials are for this server alone now
        registered = client.client_id != wanted.client_id
        if registered and earlier is not None and earlier.client_id == client.client_id:
            registration, registered = earlier.registration, earlier.registered
        return StoredLogin(
            wanted.url, redirect_uri=wanted.redirect_uri, registered=registered, registration=registration,
            client=_dump(client), server=_dump(context.oauth_metadata),
            resource=_dump(context.protected_resource_metadata),
        )._replace(**self.token_fields(now))  # fmt: skip


def known_client(wanted: LoginRequest) -> OAuthClientInformationFull | None:
    """A client registered by hand, or by an earlier login with the same address to come back to."""
    if wanted.client_id and wanted.document is None:
        secret = wanted.client_secret or None
        method = None if secret else "none"
        return OAuthClientInformationFull(
            client_id=wanted.client_id, client_secret=secret, token_endpoint_auth_method=method
        )
    earlier = wanted.earlier
    if earlier is None or wanted.client_id or (earlier.registered and earlier.redirect_uri != wanted.redirect_uri):
        return None
    try:
        return OAuthClientInformationFull.model_validate(earlier.client)
    except ValueError:
        return None


def _dump(model: Any) -> dict[str, object]:
    return {} if model is None else dict(model.model_dump(mode="json", exclude_none=True))


def metadata_requests(url: str) -> list[httpx2.Request]:
    """Where a server's protected-resource metadata may be, without a word of the server about it (RFC 9728)."""
    return [
        create_oauth_metadata_request(place) for place in build_protected_resource_metadata_discovery_urls(None, url)
    ]


def wants_more_scopes(response: httpx2.Response) -> bool:
    return response.status_code == 403 and extract_field_from_www_auth(response, "error") == "insufficient_scope"


@contextlib.contextmanager
def sdk_errors(http: LoginHttp) -> Iterator[None]:
    """The SDK's errors as ours: their texts show whole answers, ours do not."""
    try:
        yield
    except OAuthRegistrationError:
        last = http.last
        status, body = (last.status_code, last.content) if last is not None else (0, b"")
        what = "mcpgov cannot register itself at the authorization server"
        raise oauth_rules.refusal(what, status, b"" if status in (200, 201) else body, hint=OWN_CLIENT) from None
    except OAuthTokenError:
        raise LoginError("the token request cannot be made for this client", reason_code=INVALID) from None
    except OAuthFlowError as error:
        raise LoginError(oauth_rules.short(f"the login is not safe to go on with: {error}")) from None
    except (ValueError, TypeError, KeyError) as error:
        message = f"the authorization server's answer cannot be used ({type(error).__name__})"
        raise LoginError(message, reason_code=INVALID) from None
