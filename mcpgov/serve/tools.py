"""The four tools: names, titles, descriptions, schemas, annotations. Pure data.

Law: names, input schemas, enums and the fields of answers are those that clients of such servers know. What is more
here (titles, output schemas, annotations, lengths in descriptions) is what the protocol lets a server add.
"""

from __future__ import annotations

from typing import Any

CHECK, PERMIT, REPORT, POLICY = "checkIntent", "requestPermission", "reportAction", "getPolicy"
FILE_READ, FILE_WRITE, FILE_DELETE = "file_read", "file_write", "file_delete"
SHELL, NETWORK, RESOURCE, OTHER = "shell_execute", "network_request", "resource_access", "other"
ACTION_TYPES = (FILE_READ, FILE_WRITE, FILE_DELETE, SHELL, NETWORK, RESOURCE, OTHER)
OPERATIONS = ("read", "write", "execute", "delete", "connect")
RESULTS = ("success", "failure", "partial")
RISK_LEVELS = ("Low", "Medium", "High", "Critical")
ACTIONS = ("allow", "block", "prompt", "log", "redact")
USUAL_WAIT, SHORTEST_WAIT, LONGEST_WAIT = 30, 1, 300  # seconds that a person is asked for

INSTRUCTIONS = (
    "Ask checkIntent before an action, requestPermission for one exact resource that the policy asks about, and tell "
    "reportAction what you did. Answers follow the user's policy; nothing here changes it."
)


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _one_of(values: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


_RULE = _object(
    {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "action": _one_of(ACTIONS),
        "message": {"type": "string"},
        "priority": {"type": "integer"},
    },
    ("name", "description", "action", "message", "priority"),
)

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": CHECK,
        "title": "Check an intended action",
        "description": "Check whether a planned action is allowed by mcpgov policy.",
        "inputSchema": _object(
            {
                "description": _text("Human-readable description of what you intend to do"),
                "action_type": _one_of(ACTION_TYPES),
                "target": _text("Target resource: file path, URL, command, etc."),
                "reason": _text("Optional justification"),
            },
            ("description", "action_type", "target"),
        ),
        "outputSchema": _object(
            {
                "allowed": {"type": "boolean"},
                "risk_level": _one_of(RISK_LEVELS),
                "explanation": {"type": "string"},
                "policy_rule": _one_of(ACTIONS),
                "suggestions": {"type": "array", "items": {"type": "string"}},
            },
            ("allowed", "risk_level", "explanation", "policy_rule"),
        ),
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    },
    {
        "name": PERMIT,
        "title": "Request permission",
        "description": "Request explicit approval for a resource operation: a person is asked, for at most "
        f"timeout_seconds ({SHORTEST_WAIT} to {LONGEST_WAIT}).",
        "inputSchema": _object(
            {
                "resource": _text("Resource to access (exact path, no wildcards)"),
                "operation": _one_of(OPERATIONS),
                "justification": _text("Why you need this access"),
                "timeout_seconds": {"type": "integer", "default": USUAL_WAIT},
            },
            ("resource", "operation", "justification"),
        ),
        "outputSchema": _object(
            {
                "granted": {"type": "boolean"},
                "scope": _one_of(("none", "policy", "once", "session", "time")),
                "expires_at": {"type": ["string", "null"]},
            },
            ("granted", "scope", "expires_at"),
        ),
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    },
    {
        "name": REPORT,
        "title": "Report an action",
        "description": "Report an action that has already been performed, for audit logging.",
        "inputSchema": _object(
            {
                "description": _text("What happened"),
                "action_type": _one_of(ACTION_TYPES),
                "target": _text("Target resource"),
                "result": _one_of(RESULTS),
                "details": {"type": "object", "description": "Additional details"},
            },
            ("description", "action_type", "target", "result"),
        ),
        "outputSchema": _object(
            {"recorded": {"type": "boolean"}, "event_id": {"type": "string"}}, ("recorded", "event_id")
        ),
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    },
    {
        "name": POLICY,
        "title": "Get the policy",
        "description": "Query the current security policy rules.",
        "inputSchema": _object(
            {
                "resource": _text("Filter by resource path"),
                "action_type": _one_of(ACTION_TYPES),
                "tool_name": _text("Filter by tool name"),
            }
        ),
        "outputSchema": _object(
            {"rules": {"type": "array", "items": _RULE}, "default_action": _one_of(ACTIONS)},
            ("rules", "default_action"),
        ),
        "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    },
)
BY_NAME = {tool["name"]: tool for tool in TOOLS}
