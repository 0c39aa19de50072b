"""The questions that one conversation has open: handed to the daemon, asked in the app, answered, or run out of time.

Laws: loaded with the first question; nothing here waits. Without a daemon, and when it goes, a question is denied at
once. The daemon's clock ends a question; ours only if the daemon does not. What the wire carries: daemon/approvals.
"""

from __future__ import annotations

import posix
import time

from mcpgov.core.approvals import app_questions
from mcpgov.core.approvals.app_approval import RESULT
from mcpgov.core.approvals.asking import attempt_of, question_about, way_for
from mcpgov.core.approvals.grants import ONCE, grant_of, refusal
from mcpgov.core.approvals.held_requests import TIMEOUT, UNREACHABLE, Resolution, allowed
from mcpgov.core.messages.methods import CLIENT
from mcpgov.core.session.denials import UNRECORDED
from mcpgov.core.session.effects import AppAnswer, Ask, Dispatched, Parked, Withdraw
from mcpgov.live.daemon_calls import DaemonCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.approvals.grants import Grant
    from mcpgov.core.session.effects import Effect
    from mcpgov.core.session.session import Session
    from mcpgov.live.daemon_link import DaemonLink

WAIT = 25.0  # seconds, until the daemon says how long
GRACE = 2.0  # seconds that the daemon may be late
PROGRESS = 5.0  # seconds between two words to whoever waits
LONGEST_WAIT = 3600.0
MOST_GRANTED = 256
# What may stand in a command line as it is.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@")


class AskedQuestion:
    """One that waits. `call`: the daemon's number for it; `due`: when our own clock ends it."""

    __slots__ = ("asked", "call", "count", "due", "next", "token", "wait")

    def __init__(self, asked: Ask, now: float) -> None:
        self.asked = asked
        self.call = 0
        self.wait = WAIT
        self.due = now + WAIT + GRACE
        self.count = 0
        meta = asked.call.params.get("_meta")
        if asked.answered is not None and asked.answered.meta is not None:
            meta = asked.answered.meta  # whoever waits is the client, whatever the server wants inside its answer
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self.token = token if isinstance(token, str) or type(token) is int else None
        self.next = now + PROGRESS  # when the next word is due to whoever waits


class Questions:
    """`reach`: the link to the daemon, connected now if it was not; None where nobody listens.

    `perform`: effects, and the number of the request that they are about.

    `refresh`: looks for a policy that has changed; True: the one in force is loaded, False: it is being compiled.
    """

    def __init__(
        self,
        session: Session,
        reach: Callable[[], DaemonLink | None],
        perform: Callable[[list[Effect], str], None],
        refresh: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._session = session
        self._reach = reach
        self._perform = perform
        self._refresh = refresh
        self._clock = clock
        self._wall = wall
        self._secret = posix.urandom(8).hex()
        self._calls: DaemonCalls | None = None
        self._open: dict[str, AskedQuestion] = {}
        self._nothing_before = 0.0  # by the clock: until then no open question is due, however many there are
        self._granted: dict[str, Grant] = {}  # of the latest calls that got a yes
        self._unjudged: list[tuple[str, Resolution]] = []  # with a yes; they wait for the policy that judges them

    def __len__(self) -> int:
        return len(self._open)

    def take(self, effects: list[Effect], recorded: bool) -> None:
        """`recorded`: the records before them are written; nobody is asked about what is not on record."""
        for effect in effects:
            match effect:
                case Ask():
                    if recorded:
                        self._ask(effect)
                    else:
                        self._resume(effect.number, Resolution(UNREACHABLE, UNRECORDED))
                case Withdraw():
                    self._close(effect.number, cancel=True)
                case AppAnswer():
                    self._report("app", effect.number, word=effect.word, why=effect.why)
                case Parked():
                    self._open.pop(effect.number, None)
                    self._report("parked", effect.number)
                case Dispatched():
                    if effect.why or not recorded:
                        self._report("refused", effect.number, why=effect.why or UNRECORDED)
                    else:
                        self._report("dispatched", effect.number)

    # --- asking

    def _ask(self, asked: Ask) -> None:
        number = asked.number
        if asked.continues and self._goes_on(asked):
            return
        link = self._reach()
        if link is None:
            why = self._nobody(asked, "its daemon does not run: mcpgov daemon start")
            self._resume(number, Resolution(UNREACHABLE, why))
            return
        if self._calls is None:
            self._calls = DaemonCalls(link, self._pushed)
        try:
            question, version = question_about(self._session.state, asked)
        except Exception as problem:  # INVARIANT: what cannot be asked is denied, and the conversation goes on.
            why = f"the question cannot be put: {type(problem).__name__}"
            self._resume(number, Resolution(UNREACHABLE, why))
            return
        before, word = asked.brought or ("", "")
        if before and not word:
            self._report("app", before, word="", why=app_questions.CLOSED)
        fields: dict[str, object] = {"question": question, "version": version}
        fields["brought"] = {"number": before, "word": word} if word else None
        found = self._open[number] = AskedQuestion(asked, self._clock())
        self._nothing_before = 0.0
        found.call = self._calls.ask("ask", fields, lambda answer: self._answered(number, answer))
        if not found.call and self._open.pop(number, None) is not None:
            self._resume(number, Resolution(UNREACHABLE, self._nobody(asked, "its daemon does not listen")))

    def _goes_on(self, asked: Ask) -> bool:
        """The same call as one that was approved once, with what its server asked for: the same grant, if it holds.

        One that lasts is the daemon's to hand out again: it may have been revoked.
        """
        grant, policy, now = self._granted.get(asked.continues), self._session.policy, self._wall()
        if grant is None or grant.term != ONCE or policy is None:
            return False
        attempt = attempt_of(self._session.state, asked.call, asked.decision)
        if refusal(grant, attempt, policy.rules.reader, now):
            return False
        self._remember(asked.number, grant)
        self._resume(asked.number, allowed(grant, now))
        return True

    def _remember(self, number: str, grant: Grant) -> None:
        if len(self._granted) >= MOST_GRANTED:
            del self._granted[next(iter(self._granted))]
        self._granted[number] = grant

    def _nobody(self, asked: Ask, why: str) -> str:
        """Nobody can be asked: what would have allowed it."""
        call, decision = asked.call, asked.decision
        text = f"Permission denied: nobody can be asked now ({why})"
        # No rule is written for an answer, and none lets pass what a guard asks about.
        words = (call.server, call.tool or "") if asked.answered is None and decision.data is None else ()
        if not words or not all(words) or not _PLAIN.issuperset("".join(words)) or "-" in (words[0][:1], words[1][:1]):
            return f"{text}. What to do: mcpgov why {asked.number}"
        command = f"tools {words[0]} --accept {words[1]}" if decision.kind == "pin" else f"allow {' '.join(words)}"
        return f"{text}. Ask the user to run: mcpgov {command}, then try again"

    # --- the daemon's words

    def _answered(self, number: str, answer: dict[str, object] | None) -> None:
        found = self._close(number)
        if found is None:
            return
        if answer is None or answer.get("ok") is not True:
            why = "its daemon has gone" if answer is None else f"its daemon says: {answer.get('error')}"
            self._resume(number, Resolution(UNREACHABLE, self._nobody(found.asked, why)))
        elif answer.get("verdict") == "allow":
            try:
                grant = grant_of(answer.get("grant"))
            except ValueError as problem:
                self._resume(number, Resolution(UNREACHABLE, f"the daemon's answer cannot be read: {problem}"))
            else:
                self._remember(number, grant)
                self._resume(number, allowed(grant, self._wall()))
        else:
            code, text = answer.get("answer"), answer.get("text")
            said = (str(code) if code else UNREACHABLE, str(text) if text else "")
            self._resume(number, Resolution(*said))

    def _pushed(self, message: dict[str, object]) -> None:
        number = message.get("number")
        found = self._open.get(number) if isinstance(number, str) else None
        if found is None:
            return
        wait = message.get("wait")
        if message.get("op") == "waits" and isinstance(wait, (int, float)) and 0 <= wait <= LONGEST_WAIT:
            found.wait, found.due = float(wait), self._clock() + wait + GRACE
            self._nothing_before = 0.0
        elif message.get("op") == "elicit":
            self._ask_in_app(found.asked, message.get("params"))

    def _ask_in_app(self, asked: Ask, params: object) -> None:
        session = self._session
        way, _ = way_for(session.state, asked)
        if way == RESULT:
            effects = app_questions.ask_in_result(session.holder_of(asked.number), asked.number, params)
            self._perform(effects, asked.number)
        elif way:
            effects = app_questions.ask_by_request(session.state, asked.number, params, self._secret)
            self._perform(effects, asked.number)

    def _report(self, op: str, number: str, **fields: object) -> None:
        """What the daemon is to know; it answers, but nobody waits for that."""
        if self._calls is not None:
            self._calls.ask(op, {"number": number, **fields}, _heard)

    # --- ends

    def _resume(self, number: str, resolution: Resolution) -> None:
        """INVARIANT: a call that was said yes to is judged by the policy as its files are now."""
        if resolution.grant is not None and not self._refresh():
            self._unjudged.append((number, resolution))
        else:
            self._perform(self._session.resume(number, resolution), number)

    def compiled(self) -> None:
        """The policy is there."""
        waiting, self._unjudged = self._unjudged, []
        for number, resolution in waiting:
            self._resume(number, resolution)

    def _close(self, number: str, *, cancel: bool = False) -> AskedQuestion | None:
        """The question waits no more, and nobody is asked any longer. `cancel`: the daemon is told."""
        found = self._open.pop(number, None)
        if found is not None and cancel and self._calls is not None:
            self._calls.cancel(found.call)
        back = app_questions.take_back(self._session.state, number, self._secret)
        if back:
            self._perform(back, number)
        return found

    # --- time

    def soonest(self) -> float:
        """Seconds until work() is wanted; 0: nothing waits."""
        if not self._open:
            return 0.0
        if not self._nothing_before:
            self._nothing_before = min(
                found.due if found.token is None else min(found.next, found.due) for found in self._open.values()
            )
        return max(0.001, self._nothing_before - self._clock())

    def work(self) -> None:
        """Time has passed: a word to those who wait, an end to what waited too long."""
        now = self._clock()
        if now < self._nothing_before:
            return
        self._nothing_before = 0.0
        for number, found in list(self._open.items()):
            if now >= found.due:
                self._close(number, cancel=True)
                text = f"Permission denied: nobody answered in {found.wait:g} s. "
                text += f"Ask the user to run: mcpgov approve {number}, then try again"
                self._resume(number, Resolution(TIMEOUT, text))
            elif found.token is not None and now >= found.next:
                found.count, found.next = found.count + 1, now + PROGRESS
                waits = CLIENT if found.asked.answered is not None else found.asked.sender
                self._perform([app_questions.progress(waits, found.token, found.count, number)], number)


def _heard(_answer: dict[str, object] | None) -> None:
    return
