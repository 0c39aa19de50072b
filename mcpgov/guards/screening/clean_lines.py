"""Lines that the gate has let pass before, on disk: a server starts with the same lines every time, so the start of one
that is known needs no gate, and one that is never called needs none at all.

Laws: a line counts only for the very gate that let it pass. Nothing is kept of a line but a digest. Where the file
cannot be read or written, or is damaged, no line is known.
"""

from __future__ import annotations

import posix
from _blake2 import blake2b

from mcpgov import __version__
from mcpgov.host import private_directory, read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpgov.core.session.effects import Line

SIZE = 16  # bytes of a digest
MOST = 2048  # lines of one file; beyond them it begins anew
MOST_FILES = 16  # of other gates: policies and versions that are not in use any more
LONGEST = 1 << 20  # bytes of a line
_WRITE = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_CLOEXEC | posix.O_NOFOLLOW


class CleanLines:
    """`folder`: private to this user, and protected like the compiled policies; `gates`: the patterns in force."""

    __slots__ = ("_file", "_folder", "_known")

    def __init__(self, folder: str, gates: Sequence[str]) -> None:
        name = blake2b("\n".join((__version__, *gates)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        self._folder = folder
        self._file = f"{folder}/{name}"
        self._known: set[bytes] | None = None

    def holds(self, line: Line) -> bool:
        return len(line) <= LONGEST and _digest(line) in self._read()

    def add(self, line: Line) -> None:
        digest = _digest(line)
        known = self._read()
        if len(line) > LONGEST or digest in known:
            return
        begins_anew = len(known) >= MOST
        if begins_anew:
            known.clear()
        known.add(digest)
        try:
            self._write(digest, begins_anew)
        except OSError:
            return

    def _write(self, digest: bytes, begins_anew: bool) -> None:
        private_directory(self._folder)
        if len(self._read()) == 1:
            self._drop_oldest()
        handle = posix.open(self._file, _WRITE | (posix.O_TRUNC if begins_anew else 0), 0o600)
        try:
            posix.write(handle, digest)  # in one piece, whoever else writes
        finally:
            posix.close(handle)

    def _drop_oldest(self) -> None:
        files = sorted((posix.stat(path).st_mtime_ns, path) for path in self._others())
        for _, path in files[: max(0, len(files) - MOST_FILES + 1)]:
            posix.unlink(path)

    def _others(self) -> list[str]:
        return [path for name in posix.listdir(self._folder) if (path := f"{self._folder}/{name}") != self._file]

    def _read(self) -> set[bytes]:
        if self._known is None:
            try:
                data = read_plain(self._file, 2 * MOST * SIZE)
            except OSError:
                data = b""
            # One that was cut, by a full disk, would shift all behind it.
            whole = not len(data) % SIZE
            self._known = {data[at : at + SIZE] for at in range(0, len(data), SIZE)} if whole else set()
        return self._known


def _digest(line: Line) -> bytes:
    return blake2b(line, digest_size=SIZE).digest()
