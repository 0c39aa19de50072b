"""The real machine for core's World: links, home, working directory. Leaf; used by proxy and front alike."""

from __future__ import annotations

import os

from mcpgov.core.decoding import World


def readlink(path: str) -> str | None:
    """The text of a link; "" where nothing is; None for anything that is no link or cannot be asked."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def home_of(name: str) -> str | None:
    import pwd

    try:
        return pwd.getpwnam(name).pw_dir
    except (KeyError, ValueError):
        return None


def home() -> str:
    """$HOME, else the account's: a client may start us with an empty environment."""
    found = os.environ.get("HOME")
    if found:
        return found
    import pwd

    return pwd.getpwuid(os.getuid()).pw_dir


def world(cwd: str | None = None) -> World:
    if cwd is None:
        try:
            cwd = os.getcwd()
        except OSError:
            cwd = ""
    return World(readlink, cwd, home(), os.environ, home_of)
