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


def private_directory(path: str) -> None:
    """The directory and what it lies in, for its owner alone where we make them."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        private_directory(os.path.dirname(path))
        private_directory(path)


class Entries:
    """The names in a directory, read again only when the directory has changed.

    Asked before calls are judged, so that plain text is known to name no file without a look for each.
    """

    SETTLED = 50_000_000  # nanoseconds: a change in the same tick of the file system's clock might not show
    MOST = 50_000

    def __init__(self, path: str) -> None:
        self._path = path
        self._names: set[str] | None = None
        self._changed = -1  # the state of the directory that was read

    def refresh(self, now: int) -> None:
        """`now` in nanoseconds since the epoch, as file systems count."""
        try:
            changed = os.stat(self._path).st_mtime_ns
            if changed == self._changed:
                return
            self._names = None
            # Young changes may hide younger ones: nothing is surely absent until they settle.
            if now - changed <= self.SETTLED:
                return
            names = os.listdir(self._path)
            if len(names) <= self.MOST:
                self._names = {name.lower() for name in names}
            self._changed = changed
        except (OSError, ValueError):
            self._names, self._changed = None, -1

    def absent(self, name: str) -> bool:
        return self._names is not None and name not in self._names
