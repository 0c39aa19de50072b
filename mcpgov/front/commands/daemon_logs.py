"""`mcpgov daemon logs`: what the daemon has done and met, newest last.

With -f further entries follow as they come, and --json writes JSON lines
without an envelope. Ctrl-C ends it, with exit status 130.

examples:
  mcpgov daemon logs -n 50
  mcpgov daemon logs -f --level warning
"""

from __future__ import annotations

import datetime
import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable

from mcpgov.daemon.log import FILE, LEVELS
from mcpgov.daemon.log_reader import Entry, LogReader
from mcpgov.front.context import Context
from mcpgov.front.dispatch import follow
from mcpgov.front.result import Block, Line, Result

LAST = 20
STYLES = {"debug": "faint", "info": "", "warning": "warning", "error": "bad"}
ASIDE = ("time", "level", "event", "traceback")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-f", "--follow", action="store_true", help="go on with the entries to come")
    parser.add_argument("-n", type=_number, default=LAST, metavar="N", help=f"how many at first, {LAST} if not said")
    parser.add_argument("--level", choices=LEVELS, default="debug", help="this level and above")


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"`{text}` is no number")
    return int(text)


def run(args: Namespace, context: Context) -> Result:
    path = context.places.log / FILE
    reader = LogReader(path)
    try:
        entries = reader.last(args.n, _wanted(args.level))
        if args.follow:
            waiting, wanted = [entries], _wanted(args.level)
            follow(
                args,
                context,
                lambda: waiting.pop() if waiting else list(filter(wanted, reader.poll())),
                json.dumps,
                lines,
            )
    finally:
        reader.close()
    view: list[Block] = [line for entry in entries for line in lines(entry)]
    return Result("daemon logs", {"file": str(path), "entries": entries}, view or [Line("nothing is logged yet")])


def _wanted(level: str) -> Callable[[Entry], bool]:
    least = LEVELS.index(level)
    return lambda entry: LEVELS.index(str(entry["level"])) >= least


def lines(entry: Entry) -> list[Line]:
    """An entry for people. What is inside is made harmless where it is printed."""
    level = str(entry["level"])
    fields = "  ".join(f"{key}={_text(value)}" for key, value in entry.items() if key not in ASIDE)
    out = [Line(f"{_clock(entry.get('time'))}  {level:<7}  {entry.get('event')}  {fields}".rstrip(), STYLES[level])]
    traceback = entry.get("traceback")
    return out + [
        Line(f"    {line}", "faint") for line in (traceback.splitlines() if isinstance(traceback, str) else [])
    ]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value if value and " " not in value and value.isprintable() else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)


def _clock(moment: object) -> str:
    try:
        return datetime.datetime.fromtimestamp(float(str(moment))).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"
