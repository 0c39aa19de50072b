"""A rule written into a policy file. Law: the file is replaced as a whole, and only if it is still the one that was
read and its owner may write it; a text that is no policy, or does not decide what it is meant to, is not left there."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from mcpgov.atomic_file import cannot_write
from mcpgov.errors import McpgovError, PolicyError
from mcpgov.front.policy.rule_text import Addition

CHANGED = "changed"  # the reason of a write that did not happen, for programs


def write_policy(made: Addition, check: Callable[[Path], object]) -> None:
    """`check`: raises where the policy that lies at a path does not decide as it should."""
    target = Path(os.path.realpath(made.file))  # a link stays a link
    with trial_of(made) as trial:
        try:
            check(trial)
            _swap(target, made)
        except PolicyError as error:
            told = str(error).replace(str(trial), str(made.file))
            raise PolicyError(f"nothing was written: {told}", hint=error.hint) from None
        except OSError as error:
            raise cannot_write(target, error) from None


@contextlib.contextmanager
def trial_of(made: Addition) -> Iterator[Path]:
    """The new text in a file beside the policy: includes are looked for from there."""
    trial = made.file.with_name(f".{made.file.stem}.{os.getpid()}.trial.toml")
    try:
        write_scratch(trial, made.text, Path(os.path.realpath(made.file)).stat())
    except OSError as error:
        trial.unlink(missing_ok=True)
        raise cannot_write(Path(os.path.realpath(made.file)), error) from None
    try:
        yield trial
    finally:
        trial.unlink(missing_ok=True)


def check_expected(digest: str | None, made: Addition) -> None:
    """Raises McpgovError where the rule is another one than somebody was shown."""
    if digest is not None and digest != sha256(made.rule.encode("utf-8")).hexdigest():
        told = "the policy has changed, and the rule would be another one: nothing was written"
        raise McpgovError(told, hint="look at it again", reason_code=CHANGED)


def write_included(made: Addition, check: Callable[[], object]) -> None:
    """A file that a policy includes: it can be judged only in its place, so the old text goes back where it fails."""
    target = Path(os.path.realpath(made.file))
    try:
        _swap(target, made)
        try:
            check()
        except McpgovError:
            back = Addition(made.file, made.name, "", 0, made.text, made.before, "")
            _swap(target, back)
            raise
    except OSError as error:
        raise cannot_write(target, error) from None


def _swap(target: Path, made: Addition) -> None:
    scratch = target.with_name(f".{target.stem}.{os.getpid()}.toml.new")
    like = target.stat()
    if not like.st_mode & stat.S_IWUSR:  # whoever took that right away means it, though a file can be replaced
        raise McpgovError(f"`{target}` is read-only: nothing was written", hint=f"chmod u+w {shlex.quote(str(target))}")
    try:
        write_scratch(scratch, made.text, like)
        if target.read_bytes() != made.before.encode("utf-8"):
            told = f"`{target}` was changed meanwhile: nothing was written"
            raise McpgovError(told, hint="try again", reason_code=CHANGED)
        os.replace(scratch, target)
    finally:
        scratch.unlink(missing_ok=True)


def write_scratch(scratch: Path, text: str, like: os.stat_result) -> None:
    scratch.unlink(missing_ok=True)
    fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        with contextlib.suppress(PermissionError):  # only root may give a file away
            os.fchown(fd, like.st_uid, like.st_gid)
        os.fchmod(fd, like.st_mode & 0o777)
        os.fsync(fd)
