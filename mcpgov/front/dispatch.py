"""Parse one command's arguments, run it, render its result."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol

from mcpgov.errors import UsageError
from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.front.table import Command


class Verb(Protocol):
    """What a file in commands/ offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: argparse.Namespace, context: Context) -> Result: ...


class Parser(argparse.ArgumentParser):
    """argparse with our exit code and message style."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"{self.prog} --help")


def load(command: Command) -> Verb:
    module: Verb = importlib.import_module(command.module)
    return module


def parser_of(command: Command, name: str) -> tuple[Parser, Verb]:
    verb = load(command)
    about = (sys.modules[command.module].__doc__ or command.help).strip()
    parser = Parser(
        prog=f"mcpgov {name}",
        description=command.help[:1].upper() + command.help[1:] + ".",
        epilog=about.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument("--no-color", action="store_true", help="no colours")
    verb.add_arguments(parser)
    return parser, verb


def dispatch(command: Command, name: str, words: Sequence[str], root: str | None) -> int:
    parser, verb = parser_of(command, name)
    args = parser.parse_args(words)
    context = Context(root)
    result = verb.run(args, context)
    if not args.quiet:
        if result.raw is not None or args.json:
            _plain(result)
        else:
            from mcpgov.front.render import show

            show(result, "never" if args.no_color else context.settings.color)
    return result.exit_code


def _plain(result: Result) -> None:
    """JSON and raw text need no rich."""
    import json

    text = result.raw if result.raw is not None else json.dumps(result.envelope(), indent=2) + "\n"
    sys.stdout.write(text)
