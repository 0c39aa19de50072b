"""Names and addresses in the texts of one message: many short texts are one question to the analyzer's child.

Law: no answer denies the message, whatever the reason; what was asked for is never silently not looked for.
"""

from __future__ import annotations

import time

from mcpgov.guards.people.analyzer import MESSAGE_SECONDS, PIECE, PeopleAnalyzer, PeopleError
from mcpgov.guards.privacy.search.findings import Finding, apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SEPARATOR = "\n\n"  # between texts: a model takes it for the end of what was said
SHORTEST = 2
MOST_KNOWN = 1000  # texts whose findings are kept: keys and words repeat in every message
LONGEST_KNOWN = 200


class NameFinder:
    """`kinds`: person, address. Times out as a whole: a message waits at most `seconds`, and a question's time more."""

    def __init__(self, analyzer: PeopleAnalyzer, kinds: frozenset[str], seconds: float = MESSAGE_SECONDS) -> None:
        self._analyzer = analyzer
        self._kinds = kinds
        self._seconds = seconds
        self._known: dict[str, list[Finding]] = {}
        self.begin()

    def begin(self) -> None:
        """A message begins: the time is for all of its texts, in however many questions."""
        self._end = time.monotonic() + self._seconds

    def find_all(self, texts: Sequence[str]) -> dict[int, list[Finding]]:
        """The findings of each text that has some, by its number. Raises PeopleError."""
        new = dict.fromkeys(text for text in texts if text not in self._known and _may_name(text))
        answers = self._asked(list(new))
        for text, found in answers.items():
            if len(text) <= LONGEST_KNOWN and len(self._known) < MOST_KNOWN:
                self._known[text] = found
        by_number = ((at, answers.get(text) or self._known.get(text)) for at, text in enumerate(texts))
        return {at: found for at, found in by_number if found}

    def _asked(self, texts: list[str]) -> dict[str, list[Finding]]:
        answers: dict[str, list[Finding]] = {text: [] for text in texts}
        end = self._end
        batch: list[str] = []
        room = 0
        for at, text in enumerate(texts):
            batch.append(text)
            room += len(text) + len(SEPARATOR)
            if room >= PIECE or at + 1 == len(texts):
                if time.monotonic() > end:
                    self._analyzer.close()
                    raise PeopleError(f"the analyzer of names did not read a message within {self._seconds:g} s")
                self._ask(batch, answers, end)
                batch, room = [], 0
        return answers

    def _ask(self, batch: list[str], answers: dict[str, list[Finding]], end: float) -> None:
        found = self._analyzer.find(SEPARATOR.join(batch), self._kinds, end)
        start = 0
        for text in batch:
            stop = start + len(text)
            inside = [one for one in found if one.start < stop and one.end > start]
            spans = [Finding(one.kind, max(one.start, start) - start, min(one.end, stop) - start) for one in inside]
            answers[text] = apart(spans)
            start = stop + len(SEPARATOR)


def _may_name(text: str) -> bool:
    """Could it name somebody: has it letters at all?"""
    return len(text) >= SHORTEST and any(map(str.isalpha, text))


def name_finder(command: Sequence[str], kinds: frozenset[str]) -> NameFinder:
    """`command`: the child's, as the policy has it from where it was compiled. It is started with the first text."""
    if not command:
        raise PeopleError("names and addresses are looked for, and the policy does not tell how: compile it again")
    return NameFinder(PeopleAnalyzer(command=command), kinds)
