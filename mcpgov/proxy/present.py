"""What holds right now: the policy in force, the day, the directory, the accepted tools. Looked at before judging.

Laws: a changed policy judges the next message; a broken one changes nothing, and is said and recorded once.
"""

from __future__ import annotations

import posix
import time

from mcpgov import machine
from mcpgov.core.listing import HOLDING, Listing
from mcpgov.core.session import Session, Who
from mcpgov.proxy import pins_file
from mcpgov.proxy.journal import digest_text
from mcpgov.proxy.policy_file import Policies
from mcpgov.proxy.stirs import ANY, NAMES, Stirs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LINK_MEMORY = 1.0
FEW_LOOKS = 8


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
    ) -> None:
        try:
            here = posix.getcwd()
        except OSError:
            here = ""  # a directory that is gone names no file
        self._note = note
        self._say = say
        bases = machine.directories_in(argv)
        self._entries = machine.Directories((here, *bases))
        world = machine.world(here, self._entries.absent, home["home"], bases)
        self.policies = Policies(options, home, world)
        self._tools = home["tools"]
        listing = Listing(pins_file.load(self._tools, who.server), "log")
        self._pins = pins_file.state(self._tools, who.server)
        self.session = Session(who, None, listing, digest_text, time.monotonic_ns)
        self.answered = True  # the server has spoken since the directory was looked at
        self._stirs = Stirs()
        self._looks = 0
        self.looked = 0.0
        self._until = 0.0  # a look at everything is due, however quiet it is
        self._minute = -1
        self._complained = ""
        self._started = False
        self.refresh()

    def refresh(self) -> None:
        """Before a batch is judged. The usual case: nothing has stirred; without signs of that, two stats."""
        now = time.time()
        # Directories do not tell of a file that is reached by a link or has another name: one look at it remains.
        quiet = self._stirs.quiet and self.looked <= now < self._until and not self.session.listing.held
        if quiet and self.policies.is_fresh(now):
            return
        # A short conversation is not worth the listening.
        self._looks += 1
        listening = self._looks > FEW_LOOKS and self._stirs.listen(self._listened())
        if not 0.0 <= now - self.looked <= LINK_MEMORY:
            self.looked = now
            self._look_around(now)
        if self.answered or listening:
            # Calls sent before an answer came cannot follow from it; what a server did is seen once it has spoken.
            self.answered = False
            self._entries.refresh(int(now * 1e9))
            if not self._entries.settled:
                self._stirs.quiet = False
        if self.session.listing.held:
            self._look_at_pins()
        if not self.policies.is_fresh(now):
            self._renew(self.policies.refresh(now))
        self._until = min(self.looked, self.policies.looked) + LINK_MEMORY

    def _listened(self) -> dict[str, int]:
        """The server's directories, where new names matter, and those of the policies, where everything does."""
        places = self._entries.paths
        above = [path.rpartition("/")[0] or "/" for path in places if path]  # where a directory itself comes and goes
        return {**dict.fromkeys((*above, *places), NAMES), **dict.fromkeys(self.policies.directories, ANY)}

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
        if self.session.policy is not None:
            self.session.policy.forget_links()
        if int(now // 60) != self._minute:
            self._minute = int(now // 60)
            year, month, date = time.localtime(now)[:3]
            self.session.today = f"{year:04}-{month:02}-{date:02}"
        self._look_at_pins()

    def _take(self) -> None:
        self._stirs.quiet = False  # it may lie elsewhere now
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
        listing.pins = pins_file.load(self._tools, session.who.server)
        listing.held = {name for name in listing.held if name in listing.pins.changed}
        if listing.mode in HOLDING:
            session.forget_shapes()

    def save_pins(self) -> None:
        session = self.session
        pins = session.listing.pins
        if pins.unsaved:
            pins.unsaved = not pins_file.save(self._tools, session.who.server, pins)
            self._pins = pins_file.state(self._tools, session.who.server)
