"""The tools that each server has listed (pins), below the state directory: one file a server, named by digest."""

from __future__ import annotations

import posix
from _blake2 import blake2b

from mcpgov.core.json.values import dumps, parse
from mcpgov.core.session.tool_list import Pins
from mcpgov.host import private_directory, read_plain
from mcpgov.policy_cache import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard


def file_name(server: str) -> str:
    return f"{blake2b(server.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}.json"


def state(directory: str, server: str) -> tuple[int, int, int]:
    """Changes when another process has written the file."""
    return state_of(f"{directory}/{file_name(server)}")


def load(directory: str, server: str) -> Pins:
    """The pins of a server. Only a missing file means that the server is new."""
    try:
        data = parse(str(read_plain(f"{directory}/{file_name(server)}"), "ascii"))
    except FileNotFoundError:
        return Pins()
    except OSError as error:
        return _damaged((error.strerror or str(error)).lower())
    except (ValueError, RecursionError):
        return _damaged("it is damaged")
    if not isinstance(data, dict) or not _are_entries(data.get("accepted")) or not _are_entries(data.get("changed")):
        return _damaged("it is damaged")
    return Pins(data["accepted"], data["changed"])


class PinsStore:
    """The pins of every server, for all sessions of a process: each file is read once until it changes."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._known: dict[str, tuple[tuple[int, int, int], Pins]] = {}

    def state(self, server: str) -> tuple[int, int, int]:
        return state(self._directory, server)

    def load(self, server: str) -> tuple[tuple[int, int, int], Pins]:
        """The file's state, and a copy of the pins that the session may change."""
        current = self.state(server)  # before the file is read: a change meanwhile is noticed at the next refresh
        known = self._known.get(server)
        if known is None or known[0] != current:
            known = (current, load(self._directory, server))
            if not known[1].damaged:
                self._known[server] = known
        pins = known[1]
        copy = Pins(dict(pins.accepted) if pins.accepted is not None else None, dict(pins.changed))
        copy.damaged = pins.damaged
        return current, copy

    def save(self, server: str, pins: Pins) -> bool:
        self._known.pop(server, None)
        return save(self._directory, server, pins)


def _damaged(why: str) -> Pins:
    pins = Pins({})
    pins.damaged = why
    return pins


def _are_entries(value: object) -> TypeGuard[dict[str, dict[str, object]]]:
    return isinstance(value, dict) and all(isinstance(entry, dict) and "digest" in entry for entry in value.values())


def save(directory: str, server: str, pins: Pins) -> bool:
    """Replace the file as a whole; a reader sees the old one or the new one."""
    text = dumps({"server": server, "accepted": pins.accepted or {}, "changed": pins.changed})
    name = f"{directory}/{file_name(server)}"
    scratch = f"{name}.{posix.getpid()}"
    try:
        private_directory(directory)
        _remove(scratch)
        fd = posix.open(scratch, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.write(text.encode("ascii"))
        if pins.damaged:
            _put_aside(name)
        posix.replace(scratch, name)
    except OSError:
        _remove(scratch)
        return False
    return True


def _put_aside(name: str) -> None:
    """Keep a damaged file under another name: a person may still be able to read it."""
    try:
        posix.rename(name, f"{name}.damaged")
    except OSError:
        return


def _remove(path: str) -> None:
    try:
        posix.unlink(path)
    except OSError:
        return
