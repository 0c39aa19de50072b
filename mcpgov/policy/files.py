"""Reads policy files: checks owner and mode, parses, and finds included files."""

from __future__ import annotations

import glob
import json
import os
import pwd
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path

from mcpgov.atomic_file import own_group
from mcpgov.errors import PolicyError, UnsafeFileError
from mcpgov.policy.draft import Diagnostics, PolicyProblem
from mcpgov.policy.formats import options
from mcpgov.policy.formats.options import Options
from mcpgov.policy.source_lines import json_lines, json_twice, toml_lines
from mcpgov.reason_codes import POLICY_UNREADABLE

LARGEST = 64 * 1024 * 1024
DEEPEST_INCLUDE = 8
MOST_DOTS = 1000  # in one line of TOML


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed policy file: its values, its options, and the Diagnostics for its problems."""

    path: Path
    doc: object
    is_json: bool
    options: Options
    diag: Diagnostics
    text: str


def check_safe(path: Path, info: os.stat_result, owner: int | None) -> None:
    """Refuse a file that others may write. `owner` None: the user's own, or root's."""
    trusted = (os.geteuid(), 0) if owner is None else (owner,)
    if info.st_uid not in trusted:
        who = _name(info.st_uid)
        raise UnsafeFileError(f"`{path}` belongs to {who}: refused", hint="only its owner may write the rules")
    if info.st_mode & stat.S_IWOTH:
        raise UnsafeFileError(f"`{path}` can be written by everybody: refused", hint=f"chmod o-w '{path}'")
    if info.st_mode & stat.S_IWGRP and info.st_gid != own_group(info.st_uid):
        raise UnsafeFileError(f"`{path}` can be written by a foreign group: refused", hint=f"chmod g-w '{path}'")


def _name(uid: int) -> str:
    try:
        return f"user `{pwd.getpwuid(uid).pw_name}`"
    except KeyError:
        return f"user {uid}"


def read_text(path: Path, *, safe: bool = True, owner: int | None = None) -> str:
    """The file's text; checked and read through one descriptor, so it cannot be replaced in between."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        text = f"cannot read `{path}`: {(error.strerror or str(error)).lower()}"
        raise PolicyError(text, reason_code=POLICY_UNREADABLE) from None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise PolicyError(f"`{path}` is not a regular file")
        if safe:
            check_safe(path, info, owner)
        if info.st_size > LARGEST:
            raise PolicyError(f"`{path}` is larger than {LARGEST // 1024 // 1024} MiB")
        with open(fd, "rb", closefd=False) as file:
            raw = file.read()
    finally:
        os.close(fd)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise PolicyError(f"{path}:{line}: not UTF-8 text") from None


def read_document(path: Path, *, safe: bool = True, owner: int | None = None) -> Document:
    """Parse one file. Broken syntax raises; wrong contents become problems in `diag`."""
    text = read_text(path, safe=safe, owner=owner)
    is_json = path.suffix == ".json"
    if not is_json:
        _check_dots(path, text)
    try:
        doc: object = without_comments(json.loads(text)) if is_json else tomllib.loads(text)
        lines = json_lines(text) if is_json else toml_lines(text)
    except json.JSONDecodeError as error:
        raise PolicyError(f"{path}:{error.lineno}: not valid JSON: {error.msg.lower()}") from None
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"{path}:{_toml_line(error, text)}: not valid TOML: {_toml_message(error)}") from None
    except RecursionError:
        raise PolicyError(f"`{path}` is nested too deeply") from None
    except ValueError:
        # Both parsers read a whole number with int(), which refuses thousands of digits.
        raise PolicyError(f"`{path}` holds a number with too many digits") from None
    diag = Diagnostics(str(path), lines)
    for key, line in json_twice(text) if is_json else ():
        if is_comment(key):
            continue
        diag.problems.append(
            PolicyProblem(diag.file, line, f"duplicate key `{key}`", "readers disagree on which one counts")
        )
    file_options = options.parse(doc, diag) if isinstance(doc, dict) and not is_json else Options()
    return Document(path, doc, is_json, file_options, diag, text)


def is_comment(key: str) -> bool:
    return key.startswith("_") or key == "$schema"


def without_comments(value: object) -> object:
    """JSON has no comments, so keys that begin with `_` count as comments, at every level."""
    if isinstance(value, dict):
        return {key: without_comments(item) for key, item in value.items() if not is_comment(key)}
    return [without_comments(item) for item in value] if isinstance(value, list) else value


def _check_dots(path: Path, text: str) -> None:
    """A key with a hundred thousand parts makes the TOML parsers run for minutes, or crash."""
    for at, line in enumerate(text.split("\n")):
        if line.count(".") > MOST_DOTS:
            raise PolicyError(f"{path}:{at + 1}: more than {MOST_DOTS} dots", hint="use more lines")


def _toml_message(error: tomllib.TOMLDecodeError) -> str:
    return str(error).partition(" (at ")[0].lower()


def _toml_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    """tomllib's message ends with "(at line 3, column 7)" or "(at end of document)"."""
    _, _, tail = str(error).partition("(at line ")
    number = tail.partition(",")[0]
    return int(number) if number.isdigit() else max(1, len(text.splitlines()))


def included(document: Document, *, safe: bool, owner: int | None, including: tuple[Path, ...] = ()) -> list[Document]:
    """The files a document includes, each before the one that names it."""
    here = (*including, document.path.resolve())
    out: list[Document] = []
    for at, pattern in enumerate(document.options.include):
        place = ("include", at)
        base = document.path.parent
        names = sorted(glob.glob(os.path.expanduser(pattern), root_dir=base, recursive=True))
        if not names:
            wild = any(c in pattern for c in "*?[")
            report = document.diag.warn if wild else document.diag.error
            report(place, f"`include` finds nothing: `{pattern}`")
        for name in names:
            path = base / name
            if path.resolve() in here or len(here) > DEEPEST_INCLUDE:
                document.diag.error(place, f"`include` goes in a circle at `{path}`")
                continue
            inner = read_document(path, safe=safe, owner=owner)
            out += [*included(inner, safe=safe, owner=owner, including=here), inner]
    return out
