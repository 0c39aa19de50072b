"""What is in force right now: lock, policy, day, directories, accepted tools. Looked at before judging.

Laws: a lock and a changed policy hold from the next message on; a broken policy changes nothing, and is said and
recorded once.
"""

from __future__ import annotations

import posix
import time

from mcpgov.core.session.session import Session, Who
from mcpgov.core.session.tool_list import HOLDING, Pins, ToolList
from mcpgov.live.journal_writer import digest_text
from mcpgov.live.server_world import LINK_MEMORY, ServerWorld
from mcpgov.live.shared import Live, SessionWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.session.session_policy import Policy
    from mcpgov.live.server_dirs import ServerDirs

# Seconds for which the server's directories are kept for plain calls. Where a rule reads a relative path, and where a
# full refresh is due, the system is asked each time.
LOCATED = 0.005
FEW_REFRESHES = 8
LOCK_FILE = "lock.json"  # in the state directory, as `places` has it
MOST_LISTENS = 4  # a second


class SessionStart:
    """What a transport knows of a session when it begins.

    `options`: the proxy's own. `watched`: directories in which new and vanished names matter as well, asked for when
    we begin to listen. `pid`: the server's. `world`: shared with other sessions; None: a world of its own.
    """

    __slots__ = ("argv", "options", "pid", "watched", "who", "world")

    def __init__(
        self,
        options: dict[str, str],
        argv: list[str],
        who: Who,
        watched: Callable[[], tuple[str, ...]] = tuple,
        pid: int = 0,
        world: ServerWorld | None = None,
    ) -> None:
        self.options, self.argv, self.who = options, argv, who
        self.watched, self.pid, self.world = watched, pid, world


class SessionRefresh:
    """Keeps one session's knowledge of the machine up to date. `record` writes a record, `say` informs the person."""

    def __init__(
        self,
        live: Live,
        start: SessionStart,
        record: Callable[[dict[str, object]], None],
        say: Callable[[str], None],
    ) -> None:
        self._live, self._record, self._say = live, record, say
        self._watched, self._pid, who = start.watched, start.pid, start.who
        self._shared = start.world is not None
        self._world = start.world or ServerWorld(live.where["home"], start.argv, _here())
        self._version = self._world.version
        self._server_dirs: ServerDirs | None = None
        self.located = 0.0  # when the system was last asked for the server's directories
        if start.pid:
            self._world.world.locate = self.locate
        self.policies = live.policies.in_force(start.options.get("policy", ""), start.options.get("project", ""))
        self._pins, pins = self._load_pins(who.server)
        self.session = Session(who, None, ToolList(pins, "log"), digest_text, time.monotonic_ns, live.fingerprint)
        self.session.on_roots = self._widen
        self.answered = True  # the server has answered since its directories were read
        self.watch = SessionWatch()
        live.watches.add(self.watch)
        self._refreshes = 0
        self._state = live.where["tools"].rpartition("/")[0]
        self._listens = 0
        self.looked = 0.0
        self._reported_error = ""
        self._started = False
        self.refresh()

    def close(self) -> None:
        """The session is over; the process goes on."""
        self._live.leave(self.watch)
        self.policies.users -= 1

    def is_fresh(self, now: float) -> bool:
        """Nothing has changed, nothing is waited for, and the last refresh was recent."""
        return self.looked <= now < self.watch.until

    def refresh(self) -> None:
        """Called before a batch is judged. Without change notifications it costs two stats."""
        now = time.time()
        if self.answered and self.session.judged:
            self.locate()
        if self.is_fresh(now):
            return
        if not 0.0 <= now - self.looked <= LINK_MEMORY:
            self.looked = now
            self._listens = 0
            self._look_around(now)
        listening = self._listen()
        self._look_at_lock()
        if self.answered or listening:
            # A client's call can depend on what the server did only after the server has answered.
            self.answered = False
            self._world.entries.refresh(int(now * 1e9))
            if not self._world.entries.settled:
                self.watch.invalidate()
        awaits = self.session.tool_list.awaits_acceptance
        if awaits:
            self._look_at_pins()
        if not self.policies.is_fresh(now):
            self.policies.refresh(now)
        self._renew()
        # A full refresh is due then, even if nothing was reported.
        self.watch.until = min(self.looked, self.policies.looked) + LINK_MEMORY
        # INVARIANT: checked last, so that a notification that comes meanwhile is not lost.
        if awaits or not self.watch.quiet or self.policies.busy:
            self.watch.invalidate()

    def locate(self) -> None:
        """Ask the system for the server's working directories: a relative path starts there."""
        if not self._pid:
            return
        if self._server_dirs is None:
            from mcpgov.live.server_dirs import ServerDirs

            self._server_dirs = ServerDirs(self._pid)
        self.located = time.time()
        self._widen(self._server_dirs.directories(self.located))

    def _widen(self, places: tuple[str, ...]) -> None:
        """More directories that a relative path may start from."""
        known = self._world.world.bases
        new = tuple(place for place in places if place not in known)
        if not new:
            return
        if self._shared:
            # INVARIANT: what one session's client says changes no other session's verdicts.
            self._shared, self._world = False, self._world.copy()
            self.session.policy = self._world.policy(self.policies)
        self._world.add(new)
        self.answered = True  # so that they are read
        self.watch.invalidate()
        self._forget_shapes()

    def _forget_shapes(self) -> None:
        self._version = self._world.version
        self.session.forget_shapes()

    def _listen(self) -> bool:
        """Neither a short session nor a directory that changes all the time is worth a change notification."""
        self._refreshes += 1
        if self._refreshes <= FEW_REFRESHES or self._listens == MOST_LISTENS:
            return False
        self._listens += 1
        from os.path import isdir, realpath

        state = realpath(self._state)  # where a lock comes and goes
        names = (*self._world.entries.paths, *self._watched(), *((state,) if isdir(state) else ()))
        return self._live.notify.follow(self.watch, names, self.policies.files, self.policies.others)

    def _look_at_lock(self) -> None:
        """Has a person locked everything? Where that cannot be told it counts as locked."""
        try:
            posix.lstat(f"{self._state}/{LOCK_FILE}")
            locked = True
        except FileNotFoundError:
            locked = False
        except OSError:
            locked = True
        if locked != self.session.locked:
            self.session.locked = locked
            self._record({"dir": "proxy", "method": "", "action": "locked" if locked else "unlocked"})

    def compiled(self) -> None:
        """The compiling child has written something."""
        self.policies.advance()
        self._renew()

    def _renew(self) -> None:
        """Take other rules, which another session or the compiling child may have loaded."""
        policy = self._world.policy(self.policies)
        if policy is not self.session.policy:
            self._take(policy)
        if self.policies.error != self._reported_error:
            self._report_error()

    def _look_around(self, now: float) -> None:
        """Once a second: links in the rules' directories, the day, the tools that a person has accepted."""
        self._world.look(now)
        self.looked = self._world.looked  # another session may have done it before
        if self._world.version != self._version:
            self._forget_shapes()
        self.session.today = self._live.today(now)
        self._look_at_pins()

    def _take(self, policy: Policy | None) -> None:
        self.watch.invalidate()  # its files may be elsewhere now
        session = self.session
        session.policy = policy
        self._forget_shapes()
        if policy is None:
            return
        session.tool_list.mode = str(policy.rules.head.get("pin") or "log")
        if self._started:
            self._record({"dir": "proxy", "method": "", "action": "reloaded", "revision": policy.rules.revision})
        self._started = True

    def _report_error(self) -> None:
        error = self._reported_error = self.policies.error
        if error:
            self._say(f"mcpgov: {error}")
            kept = "kept" if self.session.policy is not None else "none"
            self._record({"dir": "proxy", "method": "", "action": "broken", "why": error[:500], "rules": kept})

    # --- tools

    def _look_at_pins(self) -> None:
        """Load what another session has listed or a person has accepted."""
        session = self.session
        if self._live.pins.state(session.who.server) == self._pins:
            return
        listing = session.tool_list
        if listing.pins.unsaved:
            return
        self._pins, pins = self._load_pins(session.who.server)
        if pins.damaged:
            return  # the pins of before are better than none
        listing.pins = pins
        listing.held = {name for name in listing.held if name in listing.pins.changed}
        if listing.mode in HOLDING:
            session.forget_shapes()

    def _load_pins(self, server: str) -> tuple[tuple[int, int, int], Pins]:
        state, pins = self._live.pins.load(server)
        if pins.damaged:
            why = f"what was known of the tools of `{server}` cannot be read: {pins.damaged}"
            self._say(f"mcpgov: {why}; every tool counts as new (`mcpgov tools`)")
            self._record({"dir": "proxy", "method": "tools/list", "action": "broken", "why": why[:500]})
        return state, pins

    def save_pins(self) -> None:
        session = self.session
        pins, store = session.tool_list.pins, self._live.pins
        if pins.unsaved:
            pins.unsaved = not store.save(session.who.server, pins)
            pins.damaged = pins.damaged if pins.unsaved else ""
            self._pins = store.state(session.who.server)


def _here() -> str:
    try:
        return posix.getcwd()
    except OSError:
        return ""  # a removed directory has no name
