"""`approvals --watch` on a terminal: keys, the daemon's stream and the clock, brought together.

Law: nothing a question holds or the daemon says ends the view; only the person does.
"""

from __future__ import annotations

import os
import select
import time
from argparse import Namespace

from mcpgov.daemon.approvals.choices import TERMINAL
from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.approval_requests import QuestionsAnswer, WatchQuestionsRequest
from mcpgov.daemon.control.client import Subscription
from mcpgov.errors import McpgovError
from mcpgov.front import caller_check
from mcpgov.front.approvals import answering
from mcpgov.front.approvals.answering import GivenAnswer, sentence
from mcpgov.front.approvals.questions import opened, told_apart
from mcpgov.front.approvals.watch_state import Deed, GiveAnswer, ProposeRule, Quit, WatchState, WriteRuleNow
from mcpgov.front.context import Context
from mcpgov.front.output.grid import Row, wrapped
from mcpgov.front.output.policy_view import new_rule_lines
from mcpgov.front.output.terminal import TerminalScreen, keyboard, resizes
from mcpgov.front.policy import always_rule
from mcpgov.front.policy.rule_text import Addition
from mcpgov.front.result import Line, visible

ARROWS = {"\x1b[A": "k", "\x1b[B": "j", "\x1bOA": "k", "\x1bOB": "j"}
MOST_AT_ONCE = 8  # more was pasted, not pressed
LOCKED = "locked: every call is denied until `mcpgov unlock`"


class Watch:
    """One run of the view, until q. Raises ControlError where there is no daemon to begin with."""

    def __init__(self, args: Namespace, context: Context) -> None:
        self._args, self._context = args, context
        self._state = WatchState()
        self._stream: Subscription[QuestionsAnswer] | None = self._connect()
        self._rule: Addition | None = None
        self._locked = False

    def _connect(self) -> Subscription[QuestionsAnswer]:
        return Subscription(self._context.places.socket, WatchQuestionsRequest())

    def run(self, color: bool) -> None:
        with keyboard() as keys, resizes() as resized, TerminalScreen(color) as screen:
            try:
                while True:
                    screen.draw(self._state.rows(screen.size, time.monotonic()))
                    if self._turn(keys, resized, screen):
                        return
            finally:
                self._close()

    def _turn(self, keys: int | None, resized: int, screen: TerminalScreen) -> bool:
        """Waits for something and does it; True: enough was seen."""
        waits = select.poll()
        for fd in (keys, resized, self._stream.fileno() if self._stream is not None else None):
            if fd is not None:
                waits.register(fd, select.POLLIN)
        ready = {fd for fd, _ in waits.poll(self._state.due(time.monotonic()) * 1000 + 1)}
        if resized in ready:
            os.read(resized, 100)
        if self._stream is None:
            self._reconnect()
        elif self._stream.fileno() in ready:
            self._hear()
        if keys is None or keys not in ready:
            return False
        raw = os.read(keys, 1024)
        return not raw or self._do(self._state.press(_pressed(raw), time.monotonic()), screen)

    # --- the daemon

    def _hear(self) -> None:
        assert self._stream is not None
        try:
            found = self._stream.ready()
            if found:
                self._show(found[-1])
            if self._stream.ended:
                raise line_client.RequestRefused("the daemon has ended", hint="mcpgov daemon start")
        except McpgovError as error:
            self._close()
            self._state.update([], time.monotonic())
            self._complain(error)

    def _show(self, found: QuestionsAnswer) -> None:
        whole = [view for view in found.waiting if view.question]
        self._state.update([opened(view) for view in whole], time.monotonic())
        if found.locked:
            self._state.tell(LOCKED, "warning")
        elif self._locked:
            self._state.tell("unlocked: the policy decides again")
        elif len(whole) < len(found.waiting):
            more = len(found.waiting) - len(whole)
            self._state.tell(f"{more} more than can be shown in full now: mcpgov approvals", "warning")
        self._locked = found.locked

    def _reconnect(self) -> None:
        try:
            self._stream = self._connect()
        except line_client.ControlError as error:
            self._complain(error)
        else:
            self._state.tell("the daemon is back")

    def _close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _complain(self, error: McpgovError) -> None:
        hint = f" ({error.hint})" if error.hint else ""
        self._state.tell(visible(f"{error}{hint}"), "bad")

    # --- what a key wants

    def _do(self, deed: Deed | None, screen: TerminalScreen) -> bool:
        try:
            if isinstance(deed, GiveAnswer):
                self._told(deed, answering.give(deed.question, deed.choice, "terminal", self._context))
            elif isinstance(deed, ProposeRule):
                self._propose(deed, screen)
            elif isinstance(deed, WriteRuleNow):
                self._write(deed)
        except line_client.ControlError as error:
            self._complain(told_apart(error))
        except McpgovError as error:
            self._complain(error)
        return isinstance(deed, Quit)

    def _told(self, deed: GiveAnswer | WriteRuleNow, given: GivenAnswer) -> None:
        self._state.tell(sentence(deed.question, given), "good" if given.choice.yes else "warning")

    def _propose(self, deed: ProposeRule, screen: TerminalScreen) -> None:
        answering.check_choice(deed.choice, deed.question, TERMINAL)
        self._rule = always_rule.always(deed.question, deed.choice.scope, self._context)
        lines = [line for line in new_rule_lines(self._rule) if isinstance(line, Line)]
        self._state.tell("")
        self._state.show_rule(deed, [row for line in lines for row in _wrapped(line, screen.size[0])])

    def _write(self, deed: WriteRuleNow) -> None:
        caller_check.check("approve", caller_check.ALWAYS, self._args, self._context)
        made, self._rule = self._rule, None
        assert made is not None
        self._told(deed, answering.give_always(deed.question, deed.choice, made, "terminal", self._context))


def _wrapped(line: Line, room: int) -> list[Row]:
    text = visible(line.text)
    indent = text[: len(text) - len(text.lstrip())]
    return [[(indent, ""), (part, line.style)] for part in wrapped(text.lstrip(), room - len(indent), whole=True)]


def _pressed(raw: bytes) -> str:
    """The keys of one read; what is pasted, and what a special key sends, means nothing."""
    text = raw.decode("utf-8", "replace")
    for sequence, key in ARROWS.items():
        text = text.replace(sequence, key)
    return "" if "\x1b" in text or len(text) > MOST_AT_ONCE else text
