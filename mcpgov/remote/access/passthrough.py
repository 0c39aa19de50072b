"""OAuth metadata of a server whose app logs in itself, with our URL in the place of the server's. Pure.

The app checks that the metadata's `resource` covers the URL it uses, which is ours. So its token is asked for by our
URL: an authorization server that looks at `resource` may refuse it. `mcpgov login` has no such trouble.
"""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

WELL_KNOWN = "/.well-known/oauth-protected-resource"
OTHER_METADATA = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
_METADATA = re.compile(r'resource_metadata\s*=\s*"([^"]*)"', re.IGNORECASE)


def challenge(value: str, origin: str, ident: str) -> str:
    """A WWW-Authenticate header whose metadata is asked of us. `origin`: ours."""
    return _METADATA.sub(lambda found: f'resource_metadata="{metadata_url(found[1], origin, ident)}"', value)


def named_path(value: str) -> str:
    """Where on its origin a server has its metadata, by its WWW-Authenticate header; "" if that does not say."""
    found = _METADATA.search(value)
    return urlsplit(found[1]).path if found else ""


def metadata_url(url: str, origin: str, ident: str) -> str:
    """The metadata's URL on our origin: below the secret, so that only who knows that can ask."""
    parts = urlsplit(url)
    return f"{origin}/{ident}{parts.path}{'?' + parts.query if parts.query else ''}"


def is_metadata(rest: str) -> bool:
    return any(rest == name or rest.startswith(f"{name}/") for name in (WELL_KNOWN, *OTHER_METADATA))


def in_front(path: str) -> tuple[str, ...]:
    """Our paths for one of an app that puts the well-known name in front of our whole path, the likelier first.

    Nothing for any other path.
    """
    for name in (WELL_KNOWN, *OTHER_METADATA):
        if path.startswith(f"{name}/"):
            ident, slash, rest = path[len(name) + 1 :].partition("/")
            return (f"/{ident}{name}/{rest}", f"/{ident}{name}") if slash and rest else (f"/{ident}{name}",)
    return ()


def rewritten(body: bytes, url: str, ours: str) -> bytes:
    """Protected-resource metadata whose `resource` is our URL. Any other body stays as it is."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(found, dict) or not isinstance(found.get("resource"), str):
        return body
    theirs, told = urlsplit(url), urlsplit(found["resource"])
    if (theirs.scheme, theirs.netloc) == (told.scheme, told.netloc):
        found["resource"] = ours
    return json.dumps(found).encode("ascii")
