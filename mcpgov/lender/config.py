"""The engine of the settings, with its password: what the lender is told, and what is wrong with it.

Law: a password that others may read is not used. No error holds one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgov.host import read_plain
from mcpgov.ledger_address import EXTRAS, POSTGRES, LedgerAddress, parse_address
from mcpgov.lender.engine_requests import SECOND, EngineError

if TYPE_CHECKING:
    from mcpgov.lender.lender import Engine
    from mcpgov.settings import Settings

HOUR = 3600 * SECOND
LONGEST = 4096


@dataclass(frozen=True, slots=True)
class LenderConfig:
    """`lease`: in microseconds."""

    address: LedgerAddress
    namespace: str
    password_file: Path | None
    lease: int
    settings_file: Path

    def connect(self, host: str) -> Engine:
        """Raises EngineError."""
        url = self.address.url
        if self.address.has_password:
            check_private(self.settings_file)
        if self.password_file is not None:
            url = self.address.with_password(read_password(self.password_file))
        make = self._engine()
        return make(url, self.namespace, host)

    def _engine(self) -> Callable[[str, str, str], Engine]:
        try:
            if self.address.engine == POSTGRES:
                from mcpgov.lender.postgres_engine import PostgresEngine

                return PostgresEngine
            from mcpgov.lender.redis_engine import RedisEngine

            return RedisEngine
        except ImportError as error:
            extra = EXTRAS[self.address.engine]
            raise EngineError(
                f"`{extra}` is not installed ({error.name or error})", f"pip install '{extra}'", lasting=True
            ) from None


def lender_config(settings: Settings, settings_file: Path) -> LenderConfig | None:
    """None: nothing is shared."""
    if settings.ledger is None:
        return None
    address = parse_address(settings.ledger, settings.ledger_namespace)
    lease = settings.ledger_lease * HOUR
    return LenderConfig(address, settings.ledger_namespace, settings.ledger_password_file, lease, settings_file)


def check_private(file: Path) -> None:
    """Raises EngineError where somebody else may read it."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return  # the setting came from the environment
    except OSError as error:
        raise EngineError(f"cannot read `{file}`: {error.strerror}", lasting=True) from None
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise EngineError(f"others may read the password in `{file}`", f"chmod 600 {file}", lasting=True)


def read_password(file: Path) -> str:
    check_private(file)
    try:
        text = read_plain(str(file), LONGEST).decode("utf-8").strip()
    except FileNotFoundError:
        raise EngineError(f"`{file}` of `ledger_password_file` does not exist", lasting=True) from None
    except (OSError, ValueError):
        raise EngineError(f"`{file}` of `ledger_password_file` cannot be read", lasting=True) from None
    if not text or "\n" in text:
        raise EngineError(f"`{file}` of `ledger_password_file` must hold one line, the password", lasting=True)
    return text
