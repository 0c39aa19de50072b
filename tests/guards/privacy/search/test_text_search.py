"""A text from its beginning to its end: each place is checked for what can begin there, and not more than is needed."""

import random

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.marked_keys import table
from mcpgov.guards.privacy.search import place_checks
from mcpgov.guards.privacy.search.text_search import AHEAD, MOST_IN_RUN
from tests.guards.privacy.test_marked_keys import made
from tests.helpers.private_samples import samples

DETECTOR = Detector()
MADE = samples()


class AllChecks(Detector):
    """Asks every check at every place, in their order."""

    __slots__ = ()

    def row(self, text, start):
        places = place_checks.word_starts(text, start)
        self.rows.clear()
        first = text[places[0] : places[0] + 1]
        kinds = place_checks._ANY_MAIL if text[start + 1 : start + 2] == "@" else place_checks._WORDS
        if kinds is place_checks._WORDS and (first.isdigit() or first in "+("):
            kinds = place_checks._NUMBERS
        if kinds is place_checks._WORDS and text.startswith(("/", "\\"), start + 1) and text[start] == ":":
            kinds = ("credential_url", *kinds)
        return places[0] - start, tuple((kind, place_checks.CHECKS.get(kind)) for kind in kinds)


def test_what_is_left_out_at_a_place_would_find_nothing_there():
    chance = random.Random(5)
    values = [*MADE.values(), "iban de89370400440532013000", "ssn 536228741", "fax 0490/75 40 81", "x -p Xk29fjs02k"]
    slow = AllChecks()
    for _ in range(1500):
        glue = (chance.choice(' "\\/:=,(+%é_-1aZ@\n') for _ in range(6))
        text = "".join(sign + chance.choice(values) for sign in glue)
        assert DETECTOR.find(text) == slow.find(text), text


def test_a_mark_is_found_however_far_away_it_is():
    key = made(table()[0])
    for size in (0, AHEAD - 20, AHEAD, 3 * AHEAD):
        text = "token: a1 " + "word " * (size // 5) + key
        assert [text[one.start : one.end] for one in DETECTOR.find(text)] == [key], size


def test_in_a_run_without_any_end_few_beginnings_are_looked_at():
    key = "AKIA" + "Q7RW2ZXT5KLM3NPB"
    for count, found in ((MOST_IN_RUN // 2, [key]), (4 * MOST_IN_RUN, [])):
        text = "-AKIA1234567890" * count + "-" + key + "-" + "x-" * 200
        assert [text[one.start : one.end] for one in DETECTOR.find(text)] == found
    text += " " + key
    assert [text[one.start : one.end] for one in DETECTOR.find(text)] == [key]
