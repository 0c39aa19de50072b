"""Has anything stirred in some directories? Linux tells by a signal; elsewhere every look is a look.

Law: it may say that something stirred where nothing did. `quiet` means that since `listen` no entry of the directories
was made, changed, renamed or removed by anybody on this machine.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself costs an enum at every start
import posix
from _stat import S_ISDIR, S_ISLNK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What a kernel tells of the entries of a directory (F_NOTIFY): changed, made, removed, renamed, given other rights.
ANY = 0x02 | 0x04 | 0x08 | 0x10 | 0x20
NAMES = 0x04 | 0x08 | 0x10


class Stirs:
    """The directories that are listened to. `quiet`: nobody need look again before `until`."""

    __slots__ = ("_fds", "_paths", "_refused", "quiet", "until")

    def __init__(self) -> None:
        self.quiet = False
        self.until = 0.0  # in seconds since the epoch; set by those who looked
        self._paths: dict[str, int] = {}
        self._fds: list[tuple[int, int]] = []
        self._refused: dict[str, int] = {}  # what could not be listened to is not tried again

    def listen(self, paths: dict[str, int], files: Sequence[str] = ()) -> bool:
        """From now on tell what stirs; then look, so that nothing is missed. False: it cannot be told.

        `paths`: what to listen for in which directory. One sign is enough: the kernel forgets the rest.
        `files`: those of which every change is to be told.
        """
        self.rouse()
        if self._refused and self._refused == paths:
            self.close()
            return False
        try:
            if self._paths != paths or not self._in_place():
                self.close()
                self._open(paths)
            import fcntl

            # INVARIANT: before the first sign can come, or a sign that comes while we arm would be forgotten.
            self.quiet = bool(self._fds)
            for fd, events in self._fds:
                fcntl.fcntl(fd, fcntl.F_NOTIFY, events)
            if any(map(_has_other_ways, files)):
                self.rouse()
                return False
        except (OSError, ImportError, AttributeError):
            self._refused = dict(paths)
            self.rouse()
            self.close()
            return False
        return bool(self._fds)

    def _in_place(self) -> bool:
        """Are the directories still those of that name?"""
        there = [posix.stat(path) for path in self._paths]
        held = [posix.fstat(fd) for fd, _ in self._fds]
        return [(one.st_dev, one.st_ino) for one in there] == [(one.st_dev, one.st_ino) for one in held]

    def _open(self, paths: dict[str, int]) -> None:
        from os.path import realpath

        # INVARIANT: the handler stands before the first sign can come; unheard, the signal would end us.
        _signal.signal(_signal.SIGIO, self._heard)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGIO,))  # a client may have it blocked
        for path, events in paths.items():
            # A path that leads through a link can change its meaning elsewhere.
            if realpath(path) != path:
                raise OSError("not a directory of its own")
            fd = posix.open(path, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
            self._fds.append((fd, events))
        self._paths = dict(paths)

    def rouse(self) -> None:
        """Something may have stirred."""
        self.quiet = False
        self.until = 0.0

    def _heard(self, _number: int, _frame: object) -> None:
        self.rouse()

    def close(self) -> None:
        for fd, _ in self._fds:
            posix.close(fd)
        self._fds, self._paths = [], {}


def watchable(path: str) -> list[str]:
    """The directories that tell what becomes of a path: itself if it is one, and what it lies in or would lie in.

    Nothing where a link leads there: then it is looked at once a second.
    """
    from os.path import isdir, realpath

    above = path.rpartition("/")[0] or "/"
    while not isdir(above):
        above = above.rpartition("/")[0] or "/"
    found = [above, *([path] if isdir(path) else [])]
    return [place for place in found if realpath(place) == place]


def _has_other_ways(file: str) -> bool:
    """Can it be changed where its directory is not told: behind a link, or by another name?"""
    try:
        found = posix.lstat(file)
    except OSError:
        return False  # it is not there, and its directory tells when it comes
    return S_ISLNK(found.st_mode) or (found.st_nlink > 1 and not S_ISDIR(found.st_mode))
