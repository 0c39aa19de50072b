"""What a login is asked for: where, as whom, with which rights; and how a person is sent to a page. Pure: the types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from mcpgov.login.callback import CallbackAnswer
from mcpgov.login.stored_login import StoredLogin


class LoginRequest(NamedTuple):
    """`scopes`: exactly these; () is what the server asks for. `more_scopes`: these in any case, of a step-up.

    `earlier`: the login before this one, whose registration is used again where that is possible.
    """

    url: str
    redirect_uri: str
    scopes: tuple[str, ...] = ()
    more_scopes: tuple[str, ...] = ()
    client_id: str = ""
    client_secret: str = ""
    earlier: StoredLogin | None = None

    @property
    def document(self) -> str | None:
        """The client id is the URL of a client-id metadata document."""
        try:
            parts = urlsplit(self.client_id)
        except ValueError:
            return None
        document = parts.scheme == "https" and parts.path not in ("", "/") and not self.client_secret
        return self.client_id if document else None


class Visitor(NamedTuple):
    """How a person is sent to a URL (with the state in it), and what comes back from there."""

    visit: Callable[[str, str], None]
    answer: Callable[[], Awaitable[CallbackAnswer]]
