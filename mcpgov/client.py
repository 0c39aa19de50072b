"""For authors of MCP servers: ask mcpgov before you act, and tell it what you did.

    async with Governor() as gov:
        if not await gov.check_intent("file_delete", path):
            return "not allowed"

Law: whatever goes wrong is a GovernorError, never a yes.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mcpgov.errors import McpgovError

__all__ = ["Governor", "GovernorError", "IntentAnswer", "PermissionGiven"]

ActionType = Literal[
    "file_read", "file_write", "file_delete", "shell_execute", "network_request", "resource_access", "other"
]
Operation = Literal["read", "write", "execute", "delete", "connect"]
ActionResult = Literal["success", "failure", "partial"]
LONGER = 60.0  # seconds that an answer may come after the time that a person has


class GovernorError(McpgovError):
    """No answer that counts. `retry_after`: seconds, where there were too many calls."""

    def __init__(self, message: str, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class IntentAnswer:
    """True where the action is allowed."""

    allowed: bool
    risk_level: str
    explanation: str
    policy_rule: str
    suggestions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True, slots=True)
class PermissionGiven:
    """True where it was granted. `expires_at`: None where it holds for the session."""

    granted: bool
    scope: str
    expires_at: str | None

    def __bool__(self) -> bool:
        return self.granted


class Governor:
    """A connection to `mcpgov serve`: started here, or over HTTP where `url` and `token` are given."""

    def __init__(self, command: Sequence[str] = (), *, url: str = "", token: str = "") -> None:
        self._command, self._url, self._token = list(command) or usual_command(), url, token
        self._open = AsyncExitStack()
        self._client: Client | None = None

    async def __aenter__(self) -> Governor:
        try:
            self._client = await self._open.enter_async_context(Client(await self._transport()))
        except Exception as problem:
            await self._open.aclose()
            raise GovernorError(f"mcpgov cannot be reached: {type(problem).__name__}") from problem
        return self

    async def _transport(self) -> Any:
        if not self._url:
            # The SDK gives a child little of our environment; where mcpgov keeps its files it has to know.
            env = {name: os.environ[name] for name in ("MCPGOV_ROOT", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                                                       "XDG_DATA_HOME") if name in os.environ}  # fmt: skip
            return stdio_client(StdioServerParameters(command=self._command[0], args=self._command[1:], env=env))
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {self._token}"})
        return streamable_http_client(self._url, http_client=await self._open.enter_async_context(http))

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client = None
        await self._open.aclose()

    async def check_intent(
        self, action_type: ActionType, target: str, description: str = "", reason: str = ""
    ) -> IntentAnswer:
        """Would the policy allow this? Nobody is asked, nothing is recorded."""
        given = {"action_type": action_type, "target": target, "description": description, "reason": reason}
        found = await self._call("checkIntent", given)
        return IntentAnswer(**{**found, "suggestions": tuple(found.get("suggestions", ()))})

    async def request_permission(
        self, resource: str, operation: Operation, justification: str, timeout_seconds: int = 30
    ) -> PermissionGiven:
        """Ask a person for one exact resource, and wait for the answer."""
        given = {"resource": resource, "operation": operation, "justification": justification}
        wait = timeout_seconds + LONGER
        return PermissionGiven(
            **await self._call("requestPermission", given | {"timeout_seconds": timeout_seconds}, wait)
        )

    async def report_action(
        self,
        action_type: ActionType,
        target: str,
        result: ActionResult,
        description: str = "",
        details: Mapping[str, object] | None = None,
    ) -> str:
        """Put on record what was done; the id of the record."""
        given: dict[str, object] = {"action_type": action_type, "target": target, "result": result}
        given |= {"description": description} | ({"details": dict(details)} if details is not None else {})
        return str((await self._call("reportAction", given))["event_id"])

    async def get_policy(
        self, resource: str = "", action_type: ActionType | None = None, tool: str = ""
    ) -> dict[str, Any]:
        """What the policy says of such calls, as far as the user's settings tell it."""
        asked = {"resource": resource, "action_type": action_type, "tool_name": tool}
        return await self._call("getPolicy", {name: value for name, value in asked.items() if value})

    async def _call(self, tool: str, given: Mapping[str, object], wait: float = LONGER) -> dict[str, Any]:
        if self._client is None:
            raise GovernorError("`async with Governor() as gov` comes first")
        try:
            answer = await self._client.call_tool(tool, dict(given), read_timeout_seconds=wait)
        except MCPError as problem:
            data = problem.data if isinstance(problem.data, dict) else {}
            raise GovernorError(problem.message, retry_after=float(data.get("retry_after", 0.0))) from None
        except Exception as problem:
            raise GovernorError(f"mcpgov does not answer: {type(problem).__name__}") from problem
        if answer.is_error or not isinstance(answer.structured_content, dict):
            texts = [part.text for part in answer.content if part.type == "text"]
            raise GovernorError(texts[0] if texts else "mcpgov gave no answer")
        return answer.structured_content


def usual_command() -> list[str]:
    """`mcpgov serve` as it is installed; else as this interpreter has it."""
    found = shutil.which("mcpgov")
    return [found, "serve"] if found else [sys.executable, "-m", "mcpgov", "serve"]
