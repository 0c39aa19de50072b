"""What a server asks a person for: fields for secrets, a page to visit. Pure. It only flags them; rules decide."""

from __future__ import annotations

from mcpgov.core.audit.audit_preview import is_secret_name, shortened

MOST_FIELDS = 50


def elicitation_flags(params: dict[str, object]) -> dict[str, object]:
    """`asks`: fields for a credential, which the protocol forbids; `host`: the host of a URL."""
    flags: dict[str, object] = {}
    schema = params.get("requestedSchema")
    fields = schema.get("properties") if isinstance(schema, dict) else None
    asks = [name for name, field in fields.items() if _is_secret(name, field)] if isinstance(fields, dict) else []
    if asks:
        flags["asks"] = [shortened(name) for name in asks[:MOST_FIELDS]]
    url = params.get("url")
    if isinstance(url, str):
        flags["host"] = shortened(host_of(url))
    return flags


def _is_secret(name: str, field: object) -> bool:
    title = field.get("title") if isinstance(field, dict) else None
    return is_secret_name(name) or (isinstance(title, str) and is_secret_name(title))


def host_of(url: str) -> str:
    """Host and port as a browser reads them: back slashes are slashes, blanks at the ends are ignored."""
    rest = url.strip().replace("\\", "/").partition(":")[2].lstrip("/")
    for end in "/?#":
        rest = rest.partition(end)[0]
    return rest.rpartition("@")[2].lower()
