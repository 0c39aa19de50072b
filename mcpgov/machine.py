"""The real machine for core's World: links, home, working directory. Leaf; used by proxy and front alike."""

from __future__ import annotations

import os

from mcpgov.core.decoding import World


def readlink(path: str) -> str | None:
    """The text of a link; "" where nothing is; None for anything that is no link or cannot be asked."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def home_of(name: str) -> str | None:
    import pwd

    try:
        return pwd.getpwnam(name).pw_dir
    except (KeyError, ValueError):
        return None


def home() -> str:
    """$HOME, else the account's: a client may start us with an empty environment."""
    found = os.environ.get("HOME")
    if found:
        return found
    import pwd

    return pwd.getpwuid(os.getuid()).pw_dir


def world(cwd: str | None = None, entries: Entries | None = None) -> World:
    if cwd is None:
        try:
            cwd = os.getcwd()
        except OSError:
            cwd = ""
    return World(readlink, cwd, home(), os.environ, home_of, entries.absent if entries is not None else None)


class Entries:
    """The names in a directory, read again only when the directory has changed.

    Asked before every batch of calls, so that plain text is known to name no file without a look for each.
    """

    SETTLED = 50_000_000  # nanoseconds: a change in the same tick of the file system's clock might not show

    def __init__(self, path: str) -> None:
        self._path = path
        self._names: set[str] | None = None
        self._changed = -1

    def refresh(self, now: int) -> None:
        """`now` in nanoseconds since the epoch, as file systems count."""
        try:
            changed = os.stat(self._path).st_mtime_ns
            if self._names is None or changed != self._changed:
                names = os.listdir(self._path)
                # Young changes may hide younger ones: then nothing is surely absent until they settle.
                settled = now - changed > self.SETTLED and len(names) <= 50_000
                self._names = {name.lower() for name in names} if settled else None
                self._changed = changed
        except OSError:
            self._names = None

    def absent(self, name: str) -> bool:
        return self._names is not None and name not in self._names
