"""The directories that a server's relative paths may begin in: where it was started, and where its processes are now.

Law: asked, never guessed. `sh -c 'cd …'`, `env -C` and a server's own chdir all show here; a process that may not be
asked, or is gone, is left out.
"""

from __future__ import annotations

import posix
import sys

from mcpgov import machine
from mcpgov.core.decoding import World
from mcpgov.core.standing import Policy
from mcpgov.machine import fs_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.ruleset import RuleSet
    from mcpgov.live.policy_in_force import PolicyInForce

LINK_MEMORY = 1.0  # seconds
FIRST_BASES, MOST_BASES = 9, 32  # those of the start stay in any case
MOST_POLICIES = 64
MOST_PROCESSES = 64
MOST_THREADS = 64
FAMILY_MEMORY = 0.25  # seconds: who has started whom is looked up less often than where they are
# macOS, <sys/proc_info.h>: proc_vnodepathinfo is two times a vnode_info of 152 bytes and a path of 1024.
VNODE_PATHS, VNODE_INFO, PATH_MAX = 9, 152, 1024


class Place:
    """One world that policies are judged in. Sessions may share it as long as their servers have the same directories.

    `looked`: when it was last looked up where the rules' own directories lie; `version` counts what came of it.
    """

    def __init__(self, home: str, argv: list[str] | None = None, here: str | None = None) -> None:
        """`here`: where the server is started; None for one that has no directory on this machine."""
        bases = machine.directories_in(argv) if argv else ()
        self.entries = machine.Directories(bases if here is None else (here, *bases))
        self.world = machine.world(here or "", self.entries.absent, home, bases)
        self.looked = 0.0
        self.version = 0
        self._made: dict[PolicyInForce, tuple[tuple[RuleSet, RuleSet | None], Policy]] = {}

    def apart(self) -> Place:
        """The same place for one session alone, whose directories may become others."""
        made, old = Place.__new__(Place), self.world
        made.entries = machine.Directories(self.entries.paths)
        made.world = World(old.readlink, old.cwd, old.home, old.env, old.home_of, made.entries.absent)
        made.world.bases = old.bases
        made.looked, made.version, made._made = 0.0, 0, {}
        return made

    def policy(self, in_force: PolicyInForce) -> Policy | None:
        """The policy in force, judged here: the same object for every session until the rules are others."""
        rules = in_force.rules
        if rules is None:
            return None
        known = self._made.get(in_force)
        if known is None or known[0] is not rules:
            own, project = rules
            made = Policy(own.in_world(self.world), project.in_world(self.world) if project is not None else None)
            if len(self._made) >= MOST_POLICIES:
                self._made.clear()
            known = self._made[in_force] = (rules, made)
        return known[1]

    def look(self, now: float) -> None:
        """Once a second, however many sessions ask: where do the rules' own directories lie?"""
        if 0.0 <= now - self.looked <= LINK_MEMORY:
            return
        self.looked = now
        self.forget_links()

    def forget_links(self) -> None:
        for _, policy in self._made.values():
            self.version += policy.forget_links()

    def add(self, places: tuple[str, ...]) -> None:
        """More directories that a relative path may begin in. Those from before stay: a server may remember them."""
        known = self.world.bases
        kept = known if len(known) < MOST_BASES else known[:FIRST_BASES]
        self.world.bases = (*kept, *places[:MOST_BASES])
        self.entries.hold(self.world.bases)
        self.forget_links()


class Whereabouts:
    """Of one server. `cwd_of` and `children_of` say of a process where it is, and whom it has started."""

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
        """Where they all are at this moment. `now` in seconds, of any clock."""
        if not 0.0 <= now - self._looked < FAMILY_MEMORY:
            self._looked = now
            self._family = self._descendants()
        return tuple(dict.fromkeys(place for pid in self._family if (place := self._cwd_of(pid))))

    def _descendants(self) -> list[int]:
        found = [self._pid]
        for pid in found:
            found += [child for child in self._children_of(pid) if child not in found][: MOST_PROCESSES - len(found)]
        return found


def system() -> tuple[Callable[[int], str], Callable[[int], list[int]]]:
    return macos_calls() if sys.platform == "darwin" else (linux_cwd, linux_children)


def linux_cwd(pid: int) -> str:
    try:
        return posix.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def linux_children(pid: int) -> list[int]:
    """Children belong to the thread that has started them."""
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
    """The same from libproc; what cannot be loaded says nothing."""
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
