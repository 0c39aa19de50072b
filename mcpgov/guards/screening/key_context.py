"""What the key before a short text or a number tells of it: `"ssn": "123456789"`. Kept for one message or file.

Law: without its key the text itself holds nothing; so this is asked last.
"""

from __future__ import annotations

from mcpgov.guards.privacy.search.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.guards.privacy.detector import Detector

LONGEST = 48  # characters of a text that a key explains
FEWEST_DIGITS = 7
MOST_NAMES = 1000
DIGITS = ("219098765", "4155550132", "415 555 0132")  # that are nothing by themselves


class KeyContext:
    __slots__ = ("_detector", "_known")

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._known: dict[str, bool] = {}

    def explains(self, key: str) -> bool:
        """Could this key make private data of digits? Keys repeat in every row, so what was found out is kept."""
        known = self._known.get(key)
        if known is None:
            known = any(self._behind(key, digits) for digits in DIGITS)
            if len(self._known) < MOST_NAMES:
                self._known[key] = known
        return known

    def find(self, key: str, value: str) -> list[Finding]:
        """The findings of a text that its key explains."""
        if not key or len(value) > LONGEST or not self.explains(key):
            return []
        return self._behind(key, value) if sum(sign.isdigit() for sign in value) >= FEWEST_DIGITS else []

    def _behind(self, key: str, value: str) -> list[Finding]:
        before = f"{key}: "
        size = len(before)
        found = self._detector.find(before + value)
        return [Finding(one.kind, one.start - size, one.end - size) for one in found if one.start >= size]
