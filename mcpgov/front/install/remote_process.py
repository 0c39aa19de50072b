"""The command line of the process that serves remote servers: isolated like the launcher, with our libraries."""

from __future__ import annotations

import sys
from pathlib import Path

import mcpgov
from mcpgov.front.install.launcher import home_of, interpreter
from mcpgov.places import Places
from mcpgov.self_command import child_command, isolated
from mcpgov.settings import Settings

LOGIN = ("login", "token")


def remote_home(places: Places, settings: Settings) -> dict[str, str]:
    """What that process must know: as a proxy, and where the remote servers are."""
    return {
        **home_of(places, settings),
        "remote_servers": str(places.remote_servers),
        "remote_port": str(places.remote_port),
        "remote_probes": str(places.remote_probes),
        "login": "\0".join(child_command(places.root, *LOGIN)),
    }


def remote_command(places: Places, settings: Settings, *words: str) -> list[str]:
    """`words`: its verb and what follows."""
    package = str(Path(mcpgov.__file__).resolve().parents[1])
    paths = list(dict.fromkeys([package, *(path for path in sys.path if path)]))
    code = (
        f"import sys; sys.path[:] = {paths!a}; from mcpgov.remote.main import main; "
        f"main(sys.argv[1:], {remote_home(places, settings)!a})"
    )
    return [*isolated(interpreter(), code), *words]
