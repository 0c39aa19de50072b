from mcpgov.daemon.approvals import habits
from mcpgov.daemon.approvals.habits import Habits
from mcpgov.daemon.control.approval_requests import HabitView
from tests.helpers.questions import permission, question


def counted(*answers, **change):
    found = Habits()
    for at, yes in enumerate(answers):
        found.count(question(number=f"4f1d-{at}", **change), yes)
    return found


def test_three_equal_yeses_are_a_habit_and_two_are_none():
    assert list(counted(True, True)) == []
    assert not counted(True, True).suggests(question())
    found = counted(True, True, True)
    assert list(found) == [HabitView("github", "tools/call", "delete_repository", "ask-deletes", 3, "4f1d-2")]
    assert found.suggests(question())
    assert not found.suggests(question(target="other"))


def test_a_no_starts_the_count_again():
    assert list(counted(True, True, True, False)) == []
    assert list(counted(True, True, False, True)) == []


def test_the_strongest_habit_comes_first():
    found = counted(True, True, True)
    for at in range(4):
        found.count(question(number=f"4f1d-{at}", target="x"), True)
    assert [(habit.target, habit.yeses) for habit in found] == [("x", 4), ("delete_repository", 3)]


def test_what_is_counted_is_bounded(monkeypatch):
    monkeypatch.setattr(habits, "MOST_COUNTED", 1)
    found = counted(True, True, True)
    found.count(question(target="x"), True)
    assert list(found) == []


def test_no_rule_is_offered_for_answers():
    habits, answer = Habits(), question(method="answer to tools/call")
    for _ in range(3):
        habits.count(answer, True)
    assert not habits.suggests(answer)


def view(yeses, number="old-1"):
    return HabitView("github", "tools/call", "delete_repository", "ask-deletes", yeses, number)


def test_what_the_journal_tells_of_the_time_before_is_counted_on():
    found = counted(True)
    found.know([view(2)])
    assert not found.suggests(question())
    found.count(question(number="4f1d-9"), True)
    assert [habit.yeses for habit in found] == [3]
    found.know([view(1)])
    assert [habit.yeses for habit in found] == [3]


def test_a_no_that_was_given_meanwhile_is_not_undone_by_the_journal():
    found = counted(True, False)
    found.know([view(7)])
    assert not found.suggests(question())
    found = Habits()
    found.know([view(3)])
    assert [habit.number for habit in found] == ["old-1"]


def test_only_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(habits, "MOST_COUNTED", 0)
    found = counted(False)
    found.know([view(3)])
    assert list(found) == []


def test_what_a_server_asks_for_becomes_no_habit():
    found = Habits()
    for _ in range(5):
        found.count(permission(), True)
    assert list(found) == []
