"""The files of the page, from the package: read once, served with a tag, compressed where the browser takes it.

Law: what is served is what lay in the package's own directory when the service began, by exactly these names.
"""

from __future__ import annotations

import gzip
from hashlib import sha256
from pathlib import Path

PLACE = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
COMPRESSIBLE = (".html", ".css", ".js", ".svg", ".txt")
REVALIDATE = ("Cache-Control", "no-cache")  # kept, and asked after each time: an update shows at once

Pairs = list[tuple[str, str]]


class StaticFile:
    def __init__(self, name: str, raw: bytes) -> None:
        ending = Path(name).suffix
        self.raw, self.type = raw, TYPES[ending]
        self.tag = f'"{sha256(raw).hexdigest()[:24]}"'
        gzipped = gzip.compress(raw, 6, mtime=0) if ending in COMPRESSIBLE else raw
        self.gzipped = gzipped if len(gzipped) < len(raw) else None

    def answer(self, tags: bytes | None, codings: bytes | None) -> tuple[int, Pairs, bytes]:
        """Status, headers and body for what the browser has and takes."""
        headers = [("Content-Type", self.type), ("ETag", self.tag), REVALIDATE, ("Vary", "Accept-Encoding")]
        if tags is not None and self.tag.encode() in [tag.strip().removeprefix(b"W/") for tag in tags.split(b",")]:
            return 304, headers[1:], b""
        words = [word.strip() for word in (codings or b"").split(b",")]
        if self.gzipped is not None and b"gzip" in words:
            return 200, [*headers, ("Content-Encoding", "gzip")], self.gzipped
        return 200, headers, self.raw


def load_files(place: Path = PLACE) -> dict[str, StaticFile]:
    """By their names below the directory."""
    paths = sorted(path for path in place.rglob("*") if path.suffix in TYPES and path.is_file())
    names = {path.relative_to(place).as_posix(): path for path in paths}
    return {name: StaticFile(name, path.read_bytes()) for name, path in names.items()}
