"""What records say is spent."""

from mcpgov.front.budgets.recorded_spending import LAST, RecordedSpending, change_note

PLACE = ("b", "p")


def charge(amount, **more):
    return {"action": "charged", "charges": [[*PLACE, amount]], **more}


def rows(*records):
    found = RecordedSpending()
    for record in records:
        found.add(record)
    return found.rows()


def test_charges_add_up_and_a_reset_begins_anew():
    assert rows(charge(2), charge(3, unpriced=["b"])) == {PLACE: (5, 0, 1)}
    changes = [change_note(*PLACE, raised=4), change_note(*PLACE, reset=True), change_note(*PLACE, raised=1)]
    assert rows(charge(2), *changes, charge(1)) == {PLACE: (1, 1, 0)}


def test_what_an_engine_has_forgiven_or_raised_is_left_to_it():
    changes = [change_note(*PLACE, reset=True, shared=True), change_note(*PLACE, raised=4, shared=True)]
    assert rows(charge(2), *changes) == {PLACE: (2, 0, 0)}


def test_a_charge_of_the_same_hold_counts_once():
    assert rows(charge(2, hold="s-1/7"), charge(2, hold="s-1/7"), charge(3, hold="s-2/7")) == {PLACE: (5, 0, 0)}


def test_what_is_no_charge_changes_nothing():
    assert rows({"charges": [["b", 3, 1], ["b"], 7]}, {"charges": "odd"}, {"charges": [["b", "p", True]]}) == {}


def test_the_last_calls_of_each_session_are_named():
    found = RecordedSpending()
    for number in range(LAST + 5):
        found.add(charge(1, decision=f"s-{number}"))
    found.add(charge(1, decision="t-0"))
    found.add(charge(1))
    calls = list(found.calls())
    assert (len(calls), calls[0], calls[-1]) == (LAST + 1, ("s-5", "b"), ("t-0", "b"))
