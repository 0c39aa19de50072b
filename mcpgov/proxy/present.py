"""What holds right now: the policy in force, the day, the directory, the accepted tools. Looked at before judging.

Laws: a changed policy judges the next message; a broken one changes nothing, and is said and recorded once.
"""

from __future__ import annotations

import posix
import time

from mcpgov import machine
from mcpgov.core.listing import HOLDING, Listing, Pins
from mcpgov.core.session import Session, Who
from mcpgov.proxy import pins_file
from mcpgov.proxy.journal import digest_text
from mcpgov.proxy.policy_file import Policies
from mcpgov.proxy.stirs import ANY, NAMES, Stirs, watchable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.fingerprints import Fingerprints
    from mcpgov.proxy.whereabouts import Whereabouts

SALT = "salt"  # beside the tools, in the state directory
LINK_MEMORY = 1.0
# Seconds after which plain calls are judged by where the server is now. Where a rule reads a relative path, and where
# a look at the machine is due, the system is asked each time.
LOCATED = 0.005
FIRST_BASES, MOST_BASES = 9, 32  # those of the start stay in any case
FEW_LOOKS = 8
MOST_LISTENS = 4  # a second


class Present:
    """Keeps a session's knowledge of the machine up to date. `note` records, `say` tells the person."""

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
    ) -> None:
        """`watched`: directories in which new and vanished names matter as well, asked for when we begin to listen;
        `pid`: the server's.
        """
        try:
            here = posix.getcwd()
        except OSError:
            here = ""  # a directory that is gone names no file
        self._note = note
        self._say = say
        self._watched = watched
        bases = machine.directories_in(argv)
        self._entries = machine.Directories((here, *bases))
        self.world = world = machine.world(here, self._entries.absent, home["home"], bases)
        self._pid = pid
        self._whereabouts: Whereabouts | None = None
        self.located = 0.0  # when the system was last asked where the server is
        world.locate = self.locate
        self.policies = Policies(options, home, world)
        self._tools = home["tools"]
        listing = Listing(self._load_pins(who.server), "log")
        self._pins = pins_file.state(self._tools, who.server)
        self._salt = f"{_above(self._tools)}/{SALT}"
        self._fingerprints: Fingerprints | None = None
        self.session = Session(who, None, listing, digest_text, time.monotonic_ns, self._fingerprint)
        self.session.on_roots = self._widen
        self.answered = True  # the server has spoken since the directory was looked at
        self.stirs = Stirs()
        self._looks = 0
        self._listens = 0
        self.looked = 0.0
        self._minute = -1
        self._complained = ""
        self._started = False
        self.refresh()

    def _fingerprint(self, text: str) -> str:
        if self._fingerprints is None:
            from mcpgov.fingerprints import Fingerprints

            self._fingerprints = Fingerprints(self._salt)
        return self._fingerprints.of(text)

    def is_fresh(self, now: float) -> bool:
        """Nothing has stirred, nobody is waited for, and the last look was just now."""
        return self.looked <= now < self.stirs.until

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
        if self.answered or listening:
            # Calls sent before an answer came cannot follow from it; what a server did is seen once it has spoken.
            self.answered = False
            self._entries.refresh(int(now * 1e9))
            if not self._entries.settled:
                self.stirs.rouse()
        # Only a mode that holds calls back waits for a person who may accept a tool at any moment.
        holds = bool(self.session.listing.held) and self.session.listing.mode in HOLDING
        if holds:
            self._look_at_pins()
        if not self.policies.is_fresh(now):
            self._renew(self.policies.refresh(now))
        # However quiet it is, a look at everything is due then.
        self.stirs.until = min(self.looked, self.policies.looked) + LINK_MEMORY
        # INVARIANT: asked last, so that a sign that comes between the two is not lost.
        if holds or not self.stirs.quiet:
            self.stirs.rouse()

    def locate(self) -> None:
        """Ask the system where the server is: a relative path begins there, wherever it was started."""
        if not self._pid:
            return
        if self._whereabouts is None:
            from mcpgov.proxy.whereabouts import Whereabouts

            self._whereabouts = Whereabouts(self._pid)
        self.located = time.time()
        self._widen(self._whereabouts.directories(self.located))

    def _widen(self, places: tuple[str, ...]) -> None:
        """More directories that a relative path may begin in. Those from before stay: a server may remember them."""
        new = tuple(place for place in places if place not in self.world.bases)
        if not new:
            return
        kept = self.world.bases if len(self.world.bases) < MOST_BASES else self.world.bases[:FIRST_BASES]
        self.world.bases = (*kept, *new[:MOST_BASES])
        self._entries.hold(self.world.bases)
        self.answered = True  # so that they are read
        self.stirs.rouse()
        if self.session.policy is not None:
            self.session.policy.forget_links()
        self.session.forget_shapes()

    def _listen(self) -> bool:
        """Neither a short conversation nor a restless directory is worth the listening."""
        self._looks += 1
        if self._looks <= FEW_LOOKS or self._listens == MOST_LISTENS:
            return False
        self._listens += 1
        # In the server's directories new names matter, in those of the policies everything does.
        names, files = (*self._entries.paths, *self._watched()), self.policies.files
        others = [place for file in self.policies.others for place in watchable(file)]
        whole = [*(_above(file) for file in files), *others]
        roots = [_above(place) for place in (*names, *whole)]  # where the directories themselves come and go
        told = {**dict.fromkeys((*roots, *names), NAMES), **dict.fromkeys(whole, ANY)}
        return self.stirs.listen(told, [*files, *self.policies.others])

    def compiled(self) -> None:
        """Something came from the compiler."""
        self._renew(self.policies.advance())

    def _renew(self, changed: bool) -> None:
        if changed:
            self._take()
        if self.policies.error != self._complained:
            self._complain()

    def _look_around(self, now: float) -> None:
        """Once a second: where the rules' directories lie, the day, what a person has accepted."""
        self.session.forget_links()
        if int(now // 60) != self._minute:
            self._minute = int(now // 60)
            self.session.today = machine.local_day(now)
        self._look_at_pins()

    def _take(self) -> None:
        self.stirs.rouse()  # it may lie elsewhere now
        session, policy = self.session, self.policies.policy
        session.policy = policy
        session.forget_shapes()
        if policy is None:
            return
        session.listing.mode = str(policy.rules.head.get("pin") or "log")
        if self._started:
            self._note({"dir": "proxy", "method": "", "action": "reloaded", "revision": policy.rules.revision})
        self._started = True

    def _complain(self) -> None:
        error = self._complained = self.policies.error
        if error:
            self._say(f"mcpgov: {error}")
            kept = "kept" if self.policies.policy is not None else "none"
            self._note({"dir": "proxy", "method": "", "action": "broken", "why": error[:500], "rules": kept})

    # --- tools

    def _look_at_pins(self) -> None:
        """Take over what another session listed or a person accepted."""
        session = self.session
        state = pins_file.state(self._tools, session.who.server)
        if state == self._pins:
            return
        self._pins = state
        listing = session.listing
        if listing.pins.unsaved:
            return
        pins = self._load_pins(session.who.server)
        if pins.damaged:
            return  # what was known before is better than nothing
        listing.pins = pins
        listing.held = {name for name in listing.held if name in listing.pins.changed}
        if listing.mode in HOLDING:
            session.forget_shapes()

    def _load_pins(self, server: str) -> Pins:
        pins = pins_file.load(self._tools, server)
        if pins.damaged:
            why = f"what was known of the tools of `{server}` cannot be read: {pins.damaged}"
            self._say(f"mcpgov: {why}; every tool counts as new (`mcpgov tools`)")
            self._note({"dir": "proxy", "method": "tools/list", "action": "broken", "why": why[:500]})
        return pins

    def save_pins(self) -> None:
        session = self.session
        pins = session.listing.pins
        if pins.unsaved:
            pins.unsaved = not pins_file.save(self._tools, session.who.server, pins)
            pins.damaged = pins.damaged if pins.unsaved else ""
            self._pins = pins_file.state(self._tools, session.who.server)


def _above(path: str) -> str:
    return path.rpartition("/")[0] or "/"
