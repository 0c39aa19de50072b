"""The command line. Law: only the chosen command is imported; `--version` and `--help` need nothing at all."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mcpgov import __version__
from mcpgov.errors import EXIT_INTERRUPTED, McpgovError, UsageError
from mcpgov.front.table import COMMANDS, Command, Group

EXAMPLES = """examples:
  mcpgov policy init                          write a starter policy
  mcpgov policy explain --server fs --tool read_file --args '{"path": "/etc/passwd"}'
  mcpgov policy test --fixture-dir fixtures/  check decisions against fixtures
"""


def entry() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    words = list(argv)
    as_json = "--json" in words
    try:
        return _run(words)
    except McpgovError as error:
        _complain(error, as_json)
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing left to tell, and nothing may be printed at exit.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(words: list[str]) -> int:
    flags: list[str] = []
    root: str | None = None
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--version":
            sys.stdout.write(f"mcpgov {__version__}\n")
            return 0
        if word in ("-h", "--help"):
            sys.stdout.write(overview())
            return 0
        if word == "--root" or word.startswith("--root="):
            _, equals, value = word.partition("=")
            if not equals and not words:
                raise UsageError("`--root` needs a directory")
            root = value if equals else words.pop(0)
        elif word in ("--json", "--quiet", "--no-color"):
            flags.append(word)
        else:
            raise UsageError(f"unknown option `{word}` before the command", hint="mcpgov --help")
    if not words:
        sys.stdout.write(overview())
        return UsageError.exit_code
    command, path, rest = find(words)
    from mcpgov.front.dispatch import dispatch

    return dispatch(command, path, [*rest, *flags], root)


def find(words: list[str]) -> tuple[Command, str, list[str]]:
    """The command the first words name, its full name, and the words left over."""
    table: dict[str, Command | Group] = COMMANDS
    path: list[str] = []
    while True:
        if not words or words[0] in ("-h", "--help"):
            sys.stdout.write(overview(table, path))
            raise SystemExit(0 if words else UsageError.exit_code)
        name = words[0]
        found = table.get(name)
        if found is None:
            near = [other for other in table if other.startswith(name[:2])]
            hint = f"did you mean `{near[0]}`?" if near else "mcpgov --help"
            raise UsageError(f"no such command: `{' '.join([*path, name])}`", hint=hint)
        path.append(name)
        words = words[1:]
        if isinstance(found, Command):
            return found, " ".join(path), words
        table = dict(found.commands)


def overview(table: dict[str, Command | Group] | None = None, path: Sequence[str] = ()) -> str:
    """The help text, from the table alone."""
    rows = COMMANDS if table is None else table
    width = max(len(name) for name in rows) + 2
    name = " ".join(["mcpgov", *path])
    lines = [f"usage: {name} {'[--root DIR] ' if not path else ''}COMMAND [options]", ""]
    if not path:
        lines += ["A governor between AI apps and their MCP servers.", ""]
    lines += ["commands:"]
    lines += [f"  {command:<{width}}{item.help}" for command, item in rows.items()]
    lines += ["", f"`{name} COMMAND --help` tells more.", ""]
    if not path:
        lines += [
            "options:",
            "  --root DIR   keep config, state and launcher below DIR (also MCPGOV_ROOT)",
            "  --json       machine-readable output, on every command that reports",
            "  --quiet      print nothing but errors",
            "  --no-color   no colours",
            "  --version    print the version",
            "",
            EXAMPLES.rstrip(),
            "",
        ]
    return "\n".join(lines)


def _complain(error: McpgovError, as_json: bool) -> None:
    from mcpgov.front.result import ENVELOPE_VERSION, visible

    if as_json:
        import json

        body = {
            "version": ENVELOPE_VERSION,
            "ok": False,
            "error": {"message": str(error), "hint": error.hint},
        }
        sys.stdout.write(json.dumps(body, indent=2) + "\n")
    sys.stderr.write(f"mcpgov: {visible(str(error))}\n")
    if error.hint:
        sys.stderr.write(f"  hint: {visible(error.hint)}\n")
