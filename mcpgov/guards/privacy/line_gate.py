"""May a raw line of JSON hold something that a detector finds in one of its texts? Asked before anything is decoded.

Law: never False where a detector would find something in a decoded text of the line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.guards.privacy.detector import Detector

BLOCK = 8192
# A key that begins before a block of base64, or in its last characters, is seen whole by the pattern.
OVERLAP = 512
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_OTHERS = bytes(65 if code in _BASE64 else 0 for code in range(256))


class LineGate:
    """A detector with patterns of the user has no gate: a pattern may match what a raw line does not show."""

    __slots__ = ("_is_open", "_places")

    def __init__(self, detector: Detector) -> None:
        self._places = detector.places
        self._is_open = bool(detector.patterns)

    def may_hold(self, line: bytes | bytearray) -> bool:
        if self._is_open:
            return True
        if self._places is None:
            return False
        if len(line) < 2 * BLOCK:
            return self._places.search(line, 0)[0] >= 0
        return any(self._places.search(part, 0)[0] >= 0 for part in parts(line))


def parts(line: bytes | bytearray) -> list[bytes | bytearray]:
    """The parts of a long line that are not base64: pictures are most of what large results are.

    Inside of base64 there is no boundary that a key, a number or an address could begin behind.
    """
    out: list[bytes | bytearray] = []
    start = 0
    at = BLOCK
    while at + BLOCK < len(line):
        if line.find(b'"', at, at + BLOCK) >= 0 or line.find(b" ", at, at + BLOCK) >= 0:
            at += BLOCK
            continue
        if b"\0" in line[at : at + BLOCK].translate(_OTHERS):
            at += BLOCK
            continue
        out.append(line[start : at + OVERLAP])
        while at + BLOCK < len(line) and b"\0" not in line[at : at + BLOCK].translate(_OTHERS):
            at += BLOCK
        start = at - OVERLAP
    out.append(line[start:] if start else line)
    return out
