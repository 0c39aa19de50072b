"""The fast path of `mcpgov status` while the daemon answers: without argparse, settings or an outside library.

Law: its output equals that of the normal path (commands/status.py), which it leaves every doubtful case to.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence

from mcpgov import __version__
from mcpgov.daemon.control import line_client
from mcpgov.errors import EXIT_FAILED
from mcpgov.places import quick_places

WORD = "status"
LARGEST_SETTINGS = 1024 * 1024
PATIENCE = 1.0  # seconds
unanswered: set[str] = set()  # sockets that timed out: the normal path need not wait again
REQUEST = f'{{"v": {line_client.PROTOCOL}, "op": "status", "version": "{__version__}"}}\n'.encode("ascii")
# The start of the daemon's answer; its text is the whole output of `status --json`.
ANSWER = f'{{"v": {line_client.PROTOCOL}, "ok": true, "text": "'
HEALTHY = '{\n  "version": 1,\n  "command": "status",\n  "ok": true,\n'
DEGRADED = HEALTHY.replace("true", "false")


class FastRequest:
    """A parsed command line; `plain` False: it has options that only the normal path knows."""

    def __init__(self, words: Sequence[str]) -> None:
        self.root: str | None = None
        self.flags: set[str] = set()
        rest = list(words)
        seen = 0
        self.plain = True
        while rest:
            word = rest.pop(0)
            if word == "--root" and rest:
                word = f"--root={rest.pop(0)}"
            if word.startswith("--root=") and word != "--root=":
                self.root = word[7:]
            elif word in ("--json", "--quiet", "--no-color"):
                self.flags.add(word)
            elif word == WORD and not seen:
                seen = 1
            else:
                self.plain = False
        self.plain = self.plain and seen == 1


def status(words: Sequence[str]) -> int | None:
    """Print the status and return the exit status; None: use the normal path."""
    wanted = FastRequest(words)
    if not wanted.plain:
        return None
    socket, settings = quick_places(wanted.root)
    choice = "never" if "--no-color" in wanted.flags else color(settings, os.environ)
    if choice is None:
        return None
    try:
        text = ask(socket)
    except line_client.NoAnswer:
        unanswered.add(socket)
        return None
    except line_client.ControlError:
        return None
    if text is None:
        return None
    if "--json" in wanted.flags and "--quiet" not in wanted.flags:
        sys.stdout.write(text)
    elif "--quiet" not in wanted.flags:
        _show(text, choice)
    return 0 if text.startswith(HEALTHY) else EXIT_FAILED


def ask(socket: str, patience: float | None = None) -> str | None:
    """The daemon's status as `--json` prints it; None for an unknown form of answer. Raises ControlError."""
    line = line_client.exchange(socket, REQUEST, PATIENCE if patience is None else patience).decode("ascii", "replace")
    if not line.startswith(ANSWER):
        return None
    try:
        from _json import scanstring
    except ImportError:
        from json.decoder import scanstring  # type: ignore[attr-defined, no-redef, unused-ignore]
    try:
        text: str = scanstring(line, len(ANSWER), True)[0]
    except ValueError:
        return None
    return text if text.startswith((HEALTHY, DEGRADED)) else None


def color(settings: str, environ: Mapping[str, str]) -> str | None:
    """The setting `color`: auto, always or never; None if the settings must really be parsed."""
    if any(name.upper() == "MCPGOV_COLOR" and value for name, value in environ.items()):
        return None
    try:
        text = _settings(settings)
    except FileNotFoundError:
        return "auto"
    except OSError:
        return None
    return None if b"color" in text or b"\\" in text else "auto"


def _settings(path: str) -> bytes:
    """The settings' text; a pipe or a device in its place is an error, without waiting."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SETTINGS:
            raise OSError(f"`{path}` is no settings file")
        return os.read(fd, LARGEST_SETTINGS)
    finally:
        os.close(fd)


def _show(text: str, choice: str) -> None:
    import json

    from mcpgov.front.output import status_view

    terminal = sys.stdout.isatty()
    room = _room() if terminal else None
    painted = status_view.wants_color(choice, terminal, os.environ)
    status_view.show(json.loads(text), sys.stdout, color=painted, room=room)


def _room() -> int:
    """Equal to `shutil.get_terminal_size`, without importing shutil."""
    columns = os.environ.get("COLUMNS", "")
    chosen = int(columns) if columns.isdecimal() else 0
    return chosen or os.get_terminal_size(sys.stdout.fileno()).columns or 80
