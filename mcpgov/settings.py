"""Every setting. Leaf; the only user of pydantic."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from mcpgov.atomic_file import load_bytes
from mcpgov.configs.clients import BY_NAME, DEFAULT
from mcpgov.errors import SettingsError
from mcpgov.ledger_address import masked_address, parse_address
from mcpgov.places import Places
from mcpgov.setting_errors import line_of, one_of, suggestion

PREFIX = "MCPGOV_"
LARGEST = 1024 * 1024
LONGEST_WAIT = 600  # seconds; no app waits that long
LISTS = {  # with an example of each
    "clients": '["claude-code", "cursor"]',
    "configs": '["~/work/.mcp.json"]',
    "exclude": '["github", "cursor:files"]',
    "approvals_surfaces": '["app", "terminal"]',
}


class _TomlFile(PydanticBaseSettingsSource):
    """settings.toml as a source, with errors that name the file."""

    def __init__(self, settings_cls: type[BaseSettings], path: Path) -> None:
        super().__init__(settings_cls)
        self._path = path

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        raise NotImplementedError("the whole file is read at once")  # pragma: no cover

    def __call__(self) -> dict[str, Any]:
        try:
            document = tomllib.loads(load_bytes(self._path, LARGEST).decode("utf-8-sig"))
        except FileNotFoundError:
            return {}
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"`{self._path}` is not valid TOML: {_lower(str(error))}") from None
        except UnicodeDecodeError:
            raise SettingsError(f"`{self._path}` is not UTF-8 text") from None
        except RecursionError:
            raise SettingsError(f"`{self._path}` is nested too deeply") from None
        except OSError as error:
            raise SettingsError(f"cannot read `{self._path}`: {_lower(error.strerror or str(error))}") from None
        # A relative path in the file starts at the file's directory, one in the environment at the working directory.
        return {key: self._from_here(key, value) for key, value in _flat(document).items()}

    def _from_here(self, key: str, value: Any) -> Any:
        is_path = key in Settings.model_fields and Settings.model_fields[key].annotation == Path | None
        return self._path.parent / Path(value).expanduser() if is_path and isinstance(value, str) else value


def _flat(document: dict[str, Any]) -> dict[str, Any]:
    """`[audit] arguments` and `audit.arguments` are the setting `audit_arguments`."""
    flat: dict[str, Any] = {}
    for key, value in document.items():
        flat |= {f"{key}_{inner}": item for inner, item in value.items()} if isinstance(value, dict) else {key: value}
    return flat


class Settings(BaseSettings):
    """The settings, from settings.toml or the environment as MCPGOV_<NAME>."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    policy: Path | None = Field(
        default=None, description="policy file to use instead of policy.toml in the config directory"
    )
    color: Literal["auto", "always", "never"] = Field(default="auto", description="colours in the terminal")
    profile: Literal["audit", "balanced", "strict"] = Field(
        default="balanced", description="starter policy that `policy init` writes"
    )
    audit_arguments: Literal["redacted", "full", "none"] = Field(
        default="redacted", description="how the journal keeps the arguments of calls"
    )
    audit_keep_days: int = Field(default=30, ge=1, description="days after which journal files are deleted")
    clients: Annotated[tuple[str, ...], NoDecode] = Field(
        default=DEFAULT, description=f"apps whose servers are governed: {', '.join(BY_NAME)}, or all"
    )
    project_files: bool = Field(
        default=False, description="also wrap entries in project files such as .mcp.json, which are often committed"
    )
    configs: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(), description="further config files to govern, beside those of the clients"
    )
    exclude: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="servers to leave ungoverned on purpose: NAME, or CLIENT:NAME for one app's"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="what the daemon writes into its log"
    )
    notices: bool = Field(default=True, description="tell what needs a person on the desktop as well")
    approvals_timeout: dict[str, float] = Field(
        default={}, description="seconds that a question waits for an answer, by app; `other` for the rest"
    )
    approvals_max_open: int = Field(default=5, ge=1, description="questions that a server may have open")
    approvals_max_per_minute: int = Field(default=20, ge=1, description="new questions that a server may ask a minute")
    approvals_surfaces: Annotated[tuple[Literal["app", "desktop", "terminal", "page"], ...], NoDecode] = Field(
        default=("app", "desktop", "terminal", "page"),
        description="where questions are shown: app, desktop, terminal (`approvals --watch`), page (`open`)",
    )
    serve_reveal: Literal["matching", "summary", "all"] = Field(
        default="matching", description="what `getPolicy` of `mcpgov serve` tells of the rules"
    )
    ledger: str | None = Field(
        default=None,
        description="engine that limits and budgets are shared through: redis://…, rediss://…, postgresql://…",
    )
    ledger_namespace: str = Field(
        default="", pattern="^[A-Za-z0-9._-]{0,64}$", description="whose limits and budgets: machines of one name share"
    )
    ledger_password_file: Path | None = Field(
        default=None, description="file with the engine's password, where `ledger` has none"
    )
    ledger_lease: int = Field(
        default=24, ge=1, le=8760, description="hours after which what a machine was lent and has not spent goes back"
    )
    fixtures: Path | None = Field(default=None, description="directory of fixtures for `policy test` without arguments")

    @field_validator("clients", "configs", "exclude", "approvals_surfaces", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        """A list, or one text with commas: all an environment variable can hold."""
        return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value

    @field_validator("clients")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in BY_NAME and name != "all"]
        if unknown:
            raise ValueError(f"there is no client `{unknown[0]}`")
        return tuple(BY_NAME) if "all" in value else value

    @field_validator("approvals_timeout")
    @classmethod
    def _waits(cls, value: dict[str, float]) -> dict[str, float]:
        unknown = [name for name in value if name not in BY_NAME and name != "other"]
        if unknown:
            raise ValueError(f"there is no client `{unknown[0]}`")
        wrong = [name for name, wait in value.items() if not 1 <= wait <= LONGEST_WAIT]
        if wrong:
            raise ValueError(f"`{wrong[0]}`: a question waits from 1 to {LONGEST_WAIT} seconds")
        return value

    @field_validator("configs")
    @classmethod
    def _all_absolute(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(path.expanduser().absolute() for path in value)

    @field_validator("ledger")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None:
            parse_address(value)
        return value

    @field_validator("policy", "fixtures", "ledger_password_file")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return value.expanduser().absolute() if value is not None else None


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
        settings = Bound()
    except ValidationError as error:
        raise _readable(error, places.settings_file) from None
    written, env = file(), _environment()
    sources = {
        name: "env" if name in env else "file" if name in written else "default" for name in Settings.model_fields
    }
    return settings, sources


def _environment() -> set[str]:
    """Names of the settings given in the environment; case does not matter, empty variables do not count."""
    given = {key.upper() for key, value in os.environ.items() if value}
    return {name for name in Settings.model_fields if PREFIX + name.upper() in given}


def _readable(error: ValidationError, path: Path) -> SettingsError:
    """The first mistake as our error. The hint cannot be `settings show`: that fails for the same reason."""
    first, *rest = error.errors()
    name = str(first["loc"][0])
    place = f"`{PREFIX}{name.upper()}`" if name in _environment() else _in_file(path, name)
    more = f" (and {len(rest)} more)" if rest else ""
    if first["type"] == "extra_forbidden":
        known = Settings.model_fields
        hint = f"{suggestion(name, known)}known: {', '.join(known)}"
        return SettingsError(f"unknown setting `{name}` in {place}{more}", hint=hint)
    if name in LISTS and first["type"] in ("tuple_type", "list_type"):
        message = f"setting `{name}` in {place} must be a list, such as {LISTS[name]}{more}"
        return SettingsError(message, hint=f"edit {place}")
    given, why, hint = first["input"], _lower(first["msg"]), _allowed(name, first["input"])
    if name == "clients" and first["type"] == "value_error":
        names = [each.strip() for each in given.split(",")] if isinstance(given, str) else given
        given = next(each for each in names if each and each not in BY_NAME and each != "all")
        why, hint = "there is no such client", suggestion(given, BY_NAME) + one_of([*BY_NAME, "all"])
    if name == "ledger":
        given = masked_address(str(given))
    return SettingsError(f"setting `{name}` in {place} cannot be `{given}`: {why}{more}", hint=hint)


def _in_file(path: Path, name: str) -> str:
    line = line_of(path.read_text("utf-8-sig", "replace"), name) if path.is_file() else None
    return f"`{path}`" + (f" (line {line})" if line else "")


def _allowed(name: str, given: object) -> str:
    """The allowed values of a setting, and what it is for."""
    field = Settings.model_fields[name]
    about = str(field.description)
    if get_origin(field.annotation) is Literal:
        options = [str(option) for option in get_args(field.annotation)]
        return f"{suggestion(given, options)}{one_of(options)}: {about}"
    kinds = {bool: "true or false", int: "a whole number from 1 on"}
    return f"{kinds[field.annotation]}: {about}" if field.annotation in kinds else about


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
