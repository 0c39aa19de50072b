"""The login service under systemd or launchd: install, uninstall, start, stop, state.

Laws: repeating it changes nothing; a unit that we did not write is renamed, never removed; a trial (`--root`) has a
service with its own name.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import mcpgov
from mcpgov import host
from mcpgov.atomic_file import cannot_write, replace_file
from mcpgov.errors import McpgovError
from mcpgov.front.install.launcher import interpreter
from mcpgov.front.install.libraries import import_paths
from mcpgov.front.safe_create import put_aside
from mcpgov.front.service import unit_text
from mcpgov.front.service.launchd import Launchd
from mcpgov.front.service.service_manager import UnitState
from mcpgov.front.service.systemd import Systemd
from mcpgov.places import Places
from mcpgov.self_command import lasting_command

WANTED_BY = "default.target.wants"
OUTPUT = "launchd.log"  # the daemon's standard output and error, next to its log


@dataclass(frozen=True, slots=True)
class LoginService:
    """The service manager and our unit; `reason`: why there is none; `domain`: launchd's."""

    kind: Literal["systemd", "launchd", "none"]
    name: str = ""
    unit: Path | None = None
    reason: str = ""
    domain: str = ""


def which(places: Places, *, system: str = sys.platform) -> LoginService:
    """The manager that answers and reads units from where we would write ours."""
    return _launchd(places) if system == "darwin" else _systemd(places)


def _systemd(places: Places) -> LoginService:
    if shutil.which("systemctl") is None:
        return LoginService("none", reason="there is no systemd on this system")
    looks, why = Systemd.unit_path()
    if not looks:
        return LoginService("none", reason=f"systemd's user manager does not answer: {why}")
    name, all_known = unit_text.systemd_name(places.root), _systemd_directories()
    known = [directory for directory in all_known if f" {directory} " in f" {looks} "]
    if not known:
        return LoginService("none", reason=f"systemd's user manager takes no units from `{all_known[0]}`")
    unit = next((place / name for place in known if (place / name).exists()), known[0] / name)
    return LoginService("systemd", name, unit)


def _launchd(places: Places) -> LoginService:
    if shutil.which("launchctl") is None:
        return LoginService("none", reason="there is no launchd on this system")
    domain, why = Launchd.find_domain()
    if not domain:
        return LoginService("none", reason=f"launchd has no domain of this user: {why}")
    name = unit_text.launchd_name(places.root)
    return LoginService("launchd", name, unit_text.launchd_directory(host.home()) / f"{name}.plist", domain=domain)


def _systemd_directories() -> list[Path]:
    return unit_text.systemd_directories(host.home(), os.environ)


def daemon_command(places: Places) -> list[str]:
    """The real interpreter, isolated as in the launcher; MCPGOV_* variables are not passed to the service."""
    return lasting_command(interpreter(), import_paths(), places.root, "daemon", "run")


def render(service: LoginService, places: Places, *, command: Sequence[str] | None = None) -> str:
    words = daemon_command(places) if command is None else command
    environ, version = {**os.environ, "HOME": host.home()}, mcpgov.__version__
    if service.kind == "launchd":
        template = _template("launchd", unit_text.LAUNCHD_FILE)
        return unit_text.launchd_text(template, service.name, version, words, environ, places.log / OUTPUT)
    template = _template("systemd", unit_text.SYSTEMD_FILE)
    return unit_text.systemd_text(template, service.name, version, words, environ, places.root)


def _template(directory: str, name: str) -> str:
    """A unit template: inside an installed package, or next to the package in a working copy."""
    package = Path(mcpgov.__file__).resolve().parent
    installed = package / "units" / name
    return (installed if installed.exists() else package.parent / directory / name).read_text("utf-8")


def planned(service: LoginService, places: Places) -> list[Path]:
    """Every file that `install` would create."""
    if service.unit is None:
        return []
    if service.kind == "launchd":
        return [service.unit, places.log / OUTPUT]
    return [service.unit, service.unit.parent / WANTED_BY / service.name]


def install(service: LoginService, places: Places, *, command: Sequence[str] | None = None) -> list[str]:
    """Write, enable and start the unit, or restart it if its text changed; returns what was done."""
    unit, manager = _found(service)
    text, steps_done = render(service, places, command=command), []
    changed = not _ours(unit) or _read(unit) != text
    if changed and os.path.lexists(unit) and not _ours(unit):
        steps_done.append(f"put aside `{unit}`, which mcpgov did not write, as `{put_aside(unit).name}`")
    try:
        if changed:
            replace_file(unit, text.encode("utf-8"))
            unit.chmod(0o644)  # independent of the umask: it contains no secret, and systemd warns about 0600
            steps_done.append(f"wrote `{unit}`")
        if service.kind == "launchd":
            host.private_directory(str(places.log))  # launchd would create it with its own mode
    except OSError as error:
        raise cannot_write(unit, error) from None
    return steps_done + manager.take_up(changed)


def uninstall(service: LoginService, places: Places) -> list[str]:
    """Stop, disable and remove the unit; without a manager its files are removed all the same."""
    if service.unit is None:
        return [line for unit in _leftovers(places) for line in _remove(unit)]
    unit, manager = _found(service)
    if os.path.lexists(unit) and not _ours(unit):
        return [f"left `{unit}`, which mcpgov did not write"]
    steps_done = manager.give_up()
    steps_done += _remove(unit)
    if steps_done:
        manager.forget()
    return steps_done


def start(service: LoginService) -> None:
    _found(service)[1].start()


def stop(service: LoginService) -> None:
    _found(service)[1].stop()


def restart(service: LoginService) -> None:
    _found(service)[1].restart()


def state(service: LoginService) -> UnitState:
    return UnitState("missing", detail=service.reason) if service.unit is None else _found(service)[1].state()


def _found(service: LoginService) -> tuple[Path, Systemd | Launchd]:
    if service.unit is None:
        raise McpgovError(f"there is no login service here: {service.reason}", hint="mcpgov daemon start")
    if service.kind == "launchd":
        return service.unit, Launchd(service.name, service.domain, service.unit)
    return service.unit, Systemd(service.name)


def _leftovers(places: Places) -> list[Path]:
    name = unit_text.systemd_name(places.root)
    plist = unit_text.launchd_directory(host.home()) / f"{unit_text.launchd_name(places.root)}.plist"
    return [unit for unit in (*(place / name for place in _systemd_directories()), plist) if _ours(unit)]


def _ours(unit: Path) -> bool:
    return not unit.is_symlink() and any(mark in _read(unit)[:400] for mark in unit_text.MARKS)


def _read(unit: Path) -> str:
    try:
        return unit.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _remove(unit: Path) -> list[str]:
    """Remove the unit and the link that enables it; directories above are removed by `uninstall_steps`."""
    wanted, present = unit.parent / WANTED_BY, os.path.lexists(unit)
    try:
        unit.unlink(missing_ok=True)
        (wanted / unit.name).unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(unit, error) from None
    with contextlib.suppress(OSError):
        wanted.rmdir()
    return [f"removed `{unit}`"] if present else []
