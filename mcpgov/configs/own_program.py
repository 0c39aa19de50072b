"""Is an entry's command our own server, `mcpgov serve`? Then it is never wrapped.

Law: told by the file that the client would start, as a search along the entry's own PATH finds it, never by its name: a
program of another file that calls itself mcpgov is a server like any other. So is our own file where the entry sets a
variable that may have it run another's code, or read another's files for ours (PYTHONPATH, LD_PRELOAD, HOME, …).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache

NAME, VERB = "mcpgov", "serve"
PATH = "PATH"
# Variables that may lead our program, or what starts it, to other code or other files of ours; PATH is searched itself.
_LEADING = frozenset(
    (
        "HOME",
        "ENV",
        "BASH_ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "IFS",
        "PS4",
        "GCONV_PATH",
        "GLIBC_TUNABLES",
        "LOCPATH",
        "NLSPATH",
        "OPENSSL_CONF",
        "OPENSSL_MODULES",
        "OPENSSL_ENGINES",
        "COVERAGE_PROCESS_START",
        "COVERAGE_PROCESS_CONFIG",
        "VIRTUAL_ENV",
        "ENVFILE",
        "TMPDIR",
    )
)
_LEADING_HEADS = ("PYTHON", "LD_", "DYLD_", "XDG_", "MCPGOV_", "BASH_FUNC_", "__PYVENV", "MALLOC_")
_OURS = "MCPGOV_ROOT"  # which of our homes: what the person who wrote the entry chose
# Where clients find programs that the daemon of a login service may not have on its own PATH.
USUAL = ("~/.local/bin", "~/bin", "/opt/homebrew/bin", "/usr/local/bin")


def is_own_server(argv: Sequence[str], environment: Mapping[str, object]) -> bool:
    """`environment`: what the entry sets."""
    if not argv or argv[0].rsplit("/", 1)[-1] != NAME or not _serves(argv[1:]):
        return False
    if any(map(_may_lead_elsewhere, environment)):
        return False
    own, path = own_scripts(), environment.get(PATH, "")
    if not isinstance(path, str):
        return False
    # The client's PATH may be another than ours: then the name is looked for where programs usually are, and we.
    usual = [*map(os.path.expanduser, USUAL), *sorted({os.path.dirname(script) for script in own})]
    found = _found(argv[0], path or os.pathsep.join((os.environ.get(PATH, os.defpath), *usual)))
    return bool(found) and os.path.realpath(found) in own


def _may_lead_elsewhere(name: str) -> bool:
    upper = name.upper()
    return name != _OURS and (upper in _LEADING or upper.startswith(_LEADING_HEADS))


def _serves(words: Sequence[str]) -> bool:
    """`[--root DIR] serve …`: the first word that is no option."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] == "--root" else 1]
    return rest[:1] == [VERB]


def _found(program: str, path: str) -> str:
    """The file that would be started; a relative path depends on where, and is no file of ours."""
    if "/" in program:
        return program if program.startswith("/") else ""
    places = (f"{folder}/{program}" for folder in path.split(os.pathsep) if folder.startswith("/"))
    return next((place for place in places if os.access(place, os.X_OK) and os.path.isfile(place)), "")


@cache
def own_scripts() -> frozenset[str]:
    """The program's files of this very installation, as its own record of files has them."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution(NAME).files or []
    except PackageNotFoundError:
        return frozenset()
    own = [os.path.realpath(file.locate()) for file in files if file.name == NAME and file.parent.name == "bin"]
    return frozenset(own)
