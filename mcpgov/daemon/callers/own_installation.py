"""Is this the account's own installation, or a scratch one of a test or a trial?

Law: the environment decides nothing. The account's home is that of the user database; an installation is the account's
own if its home is that one, if one of its directories or files is inside the account's, or if its launcher was written
for that home. Only an installation that is separate in all of this is a scratch one.
"""

from __future__ import annotations

import ast
import os
import pwd
import re
from collections.abc import Iterable

from mcpgov import host
from mcpgov.atomic_file import read_bytes
from mcpgov.places import Places, usual_directories

HOME_IN_LAUNCHER = re.compile(rb"""'home': ('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""")


def account_home() -> str:
    try:
        return os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir)
    except KeyError:  # a user without an entry, as in some containers
        return os.path.realpath(host.home())


def is_own(places: Places, files: Iterable[str | os.PathLike[str]] = (), home: str | None = None) -> bool:
    """`files`: what else would be changed. `home`: the installation's home, if not that of the environment."""
    account = account_home()
    ours = os.path.realpath(host.home() if home is None else home)
    if ours == account:
        return True
    usual = [os.path.realpath(path) for path in usual_directories(account)]
    used = (places.config, places.state, places.runtime, places.launcher)
    if any(_inside(os.path.realpath(path), place) for path in used for place in usual):
        return True
    # A file of a scratch home may be a link to one of the account's.
    real = [os.path.realpath(file) for file in files]
    if any(_inside(file, account) and not _inside(file, ours) for file in real):
        return True
    text = read_bytes(places.launcher)
    return text is not None and f"'home': {account!r}".encode() in text


def installed_home(places: Places) -> str:
    """The home that the launcher was written for, "" if there is none; a caller's HOME may be another one."""
    match = HOME_IN_LAUNCHER.search(read_bytes(places.launcher) or b"")
    try:
        return str(ast.literal_eval(match[1].decode("utf-8"))) if match else ""
    except (ValueError, SyntaxError):
        return ""


def _inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory.rstrip('/')}/")
