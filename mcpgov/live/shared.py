"""What all sessions of a process share: policies, pins, the journal's files, change notifications, the day.

Law: whatever exists once in a process (a signal handler, a descriptor, a compiling child) belongs here and never to a
session; a transport creates one `Live`, and any number of sessions on it.
"""

from __future__ import annotations

from mcpgov import host
from mcpgov.live.journal_writer import JournalFile
from mcpgov.live.pins_store import PinsStore
from mcpgov.live.policy_in_force import PolicyStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.fingerprints import Fingerprints
    from mcpgov.live.dir_notify import DirNotify

SALT = "salt"  # beside the tools, in the state directory


class SessionWatch:
    """The change notifications of one session. `quiet`: nothing has changed since it began to listen to its `paths`.

    No refresh is needed before `until`, in seconds since the epoch, which a refresh sets.
    """

    def __init__(self) -> None:
        self.quiet = False
        self.until = 0.0
        self.paths: dict[str, int] = {}
        self.refused: dict[str, int] = {}  # directories that cannot be watched are not tried again

    def invalidate(self) -> None:
        """Something may have changed."""
        self.quiet = False
        self.until = 0.0


class Live:
    """What all sessions of a process share: each policy and each file is loaded, opened and watched once.

    `where`: the launcher's paths. Created and used in the main thread, because signal handlers run there.
    """

    def __init__(self, where: dict[str, str]) -> None:
        self.where = where
        self.policies = PolicyStore(where, self.invalidate)
        self.pins = PinsStore(where["tools"])
        self.watches: set[SessionWatch] = set()
        self._journals: dict[str, JournalFile] = {}
        self._notify: DirNotify | None = None
        self._fingerprints: Fingerprints | None = None
        self._minute = -1
        self._today = ""

    def invalidate(self) -> None:
        """Something may have changed: every session refreshes before its next message."""
        for watch in self.watches:
            watch.invalidate()

    @property
    def notify(self) -> DirNotify:
        """Created for the first session that lasts long enough."""
        if self._notify is None:
            from mcpgov.live.dir_notify import DirNotify

            self._notify = DirNotify(self.invalidate)
        return self._notify

    def journal_file(self, single: str = "") -> JournalFile:
        """The journal's file, or the single file that a session's options name."""
        file = self._journals.get(single)
        if file is None:
            keep = int(self.where.get("keep_days") or 0)
            file = JournalFile(single or self.where["journal"], single=bool(single), keep_days=keep)
            self._journals[single] = file
        return file

    def today(self, now: float) -> str:
        minute = int(now // 60)
        if minute != self._minute:
            self._minute, self._today = minute, host.local_day(now)
        return self._today

    def fingerprint(self, text: str) -> str:
        if self._fingerprints is None:
            from mcpgov.fingerprints import Fingerprints

            self._fingerprints = Fingerprints(f"{self.where['tools'].rpartition('/')[0]}/{SALT}")
        return self._fingerprints.of(text)

    def leave(self, watch: SessionWatch) -> None:
        self.watches.discard(watch)
        if self._notify is not None:
            self._notify.leave(watch)

    def close(self) -> None:
        """The transport ends: close every descriptor and kill every child."""
        self.policies.abandon()
        if self._notify is not None:
            self._notify.close()
        for file in self._journals.values():
            file.close()
