"""The machine behind core's World: links, home, working directory. Leaf; used by proxy and front.

Law: `os` is imported only where a path needs it: it costs a millisecond of every start, `posix` costs nothing.
"""

from __future__ import annotations

import posix
import sys
import time
from _stat import S_ISDIR, S_ISREG

from mcpgov.core.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    T = TypeVar("T")

MOST_BASES = 8
LARGEST = 64 * 1024 * 1024
PIECE = 1 << 20
_READ = posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK | posix.O_NOCTTY


def readlink(path: str) -> str | None:
    """The target text of a link; "" if the path does not exist; None for anything else, or if it cannot be read."""
    try:
        return posix.readlink(path)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def fs_text(raw: bytes) -> str:
    return raw.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def environment() -> Mapping[str, str]:
    """The process's environment, or `os.environ` if `os` is loaded: a caller may have changed it there."""
    loaded = sys.modules.get("os")
    if loaded is not None:
        environ: Mapping[str, str] = loaded.environ
        return environ
    return {fs_text(key): fs_text(value) for key, value in posix.environ.items()}


def absolute(path: str) -> str:
    """Equal to os.path.abspath()."""
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
    home_variable = environment().get("HOME")
    if home_variable:
        return home_variable
    import pwd

    return pwd.getpwuid(posix.getuid()).pw_dir


def local_day(now: float) -> str:
    """Today's date in the machine's time zone."""
    return "{:04}-{:02}-{:02}".format(*local_time(now)[:3])


def local_time(now: float) -> tuple[int, ...]:
    return in_machine_zone(lambda: tuple(time.localtime(now)))


def moment_of(parts: tuple[int, int, int, int, int, int, int, int, int]) -> float:
    """time.mktime() in the machine's time zone."""
    return in_machine_zone(lambda: time.mktime(parts))


def in_machine_zone(do: Callable[[], T]) -> T:
    """`TZ` of an entry or a shell is ignored, so nobody can shift the day."""
    zone = environment().get("TZ")
    if zone is None:
        return do()
    posix.unsetenv("TZ")
    time.tzset()
    try:
        return do()
    finally:
        posix.putenv("TZ", zone)
        time.tzset()


def world(
    cwd: str | None = None, absent: Callable[[str], bool] | None = None, own: str = "", bases: tuple[str, ...] = ()
) -> World:
    """`own`: the person's home, if HOME may be another; `bases`: further directories relative paths may start from."""
    if cwd is None:
        try:
            cwd = posix.getcwd()
        except OSError:
            cwd = ""
    return World(readlink, cwd, own or home(), environment(), home_of, absent, bases)


def directories_in(argv: list[str]) -> tuple[str, ...]:
    """The directories named on a command line, also as an option's value: a server may resolve relative paths there."""
    words = [word.partition("=")[2] if word.startswith("-") else word for word in argv[1:]]
    directories = [word for word in words if word.startswith(("/", ".")) and _is_directory(word)]
    if not directories:
        return ()
    from os.path import realpath

    return tuple(dict.fromkeys(map(realpath, directories)))[:MOST_BASES]


def _is_directory(path: str) -> bool:
    try:
        return S_ISDIR(posix.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_plain(path: str, limit: int = LARGEST) -> bytes:
    """The contents of a plain file. Raises OSError for anything else, without waiting, and beyond `limit` bytes."""
    fd = posix.open(path, _READ)
    try:
        mode = posix.fstat(fd).st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):  # reading a directory fails with EISDIR
            raise OSError(22, "not a plain file", path)
        pieces, size = [], 0
        while size <= limit and (piece := posix.read(fd, PIECE)):
            pieces.append(piece)
            size += len(piece)
    finally:
        posix.close(fd)
    if size > limit:
        raise OSError(27, f"larger than {limit} bytes", path)
    return b"".join(pieces)


def private_directory(path: str) -> None:
    """Create the directory and its parents, private to their owner, where they are missing."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        private_directory(path.rpartition("/")[0])
        private_directory(path)


class Directories:
    """The names in several directories: a name is absent if none of them has it."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._all = [DirectoryNames(path) for path in dict.fromkeys(paths)]
        self._names: set[str] | None = None
        self.paths = tuple(entries.path for entries in self._all)

    def hold(self, paths: tuple[str, ...]) -> None:
        """Replace the set of directories. No name counts as absent until the new ones have been read."""
        known = {entries.path: entries for entries in self._all}
        self._all = [known.get(path) or DirectoryNames(path) for path in dict.fromkeys(paths)]
        self._names = None
        self.paths = tuple(entries.path for entries in self._all)

    @property
    def settled(self) -> bool:
        """Reading again is useless until something changes."""
        return not any(entries.young for entries in self._all)

    def refresh(self, now: int) -> None:
        """`now`: nanoseconds since the epoch, as in file times."""
        changed = [entries.refresh(now) for entries in self._all]
        if self._names is None or True in changed:
            known = [entries.names for entries in self._all if entries.names is not None]
            self._names = set().union(*known) if len(known) == len(self._all) else None

    def absent(self, name: str) -> bool:
        return self._names is not None and name not in self._names


class DirectoryNames:
    """The names in a directory, read again only after a change; None while they are uncertain.

    With them a text in a call is known to name no file without one lookup per text.
    """

    SETTLED = 50_000_000  # nanoseconds: a second change within one tick of the file system's clock leaves the same time
    MOST = 50_000

    def __init__(self, path: str) -> None:
        self.path = path
        self.young = False
        self.names: set[str] | None = None
        self._changed = -1  # mtime of the directory when it was read

    def refresh(self, now: int) -> bool:
        """True if the names may have changed."""
        try:
            changed = posix.stat(self.path).st_mtime_ns
            if changed == self._changed:
                return False
            self.names = None
            # A recent change may hide a later one in the same tick: no name counts as absent until it has settled.
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
