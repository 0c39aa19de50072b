"""Has anything changed in some directories? Linux tells by a signal; elsewhere every look is a look.

Law: it may say that something changed where nothing did. A watch is `quiet` as long as no entry of its directories was
made, changed, renamed or removed by anybody on this machine since it began to listen. One per process: the handler of
SIGIO and the descriptors are its own, one for each directory however many sessions watch it.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
from _stat import S_ISDIR, S_ISLNK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcpgov.live.shared import SessionWatch

# What a kernel tells of the entries of a directory (F_NOTIFY): changed, made, removed, renamed, given other rights.
ANY = 0x02 | 0x04 | 0x08 | 0x10 | 0x20
NAMES = 0x04 | 0x08 | 0x10


class Directory:
    """One that is listened to: what for, by how many watches, and since which signal."""

    __slots__ = ("armed", "events", "fd", "path", "watches")

    def __init__(self, path: str) -> None:
        self.path = path
        self.fd = _open(path)
        self.events = 0
        self.armed = -1
        self.watches = 0

    def follow(self) -> None:
        """Another directory may have taken the name."""
        there, held = posix.lstat(self.path), posix.fstat(self.fd)
        if (there.st_dev, there.st_ino) != (held.st_dev, held.st_ino):
            fd = _open(self.path)
            posix.close(self.fd)
            self.fd, self.armed = fd, -1


class DirNotify:
    """Every directory that some session watches. `rouse` tells all watches that something may have changed."""

    def __init__(self, rouse: Callable[[], None]) -> None:
        self._rouse = rouse
        self._directories: dict[str, Directory] = {}
        self._signals = 0
        # INVARIANT: the handler stands before the first signal can come; unheard, it would end the process.
        _signal.signal(_signal.SIGIO, self._heard)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGIO,))  # a client may have it blocked

    def follow(self, watch: SessionWatch, names: Sequence[str], files: Sequence[str], others: Sequence[str]) -> bool:
        """Listen to what decides for a session: in `names` (directories) new names matter, of `files` and `others`
        everything does.
        """
        whole = [*map(_above, files), *(place for file in others for place in watchable(file))]
        roots = [_above(place) for place in (*names, *whole)]  # where the directories themselves come and go
        wanted = {**dict.fromkeys((*roots, *names), NAMES), **dict.fromkeys(whole, ANY)}
        return self.listen(watch, wanted, [*files, *others])

    def listen(self, watch: SessionWatch, paths: dict[str, int], files: Sequence[str] = ()) -> bool:
        """From now on tell what changes; then look, so that nothing is missed. False: it cannot be told.

        `paths`: what to listen for in which directory. One signal is enough: the kernel forgets the rest.
        `files`: those of which every change is to be told.
        """
        watch.invalidate()
        if watch.refused and watch.refused == paths:
            self.leave(watch)
            return False
        try:
            if watch.paths != paths:
                self._exchange(watch, paths)
            # INVARIANT: before the first signal can come, or one that comes while we arm would be forgotten.
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
        """Other directories take the place of those before."""
        before, watch.paths = watch.paths, {}
        try:
            for path, events in paths.items():
                found = self._directories.get(path)
                if found is None:
                    found = self._directories[path] = Directory(path)
                found.watches += 1
                watch.paths[path] = events
        finally:
            self._release(before)

    def _arm(self, directory: Directory, events: int) -> None:
        """A directory that another watch has armed since the last signal need not be armed again."""
        now = self._signals
        # However quiet it is: nobody tells when something far above it is renamed.
        directory.follow()
        if directory.armed == now and not events & ~directory.events:
            return
        import fcntl

        directory.events |= events
        fcntl.fcntl(directory.fd, fcntl.F_NOTIFY, directory.events)
        directory.armed = now

    def leave(self, watch: SessionWatch) -> None:
        """A session ends, or cannot be told."""
        before, watch.paths = watch.paths, {}
        self._release(before)

    def _release(self, paths: dict[str, int]) -> None:
        for path in paths:
            found = self._directories[path]
            found.watches -= 1
            if not found.watches:
                posix.close(found.fd)
                del self._directories[path]

    def _heard(self, _number: int, _frame: object) -> None:
        self._signals += 1
        self._rouse()

    def close(self) -> None:
        """The process goes on without it. The handler stays: a signal may be on its way."""
        for found in self._directories.values():
            posix.close(found.fd)
        self._directories = {}


def _open(path: str) -> int:
    from os.path import realpath

    # A path that leads through a link can change its meaning elsewhere.
    if realpath(path) != path:
        raise OSError("not a directory of its own")
    return posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)


def _above(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def watchable(path: str) -> list[str]:
    """The directories that tell what becomes of a path: itself if it is one, and what it lies in or would lie in.

    Nothing where a link leads there: then it is looked at once a second.
    """
    from os.path import isdir, realpath

    above = _above(path)
    while not isdir(above):
        above = _above(above)
    found = [above, *([path] if isdir(path) else [])]
    return [place for place in found if realpath(place) == place]


def _has_other_ways(file: str) -> bool:
    """Can it be changed where its directory is not told: behind a link, or by another name?"""
    try:
        found = posix.lstat(file)
    except OSError:
        return False  # it is not there, and its directory tells when it comes
    return S_ISLNK(found.st_mode) or (found.st_nlink > 1 and not S_ISDIR(found.st_mode))
