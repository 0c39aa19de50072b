"""The real machine for core's World: links, home, working directory. Leaf; used by proxy and front alike.

Law: `os` is loaded only where a path needs it: it costs a millisecond of every start, and `posix` is there already.
"""

from __future__ import annotations

import posix
import sys
import time
from _stat import S_ISDIR, S_ISREG

from mcpgov.core.rules.spellings import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_BASES = 8
LARGEST = 64 * 1024 * 1024
PIECE = 1 << 20
_READ = posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK | posix.O_NOCTTY


def readlink(path: str) -> str | None:
    """The text of a link; "" where nothing is; None for anything that is no link or cannot be asked."""
    try:
        return posix.readlink(path)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def fs_text(raw: bytes) -> str:
    return raw.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def environment() -> Mapping[str, str]:
    """The process's own, or what somebody who has loaded `os` made of it."""
    loaded = sys.modules.get("os")
    if loaded is not None:
        found: Mapping[str, str] = loaded.environ
        return found
    return {fs_text(key): fs_text(value) for key, value in posix.environ.items()}


def absolute(path: str) -> str:
    """As os.path.abspath() has it."""
    if path.startswith("/") and not {"", ".", ".."}.intersection(path.split("/")[1:]):
        return path
    from os.path import abspath

    return abspath(path)


def home_of(name: str) -> str | None:
    import pwd

    try:
        return pwd.getpwnam(name).pw_dir
    except (KeyError, ValueError):
        return None


def home() -> str:
    """$HOME, else the account's: a client may start us with an empty environment."""
    found = environment().get("HOME")
    if found:
        return found
    import pwd

    return pwd.getpwuid(posix.getuid()).pw_dir


def local_day(now: float) -> str:
    """The date where the machine stands, by its own zone: what an entry or a shell says in `TZ` moves no day."""
    zone = environment().get("TZ")
    if zone is None:
        return "{:04}-{:02}-{:02}".format(*time.localtime(now)[:3])
    posix.unsetenv("TZ")
    time.tzset()
    try:
        return "{:04}-{:02}-{:02}".format(*time.localtime(now)[:3])
    finally:
        posix.putenv("TZ", zone)
        time.tzset()


def world(
    cwd: str | None = None, absent: Callable[[str], bool] | None = None, own: str = "", bases: tuple[str, ...] = ()
) -> World:
    """`own` is the person's home where the environment may say another; `bases` are the server's other directories."""
    if cwd is None:
        try:
            cwd = posix.getcwd()
        except OSError:
            cwd = ""
    return World(readlink, cwd, own or home(), environment(), home_of, absent, bases)


def directories_in(argv: list[str]) -> tuple[str, ...]:
    """Directories that a command line names, also behind an option: a server may take a relative path from there."""
    words = [word.partition("=")[2] if word.startswith("-") else word for word in argv[1:]]
    found = [word for word in words if word.startswith(("/", ".")) and _is_directory(word)]
    if not found:
        return ()
    from os.path import realpath

    return tuple(dict.fromkeys(map(realpath, found)))[:MOST_BASES]


def _is_directory(path: str) -> bool:
    try:
        return S_ISDIR(posix.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_plain(path: str) -> bytes:
    """All of a plain file. Raises OSError for anything planted in its place, at once, and for a file without end."""
    fd = posix.open(path, _READ)
    try:
        found = posix.fstat(fd)
        if not S_ISREG(found.st_mode) and not S_ISDIR(found.st_mode):  # reading a directory says what it is
            raise OSError(22, "not a plain file", path)
        if found.st_size > LARGEST:
            raise OSError(27, "file too large", path)
        pieces = []
        while piece := posix.read(fd, PIECE):
            pieces.append(piece)
    finally:
        posix.close(fd)
    return b"".join(pieces)


def private_directory(path: str) -> None:
    """The directory and what it lies in, for its owner alone where we make them."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        private_directory(path.rpartition("/")[0])
        private_directory(path)


class Directories:
    """Several of them at once: absent is what none of them holds."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._all = [DirectoryNames(path) for path in dict.fromkeys(paths)]
        self._names: set[str] | None = None
        self.paths = tuple(entries.path for entries in self._all)

    def hold(self, paths: tuple[str, ...]) -> None:
        """These from now on. Nothing is surely absent until the new ones are read."""
        known = {entries.path: entries for entries in self._all}
        self._all = [known.get(path) or DirectoryNames(path) for path in dict.fromkeys(paths)]
        self._names = None
        self.paths = tuple(entries.path for entries in self._all)

    @property
    def settled(self) -> bool:
        """Nothing but another change makes another look worth while."""
        return not any(entries.young for entries in self._all)

    def refresh(self, now: int) -> None:
        """`now` in nanoseconds since the epoch, as file systems count."""
        changed = [entries.refresh(now) for entries in self._all]
        if self._names is None or True in changed:
            known = [entries.names for entries in self._all if entries.names is not None]
            self._names = set().union(*known) if len(known) == len(self._all) else None

    def absent(self, name: str) -> bool:
        return self._names is not None and name not in self._names


class DirectoryNames:
    """The names in a directory, read again only when the directory has changed; None while they are not sure.

    Asked before calls are judged, so that plain text is known to name no file without a look for each.
    """

    SETTLED = 50_000_000  # nanoseconds: a change in the same tick of the file system's clock might not show
    MOST = 50_000

    def __init__(self, path: str) -> None:
        self.path = path
        self.young = False
        self.names: set[str] | None = None
        self._changed = -1  # the state of the directory that was read

    def refresh(self, now: int) -> bool:
        """True: the names may be others now."""
        try:
            changed = posix.stat(self.path).st_mtime_ns
            if changed == self._changed:
                return False
            self.names = None
            # Young changes may hide younger ones: nothing is surely absent until they settle.
            self.young = now - changed <= self.SETTLED
            if self.young:
                return True
            names = posix.listdir(self.path)
            if len(names) <= self.MOST:
                self.names = {name.lower() for name in names}
            self._changed = changed
        except (OSError, ValueError):
            self.names, self._changed = None, -1
        return True
