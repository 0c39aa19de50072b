"""What a browser is told when something does not go: status, a code for the page, words for people. Pure."""

from __future__ import annotations

from mcpgov.web.access.request_rules import json_text

# Codes of our own, of commands and of the daemon, and the status of each; anything else is a no that people can read.
STATUSES = {"wrong": 400, "session": 401, "refused": 403, "caller-refused": 403, "unknown": 404, "type": 415}
STATUSES |= {"too-much": 413, "too-many": 429, "broken": 500, "failed": 500, "daemon": 502, "slow": 504, "token": 403}
DECLINED = 409


class PageError(Exception):
    """`more`: further keys of the error."""

    def __init__(self, code: str, message: str, hint: str = "", more: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.more = code, message, hint, more or {}

    @property
    def status(self) -> int:
        return STATUSES.get(self.code, DECLINED)

    @property
    def body(self) -> bytes:
        told = {"code": self.code, "message": self.message, "hint": self.hint, **self.more}
        return json_text({"error": told})
