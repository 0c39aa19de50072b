import pytest

from mcpgov.front.approvals.watch_state import (
    SETTLE,
    TICK,
    GiveAnswer,
    ProposeRule,
    Quit,
    WatchState,
    WriteRuleNow,
)
from mcpgov.front.output.approvals_view import ShownQuestion
from mcpgov.front.output.grid import columns, plain
from tests.helpers.questions import question

SHORT = {"shown": {"repo": "acme/site"}, "paths": [], "hosts": [], "folders": []}


def shown(number="4f1d-1", **change):
    return ShownQuestion(question(**{**SHORT, "number": number, **change}), 20.0)


@pytest.fixture
def state():
    """Two questions, looked at for long enough."""
    made = WatchState()
    made.update([shown(), shown("4f1d-2")], 0.0)
    made.rows((100, 24), SETTLE)
    return made


def text(state, size=(100, 24), now=10.0):
    return [plain(row) for row in state.rows(size, now)]


def test_keys_answer_the_selected_question(state):
    assert state.press("y", 5.0) == GiveAnswer(shown().question, state.press("y", 5.0).choice)
    assert state.press("jn", 5.0).question.number == "4f1d-2"
    assert state.press("kkky", 5.0).question.number == "4f1d-1"
    assert state.press("jjjjt", 5.0).choice.seconds == 900.0
    assert state.press("q", 5.0) == Quit()
    assert state.press("\r\x1bxY", 5.0) is None


def test_keys_behind_an_answer_are_dropped(state):
    assert state.press("nyyyq", 5.0).choice.yes is False


def test_after_the_selection_has_moved_by_itself_no_key_answers_and_none_is_offered(state):
    state.update([shown("4f1d-2")], 6.0)
    assert state.press("y", 6.0 + SETTLE / 2) is None
    assert state.due(6.0 + SETTLE / 2) == pytest.approx(SETTLE / 2)
    assert text(state, now=6.1)[-1] == "the questions have just changed"
    assert state.press("y", 6.01 + SETTLE).question.number == "4f1d-2"
    assert (state.due(7.0), "y allow once" in text(state, now=7.0)[-2] + text(state, now=7.0)[-1]) == (TICK, True)


def test_a_question_that_comes_beside_does_not_move_the_selection(state):
    state.press("j", 5.0)
    state.update([shown("4f1d-0"), shown(), shown("4f1d-2")], 6.0)
    assert state.press("n", 6.0).question.number == "4f1d-2"
    state.update([], 7.0)
    assert state.selected is None
    assert state.press("ynq?jk", 9.0) == Quit()
    assert "nothing is asked" in text(state)


def test_what_the_list_does_not_show_whole_is_shown_in_full_before_a_yes(state):
    for change in ({"shown": {"repo": "x" * 200}}, {"complete": False},
                   {"paths": [{"at": "p", "text": "/a", "leads": ["/b"]}]}):  # fmt: skip
        state = WatchState()
        state.update([shown(**change)], 0.0)
        text(state)
        assert state.press("y", 5.0) is None
        assert "this is all of it: press again to answer" in text(state)
        assert isinstance(state.press("y", 5.0), GiveAnswer)
    state = WatchState()
    state.update([shown(complete=False)], 0.0)
    text(state)
    assert state.press("n", 5.0).choice.yes is False, "a no needs no second look"


def test_a_rule_is_proposed_and_written_only_after_y(state):
    wanted = state.press("w", 5.0)
    assert (type(wanted), wanted.choice.scope) == (ProposeRule, "tool")
    state.show_rule(wanted, [[("[[rule]]", "")]])
    assert text(state)[3:] == ["[[rule]]", "", "write this rule?  y yes · any other key no"]
    assert state.press("x", 5.0) is None
    assert "no rule was written" in text(state)
    state.show_rule(wanted, [])
    assert state.press("y", 5.0) == WriteRuleNow(wanted.question, wanted.choice)


def test_a_rule_is_forgotten_when_its_question_goes(state):
    state.show_rule(state.press("w", 5.0), [[("[[rule]]", "")]])
    state.update([shown("4f1d-2")], 6.0)
    assert state.press("y", 6.1) is None
    assert "[[rule]]" not in text(state)


def test_the_time_that_is_left_counts_down(state):
    assert "   15 s  " in text(state, now=5.0)[3]
    assert "    0 s  " in text(state, now=500.0)[3]


def test_a_full_question_can_be_scrolled_and_left(state):
    state.press("?", 5.0)
    first = text(state, (60, 12))
    assert any("more lines: j" in line for line in first)
    state.press("jjjk", 5.0)
    assert text(state, (60, 12))[3] != first[3]
    for _ in range(50):
        state.press("jjjjjj", 5.0)
        state.rows((60, 12), 5.0)
    assert "mcpgov approve 4f1d-1" in "\n".join(text(state, (60, 12)))
    state.press("?", 5.0)
    assert text(state)[3].startswith("> ")


@pytest.mark.parametrize("size", [(20, 4), (40, 10), (79, 24), (200, 60)])
def test_nothing_is_wider_or_higher_than_the_terminal(state, size):
    state.update([shown(f"4f1d-{at}", target="東" * 60) for at in range(30)], 1.0)
    for _ in range(2):
        rows = text(state, size)
        assert len(rows) <= size[1]
        assert max(map(columns, rows)) <= size[0]
        state.press("?", 5.0)
    for _ in range(29):
        state.press("j", 5.0)
    assert size[1] < 5 or any(line.startswith("> ") for line in text(state, size)), "the selected one is seen"


def test_what_no_screen_holds_is_read_to_its_end_before_a_yes():
    long, low = shown(shown={f"k{at}": "x" * 60 for at in range(12)}), (60, 12)
    state = WatchState()
    state.update([long], 0.0)
    text(state, low)
    assert state.press("yy", 5.0) is None, "the second key came before anything was drawn"
    pages = [text(state, low)]
    while (deed := state.press("y", 5.0)) is None:
        pages.append(text(state, low))
        assert "there is more of it: read on, then answer" in pages[-1]
    assert isinstance(deed, GiveAnswer)
    seen = "\n".join(line for page in pages for line in page)
    assert all(f"\n  k{at} =" in seen for at in range(12))
    assert len(pages) > 2
    assert state.press("n", 5.0).choice.yes is False
