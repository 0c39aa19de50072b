"""The directories and files mcpgov uses. Leaf; the only user of platformdirs.

Law: nothing else in mcpgov builds a path below the user's home. Light enough for the daemon and for `status`.
"""

from __future__ import annotations

import os
import stat
import sys
from _blake2 import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

APP = "mcpgov"
ROOT_VARIABLE = "MCPGOV_ROOT"
SHORT = "/tmp"
MOST_SHORT = 20
LONGEST_SOCKET = 100  # macOS takes 104 bytes including the NUL, Linux 108


class Places:
    """All paths. With a root, for tests and trials, everything is below it."""

    def __init__(self, root: Path | None = None) -> None:
        from pathlib import Path

        self.root = root
        if root is not None:
            self.config, self.state, self.runtime = root / "config", root / "state", root / "run"
            self.launcher = root / "bin" / "mcpgov-proxy"
            self.managed_policy = root / "managed" / "policy.toml"
        else:
            import platformdirs

            dirs = platformdirs.PlatformDirs(APP, appauthor=False)
            self.config = Path(dirs.user_config_dir)
            self.state = Path(dirs.user_state_dir)
            # Not XDG_RUNTIME_DIR: a login service, a terminal and a cron job may see different ones, or none.
            self.runtime = self.state / "run"
            self.launcher = Path(dirs.user_data_dir) / "bin" / "mcpgov-proxy"
            mac = Path("/Library/Application Support/mcpgov/policy.toml")
            self.managed_policy = mac if sys.platform == "darwin" else Path("/etc/mcpgov/policy.toml")
        self._name_files()

    def _name_files(self) -> None:
        from pathlib import Path

        self.settings_file = self.config / "settings.toml"
        self.compiled = self.state / "compiled"
        self.tools = self.state / "tools"
        self.clean_lines = self.state / "clean-lines"
        self.salt = self.state / "salt"
        self.journal = self.state / "journal"
        self.heads = self.state / "heads"
        self.daemon = self.state / "daemon"
        self.grants = self.state / "daemon" / "grants.json"
        self.ledger = self.state / "ledger.sqlite"
        self.ledger_spending = self.state / "ledger.sqlite.spending.json"
        self.ledger_hosts = self.state / "ledger.sqlite.hosts.json"
        self.ledger_report = self.daemon / "ledger.json"
        self.lock = self.state / "lock.json"
        self.log = self.state / "log"
        self.remote_servers = self.state / "remote" / "servers"
        self.remote_probes = self.state / "remote" / "probes"
        self.remote_port = self.state / "remote" / "port.json"
        self.remote_tokens = self.state / "remote" / "tokens"
        self.serve = self.state / "serve"
        self.serve_install = self.state / "serve" / "install.json"
        self.known_configs = self.state / "history" / "files.json"
        self.page = self.runtime / "page"
        self.page_sessions = self.page / "sessions.json"
        self.socket = Path(_socket(str(self.runtime)))
        self.lender_socket = self.socket.with_name("lender.sock")

    @property
    def managed_owner(self) -> int:
        """The only allowed owner of the managed policy: root, or for a trial the owner of its root directory."""
        return 0 if self.root is None else self.root.stat().st_uid

    def policy_file(self) -> Path:
        """`policy.toml`, or `rules.json` if only that exists."""
        toml, rules = self.config / "policy.toml", self.config / "rules.json"
        return rules if rules.exists() and not toml.exists() else toml

    def policy_candidates(self) -> list[str]:
        """Files that decide by their existence or contents which policy is in use (without its includes)."""
        own = (self.config / "policy.toml", self.config / "rules.json")
        return [str(path) for path in (*own, self.settings_file, self.managed_policy)]


def _socket(runtime: str) -> str:
    """The daemon's socket: in the runtime directory, or in a short directory if that path would be too long."""
    path = f"{runtime}/daemon.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    return f"{_short_directory(runtime)}/daemon.sock"


def _short_directories(runtime: str) -> list[str]:
    """Directories for a socket whose path would be too long, in order of preference."""
    digest = blake2b(os.fsencode(runtime), digest_size=6).hexdigest()
    first = f"{SHORT}/{APP}-{os.getuid()}-{digest}"
    return [first, *(f"{first}-{number}" for number in range(2, MOST_SHORT + 1))]


def _short_directory(runtime: str) -> str:
    """The first that is ours, else the first that is free. The daemon creates it, so every process picks the same one.

    Another user may have created one of these names first: a directory that is not ours is skipped.
    """
    free = ""
    candidates = _short_directories(runtime)
    for path in candidates:
        try:
            status = os.lstat(path)
        except OSError:
            free = free or path
            continue
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
            return path
    return free or candidates[0]


def squatted(places: Places) -> str:
    """The preferred socket directory if another user has taken it; "" otherwise."""
    if places.socket.parent == places.runtime:
        return ""
    first = _short_directories(str(places.runtime))[0]
    return first if os.path.lexists(first) and str(places.socket.parent) != first else ""


def usual_directories(home: str) -> list[str]:
    """The directories of an account whose environment does not move them."""
    if sys.platform == "darwin":
        return [f"{home}/Library/Application Support/{APP}"]
    return [f"{home}/.config/{APP}", f"{home}/.local/state/{APP}", f"{home}/.local/share/{APP}"]


def find_root(argument: str | None) -> Path | None:
    """`--root`, else MCPGOV_ROOT."""
    from pathlib import Path

    chosen = argument if argument is not None else os.environ.get(ROOT_VARIABLE, "")
    return Path(chosen).expanduser().absolute() if chosen else None


def quick_places(argument: str | None) -> tuple[str, str]:
    """Socket and settings file as in Places; in the usual cases without importing pathlib and platformdirs."""
    root = argument if argument is not None else os.environ.get(ROOT_VARIABLE, "")
    home = os.environ.get("HOME", "")
    if root:
        config, runtime = f"{root}/config", f"{root}/run"
    elif sys.platform == "darwin":
        config = f"{home}/Library/Application Support/{APP}"
        runtime = f"{config}/run"
    else:
        config, runtime = f"{home}/.config/{APP}", f"{home}/.local/state/{APP}/run"
    moved = [name for name in os.environ if name.startswith(("XDG_CONFIG", "XDG_STATE", "ANDROID_"))]
    base = root or home
    plain = base.startswith("/") and not base.startswith("//") and base != "/" and os.path.normpath(base) == base
    if not plain or (moved and not root):
        places = Places(find_root(argument))
        return str(places.socket), str(places.settings_file)
    return _socket(runtime), f"{config}/settings.toml"
