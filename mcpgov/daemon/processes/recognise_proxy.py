"""Is a process one of our proxies, and of which server? Read from its command line. Pure.

Law: a proxy is ours if our launcher, by its whole path, started it, or if its code names our journal; one of another
installation is not. So a restarted daemon finds its proxies without their help.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mcpgov import proxy_argv

CODE_OPTIONS = ("-I", "-S", "-c")
LAUNCHER = "mcpgov-proxy"
IMPORT = "from mcpgov.proxy.launch import main"


@dataclass(frozen=True, slots=True)
class Proxied:
    """The options of a proxy's command line, and the command of its server."""

    server: str
    client: str
    project: str
    argv: tuple[str, ...]


class Recogniser:
    def __init__(self, launchers: Collection[str], journal: str) -> None:
        self._launchers = frozenset(launchers)
        self._journal = f"'journal': {journal!r}"

    def proxied(self, argv: Sequence[str]) -> Proxied | None:
        """`PYTHON -IS LAUNCHER …` as the kernel runs a script; `PYTHON -I -S -c CODE …` by hand or through a shell."""
        if len(argv) > 2 and argv[1] == "-IS" and argv[2] in self._launchers:
            return read_options(argv[3:])
        if tuple(argv[1:4]) == CODE_OPTIONS and len(argv) > 4 and IMPORT in argv[4] and self._journal in argv[4]:
            return read_options(argv[5:])
        return None


def proxy_like(argv: Sequence[str]) -> bool:
    """A proxy of any installation: its server is governed, though not by the rules of this one."""
    if len(argv) > 2 and argv[1] == "-IS" and argv[2].rsplit("/", 1)[-1] == LAUNCHER:
        return read_options(argv[3:]) is not None
    by_code = tuple(argv[1:4]) == CODE_OPTIONS and len(argv) > 4 and IMPORT in argv[4]
    return by_code and read_options(argv[5:]) is not None


def server_in(argv: Sequence[str]) -> str:
    """The server that a proxy's command line names; "" where it is no proxy."""
    for start in (3, 5):
        if found := read_options(argv[start:]):
            return found.server
    return ""


def read_options(words: Sequence[str]) -> Proxied | None:
    """As the proxy reads them; None where it would refuse to start."""
    options, ours, unknown = proxy_argv.read(words)
    argv = tuple(words[len(ours) :])
    if unknown is not None or "server" not in options or not argv:
        return None
    return Proxied(options["server"], options.get("client", ""), options.get("project", ""), argv)
