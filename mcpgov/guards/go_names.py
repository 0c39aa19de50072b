"""The parameters of each request as Go's libraries name their fields: `clientInfo.name` is also `ClientInfo.Name`.

Law: a Go spelling means the JSON key that a server reads, never a key that merely looks like it. What users and models
fill in (arguments, schemas, metadata) keeps its keys.
"""

from typing import Any

Struct = dict[str, tuple[str, Any]]


def struct(*names: str, **inner: Struct) -> Struct:
    """Fields by their JSON keys: the Go name, and the fields of what they hold, where that is a struct in turn."""
    return {name: (SPELLED.get(name) or name[:1].upper() + name[1:], inner.get(name)) for name in (*names, *inner)}


# Initials stay capitals in Go.
SPELLED = {"uri": "URI", "url": "URL", "mimeType": "MIMEType", "websiteUrl": "WebsiteURL", "_meta": "Meta",
           "elicitationId": "ElicitationID", "taskId": "TaskID"}  # fmt: skip
META = struct("progressToken")
ICON = struct("src", "mimeType", "sizes", "theme")
PERSON = struct("name", "version", "title", "description", "websiteUrl", icons=ICON)
CAPABILITIES = struct("experimental", "sampling", "elicitation", "tasks", roots=struct("listChanged"))
BLOB = struct("uri", "mimeType", "text", "blob", "_meta")
NOTES = struct("audience", "priority", "lastModified")
CONTENT = struct(
    "type", "text", "data", "mimeType", "uri", "name", "title", "description", "size", "_meta",
    annotations=NOTES, resource=BLOB,
)  # fmt: skip
PREFERENCES = struct("costPriority", "speedPriority", "intelligencePriority", hints=struct("name"))
TASK = struct("ttl", "taskId")
STRUCTS: dict[str, Struct] = {
    "ToolCall": struct("name", "arguments", _meta=META, task=TASK),
    "ResourceRead": struct("uri", "arguments", _meta=META),
    "ResourceSubscribe": struct("uri", _meta=META),
    "ResourceUnsubscribe": struct("uri", _meta=META),
    "PromptGet": struct("name", "arguments", _meta=META),
    "Initialize": struct("protocolVersion", capabilities=CAPABILITIES, clientInfo=PERSON, _meta=META),
    "CreateMessage": struct(
        "systemPrompt", "includeContext", "temperature", "maxTokens", "stopSequences", "metadata", "tools",
        "toolChoice", messages=struct("role", content=CONTENT), modelPreferences=PREFERENCES, _meta=META, task=TASK,
    ),
    "Elicitation": struct("message", "requestedSchema", "mode", "url", "elicitationId", _meta=META, task=TASK),
    "Complete": struct(
        ref=struct("type", "name", "uri", "title"), argument=struct("name", "value"), context=struct("arguments"),
        _meta=META,
    ),
    "SetLogLevel": struct("level", _meta=META),
    "Paginated": struct("cursor", _meta=META),
}  # fmt: skip


def by_go_name(fields: Struct) -> dict[str, Struct | None]:
    """The fields of a struct by their Go names, each with the struct it holds."""
    return dict(fields.values())


def go_view(value: Any, fields: Struct | None) -> Any:
    """A copy with the Go names beside the JSON keys; as deep as the structs go."""
    if fields is None:
        return value
    if isinstance(value, list):
        return [go_view(item, fields) for item in value]
    if not isinstance(value, dict):
        return value
    view = {key[:1].upper() + key[1:]: item for key, item in value.items()} | value
    for key, (name, inner) in fields.items():
        view.pop(name, None)
        if key in value:
            view[name] = go_view(value[key], inner)
    return view
