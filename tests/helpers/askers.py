"""Stand-ins for AI apps, editors and terminals that start a command, and what becomes of it.

A stand-in is a script with the real program's name; how it starts the command is its first argument.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.helpers.talks import PATIENCE, PYTHON, wait_for

# What an app or a terminal runs: a shell with a command. The last file says that all is written.
SHELL = 'o=$1; shift; "$@" >"$o.out" 2>"$o.err" </dev/null; echo $? >"$o.status"; : >"$o"'
STAND_IN = """\
import os, pty, sys
kind, shell, out, *words = sys.argv[1:]
program = os.environ.get('SHELL_FILE', '/bin/sh')
line = [os.path.basename(program), '-c', shell, 'sh', out, *words]

def become_shell():
    os.execv(program, line)

def forked(*steps):
    first = os.fork()
    if first:
        if os.fork in steps:
            os.waitpid(first, 0)  # else it stays as a zombie, which still knows its parent
        return
    for step in steps:
        if step is os.fork:
            if os.fork():
                os._exit(0)
        else:
            step()
    become_shell()

def panel():  # the shell leads a session on a terminal of its own
    pid, fd = pty.fork()
    if not pid:
        become_shell()
    os.waitpid(pid, 0)

if kind == 'plain':
    forked()
elif kind == 'fork':  # the shell goes on when its parent has ended; the app stays
    forked(os.fork)
elif kind == 'setsid':
    forked(os.setsid)
elif kind == 'daemon':
    forked(os.setsid, os.fork)
elif kind == 'group':
    forked(lambda: os.setpgid(0, 0), os.fork)
elif kind == 'panel':
    panel()
elif kind == 'tmux':  # a server that nobody sees
    os.spawnvp(os.P_WAIT, 'tmux', ['tmux', '-L', 'unseen', '-f', '/dev/null', 'new-session', '-d', *line])
elif kind == 'shown tmux':
    pid, fd = pty.fork()
    if not pid:
        os.execvp('tmux', ['tmux', '-L', 'shown', '-f', '/dev/null', 'new-session', *line])
    try:
        while os.read(fd, 4096):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
elif kind == 'lost panel':
    forked(os.setsid, os.fork, lambda: (panel(), os._exit(0)))
if os.environ.get('STAY'):
    sys.stdin.read()
"""


class Asker:
    """A program called `name` in a home; `ask` lets it start a command."""

    def __init__(self, base: Path, home: Path, name: str) -> None:
        self.home = home
        self.path = base / "programs" / name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(f"#!{PYTHON} -IS\n{STAND_IN}", "ascii")
        self.path.chmod(0o755)

    def ask(self, kind: str, *words: object, **environ: str) -> tuple[int, str, str]:
        """Exit status, output and errors of the command; the stand-in lives until the command has ended."""
        with self.asked(kind, *words, **environ) as told:
            return told

    @contextmanager
    def asked(self, kind: str, *words: object, **environ: str) -> Iterator[tuple[int, str, str]]:
        """The same; the stand-in lives on meanwhile."""
        out = self.path.with_name(f"{self.path.name}.done")
        out.unlink(missing_ok=True)
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "STAY": "1", **environ}
        line = [str(self.path), kind, SHELL, str(out), *map(str, words)]
        with subprocess.Popen(line, env=env, stdin=subprocess.PIPE) as process:
            wait_for(out.exists, "the command's end")
            told = [out.with_name(f"{out.name}.{end}").read_text() for end in ("status", "out", "err")]
            try:
                yield int(told[0]), told[1], told[2]
            finally:
                process.communicate(timeout=PATIENCE)


def refusals(journal: Path) -> list[dict[str, Any]]:
    lines = [line for file in sorted(journal.glob("*.jsonl")) for line in file.read_text().splitlines()]
    return [record for record in map(json.loads, lines) if record.get("kind") == "caller"]
