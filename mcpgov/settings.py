"""Every setting and every place we use. Leaf; the only pydantic and platformdirs in the house.

Law: nothing else in mcpgov builds a path below the user's home.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from mcpgov.errors import SettingsError

APP = "mcpgov"
ROOT_VARIABLE = "MCPGOV_ROOT"


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
            # Without XDG_RUNTIME_DIR, platformdirs would pick a guessable name in /tmp; ours is private.
            known = sys.platform == "darwin" or os.environ.get("XDG_RUNTIME_DIR")
            self.runtime = Path(dirs.user_runtime_dir) if known else self.state / "run"
            self.launcher = Path(dirs.user_data_dir) / "bin" / "mcpgov-proxy"
            mac = Path("/Library/Application Support/mcpgov/policy.toml")
            self.managed_policy = mac if sys.platform == "darwin" else Path("/etc/mcpgov/policy.toml")
        self.settings_file = self.config / "settings.toml"
        self.compiled = self.state / "compiled"

    @property
    def managed_owner(self) -> int:
        """Who alone may own the managed policy: root, or the owner of a trial's root."""
        return 0 if self.root is None else self.root.stat().st_uid

    def policy_file(self) -> Path:
        """`policy.toml`, or `rules.json` where only that exists."""
        toml, rules = self.config / "policy.toml", self.config / "rules.json"
        return rules if rules.exists() and not toml.exists() else toml


def find_root(argument: str | None) -> Path | None:
    """`--root`, else MCPGOV_ROOT."""
    chosen = argument if argument is not None else os.environ.get(ROOT_VARIABLE, "")
    return Path(chosen).expanduser().absolute() if chosen else None


class _TomlFile(PydanticBaseSettingsSource):
    """settings.toml as a source, with errors that name the file."""

    def __init__(self, settings_cls: type[BaseSettings], path: Path) -> None:
        super().__init__(settings_cls)
        self._path = path

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError("the whole file is read at once")  # pragma: no cover

    def __call__(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SettingsError(f"cannot read `{self._path}`: {error}") from None


class Settings(BaseSettings):
    """What a person may choose, in settings.toml or as MCPGOV_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="MCPGOV_", extra="forbid", frozen=True)

    policy: Path | None = Field(
        default=None, description="policy file to use instead of policy.toml in the config directory"
    )
    color: Literal["auto", "always", "never"] = Field(default="auto", description="colours in the terminal")
    profile: Literal["audit", "balanced", "strict"] = Field(
        default="balanced", description="starter policy that `policy init` writes"
    )
    fixtures: Path | None = Field(default=None, description="directory of fixtures for `policy test` without arguments")


def load(places: Places) -> tuple[Settings, dict[str, str]]:
    """The settings, and for each its source: default, file or env."""
    file = _TomlFile(Settings, places.settings_file)

    class Bound(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return env_settings, file

    try:
        found = Bound()
    except ValidationError as error:
        raise _readable(error, places.settings_file) from None
    written = file()
    sources = {}
    for name in Settings.model_fields:
        env = f"MCPGOV_{name.upper()}" in os.environ
        sources[name] = "env" if env else "file" if name in written else "default"
    return found, sources


def _readable(error: ValidationError, path: Path) -> SettingsError:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    env = f"MCPGOV_{name.upper()}"
    where = f"${env}" if env in os.environ else f"`{path}`"
    hint = "see `mcpgov settings show` for what there is"
    if first["type"] == "extra_forbidden":
        return SettingsError(f"unknown setting `{name}` in {where}", hint=hint)
    return SettingsError(f"setting `{name}` in {where}: {first['msg'].lower()}", hint=hint)
