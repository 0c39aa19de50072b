"""The protected files: our own, the clients' configs, the login service's, the shells'.

Law: a file is listed if changing it could leave a server ungoverned or disable mcpgov. `*/name` is a file of that name
in any directory. The list is the same for a terminal, the daemon and a proxy's child.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import mcpgov
from mcpgov.configs.clients import CLIENTS, MACOS, config_files, system_key
from mcpgov.front.install.libraries import import_paths
from mcpgov.front.service.unit_text import launchd_directory, systemd_directories, systemd_name, unit_places
from mcpgov.places import Places

# Below the home: settings that decide which servers an app starts or allows, or that run hooks.
SETTINGS = (
    ".claude/settings.json", ".claude/settings.local.json", ".copilot/settings.json", ".copilot/config.json",
    ".cursor/hooks.json", ".cursor/cli-config.json",
)  # fmt: skip
EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
# The same in a project. A workspace's `.vscode/settings.json` is not here: writing it is ordinary work, and it neither
# starts a server nor a hook; `.vscode/mcp.json` does.
IN_PROJECTS = (".claude/settings.json", ".claude/settings.local.json", ".cursor/hooks.json")
ADMINISTRATORS = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
# Start-up files of shells: a line in them runs before every program of the user.
SHELL = """
    .profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bashrc.d .bash_completion .profile.d
    .zshrc .zshenv .zprofile .zlogin .zlogout .zshrc.d .config/zsh .config/fish/config.fish .config/fish/conf.d
    .config/fish/functions .config/fish/fish_variables .kshrc .mkshrc .cshrc .tcshrc .login .logout .shrc .shinit
    .config/nushell .config/powershell .config/elvish .config/xonsh .xonshrc .xprofile .xsession .xsessionrc .xinitrc
    .pam_environment .config/plasma-workspace/env
""".split()  # noqa: SIM905


def protected_places(
    places: Places, policy: Path, home: str, environ: Mapping[str, str], configs: Iterable[str]
) -> list[str]:
    """What no governed call may change; `configs`: every file that ever contained a server."""
    # The launcher's whole directory: the bundle is there too.
    ours = [places.config, places.state, places.launcher.parent, places.runtime, places.socket.parent]
    own = [*dict.fromkeys(ours), places.managed_policy]
    if not policy.is_relative_to(places.config):
        own.append(policy)
    known = list(configs)
    protected = [
        *map(str, own),
        *environment(home),
        *service_places(home, environ, places),
        *config_files(home, sys.platform),
        *client_settings(home, sys.platform, known),
        *known,
        *project_names(),
    ]
    return list(dict.fromkeys(protected))


def environment(home: str) -> list[str]:
    """The directories that our code is loaded from: a module planted there would be loaded like ours."""
    package = Path(mcpgov.__file__).resolve().parent
    directories = [str(package), f"{home}/.local/bin/mcpgov", f"{home}/bin/mcpgov"]
    for path in import_paths():
        if Path(path).name in ("site-packages", "dist-packages"):
            directories.append(_whole(Path(path)))
    base = os.path.realpath(sys.base_prefix)
    if base.startswith(os.path.realpath(home) + "/"):
        directories.append(base)
    return directories


def _whole(libraries: Path) -> str:
    """The virtual environment of a directory of libraries, else the directory itself."""
    real = libraries.resolve()
    return next((str(above) for above in real.parents[:4] if (above / "pyvenv.cfg").is_file()), str(real))


def service_places(home: str, environ: Mapping[str, str], places: Places) -> list[str]:
    """Files that decide how the login service starts: units, drop-ins, overrides, its environment."""
    protected = unit_places(home, environ, places.root)
    for directory in systemd_directories(home, environ):
        config, systemd = directory.parent.parent, directory.parent
        protected += [str(config / "environment.d")]
        names = ("user.control", "user.conf", "user.conf.d", "user-generators", "user-environment-generators")
        protected += [str(systemd / name) for name in names]
    unit = systemd_name(places.root)
    others = [Path(home) / ".local/share/systemd/user"]
    others += [Path(f"/run/user/{os.getuid()}/systemd/{name}") for name in ("user", "user.control", "transient")]
    protected += [str(place / name) for place in others for name in (unit, f"{unit}.d", "service.d")]
    if sys.platform == MACOS:
        protected += [f"{home}/.launchd.conf", f"{home}/.MacOSX", str(launchd_directory(home) / "environment.plist")]
    return protected


def client_settings(home: str, system: str, configs: Iterable[str]) -> list[str]:
    """The clients' settings files other than their lists of servers."""
    user = "Library/Application Support" if system_key(system) == MACOS else ".config"
    files = [f"{home}/{name}" for name in SETTINGS]
    files += [f"{home}/{user}/{editor}/User/{name}" for editor in EDITORS for name in ("settings.json", "mcp.json")]
    files += [f"{home}/{client.switched_off_file}" for client in CLIENTS if client.switched_off_file]
    # If a variable moves Claude Code's file, its settings move too.
    moved = [file.removesuffix(".claude.json") for file in configs if file.endswith("/.claude.json")]
    files += [f"{place}{name}" for place in moved for name in ("settings.json", "settings.local.json")]
    return [*files, *ADMINISTRATORS]


def project_names() -> list[str]:
    """Names of project files that start servers or run hooks, in any directory."""
    files = [file for client in CLIENTS for file in client.project_files]
    return [f"*/{name}" for name in dict.fromkeys((".mcpgov.toml", *files, *IN_PROJECTS))]


def secret_places(places: Places) -> list[str]:
    """What no governed call may even read: tokens, the secret paths of remote servers, codes of the local page."""
    return [str(places.remote_servers.parent), str(places.page), str(places.serve)]


def shell_places(home: str) -> list[str]:
    """Start-up files of shells and sessions; `protect_shell = false` leaves out only these."""
    return [f"{home}/{name}" for name in SHELL]
