"""Change notifications for directories. Linux sends a signal (F_NOTIFY); elsewhere there are none, and files are read.

Law: a notification may come although nothing has changed. A watch is `quiet` as long as no entry of its directories was
created, changed, renamed or removed on this machine since it began to listen. One object per process: it owns the
handler of SIGIO and one descriptor for each directory, however many sessions watch it.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
from _stat import S_ISDIR, S_ISLNK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcpgov.live.shared import SessionWatch

# F_NOTIFY events of a directory's entries: modify, create, delete, rename, attributes.
ANY = 0x02 | 0x04 | 0x08 | 0x10 | 0x20
NAMES = 0x04 | 0x08 | 0x10


class Directory:
    """A directory with notifications: for which events, for how many watches, and armed since which signal."""

    __slots__ = ("armed", "events", "fd", "path", "watches")

    def __init__(self, path: str) -> None:
        self.path = path
        self.fd = _open(path)
        self.events = 0
        self.armed = -1
        self.watches = 0

    def follow(self) -> None:
        """Reopen the path if another directory has taken the name."""
        current, opened = posix.lstat(self.path), posix.fstat(self.fd)
        if (current.st_dev, current.st_ino) != (opened.st_dev, opened.st_ino):
            fd = _open(self.path)
            posix.close(self.fd)
            self.fd, self.armed = fd, -1


class DirNotify:
    """Every directory that a session watches. `invalidate` tells all watches that something may have changed."""

    def __init__(self, invalidate: Callable[[], None]) -> None:
        self._invalidate = invalidate
        self._directories: dict[str, Directory] = {}
        self._signals = 0
        # INVARIANT: the handler is set before the first signal can come; without one it would end the process.
        _signal.signal(_signal.SIGIO, self._on_signal)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGIO,))  # the client may have blocked it

    def follow(self, watch: SessionWatch, names: Sequence[str], files: Sequence[str], others: Sequence[str]) -> bool:
        """Listen to what decides for a session: in the directories `names` only names matter, of `files` and `others`
        every change does.
        """
        found = [pair for file in others for pair in watchable(file)]
        places = [place for place, _ in found]
        whole = [*map(_above, files), *(place for place, events in found if events == ANY)]
        # Where the directories themselves are created and removed.
        roots = [_above(place) for place in (*names, *whole, *places)]
        wanted = {**dict.fromkeys((*roots, *names, *places), NAMES), **dict.fromkeys(whole, ANY)}
        return self.listen(watch, wanted, [*files, *others])

    def listen(self, watch: SessionWatch, paths: dict[str, int], files: Sequence[str] = ()) -> bool:
        """Notify of changes from now on; the caller reads afterwards, so that nothing is missed. False: not possible.

        `paths`: the events to listen for in each directory. The kernel sends one signal, then the directory is unarmed.
        `files`: those of which every change must be noticed.
        """
        watch.invalidate()
        if watch.refused and watch.refused == paths:
            self.leave(watch)
            return False
        try:
            if watch.paths != paths:
                self._exchange(watch, paths)
            # INVARIANT: set before the first signal can come; one that comes while we arm must reset it.
            watch.quiet = bool(paths)
            for path, events in paths.items():
                self._arm(self._directories[path], events)
            if any(map(_has_other_ways, files)):
                watch.invalidate()
                return False
        except (OSError, ImportError, AttributeError):
            watch.refused = dict(paths)
            watch.invalidate()
            self.leave(watch)
            return False
        return bool(paths)

    def _exchange(self, watch: SessionWatch, paths: dict[str, int]) -> None:
        """Watch these directories instead of those before."""
        before, watch.paths = watch.paths, {}
        try:
            for path, events in paths.items():
                directory = self._directories.get(path)
                if directory is None:
                    directory = self._directories[path] = Directory(path)
                directory.watches += 1
                watch.paths[path] = events
        finally:
            self._release(before)

    def _arm(self, directory: Directory, events: int) -> None:
        """Arm a directory, unless another watch has done so since the last signal."""
        now = self._signals
        # Always checked: there is no notification when a directory far above is renamed.
        directory.follow()
        if directory.armed == now and not events & ~directory.events:
            return
        import fcntl

        directory.events |= events
        fcntl.fcntl(directory.fd, fcntl.F_NOTIFY, directory.events)
        directory.armed = now

    def leave(self, watch: SessionWatch) -> None:
        """The session ends, or its directories cannot be watched."""
        before, watch.paths = watch.paths, {}
        self._release(before)

    def _release(self, paths: dict[str, int]) -> None:
        for path in paths:
            directory = self._directories[path]
            directory.watches -= 1
            if not directory.watches:
                posix.close(directory.fd)
                del self._directories[path]

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._signals += 1
        self._invalidate()

    def close(self) -> None:
        """Close all descriptors. The handler stays: a signal may be on its way."""
        for directory in self._directories.values():
            posix.close(directory.fd)
        self._directories = {}


def _open(path: str) -> int:
    from os.path import realpath

    # A path through a link can change its meaning in a directory that is not watched.
    if realpath(path) != path:
        raise OSError("not a directory of its own")
    return posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)


def _above(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def watchable(path: str) -> list[tuple[str, int]]:
    """The directories to watch for a path, and the events: itself if it is one, and its nearest parent that exists.

    None if a link leads there: then the path is read once a second.
    """
    from os.path import isdir, realpath

    above = _above(path)
    while not isdir(above):
        above = _above(above)
    # In a directory further up only a new name matters. Its other files may be written all the time, as the ledger is.
    found = [(above, ANY if above == _above(path) else NAMES), *([(path, ANY)] if isdir(path) else [])]
    return [(place, events) for place, events in found if realpath(place) == place]


def _has_other_ways(file: str) -> bool:
    """Can it be changed without a notification of its directory: through a link, or by another hard link?"""
    try:
        info = posix.lstat(file)
    except OSError:
        return False  # it does not exist, and its directory notifies when it is created
    return S_ISLNK(info.st_mode) or (info.st_nlink > 1 and not S_ISDIR(info.st_mode))
