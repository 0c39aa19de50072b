"""`mcpgov status`: how things stand, at a glance, and what to do next.

Exit status: 0 there is no problem, 1 there is one. With --watch it is drawn
anew every second until q or Ctrl-C; into a pipe, and with --json, it is
repeated.

examples:
  mcpgov status
  mcpgov status --watch
  mcpgov status --json | jq .problems
"""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from mcpgov.front.context import Context
from mcpgov.front.output import status_view
from mcpgov.front.output.grid import Row, fit
from mcpgov.front.output.terminal import keyboard
from mcpgov.front.result import Result
from mcpgov.front.status import local_status

Data = dict[str, Any]
PAUSE = 1.0  # seconds
QUIT = b"qQ"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-w", "--watch", action="store_true", help="draw it anew every second, until q or Ctrl-C")


def run(args: Namespace, context: Context) -> Result:
    looker = local_status.LocalStatus(context)
    color = "never" if args.no_color else context.color
    data = _watch(args, looker, color) if args.watch and not args.quiet else looker.look()
    if not args.watch and not args.json and not args.quiet:
        show(data, color)
    told = {key: value for key, value in data.items() if key not in ("version", "command", "ok")}
    code = 0 if data["ok"] else 1
    # What was drawn already is not drawn again; --json is left to the envelope that all commands share.
    return Result("status", told, exit_code=code, raw=None if args.json and not args.watch else "")


def show(data: Data, color: str) -> None:
    terminal = sys.stdout.isatty()
    painted = status_view.wants_color(color, terminal, os.environ)
    status_view.show(data, sys.stdout, color=painted, room=_room() if terminal else None)


def _room() -> int:
    return shutil.get_terminal_size().columns


def _drawn(data: Data, keys: int | None) -> list[Row]:
    """The screen, and below it when it was drawn and how it ends."""
    size = shutil.get_terminal_size()
    rows = status_view.lines(data, size.columns, max(size.lines - 2, 1))
    ends = "Ctrl-C" if keys is None else "q"
    return [*rows, [], fit([(f"{_clock(data)} · {ends} quits", "faint")], size.columns)]


def _clock(data: Data) -> str:
    return status_view.clock(data["time"], data["time"])


def _watch(args: Namespace, looker: local_status.LocalStatus, color: str) -> Data:
    """Looks until somebody has seen enough; the last look."""
    seen: list[Data] = []
    live = sys.stdout.isatty() and not args.json
    with keyboard() as keys:
        if live:
            from mcpgov.front.output import render

            render.watch((_drawn(data, keys) for data in _looks(looker, keys, seen)), color)
        else:
            for data in _looks(looker, keys, seen):
                if args.json:
                    sys.stdout.write(json.dumps(data) + "\n")
                else:
                    show(data, color)
                    sys.stdout.write(f"{_clock(data)}\n\n")
                sys.stdout.flush()
    return seen[-1]


def _looks(looker: local_status.LocalStatus, keys: int | None, seen: list[Data]) -> Iterator[Data]:
    while True:
        began = time.monotonic()
        seen[:] = [looker.look()]
        yield seen[0]
        if _enough(keys, PAUSE - (time.monotonic() - began)):
            return


def _enough(keys: int | None, pause: float) -> bool:
    """Waits; True as soon as q is typed. A reader that goes away (`| head`) ends it too."""
    waits = select.poll()
    out = sys.stdout.fileno()
    waits.register(out, 0)
    if keys is not None:
        waits.register(keys, select.POLLIN)
    for fd, _ in waits.poll(max(pause, 0.0) * 1000):
        if fd == out:
            raise BrokenPipeError
        return any(key in QUIT for key in os.read(fd, 100)) if keys is not None else False
    return False
