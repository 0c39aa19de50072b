"""The launcher: the one file that wrapped entries name, rewritten on upgrade.

Law: it starts the real interpreter, isolated (`-I -S`), and uses nothing of the client's environment for itself.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import mcpgov
from mcpgov import host
from mcpgov.atomic_file import cannot_write, read_bytes, replace_file
from mcpgov.front.install.bundle import BUNDLES, bundle_bytes, fingerprint, read_code
from mcpgov.front.install.libraries import import_paths, recorded
from mcpgov.places import Places
from mcpgov.self_command import isolated, verb_code
from mcpgov.settings import Settings

# The variables that the policy compiler needs: they locate our directories. Nothing that differs between a terminal and
# a login service, or the two would rewrite the launcher in turn.
KEPT = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
EXIT_GONE = 127
LONGEST_FIRST_LINE = 120  # older kernels cut it at 127
GONE = "mcpgov: this server is governed by mcpgov, which is no longer installed here"
WHAT_TO_DO = "mcpgov: install it again, or remove mcpgov-proxy and its options from the server's entry"


def home_of(places: Places, settings: Settings) -> dict[str, str]:
    """What a proxy must know and cannot find out cheaply."""
    # The entry's environment decides nothing for us: neither which policy holds nor where the home is.
    kept = {key: value for key, value in os.environ.items() if key in KEPT and value}
    policy = settings.policy or places.policy_file()
    return {
        "watch": "\0".join((str(policy), *places.policy_candidates())),
        "home": host.home(),
        "compiled": str(places.compiled),
        "journal": str(places.journal),
        "tools": str(places.tools),
        "socket": str(places.socket),
        "keep_days": str(settings.audit_keep_days),
        "compile": verb_code(kept, import_paths(), places.root, "policy", "compile"),
    }


def boot_code(places: Places, settings: Settings, bundle: Path | None = None) -> str:
    """The code that the interpreter runs. A bundle saves a search and a file per module."""
    return (
        # Nothing is added to `sys.path`: a module planted next to ours, or next to the libraries, is never found.
        f"import sys, gc, posix\ngc.disable()\nparent = {str(Path(mcpgov.__file__).resolve().parents[1])!r}\n"
        f"pins = {recorded()!r}\n{read_code(bundle)}"
        # The bundle may outlive the package, and does not contain all of it.
        + f"try:\n posix.stat({str(Path(mcpgov.__file__).resolve())!r})\n from mcpgov.proxy.launch import main\n"
        f"except (ImportError, OSError):\n sys.stderr.write({f'{GONE}{chr(10)}{WHAT_TO_DO}{chr(10)}'!r})\n"
        f" sys.exit({EXIT_GONE})\n"
        f"main(sys.argv[1:], {home_of(places, settings)!r})\n"
    )


def bundle_path(places: Places) -> Path | None:
    """The bundle's path for this version and interpreter; None for a working copy, which may change at any time."""
    package = Path(mcpgov.__file__).resolve().parent
    if package.parent.name not in ("site-packages", "dist-packages"):
        return None
    name = f"hot-{mcpgov.__version__}-{sys.implementation.cache_tag}-{fingerprint(package)}.bin"
    return places.launcher.with_name(name)


def interpreter() -> str:
    """The real interpreter: not a version manager's shim, nor a link in an environment that may vanish."""
    return os.path.realpath(sys.executable)


def command(places: Places, settings: Settings, bundle: Path | None = None) -> list[str]:
    """The interpreter and its arguments; the proxy's own follow."""
    return isolated(interpreter(), boot_code(places, settings, bundle))


def launcher_text(places: Places, settings: Settings) -> str:
    """The kernel starts the interpreter directly: a shell would add variables to the environment and drop odd ones.

    So nothing reports a missing interpreter at that point: `doctor`, `status` and the daemon check for it.
    """
    note = f"# mcpgov {mcpgov.__version__}: governs one MCP server for a client. Written by mcpgov; edits are lost."
    first = f"#!{interpreter()} -IS"
    if len(first) <= LONGEST_FIRST_LINE and first.isascii() and first.isprintable() and first.count(" ") == 1:
        return f"{first}\n{note}\n{boot_code(places, settings, bundle_path(places))}"
    python, *rest = (shlex.quote(word) for word in command(places, settings, bundle_path(places)))
    return f"""#!/bin/sh
{note}
[ -x {python} ] && exec {python} {" ".join(rest)} "$@"
echo {shlex.quote(GONE)} >&2
echo {shlex.quote(WHAT_TO_DO)} >&2
exit {EXIT_GONE}
"""


def write_launcher(places: Places, settings: Settings) -> bool:
    """Write the launcher; True if it changed. A client that starts it meanwhile gets the old or the new one."""
    path, text, bundle = places.launcher, launcher_text(places, settings), bundle_path(places)
    try:
        if read_bytes(path) == text.encode("utf-8") and (bundle is None or bundle.exists()):
            return False
        old = set(path.parent.glob(BUNDLES))
        if bundle is not None:
            replace_file(bundle, bundle_bytes(), 0o600)
        replace_file(path, text.encode("utf-8"), 0o755)
        for file in old - {bundle}:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None
    return True
