"""The working directories of the server's process and of its descendants, read from the system.

Law: read, never guessed. `sh -c 'cd …'`, `env -C` and a server's own chdir all show here; a process that may not be
read, or has ended, is left out.
"""

from __future__ import annotations

import posix
import sys

from mcpgov.host import fs_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_PROCESSES = 64
MOST_THREADS = 64
FAMILY_MEMORY = 0.25  # seconds: the process tree is read less often than the directories
# macOS, <sys/proc_info.h>: proc_vnodepathinfo is two times a vnode_info of 152 bytes and a path of 1024.
VNODE_PATHS, VNODE_INFO, PATH_MAX = 9, 152, 1024


class ServerDirs:
    """Of one server. `cwd_of` gives a process's working directory, `children_of` its children."""

    def __init__(
        self,
        pid: int,
        cwd_of: Callable[[int], str] | None = None,
        children_of: Callable[[int], list[int]] | None = None,
    ) -> None:
        self._pid = pid
        if cwd_of is None or children_of is None:
            cwd_of, children_of = system()
        self._cwd_of, self._children_of = cwd_of, children_of
        self._family: list[int] = [pid]
        self._looked = -1.0

    def directories(self, now: float) -> tuple[str, ...]:
        """The working directories of all its processes now. `now` in seconds, of any clock."""
        if not 0.0 <= now - self._looked < FAMILY_MEMORY:
            self._looked = now
            self._family = self._descendants()
        return tuple(dict.fromkeys(place for pid in self._family if (place := self._cwd_of(pid))))

    def _descendants(self) -> list[int]:
        pids = [self._pid]
        for pid in pids:
            pids += [child for child in self._children_of(pid) if child not in pids][: MOST_PROCESSES - len(pids)]
        return pids


def system() -> tuple[Callable[[int], str], Callable[[int], list[int]]]:
    return macos_calls() if sys.platform == "darwin" else (linux_cwd, linux_children)


def linux_cwd(pid: int) -> str:
    try:
        return posix.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def linux_children(pid: int) -> list[int]:
    """The kernel lists children by the thread that has started them."""
    try:
        threads = posix.listdir(f"/proc/{pid}/task")[:MOST_THREADS]
    except OSError:
        return []
    return [int(word) for thread in threads for word in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _read(path: str) -> bytes:
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return posix.read(fd, 1 << 16)
    except OSError:
        return b""
    finally:
        posix.close(fd)


def macos_calls(library: str = "/usr/lib/libproc.dylib") -> tuple[Callable[[int], str], Callable[[int], list[int]]]:
    """The same from libproc; without that library nothing is known."""
    import ctypes

    try:
        libproc = ctypes.CDLL(library)
        info, listed = libproc.proc_pidinfo, libproc.proc_listchildpids
    except (OSError, AttributeError):
        return (lambda _pid: ""), (lambda _pid: [])
    info.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int]

    def cwd_of(pid: int) -> str:
        room = ctypes.create_string_buffer(2 * (VNODE_INFO + PATH_MAX))
        if info(pid, VNODE_PATHS, 0, room, len(room)) <= VNODE_INFO:
            return ""
        return fs_text(room.raw[VNODE_INFO : VNODE_INFO + PATH_MAX].partition(b"\0")[0])

    def children_of(pid: int) -> list[int]:
        room = (ctypes.c_int * MOST_PROCESSES)()
        listed(pid, room, ctypes.sizeof(room))
        return [child for child in room if child > 0]

    return cwd_of, children_of
