"""The command line. Law: only the chosen command is imported; `--version` and `--help` need nothing at all."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from mcpgov import __version__
from mcpgov.errors import EXIT_INTERRUPTED, McpgovError, UsageError, nearest, reason_of
from mcpgov.front.parser_table import COMMANDS, Command, Group

FLAGS = ("--json", "--quiet", "--no-color")
HELP = ("-h", "--help")
QUICK = "status"
OPTIONS = """\
options, before or after the command:
  --root DIR   keep config, state and launcher below DIR (also MCPGOV_ROOT)
  --json       machine-readable output, on every command that reports
  --quiet      print nothing but errors
  --no-color   no colours
  --help       this text, or a command's own
  --version    print the version and nothing else

exit status:
  0  done                             4    a file is unsafe or contested
  1  failed, or degraded              64   the command line is wrong
  2  denied, or not as expected       130  interrupted
  3  the policy or a setting is invalid

examples:
  mcpgov policy init
  mcpgov policy explain --server fs --tool read_file --args '{"path": "/etc"}'
  mcpgov policy test --fixture-dir fixtures/
"""


def entry() -> None:
    """The console script."""
    as_utf8()
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the terminal cannot show is printed as an escape, instead of a traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))


def as_utf8() -> None:
    """Restart in UTF-8 mode if the locale has another encoding: paths in configs are UTF-8.

    INVARIANT: no byte of a path changes on its way from the file system into a config, or back.
    """
    if sys.getfilesystemencoding().lower() == "utf-8" or sys.flags.utf8_mode or not sys.orig_argv[1:]:
        return
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def main(argv: Sequence[str]) -> int:
    run = Run(argv)
    try:
        try:
            run.go()
        except McpgovError as error:
            run.complain(error)
        sys.stdout.flush()
    except KeyboardInterrupt:
        run.status = EXIT_INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
    except OSError as error:
        # Standard output itself may have failed: write nothing more there.
        run.as_json = False
        about = f"`{error.filename}`: " if error.filename else ""
        run.complain(McpgovError(f"cannot go on: {about}{reason_of(error)}"))
        _discard_output()
    return run.status


class Run:
    """One run; `status` is set even if the reader of the output has gone (`| head`)."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.words = list(argv)
        self.as_json = "--json" in self.words
        self.name = ""
        self.status = 0

    def go(self) -> None:
        if QUICK in self.words and self._quick():
            return
        flags: list[str] = []
        while self.words and self.words[0].startswith("-"):
            word = self.words.pop(0)
            if word == "--version":
                sys.stdout.write(f"mcpgov {__version__}\n")
                return
            if word in HELP:
                sys.stdout.write(overview())
                return
            if word == "--root":
                word = f"--root={self.words.pop(0)}" if self.words else "--root="
            if word not in FLAGS and not word.startswith("--root="):
                raise UsageError(f"unknown option `{word}` before the command", hint="mcpgov --help")
            flags.append(word)
        command = self._find()
        if command is not None:
            self._do(command, [*flags, *self.words])

    def _quick(self) -> bool:
        """`status` is run all day, so it has a fast path; False: use the normal path."""
        from mcpgov.front.status import fast_status

        self.name = QUICK
        status = fast_status.status(self.words)
        if status is None:
            self.name = ""
            return False
        self.status = status
        return True

    def _find(self) -> Command | None:
        """The command named by the first words; None if a group's help was printed."""
        table: dict[str, Command | Group] = COMMANDS
        alone: Command | None = None
        while True:
            if alone is not None and self._alone(table):
                return alone
            if not self.words:
                sys.stderr.write(overview(table, self.name))
                raise UsageError(f"no command after `{' '.join(['mcpgov', self.name]).strip()}`")
            word = self.words.pop(0)
            if word in HELP:
                sys.stdout.write(overview(table, self.name))
                return None
            row = table.get(word)
            if row is None:
                raise _no_such(word, table, self.name)
            self.name = f"{self.name} {word}".lstrip()
            if isinstance(row, Command):
                return row
            table, alone = dict(row.commands), row.alone

    def _alone(self, table: dict[str, Command | Group]) -> bool:
        """Nothing follows the group's name but options, or a number: of a question, say."""
        word = self.words[0] if self.words else "-"
        return word.startswith("-") or (word not in table and any(map(str.isdecimal, word)))

    def _do(self, command: Command, words: list[str]) -> None:
        from mcpgov.front.dispatch import Work

        try:
            work = Work(command, self.name, words)
        except SystemExit:
            return  # argparse has shown the help text
        result = work.run()
        self.status = result.exit_code
        work.show(result)

    def complain(self, error: McpgovError) -> None:
        from mcpgov.front.result import envelope, visible

        self.status = error.exit_code
        if self.as_json:
            import json

            data = {"error": {"message": str(error), "hint": error.hint, "reason_code": error.reason_code}}
            sys.stdout.write(json.dumps(envelope(self.name, False, data), indent=2) + "\n")
        sys.stderr.write(f"mcpgov: {visible(str(error))}\n")
        if error.hint:
            sys.stderr.write(f"  hint: {visible(error.hint)}\n")


def _no_such(word: str, table: dict[str, Command | Group], name: str) -> UsageError:
    near, group = nearest(word, table), " ".join(["mcpgov", *name.split()])
    hint = f"did you mean `{group} {near}`?" if near else f"{group} --help"
    return UsageError(f"no such command: `{group} {word}`", hint=hint)


def overview(table: dict[str, Command | Group] | None = None, name: str = "") -> str:
    """The help text, from the table alone."""
    rows = COMMANDS if table is None else table
    width = max(len(word) for word in rows) + 2
    known = " ".join(["mcpgov", *name.split()])
    lines = [f"usage: {known} COMMAND [options]", ""]
    if not name:
        lines += ["A governor between AI apps and their MCP servers.", ""]
    lines += ["commands:"]
    lines += [f"  {word:<{width}}{item.help}" for word, item in rows.items()]
    lines += ["", f"`{known} COMMAND --help` tells more.", ""]
    return "\n".join(lines) + ("" if name else f"\n{OPTIONS}")


def _discard_output() -> None:
    """Drop buffered output that cannot be written: Python would retry at exit and print an error of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        _silence_stdout()


def _silence_stdout() -> None:
    """Redirect standard output to /dev/null: its reader has gone (`| head`)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
