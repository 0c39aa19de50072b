"""The command line that starts mcpgov itself, built only here. Leaf.

Law: the interpreter runs isolated (`-I -S`), so neither the environment nor the working directory can put another
module in front of ours.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

RUN = "from mcpgov.__main__ import entry; entry()"
VARIABLES = "MCPGOV_"  # how the names of our own environment variables begin


def child_command(root: Path | None, *words: str) -> list[str]:
    """Run mcpgov with exactly the package and libraries of this process; options and arguments may follow."""
    paths = [path for path in sys.path if path]
    return isolated(sys.executable, f"import sys; sys.path[:] = {paths!a}; {RUN}", root, *words)


def lasting_command(interpreter: str, paths: Sequence[str], root: Path | None, *words: str) -> list[str]:
    """The same for a file that outlives this process; only `paths` are added to the interpreter's own."""
    code = (
        f"import os, sys; [os.environ.pop(name) for name in list(os.environ) if name.startswith({VARIABLES!r})]; "
        f"sys.path += {paths!a}; {RUN}"
    )
    return isolated(interpreter, code, root, *words)


def verb_code(environ: Mapping[str, str], paths: Sequence[str], root: Path | None, *words: str) -> str:
    """Code that runs one verb with exactly this environment; the arguments of the process follow those of the verb."""
    given = [*root_words(root), *words]
    return (
        f"import os, sys; os.environ.clear(); os.environ.update({environ!r}); sys.path += {paths!r}; "
        f"sys.argv[1:1] = {given!r}; {RUN}"
    )


def isolated(interpreter: str, code: str, root: Path | None = None, *words: str) -> list[str]:
    return [interpreter, "-I", "-S", "-c", code, *root_words(root), *words]


def root_words(root: Path | None) -> Iterable[str]:
    return ["--root", str(root)] if root is not None else []


def child_environment() -> dict[str, str]:
    """Our environment without MCPGOV_* settings of the caller: a child goes by the settings file."""
    return {key: value for key, value in os.environ.items() if not key.startswith(VARIABLES)}
