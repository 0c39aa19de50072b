"""The question on the desktop: a notification with actions, or a dialog on macOS. Only `once` and `deny`.

Laws: nothing here waits: every tool is a child that an injected runner supervises; nothing in a text is markup, script
or option; no popup over a locked screen, the question waits for it; a popup that is closed answers nothing; what a tool
prints counts only if it is one of our words and the question is still shown.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mcpgov.daemon.approvals.choices import DESKTOP, NO, YES_ONCE, Choice
from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.approvals.visible import cut, visible
from mcpgov.daemon.approvals.wording import headline

ONCE, DENY = "once", "deny"
LOOK_AGAIN = 3.0  # seconds between two looks at a locked screen
PROBE_AGAIN = 60.0  # seconds after which a desktop without actions is asked again
LONGEST = 240
BUS = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
_DIALOG = (
    "on run argv",
    "display dialog (item 2 of argv) with title (item 1 of argv) buttons {(item 3 of argv), (item 4 of argv)} "
    "default button 1 giving up after ((item 5 of argv) as integer)",
    "end run",
)
ALLOW_BUTTON, DENY_BUTTON = "Allow once", "Deny"


class Handle(Protocol):
    """A child: what it printed so far, and how to end it."""

    def printed(self) -> bytes: ...
    def close(self) -> None: ...


# Starts a command and tells its output and exit code when it ends; raises OSError.
Run = Callable[[Sequence[str], Callable[[bytes, int], None]], Handle]
Which = Callable[[str], "str | None"]


@dataclass(slots=True, eq=False)
class _Shown:
    """A question that is to be shown, or is: `due` is when the screen is looked at again."""

    question: Question
    wait: float
    due: float | None = None
    handle: Handle | None = None


class Desktop:
    """`answered(number, choice, surface)` and `failed(number, surface)` are told to whoever drives the lifecycle."""

    def __init__(
        self,
        run: Run,
        answered: Callable[[str, Choice, str], None],
        failed: Callable[[str, str], None],
        clock: Callable[[], float],
        which: Which = shutil.which,
        platform: str = sys.platform,
    ) -> None:
        self._run = run
        self._answered = answered
        self._failed = failed
        self._clock = clock
        self._which = which
        self._mac = platform == "darwin"
        self._able: bool | None = None  # None: not yet known
        self._probed = float("-inf")
        self._shown: dict[str, _Shown] = {}

    # --- can anybody be reached

    def reaches(self) -> bool:
        """Known from the last look; begins another where that is old. The first answer is no."""
        if self._mac:
            return self._which("osascript") is not None
        if not self._able and self._clock() - self._probed >= PROBE_AGAIN:
            self._probed = self._clock()
            self._probe()
        return bool(self._able)

    def _probe(self) -> None:
        """Does notify-send know actions, and does the notification server offer them?"""
        tool, bus = self._which("notify-send"), capabilities_command(self._which)
        if tool is None or bus is None:
            self._able = False
            return

        def helped(output: bytes, _code: int) -> None:
            if b"--action" not in output:
                self._able = False
            else:
                self._start(bus, offered)

        def offered(output: bytes, code: int) -> None:
            self._able = code == 0 and b"actions" in output

        self._start([tool, "--help"], helped)

    def _start(self, words: Sequence[str], done: Callable[[bytes, int], None]) -> Handle | None:
        try:
            return self._run(words, done)
        except OSError:
            done(b"", -1)
            return None

    # --- the rows of the table

    def offer(self, question: Question, wait: float) -> None:
        self._shown[question.number] = _Shown(question, wait)
        self._look(question.number)

    def withdraw(self, number: str) -> None:
        shown = self._shown.pop(number, None)
        if shown is None or shown.handle is None:
            return
        ident = shown.handle.printed().partition(b"\n")[0].strip()
        shown.handle.close()
        close = close_command(self._which, ident.decode("ascii", "replace")) if not self._mac else None
        if close is not None:  # the tool's end does not take the notification away
            self._start(close, lambda _output, _code: None)

    def due(self) -> float | None:
        """Seconds until work() is wanted."""
        times = [shown.due for shown in self._shown.values() if shown.due is not None]
        return max(0.0, min(times) - self._clock()) if times else None

    def work(self) -> None:
        for number, shown in list(self._shown.items()):
            if shown.due is not None and shown.due <= self._clock():
                shown.due = None
                self._look(number)

    # --- one question

    def _look(self, number: str) -> None:
        """Is the screen locked? Then the question waits."""
        words = lock_command(self._which, self._mac)

        def seen(output: bytes, _code: int) -> None:
            shown = self._shown.get(number)
            if shown is None or shown.handle is not None:
                return
            if is_locked(output, self._mac):
                shown.due = self._clock() + LOOK_AGAIN
            else:
                self._pop_up(number, shown)

        if words is None:
            seen(b"", 0)
        else:
            self._start(words, seen)

    def _pop_up(self, number: str, shown: _Shown) -> None:
        words = popup_command(shown.question, shown.wait, self._which, self._mac)

        def done(output: bytes, code: int) -> None:
            if self._shown.get(number) is not shown:
                return  # withdrawn meanwhile: whatever was pressed came second
            choice = choice_of(output, self._mac)
            if choice is not None:
                del self._shown[number]
                self._answered(number, choice, DESKTOP)
            elif code != 0 and not output.strip():
                del self._shown[number]
                self._failed(number, DESKTOP)

        if words is None:
            done(b"", -1)
        else:
            shown.handle = self._start(words, done)


# --- commands and what they print; pure


def capabilities_command(which: Which) -> list[str] | None:
    """Asks the notification server what it can do."""
    name, path = BUS
    if found := which("gdbus"):
        return [found, "call", "--session", "--timeout", "2", "--dest", name, "--object-path", path,
                "--method", f"{name}.GetCapabilities"]  # fmt: skip
    if found := which("dbus-send"):
        return [found, "--session", "--print-reply", "--reply-timeout=2000", f"--dest={name}", path,
                f"{name}.GetCapabilities"]  # fmt: skip
    return None


def close_command(which: Which, ident: str) -> list[str] | None:
    found, (name, path) = which("gdbus"), BUS
    if found is None or not ident.isdigit():
        return None
    return [found, "call", "--session", "--timeout", "2", "--dest", name, "--object-path", path,
            "--method", f"{name}.CloseNotification", ident]  # fmt: skip


def lock_command(which: Which, mac: bool) -> list[str] | None:
    """Tells whether the screen is locked; None: nobody can tell."""
    if mac:
        found = which("ioreg")
        return [found, "-n", "Root", "-d1"] if found else None
    found = which("loginctl")
    return [found, "show-session", "auto", "--property=LockedHint", "--property=Type"] if found else None


def is_locked(output: bytes, mac: bool) -> bool:
    if mac:
        plain = output.replace(b" ", b"")
        return b'"CGSSessionScreenIsLocked"=Yes' in plain or b'"IOConsoleLocked"=Yes' in plain
    return b"LockedHint=yes" in output


def popup_command(question: Question, wait: float, which: Which, mac: bool) -> list[str] | None:
    title = _plain(headline(question, LONGEST))
    body = _plain(" · ".join(_body(question)))
    if mac:
        found = which("osascript")
        lines = [word for line in _DIALOG for word in ("-e", line)]
        seconds = str(max(1, int(wait)))
        return [found, *lines, title, body, DENY_BUTTON, ALLOW_BUTTON, seconds] if found else None
    found = which("notify-send")
    if found is None:
        return None
    marked = body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")  # most desktops read markup
    return [found, "--app-name=mcpgov", "--urgency=critical", "--print-id", f"--expire-time={int(wait * 1000)}",
            f"--action={DENY}={DENY_BUTTON}", f"--action={ONCE}={ALLOW_BUTTON}", "--", title, marked]  # fmt: skip


def _body(question: Question) -> list[str]:
    lines = [f"{visible(place.at)} leads to {', '.join(map(visible, place.leads))}" for place in question.paths]
    lines += [f"{visible(place.at)} leads to host {visible(place.leads[0])}" for place in question.hosts]
    return [*lines, f"rule {visible(question.asked_by)}", f"mcpgov approve {question.number}"]


def _plain(text: str) -> str:
    """One line that is no option to any tool."""
    return cut(text, LONGEST).lstrip("-") or "mcpgov"


def choice_of(output: bytes, mac: bool) -> Choice | None:
    """What was pressed; None: nothing, or something else."""
    if mac:
        if b"gave up:true" in output:
            return None
        pressed = output.strip().removeprefix(b"button returned:").split(b", gave up:")[0]
        return {ALLOW_BUTTON.encode(): YES_ONCE, DENY_BUTTON.encode(): NO}.get(pressed)
    lines = output.split(b"\n")
    return {ONCE.encode(): YES_ONCE, DENY.encode(): NO}.get(lines[1].strip()) if len(lines) > 1 else None
