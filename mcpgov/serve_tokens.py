"""The bearer tokens of `mcpgov serve --http`: named, kept as digests in one file of mode 0600. Leaf.

Laws: a token is shown once, when it is made; only the first one is kept as text, in a file of its own that its owner
alone may read, so that it can be handed to an app. Every comparison takes the same time. A file that others may write
holds no token. Changes wait for each other: none that is made at the same time brings a revoked token back.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from mcpgov.atomic_file import cannot_write, open_plain, replace_file
from mcpgov.errors import McpgovError
from mcpgov.host import private_directory

FIRST = "default"
PREFIX = "mcpgov_"
LONGEST_NAME = 64
MOST = 1000
LARGEST = 1024 * 1024
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class TokenExists(McpgovError):
    """A token of that name is there."""


@dataclass(frozen=True, slots=True)
class ServeToken:
    """`server`: the governed server that its holder is, "" where it is none; `made`: wall seconds."""

    name: str
    digest: str
    server: str = ""
    made: float = 0.0


class ServeTokens:
    """`folder`: where they are kept; the first token itself lies beside the digests."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "tokens.json"
        self.first = folder / "token"
        self._known: tuple[tuple[int, int, int], list[ServeToken]] | None = None

    def all(self) -> list[ServeToken]:
        """Read again whenever the file has changed: a token that was revoked opens nothing from then on."""
        try:
            found = os.stat(self.file)
        except OSError:
            return []
        state = found.st_ino, found.st_mtime_ns, found.st_size
        if self._known is None or self._known[0] != state:
            self._known = state, self._read()
        return self._known[1]

    @property
    def writable_by_others(self) -> bool:
        """Then it holds no token."""
        try:
            return _is_open(os.stat(self.file))
        except OSError:
            return False

    def _read(self) -> list[ServeToken]:
        try:
            with open_plain(self.file) as file:
                if _is_open(os.fstat(file.fileno())):
                    return []
                found = json.loads(file.read(LARGEST))
        except (OSError, ValueError, RecursionError):
            return []
        items = found.get("tokens") if isinstance(found, dict) else None
        return [token for item in items if (token := _token(item)) is not None] if isinstance(items, list) else []

    def holder(self, text: str) -> ServeToken | None:
        """Whose token this is; every one is compared, however early one fits."""
        digest, held = _digest(text), None
        for token in self.all():
            if hmac.compare_digest(token.digest, digest):
                held = token
        return held

    def add(self, name: str, server: str = "", now: float = 0.0) -> str:
        """The new token's text. Raises McpgovError."""
        if not name or len(name) > LONGEST_NAME or not _NAME.issuperset(name):
            raise McpgovError(f"a token's name has up to {LONGEST_NAME} letters, digits, `.`, `_` and `-`")
        with self._changing() as tokens:
            if any(token.name == name for token in tokens):
                raise TokenExists(f"there is a token `{name}`", hint=f"mcpgov serve token revoke {name}")
            if len(tokens) >= MOST:
                raise McpgovError(f"there are {MOST} tokens", hint="mcpgov serve token list")
            text = PREFIX + secrets.token_urlsafe(32)
            self._write([*tokens, ServeToken(name, _digest(text), server, now)])
            if name == FIRST:
                replace_file(self.first, f"{text}\n".encode("ascii"), sync=True)
        return text

    def revoke(self, name: str) -> bool:
        with self._changing() as tokens:
            left = [token for token in tokens if token.name != name]
            if len(left) == len(tokens):
                return False
            self._write(left)
            if name == FIRST:
                self.first.unlink(missing_ok=True)
        return True

    @contextmanager
    def _changing(self) -> Iterator[list[ServeToken]]:
        """The tokens, while nobody else changes them. The lock is the kernel's: it ends with its process."""
        path = self.file.with_name("tokens.lock")
        try:
            private_directory(str(path.parent))
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise cannot_write(path, error) from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            self._known = None
            yield self.all()
        finally:
            os.close(fd)

    def ensure(self, now: float) -> None:
        """On the first start there is a token; whoever revoked the last one has to add one."""
        if not self.file.exists():
            with suppress(TokenExists):  # another start was faster
                self.add(FIRST, now=now)

    def first_text(self) -> str:
        """The first token, for whoever starts the server and may read its file; "" where it was revoked."""
        try:
            return self.first.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def _write(self, tokens: list[ServeToken]) -> None:
        data = {"version": 1, "tokens": [asdict(token) for token in tokens]}
        replace_file(self.file, json.dumps(data, indent=1).encode("ascii"), sync=True)
        self._known = None


def _is_open(held: os.stat_result) -> bool:
    return held.st_uid != os.geteuid() or bool(stat.S_IMODE(held.st_mode) & 0o022)


def _digest(text: str) -> str:
    # A token has 256 random bits: there is nothing to guess, so nothing to slow down.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _token(item: object) -> ServeToken | None:
    if not isinstance(item, dict):
        return None
    name, digest, server, made = (item.get(key) for key in ("name", "digest", "server", "made"))
    if not isinstance(name, str) or not isinstance(digest, str) or len(digest) != 64 or not digest.isascii():
        return None
    moment = float(made) if isinstance(made, (int, float)) else 0.0
    return ServeToken(name, digest, server if isinstance(server, str) else "", moment)
