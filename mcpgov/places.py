"""Every place we use. Leaf; the only platformdirs in the house.

Law: nothing else in mcpgov builds a path below the user's home. Light enough for the daemon and for `status`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import platformdirs

APP = "mcpgov"
ROOT_VARIABLE = "MCPGOV_ROOT"
LONGEST_SOCKET = 100  # macOS takes 104 bytes with the end, Linux 108


class Places:
    """Where things are. With a root, everything lies below it, for tests and trials."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root
        if root is not None:
            self.config, self.state, self.runtime = root / "config", root / "state", root / "run"
            self.launcher = root / "bin" / "mcpgov-proxy"
            self.managed_policy = root / "managed" / "policy.toml"
        else:
            dirs = platformdirs.PlatformDirs(APP, appauthor=False)
            self.config = Path(dirs.user_config_dir)
            self.state = Path(dirs.user_state_dir)
            # Not XDG_RUNTIME_DIR: a login service, a terminal and a cron job may see different ones, or none.
            self.runtime = self.state / "run"
            self.launcher = Path(dirs.user_data_dir) / "bin" / "mcpgov-proxy"
            mac = Path("/Library/Application Support/mcpgov/policy.toml")
            self.managed_policy = mac if sys.platform == "darwin" else Path("/etc/mcpgov/policy.toml")
        self.settings_file = self.config / "settings.toml"
        self.compiled = self.state / "compiled"
        self.tools = self.state / "tools"
        self.journal = self.state / "journal"
        self.daemon = self.state / "daemon"
        self.log = self.state / "log"
        self.socket = _socket(self.runtime)

    @property
    def managed_owner(self) -> int:
        """Who alone may own the managed policy: root, or the owner of a trial's root."""
        return 0 if self.root is None else self.root.stat().st_uid

    def policy_file(self) -> Path:
        """`policy.toml`, or `rules.json` where only that exists."""
        toml, rules = self.config / "policy.toml", self.config / "rules.json"
        return rules if rules.exists() and not toml.exists() else toml


def _socket(runtime: Path) -> Path:
    """Where the daemon listens: below the runtime directory, or in a short one of ours where that is too long."""
    path = runtime / "daemon.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    digest = hashlib.blake2b(os.fsencode(runtime), digest_size=6).hexdigest()
    return Path("/tmp") / f"{APP}-{os.getuid()}-{digest}" / "daemon.sock"


def find_root(argument: str | None) -> Path | None:
    """`--root`, else MCPGOV_ROOT."""
    chosen = argument if argument is not None else os.environ.get(ROOT_VARIABLE, "")
    return Path(chosen).expanduser().absolute() if chosen else None
