"""`mcpgov serve --http` whose requests get a token on their way in; prints its URL."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

from mcpgov.front.install.launcher import home_of
from mcpgov.places import Places
from mcpgov.serve import http_server, main
from mcpgov.serve_tokens import ServeTokens
from mcpgov.settings import Settings

root = Path(sys.argv[1])
tokens = ServeTokens(root / "state" / "serve")
tokens.ensure(time.time())
token = b"Bearer " + tokens.first_text().encode()


class WithToken(http_server.HttpServer):
    def __init__(self, app: Any, cert: str = "", key: str = "") -> None:
        async def authorized(scope: dict[str, Any], receive: Any, send: Any) -> None:
            scope["headers"] = [*scope["headers"], (b"authorization", token)]
            await app(scope, receive, send)

        super().__init__(authorized, cert, key)


def ready(url: str) -> None:
    print(url, flush=True)


http_server.HttpServer = WithToken  # type: ignore[misc]
os.environ.pop("MCPGOV_ROOT", None)
asyncio.run(main.serve_http(home_of(Places(root), Settings()), "matching", main.HttpOptions(0), tokens, ready))
