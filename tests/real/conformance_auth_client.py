"""An app that signs in itself, on the real SDK, for the official suite's login scenarios.

usage: conformance_auth_client.py URL. Runs in the SDK's own venv, started by the suite. CONFORMANCE_WRAP, a JSON list,
is a command that is given the suite's URL and says the one to use.
"""

import json
import os
import subprocess
import sys
import warnings
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

warnings.simplefilter("ignore")
STATELESS = "2026-07-28"
DOCUMENT = "https://conformance-test.local/client-metadata.json"
REDIRECT = "http://localhost:3000/callback"
MOST_LOGINS = 3
SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
PERSON = OAuthClientMetadata.model_validate(
    {
        "client_name": "conformance-client",
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    }
)


class Kept:
    """The tokens and the registration, for as long as the scenario runs."""

    def __init__(self) -> None:
        self._tokens: OAuthToken | None = None
        self._client: OAuthClientInformationFull | None = None
        if "client_id" in CONTEXT:
            self._client = OAuthClientInformationFull.model_validate(
                {
                    "client_id": CONTEXT["client_id"],
                    "client_secret": CONTEXT.get("client_secret"),
                    "redirect_uris": [REDIRECT],
                    "token_endpoint_auth_method": "client_secret_basic",
                }
            )

    async def get_tokens(self) -> OAuthToken | None:
        return self._tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._client = client_info


class Browser:
    """A person who agrees, some times in a row and then no more."""

    def __init__(self) -> None:
        self._logins = 0
        self._answer = ""

    async def visit(self, url: str) -> None:
        self._logins += 1
        if self._logins > MOST_LOGINS:
            raise RuntimeError("asked to sign in again and again")
        async with httpx2.AsyncClient(follow_redirects=False, timeout=20) as http:
            self._answer = (await http.get(url)).headers["location"]

    async def answer(self) -> AuthorizationCodeResult:
        found = {name: values[0] for name, values in parse_qs(urlsplit(self._answer).query).items()}
        return AuthorizationCodeResult(code=found.get("code", ""), state=found.get("state"), iss=found.get("iss"))


def through(url: str) -> str:
    command = json.loads(os.environ.get("CONFORMANCE_WRAP", "[]"))
    if not command:
        return url
    return subprocess.run([*command, url], capture_output=True, text=True, timeout=60, check=True).stdout.strip()


async def converse(url: str) -> None:
    modern = os.environ["MCP_CONFORMANCE_PROTOCOL_VERSION"] >= STATELESS
    browser = Browser()
    login = OAuthClientProvider(
        url, PERSON, Kept(), browser.visit, browser.answer, DOCUMENT if "cimd" in SCENARIO else None
    )
    async with httpx2.AsyncClient(auth=login, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode="auto" if modern else "legacy") as client:
            for tool in (await client.list_tools()).tools:
                try:
                    await client.call_tool(tool.name, {})
                except MCPError as error:
                    print(error, file=sys.stderr)


if __name__ == "__main__":
    anyio.run(converse, through(sys.argv[1]))
