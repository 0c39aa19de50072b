"""The tools each server has shown, kept below the state directory; one file a server, named by digest."""

from __future__ import annotations

import os
from _blake2 import blake2b

from mcpgov.core.listing import Pins
from mcpgov.core.values import dumps, parse


def file_name(server: str) -> str:
    return f"{blake2b(server.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}.json"


def load(directory: str, server: str) -> Pins:
    """What is known; a missing or damaged file is a server never seen."""
    try:
        with open(f"{directory}/{file_name(server)}", "rb") as file:
            found = parse(str(file.read(), "ascii"))
    except (OSError, ValueError, RecursionError):
        return Pins()
    if not isinstance(found, dict) or not isinstance(found.get("accepted"), dict):
        return Pins()
    changed = found.get("changed")
    return Pins(found["accepted"], changed if isinstance(changed, dict) else None)


def save(directory: str, server: str, pins: Pins) -> bool:
    """Replace the file as a whole; a reader sees the old one or the new one."""
    text = dumps({"server": server, "accepted": pins.accepted or {}, "changed": pins.changed})
    name = f"{directory}/{file_name(server)}"
    scratch = f"{name}.{os.getpid()}"
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.write(text.encode("ascii"))
        os.replace(scratch, name)
    except OSError:
        return False
    return True
