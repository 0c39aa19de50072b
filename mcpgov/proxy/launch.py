"""Start the real server, then become its governor.

Law: spawn first. Only `posix` and `sys` stand above the spawn; everything else loads while the server boots.
INVARIANT: no byte reaches the server before the rules are loaded.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

USAGE = "usage: mcpgov-proxy --server NAME [--client C] [--project DIR] [--policy FILE] [--journal FILE] -- COMMAND …"
OPTIONS = ("--server", "--client", "--project", "--policy", "--journal")
EXIT_USAGE = 64
NO_FORMAT = 8  # ENOEXEC: a script without its first line
# What Python ignores and a server may not: SIGPIPE and SIGXFSZ.
IGNORED = (13, 25)
CHILD_SUBREAPER = 36  # of prctl(2)
COERCED = (b"C.UTF-8", b"C.utf8", b"UTF-8")


class Spawned:
    """The server's process and our ends of its three pipes; or why there is none."""

    __slots__ = ("error", "pid", "stderr", "stdin", "stdout")

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int, error: OSError | None = None) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.error = error


def parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Our options up to the first `--`; behind it the server's argv, exactly as given."""
    options: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at] != "--":
        name, equals, value = words[at].partition("=")
        if name not in OPTIONS:
            fail(f"unknown option `{words[at]}`")
        if not equals:
            at += 1
            if at >= len(words):
                fail(f"`{name}` needs a value")
            value = words[at]
        options[name[2:]] = value
        at += 1
    argv = words[at + 1 :]
    if "server" not in options or not argv:
        fail("a server name and a command are needed")
    return options, argv


def fail(why: str) -> NoReturn:
    sys.stderr.write(f"mcpgov: {why}\n{USAGE}\n")
    sys.stderr.flush()
    posix._exit(EXIT_USAGE)


def restore_locale(source: str = "/proc/self/environ") -> None:
    """Under the C locale the interpreter sets LC_CTYPE for itself and its children; the server gets the client's."""
    if posix.environ.get(b"LC_CTYPE") not in COERCED:
        return
    try:
        fd = posix.open(source, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return
    raw = b""
    while piece := posix.read(fd, 1 << 16):
        raw += piece
    posix.close(fd)
    given = [entry[9:] for entry in raw.split(b"\0") if entry.startswith(b"LC_CTYPE=")]
    if given:
        posix.environ[b"LC_CTYPE"] = given[0]
    else:
        del posix.environ[b"LC_CTYPE"]


def take_standard() -> None:
    """Whichever is closed would be taken by a pipe or a file of ours, and somebody's words would go there."""
    while (fd := posix.open("/dev/null", posix.O_RDWR)) <= 2:
        pass
    posix.close(fd)


def spawn(argv: list[str]) -> Spawned:
    """The server in a process group of its own, with the client's environment and directory untouched."""
    theirs_in, stdin = posix.pipe()
    stdout, theirs_out = posix.pipe()
    stderr, theirs_err = posix.pipe()
    actions = [
        (posix.POSIX_SPAWN_DUP2, theirs_in, 0),
        (posix.POSIX_SPAWN_DUP2, theirs_out, 1),
        (posix.POSIX_SPAWN_DUP2, theirs_err, 2),
    ]
    error = None
    pid = 0
    try:
        # A group of its own: ending it ends `npx` -> `sh` -> `node` together.
        pid = posix.posix_spawnp(argv[0], argv, posix.environ, file_actions=actions, setpgroup=0, setsigdef=IGNORED)
    except OSError as problem:
        error = problem
    except ValueError:  # an empty word
        error = FileNotFoundError(2, "No such file or directory")
    if error is not None and error.errno == NO_FORMAT:
        error = None
        shell = ["/bin/sh", *argv]
        pid = posix.posix_spawn(shell[0], shell, posix.environ, file_actions=actions, setpgroup=0, setsigdef=IGNORED)
    for fd in (theirs_in, theirs_out, theirs_err):
        posix.close(fd)
    return Spawned(pid, stdin, stdout, stderr, error)


def adopt_orphans() -> None:
    """Linux: what a helper of the server leaves behind becomes our child, so that it can be found and ended.

    Straight through the C module: its package would cost ten times as much.
    """
    if sys.platform != "linux":
        return
    try:
        import _ctypes

        function = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(function, (CHILD_SUBREAPER, 1, 0, 0, 0))
    except (ImportError, OSError, AttributeError):
        return  # then those are found whose parents still live


def hold_signals() -> None:
    """There is a server to end now: a signal waits until there is somebody to pass it on."""
    import _signal  # type: ignore[import-not-found]  # always loaded; `signal` itself costs an enum

    _signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP))


def main(words: list[str], home: dict[str, str]) -> NoReturn:
    """`home` comes from the launcher, nothing of it from the environment: where state lies, how to compile a policy."""
    options, argv = parse(words)
    restore_locale()
    try:
        take_standard()
        server = spawn(argv)
    except OSError as problem:  # no descriptors, no processes
        server = Spawned(0, -1, -1, -1, problem)
    if server.error is not None:
        from mcpgov.proxy.spawn_failure import refuse

        posix._exit(refuse(server.error, argv[0]))
    hold_signals()
    adopt_orphans()
    from mcpgov.proxy.stdio import run

    status = run(server, argv, options, home)
    # Straight out: nothing is left to flush, and interpreter shutdown costs a millisecond.
    posix._exit(status)
