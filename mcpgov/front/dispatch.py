"""Parse one command's arguments, run it, print its result."""

from __future__ import annotations

import argparse
import importlib
import select
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol, TypeVar

from mcpgov.errors import UsageError, nearest
from mcpgov.front.context import Context
from mcpgov.front.parser_table import Command
from mcpgov.front.result import Line, Result, visible

PAUSE = 200  # milliseconds
T = TypeVar("T")


class CommandModule(Protocol):
    """The interface of a file in commands/."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: argparse.Namespace, context: Context) -> Result: ...


class Parser(argparse.ArgumentParser):
    """argparse with our exit code and message style."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=_suggestion(message) or f"{self.prog} --help")


def _suggestion(message: str) -> str:
    """The choice closest to an invalid one, from argparse's message."""
    head, _, choices = message.partition(" (choose from ")
    word = head.partition("invalid choice: ")[2].strip("'")
    near = nearest(word, [choice.strip("'") for choice in choices.removesuffix(")").split(", ")]) if word else ""
    return f"did you mean `{near}`?" if near else ""


def load(command: Command) -> CommandModule:
    module: CommandModule = importlib.import_module(command.module)
    return module


def parser_of(command: Command, name: str) -> tuple[Parser, CommandModule]:
    verb = load(command)
    about = (sys.modules[command.module].__doc__ or "").strip()
    parser = Parser(
        prog=f"mcpgov {name}",
        usage=f"mcpgov {name} [options]",
        description=command.help[:1].upper() + command.help[1:] + ".",
        epilog=about.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        add_help=False,
    )
    if hasattr(verb, "add_arguments"):  # one without has the common options alone
        verb.add_arguments(parser)
    wanted = [action for action in parser._actions if action.required]
    if wanted:
        parser.usage = f"mcpgov {name} {' '.join(map(_usage, wanted))} [options]"
    common = parser.add_argument_group("common options")
    common.add_argument("--json", action="store_true", help="machine-readable output")
    common.add_argument("--quiet", action="store_true", help="print nothing but errors")
    common.add_argument("--no-color", action="store_true", help="no colours")
    common.add_argument("--root", metavar="DIR", help="keep everything below DIR (also MCPGOV_ROOT)")
    common.add_argument("-h", "--help", action="help", help="show this help")
    return parser, verb


INSTEAD_OF_COMMAND = "--url"  # of the commands that take one, for a server without


def _parsed(parser: Parser, words: Sequence[str]) -> argparse.Namespace:
    """For a command that takes another program's command line: everything behind the first `--` belongs to that."""
    taking = [action for action in parser._actions if action.nargs == argparse.REMAINDER]
    instead = taking and any(word.partition("=")[0] == INSTEAD_OF_COMMAND for word in words)
    if not taking or ("--" not in words and not instead):
        return parser.parse_args(words)
    taking[0].nargs = "*"  # else options behind NAME would count as the command
    at = list(words).index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:at])
    args.command = [*args.command, *words[at:]]
    return args


def _usage(action: argparse.Action) -> str:
    shown = str(action.metavar) if action.metavar else "|".join(map(str, action.choices or ()))
    return " ".join([*action.option_strings[:1], shown])


class Work:
    """One command with its arguments."""

    def __init__(self, command: Command, name: str, words: Sequence[str]) -> None:
        parser, self._verb = parser_of(command, name)
        self._command, self._name = command, name
        self.args = _parsed(parser, words)
        if self.args.root == "":
            raise UsageError("`--root` needs a directory")
        self.context = Context(self.args.root)

    def run(self) -> Result:
        if self._command.weakens:
            from mcpgov.front import caller_check

            caller_check.check(self._name, self._command.weakens, self.args, self.context)
        return self._verb.run(self.args, self.context)

    def show(self, result: Result) -> None:
        if self.args.quiet:
            return
        for note in result.notes:
            sys.stderr.write(f"mcpgov: {visible(note)}\n")
        if result.raw is not None:
            sys.stdout.write(harmless(result.raw) if sys.stdout.isatty() else result.raw)
        elif self.args.json:
            import json

            sys.stdout.write(json.dumps(result.envelope(), indent=2) + "\n")
        else:
            show_people(result, "never" if self.args.no_color else self.context.color)


def show_people(result: Result, color: str) -> None:
    if color == "always" or sys.stdout.isatty():
        from mcpgov.front.output import render

        render.show(result, color)
    else:
        from mcpgov.front.output import plain_text

        plain_text.show(result, sys.stdout)


def follow(
    args: argparse.Namespace,
    context: Context,
    look: Callable[[], Sequence[T]],
    as_json: Callable[[T], str],
    as_lines: Callable[[T], Sequence[Line]],
) -> NoReturn:
    """Print new items as they appear, as JSON lines or for people, until the reader goes away (`| head`)."""
    color = "never" if args.no_color else context.color
    gone = select.poll()
    gone.register(sys.stdout.fileno(), 0)
    while True:
        items = look()
        if items and args.json and not args.quiet:
            sys.stdout.writelines(f"{as_json(item)}\n" for item in items)
        elif items and not args.quiet:
            show_people(Result("", view=[line for item in items for line in as_lines(item)]), color)
        sys.stdout.flush()
        if gone.poll(PAUSE):
            raise BrokenPipeError


def harmless(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n"))
