"""Questions as proxies send them."""

from mcpgov.daemon.approvals.question import Question, question_from

DATA = {
    "number": "4f1d-1", "session": "4f1d", "server": "github", "client": "claude-code", "project": "/proj",
    "method": "tools/call", "target": "delete_repository", "service": "github", "operations": ["delete"],
    "operation_why": "`delete` in its name", "asked_by": "ask-deletes", "message": "deletes need a yes",
    "file": "/cfg/policy.toml", "line": 7, "ask": ["app", "desk"], "layer": "user", "revision": "r1",
    "shown": {"repo": "acme/site", "path": "/srv/link/x", "url": "https://a.example/x"}, "masked": [],
    "paths": [{"at": "path", "text": "/srv/link/x", "leads": ["/etc/x"]}],
    "hosts": [{"at": "url", "host": "a.example"}], "complete": True,
    "args": {"repo": "acme/site", "path": "/srv/link/x", "url": "https://a.example/x"},
    "folders": [[["path"], "/etc/**"]], "tool_digest": "d1", "args_digest": "a1", "app": "",
}  # fmt: skip


def question_data(**change: object) -> dict[str, object]:
    return {**DATA, **change}


def question(**change: object) -> Question:
    return question_from(question_data(**change))


def permission(resource: str = "/srv/a", operation: str = "read", **change: object) -> Question:
    """What a server asks for by itself, as the daemon makes it."""
    usual: dict[str, object] = {
        "number": "4f1d-p1", "method": f"permission/{operation}", "target": resource, "asked_by": "(permission)",
        "operations": [operation], "operation_why": "", "message": "I need it", "file": "", "line": 0,
        "ask": ["desk"], "revision": "4f1d", "shown": {"resource": resource}, "hosts": [], "args": None, "folders": [],
        "paths": [{"at": "resource", "text": resource, "leads": [resource]}], "tool_digest": "",
        "args_digest": f"{operation} {resource}",
    }  # fmt: skip
    return question(**{**usual, **change})
