"""Files, folders and standard input as text in pieces, in bounded memory.

Laws: nothing is left out in silence: what is binary, a link or cannot be read is told. Links inside a folder are not
followed, so that a folder is read once; what is no file (a pipe, a device) is read only where it is named.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from mcpgov.front.scanning.progress import Progress

READ = 1 << 18
HEAD = 8192  # bytes that tell a text from what is none
# The longer marks first: one begins like a shorter one.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
MOST_TOLD = 10  # of what is left out in one folder, by name


class BinaryError(ValueError):
    """It has zero bytes, and is neither UTF-16 nor UTF-32: a picture, a program, an archive."""


def files_in(name: str, failed: list[str], left_out: list[str]) -> Iterator[str]:
    """The files of a folder and of its folders, in order; what cannot be listed is added to `failed`, links and what is
    no file to `left_out`."""
    for folder, folders, names in os.walk(name, onerror=lambda error: failed.append(told(error.filename, error))):
        folders.sort()
        for each in sorted(names):
            path = os.path.join(folder, each)
            if is_regular(path):
                yield path
            else:
                left_out.append(path)
        left_out += [path for each in folders if os.path.islink(path := os.path.join(folder, each))]


def told_left_out(paths: list[str]) -> list[str]:
    shown = [f"{path}: {'a link, not followed' if os.path.islink(path) else 'no file, not read'}" for path in paths]
    more = len(shown) - MOST_TOLD
    return [*shown[:MOST_TOLD], f"and {more} more that are links or no files"] if more > 0 else shown


def is_regular(path: str) -> bool:
    """A file, and no link to one; one that is gone by now is told when it is opened."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return True


def told(name: object, error: OSError) -> str:
    return f"{name}: {error.strerror or error}"


def texts(file: BinaryIO, progress: Progress) -> Iterator[str]:
    """What is no UTF-8 is shown by replacement characters, one each; raises BinaryError before the first piece."""
    head = file.read(HEAD)
    encoding = next((name for mark, name in _WIDE if head.startswith(mark)), "") if b"\0" in head else "utf-8"
    if not encoding:
        raise BinaryError
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    try:
        data = head
        while data:
            progress.more(len(data))
            yield decoder.decode(data)
            data = file.read(READ)
        yield decoder.decode(b"", True)
    finally:
        progress.end()
