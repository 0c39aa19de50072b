"""A text in chunks has the findings of the whole."""

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.privacy import long_text
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.long_text import find_in
from tests.helpers.private_samples import samples

DETECTOR = Detector()
MADE = samples()


@given(st.lists(st.sampled_from([*MADE.values(), "word\n", "é" * 50, "x" * 3000]), max_size=60), st.integers(1, 5000))
def test_chunks_of_any_size_give_the_findings_of_the_whole_text(parts, size):
    text = " ".join(parts)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    found = list(find_in(DETECTOR, chunks, step=2000))
    assert [place[:3] for place in found] == [one.key() for one in DETECTOR.find(text)]
    for _, start, _, line, column, *_ in found:
        assert line == text.count("\n", 0, start) + 1
        assert column == start - (text.rfind("\n", 0, start) + 1) + 1


def test_a_window_moves_on_and_context_holds_no_other_finding():
    mail, card = MADE["mail"], MADE["card"]
    filler = "word " * (long_text.AHEAD // 2)
    text = f"{filler}\nto {mail} {card} end\n{filler}"
    found = list(find_in(DETECTOR, (text[at : at + 999] for at in range(0, len(text), 999)), step=5000))
    assert [place[0] for place in found] == ["email", "credit_card"]
    assert [place[3:] for place in found] == [(2, 4, "to ", " ", ""), (2, 5 + len(mail), " ", " end", "")]
