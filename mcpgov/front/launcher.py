"""The one stable launcher: a file of ours that wrapped entries name, rewritten on upgrade.

Law: it starts the real interpreter, isolated (`-I -S`), and takes nothing from the client's environment for itself.
"""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from pathlib import Path

import mcpgov
from mcpgov.errors import McpgovError
from mcpgov.settings import Places, Settings

GONE = "mcpgov: this server is governed by mcpgov, which is no longer installed here"
WHAT_TO_DO = "mcpgov: install it again, or remove mcpgov-proxy and its options from the server's entry"


def import_paths() -> list[str]:
    """Where the package and its libraries lie: `-S` knows neither."""
    package = str(Path(mcpgov.__file__).resolve().parents[1])
    return list(dict.fromkeys((package, sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"])))


def home_of(places: Places, settings: Settings) -> dict[str, str]:
    """What a proxy must know and cannot look up cheaply."""
    root = ["--root", str(places.root)] if places.root is not None else []
    compile_with = (
        f"import sys; sys.path[:0] = {import_paths()!r}; from mcpgov.front.main import main; "
        f"sys.exit(main([*{root!r}, 'policy', 'compile', *sys.argv[1:]]))"
    )
    return {
        "compiled": str(places.compiled),
        "journal": str(places.journal),
        "tools": str(places.tools),
        "keep_days": str(settings.audit_keep_days),
        "compile": compile_with,
    }


def boot_code(places: Places, settings: Settings) -> str:
    return (
        f"import sys\nsys.path[:0] = {import_paths()!r}\n"
        f"try:\n from mcpgov.proxy.launch import main\n"
        f"except ImportError:\n sys.exit({(GONE + chr(10) + WHAT_TO_DO)!r})\n"
        f"main(sys.argv[1:], {home_of(places, settings)!r})"
    )


def command(places: Places, settings: Settings) -> list[str]:
    """The interpreter and its arguments; the proxy's own follow."""
    return [sys.executable, "-I", "-S", "-c", boot_code(places, settings)]


def launcher_text(places: Places, settings: Settings) -> str:
    interpreter, *rest = (shlex.quote(word) for word in command(places, settings))
    return f"""#!/bin/sh
# mcpgov {mcpgov.__version__}: starts the governor in front of one MCP server. Written by mcpgov; edits are lost.
[ -x {interpreter} ] && exec {interpreter} {" ".join(rest)} "$@"
echo {shlex.quote(GONE)} >&2
echo {shlex.quote(WHAT_TO_DO)} >&2
exit 127
"""


def write_launcher(places: Places, settings: Settings) -> bool:
    """Put the launcher in place; True if it changed. A client that starts it meanwhile sees the old or the new one."""
    path, text = places.launcher, launcher_text(places, settings)
    try:
        if path.exists() and path.read_text("utf-8") == text and os.access(path, os.X_OK):
            return False
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = path.with_name(f"{path.name}.{os.getpid()}")
        scratch.unlink(missing_ok=True)
        fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o755)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(scratch, path)
    except OSError as error:
        raise McpgovError(f"cannot write `{path}`: {(error.strerror or str(error)).lower()}") from None
    return True
