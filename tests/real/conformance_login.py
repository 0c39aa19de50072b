"""A client of the official suite's login scenarios: `mcpgov login` signs in, and the SDK's client uses our token.

usage: conformance_login.py URL. Runs in the SDK's own venv, started by the suite. MCPGOV, a JSON list, is the command;
BROWSER is a script. What the listener does when it meets 401 and 403 is done here in the same order, and a person who
is told `mcpgov login NAME` types it.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Generator
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

warnings.simplefilter("ignore")
STATELESS = "2026-07-28"
DOCUMENT = "https://conformance-test.local/client-metadata.json"
MOST_LOGINS = 3
SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))


class Login(httpx2.Auth):
    def __init__(self, url: str) -> None:
        self._url, self._digest = url, hashlib.blake2b(url.encode(), digest_size=16).hexdigest()
        self._logins = 0
        self._held = ""

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [*json.loads(os.environ["MCPGOV"]), *words]
        env = {**os.environ, "CLIENT_SECRET": CONTEXT.get("client_secret", "")}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
        print(words[:2], done.returncode, done.stderr, file=sys.stderr)
        return done

    def login(self) -> bool:
        self._logins += 1
        words = ["login", self._url]
        if "client_id" in CONTEXT:
            words += ["--client-id", CONTEXT["client_id"], "--client-secret-env", "CLIENT_SECRET"]
        elif "cimd" in SCENARIO:
            words += ["--client-id", DOCUMENT]
        return self._logins <= MOST_LOGINS and self._run(*words).returncode == 0

    def token(self, *words: str) -> str:
        done = self._run("login", "token", "--url-digest", self._digest, *words)
        return json.loads(done.stdout)["access_token"] if done.returncode == 0 else ""

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response]:
        self._held = self._held or self.token()
        request.headers["Authorization"] = f"Bearer {self._held}"
        response = yield request
        while response.status_code in (401, 403):
            asked = response.headers.get("WWW-Authenticate", "")
            if response.status_code == 403:
                scope = re.search('scope="([^"]*)"', asked)
                self.token("--insufficient-scope", scope[1] if scope else "")
            token = self.token("--refresh") if response.status_code == 401 else ""
            if not token or token == self._held:
                if not self.login():
                    return
                token = self.token()
            self._held = token
            request.headers["Authorization"] = f"Bearer {token}"
            response = yield request


async def converse(url: str, login: Login) -> None:
    modern = os.environ["MCP_CONFORMANCE_PROTOCOL_VERSION"] >= STATELESS
    async with httpx2.AsyncClient(auth=login, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode="auto" if modern else "legacy") as client:
            for tool in (await client.list_tools()).tools:
                try:
                    await client.call_tool(tool.name, {})
                except MCPError as error:
                    print(error, file=sys.stderr)


if __name__ == "__main__":
    made = Login(sys.argv[1])
    if not made.login():
        raise SystemExit("the login was refused")
    anyio.run(converse, sys.argv[1], made)
