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
from mcpgov.live.policy_in_force import LINK_MEMORY, ServerWorld
from mcpgov.live.shared import Live, SessionWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.session.session_policy import Policy
    from mcpgov.live.server_dirs import ServerDirs

# Seconds after which plain calls are judged by where the server is now. Where a rule reads a relative path, and where
# a look at the machine is due, the system is asked each time.
LOCATED = 0.005
FEW_LOOKS = 8
LOCK_FILE = "lock.json"  # in the state directory, as `places` has it
MOST_LISTENS = 4  # a second


class SessionRefresh:
    """Keeps one session's knowledge of the machine up to date. `note` records, `say` tells the person."""

    def __init__(
        self,
        options: dict[str, str],
        home: dict[str, str],
        argv: list[str],
        who: Who,
        note: Callable[[dict[str, object]], None],
        say: Callable[[str], None],
        watched: Callable[[], tuple[str, ...]] = tuple,
        pid: int = 0,
        live: Live | None = None,
        place: ServerWorld | None = None,
    ) -> None:
        """`watched`: directories in which new and vanished names matter as well, asked for when we begin to listen;
        `pid`: the server's. `live`: what the sessions of this process share, `place`: shared with other sessions too.
        """
        self._live = live = live or Live(home)
        self._note = note
        self._say = say
        self._watched = watched
        self._shared = place is not None
        self._place = place or ServerWorld(home["home"], argv, _here())
        self._version = self._place.version
        self._pid = pid
        self._whereabouts: ServerDirs | None = None
        self.located = 0.0  # when the system was last asked where the server is
        if pid:
            self._place.world.locate = self.locate
        self.policies = live.policies.in_force(options.get("policy", ""), options.get("project", ""))
        self._pins, pins = self._load_pins(who.server)
        self.session = Session(who, None, ToolList(pins, "log"), digest_text, time.monotonic_ns, live.fingerprint)
        self.session.on_roots = self._widen
        self.answered = True  # the server has spoken since the directory was looked at
        self.watch = SessionWatch()
        live.watches.add(self.watch)
        self._state = home["tools"].rpartition("/")[0]
        self._looks = 0
        self._listens = 0
        self.looked = 0.0
        self._complained = ""
        self._started = False
        self.refresh()

    def close(self) -> None:
        """The session is over; the process goes on."""
        self._live.leave(self.watch)
        self.policies.users -= 1

    def is_fresh(self, now: float) -> bool:
        """Nothing has stirred, nobody is waited for, and the last look was just now."""
        return self.looked <= now < self.watch.until

    def refresh(self) -> None:
        """Before a batch is judged. Without signs that nothing has stirred, two stats."""
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
            # Calls sent before an answer came cannot follow from it; what a server did is seen once it has spoken.
            self.answered = False
            self._place.entries.refresh(int(now * 1e9))
            if not self._place.entries.settled:
                self.watch.invalidate()
        # Only a mode that holds calls back waits for a person who may accept a tool at any moment.
        holds = bool(self.session.tool_list.held) and self.session.tool_list.mode in HOLDING
        if holds:
            self._look_at_pins()
        if not self.policies.is_fresh(now):
            self.policies.refresh(now)
        self._renew()
        # However quiet it is, a look at everything is due then.
        self.watch.until = min(self.looked, self.policies.looked) + LINK_MEMORY
        # INVARIANT: asked last, so that a sign that comes between the two is not lost.
        if holds or not self.watch.quiet or self.policies.busy:
            self.watch.invalidate()

    def locate(self) -> None:
        """Ask the system where the server is: a relative path begins there, wherever it was started."""
        if not self._pid:
            return
        if self._whereabouts is None:
            from mcpgov.live.server_dirs import ServerDirs

            self._whereabouts = ServerDirs(self._pid)
        self.located = time.time()
        self._widen(self._whereabouts.directories(self.located))

    def _widen(self, places: tuple[str, ...]) -> None:
        """More directories that a relative path may begin in."""
        known = self._place.world.bases
        new = tuple(place for place in places if place not in known)
        if not new:
            return
        if self._shared:
            # INVARIANT: what one session's client says changes no other session's verdicts.
            self._shared, self._place = False, self._place.apart()
            self.session.policy = self._place.policy(self.policies)
        self._place.add(new)
        self.answered = True  # so that they are read
        self.watch.invalidate()
        self._forget_shapes()

    def _forget_shapes(self) -> None:
        self._version = self._place.version
        self.session.forget_shapes()

    def _listen(self) -> bool:
        """Neither a short conversation nor a restless directory is worth the listening."""
        self._looks += 1
        if self._looks <= FEW_LOOKS or self._listens == MOST_LISTENS:
            return False
        self._listens += 1
        from os.path import isdir, realpath

        state = realpath(self._state)  # where a lock comes and goes
        names = (*self._place.entries.paths, *self._watched(), *((state,) if isdir(state) else ()))
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
            self._note({"dir": "proxy", "method": "", "action": "locked" if locked else "unlocked"})

    def compiled(self) -> None:
        """Something came from the compiler."""
        self.policies.advance()
        self._renew()

    def _renew(self) -> None:
        """Another session, or the compiler, may have brought other rules."""
        policy = self._place.policy(self.policies)
        if policy is not self.session.policy:
            self._take(policy)
        if self.policies.error != self._complained:
            self._complain()

    def _look_around(self, now: float) -> None:
        """Once a second: where the rules' directories lie, the day, what a person has accepted."""
        self._place.look(now)
        self.looked = self._place.looked  # another session may have looked before
        if self._place.version != self._version:
            self._forget_shapes()
        self.session.today = self._live.today(now)
        self._look_at_pins()

    def _take(self, policy: Policy | None) -> None:
        self.watch.invalidate()  # it may lie elsewhere now
        session = self.session
        session.policy = policy
        self._forget_shapes()
        if policy is None:
            return
        session.tool_list.mode = str(policy.rules.head.get("pin") or "log")
        if self._started:
            self._note({"dir": "proxy", "method": "", "action": "reloaded", "revision": policy.rules.revision})
        self._started = True

    def _complain(self) -> None:
        error = self._complained = self.policies.error
        if error:
            self._say(f"mcpgov: {error}")
            kept = "kept" if self.session.policy is not None else "none"
            self._note({"dir": "proxy", "method": "", "action": "broken", "why": error[:500], "rules": kept})

    # --- tools

    def _look_at_pins(self) -> None:
        """Take over what another session listed or a person accepted."""
        session = self.session
        if self._live.pins.state(session.who.server) == self._pins:
            return
        listing = session.tool_list
        if listing.pins.unsaved:
            return
        self._pins, pins = self._load_pins(session.who.server)
        if pins.damaged:
            return  # what was known before is better than nothing
        listing.pins = pins
        listing.held = {name for name in listing.held if name in listing.pins.changed}
        if listing.mode in HOLDING:
            session.forget_shapes()

    def _load_pins(self, server: str) -> tuple[tuple[int, int, int], Pins]:
        state, pins = self._live.pins.load(server)
        if pins.damaged:
            why = f"what was known of the tools of `{server}` cannot be read: {pins.damaged}"
            self._say(f"mcpgov: {why}; every tool counts as new (`mcpgov tools`)")
            self._note({"dir": "proxy", "method": "tools/list", "action": "broken", "why": why[:500]})
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
        return ""  # a directory that is gone names no file
