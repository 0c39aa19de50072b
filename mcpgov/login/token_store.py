"""Where tokens are: the system's keyring, or without one a file of mode 0600. The only user of `keyring`.

Laws: a new login is stored, and read back, before the old one goes; what the keyring does not take goes into the file,
so that a rotated token is never lost. A keyring that does not answer is given up on after a time.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from mcpgov.atomic_file import cannot_write, load_bytes, replace_file
from mcpgov.login import login_lock, markers
from mcpgov.login.oauth_rules import STORE, LoginError
from mcpgov.login.stored_login import StoredLogin, login_in, newest, text_of
from mcpgov.places import Places

SERVICE = "mcpgov"
KEYRING, FILE = "keyring", "file"
WITHIN = 60.0  # seconds: a locked keyring asks a person to unlock it
LONGEST_FILE = 1024 * 1024
NONE_HERE = ("keyring.backends.fail", "keyring.backends.null")
T = TypeVar("T")


class TokenPlace(NamedTuple):
    """`kind`: keyring or file. `name`: which keyring, or which directory. `why`: why it is no keyring."""

    kind: str
    name: str
    why: str = ""


def token_place(directory: Path) -> TokenPlace:
    """Where tokens of new logins go on this machine, for `doctor` and `login`."""
    try:
        backend = _backend()
    except LoginError as error:
        return TokenPlace(FILE, str(directory), str(error))
    return TokenPlace(KEYRING, str(getattr(backend, "name", "") or type(backend).__name__))


def keep(directory: Path, digest: str, login: StoredLogin) -> TokenPlace:
    """On disk, or in the keyring, when this returns; tells where. Raises McpgovError."""
    text = text_of(login)
    try:
        backend = _backend()
        _within(lambda: backend.set_password(SERVICE, digest, text))
        if _within(lambda: backend.get_password(SERVICE, digest)) != text:
            raise LoginError("the system's keyring does not keep what it is given", reason_code=STORE)
    except LoginError as error:
        replace_file(secret_path(directory, digest), text.encode("ascii"), sync=True)
        # What the keyring may still have is older: `load` takes the newest.
        return TokenPlace(FILE, str(directory), str(error))
    _remove(secret_path(directory, digest))
    return token_place(directory)


def load(directory: Path, digest: str) -> StoredLogin | None:
    """Raises LoginError if there is a keyring that does not answer and no file."""
    in_file = _from_file(directory, digest)
    try:
        backend = _backend()
        text = _within(lambda: backend.get_password(SERVICE, digest))
    except LoginError:
        marker = markers.load_marker(directory, digest)
        if in_file is None and marker is not None and marker.where == KEYRING:
            raise
        return in_file
    return newest([in_file, login_in(text) if text else None])


def forget(directory: Path, digest: str) -> None:
    """Tokens, marker and lock file; call it with the lock held. Raises McpgovError if the token may still be there."""
    marker = markers.load_marker(directory, digest)
    try:
        backend = _backend()
        _within(lambda: _delete(backend, digest))
    except LoginError:
        if marker is not None and marker.where == KEYRING:
            raise
    _remove(secret_path(directory, digest))
    markers.forget_marker(directory, digest)
    _remove(login_lock.lock_path(directory, digest))


def forget_all(places: Places) -> list[str]:
    """Every token of every login, for `uninstall`; what was done, in words. Raises McpgovError."""
    directory = places.remote_tokens
    known = markers.all_markers(directory)
    removed: dict[str, int] = {}
    for digest in markers.known_digests(directory):
        with login_lock.held(directory, digest):
            forget(directory, digest)
        if digest in known:
            removed[known[digest].where] = removed.get(known[digest].where, 0) + 1
    where = {KEYRING: "the system's keyring", FILE: "our files"}
    return [
        f"removed the {'token' if count == 1 else 'tokens'} of {count} login{'s' if count > 1 else ''} "
        f"from {where.get(kind, kind)}"
        for kind, count in removed.items()
    ]


def secret_path(directory: Path, digest: str) -> Path:
    return directory / f"{digest}.secret"


def _from_file(directory: Path, digest: str) -> StoredLogin | None:
    try:
        return login_in(load_bytes(secret_path(directory, digest), LONGEST_FILE).decode("ascii"))
    except (OSError, ValueError):
        return None


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from None


def _backend() -> KeyringBackend:
    """The keyring of this session. Raises LoginError if there is none."""
    logging.getLogger("keyring").addHandler(logging.NullHandler())
    backend = _within(keyring.get_keyring)
    if type(backend).__module__ in NONE_HERE:
        raise LoginError("no system keyring answers here", reason_code=STORE)
    return backend


def _delete(backend: KeyringBackend, digest: str) -> None:
    with contextlib.suppress(PasswordDeleteError):  # raised where there is none, too
        backend.delete_password(SERVICE, digest)
    if backend.get_password(SERVICE, digest) is not None:
        raise PasswordDeleteError


def _within(work: Callable[[], T], seconds: float = WITHIN) -> T:
    """In a thread that may hang: D-Bus and the dialogs behind it have no time limit of their own."""
    done: list[T] = []
    failed: list[str] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception as error:  # backends raise whatever their libraries raise; the text may hold what was stored
            failed.append(type(error).__name__)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if done:
        return done[0]
    why = failed[0] if failed else "no answer"
    raise LoginError(f"the system's keyring failed: {why}", hint="unlock the keyring and try again", reason_code=STORE)
