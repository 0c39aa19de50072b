"""The markers of logins: one file for each URL that we are signed in at, without secrets.

Law: the marker exists while there is a login; whether an entry can be wrapped is told by its existence.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from mcpgov.atomic_file import cannot_write, load_bytes, replace_file

LONGEST_FILE = 256 * 1024
DIGEST = re.compile(r"[0-9a-f]{32}")


class LoginMarker(NamedTuple):
    """`where`: keyring or file. `required_scopes`: what the server asked for beyond `scopes`.

    `refused`: why the login holds no longer; "" while it does. `name`: the server's name at the last login.
    """

    url: str
    name: str
    issuer: str
    scopes: tuple[str, ...]
    client_id: str
    where: str
    at: float
    expires_at: float | None = None
    required_scopes: tuple[str, ...] = ()
    refused: str = ""


def load_marker(directory: Path, digest: str) -> LoginMarker | None:
    if not DIGEST.fullmatch(digest):
        return None
    try:
        value = json.loads(load_bytes(directory / f"{digest}.json", LONGEST_FILE))
        lists = {key: tuple(map(str, value.get(key) or ())) for key in ("scopes", "required_scopes")}
        known = {key: value[key] for key in LoginMarker._fields if key in value}
        marker = LoginMarker(**{**known, **lists})
    except (OSError, ValueError, RecursionError, TypeError, AttributeError):
        return None
    texts = (marker.url, marker.name, marker.issuer, marker.client_id, marker.where, marker.refused)
    times = (marker.at, 0.0 if marker.expires_at is None else marker.expires_at)
    right = all(isinstance(text, str) for text in texts) and all(type(time) in (int, float) for time in times)
    return marker if right else None


def keep_marker(directory: Path, digest: str, marker: LoginMarker) -> None:
    """Raises McpgovError."""
    replace_file(directory / f"{digest}.json", json.dumps(marker._asdict()).encode("ascii"), sync=True)


def forget_marker(directory: Path, digest: str) -> None:
    """Raises McpgovError."""
    path = directory / f"{digest}.json"
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None


def all_markers(directory: Path) -> dict[str, LoginMarker]:
    """By the digest of their URL; a damaged file is passed over."""
    found = {digest: load_marker(directory, digest) for digest in known_digests(directory)}
    return {digest: marker for digest, marker in found.items() if marker is not None}


def known_digests(directory: Path) -> list[str]:
    """Every URL that any file here stands for: also after a crash between the token's and the marker's writing."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return sorted({name.partition(".")[0] for name in names if DIGEST.fullmatch(name.partition(".")[0])})
