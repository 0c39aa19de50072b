"""The diag: what it takes, what it refuses and how it says so."""

import pytest

from mcpgov.policy.draft import WARNING, Diagnostics, PolicyProblem, did_you_mean, kind


@pytest.fixture
def diag():
    return Diagnostics("p.toml", {("rule",): 2, ("rule", 0): 2, ("rule", 0, "tool"): 3})


def test_a_problem_reads_as_file_line_message():
    assert str(PolicyProblem("p.toml", 3, "no")) == "p.toml:3: no"


def test_a_place_without_a_line_takes_that_of_what_holds_it(diag):
    places = [("rule", 0, "tool", 4), ("rule", 0, "x"), ("rule", 7), ("other",), ()]
    assert [diag.line(place) for place in places] == [3, 2, 2, 1, 1]


def test_errors_and_warnings_are_kept_in_order(diag):
    diag.error(("rule", 0, "tool"), "bad", "do this")
    diag.warn((), "odd")
    assert diag.problems == [
        PolicyProblem("p.toml", 3, "bad", "do this"),
        PolicyProblem("p.toml", 1, "odd", "", WARNING),
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, "a table"),
        ([], "a list"),
        ("", "a string"),
        (True, "a boolean"),
        (1, "a number"),
        (1.5, "a number"),
        (None, "null"),
    ],
)
def test_kinds_are_called_by_everyday_names(value, expected):
    assert kind(value) == expected


def test_numbers_and_booleans_become_their_shortest_json_text(diag):
    values = [1, 10**70, 1.0, 1e3, 0.10, -2.50, True, False, "x"]
    found = diag.patterns(values, (), "`args.a`", scalars=True)
    assert found == ["1", "1" + "0" * 70, "1", "1000", "0.1", "-2.5", "true", "false", "x"]
    assert diag.problems == []


def test_an_empty_date_is_no_date(diag):
    assert (diag.date({"expires": ""}, "expires", ()), diag.problems) == ("", [])


def test_a_choice_is_answered_with_the_nearest_or_with_all(diag):
    diag.choice("reslt", ("result", "error"), (), "`deny_as`")
    diag.choice("zzz", ("result", "error"), (), "`deny_as`")
    diag.choice([], ("result", "error"), (), "`deny_as`")
    assert [(problem.message, problem.hint) for problem in diag.problems] == [
        ("unknown `deny_as` `reslt`", "did you mean `result`?"),
        ("unknown `deny_as` `zzz`", "one of result, error"),
        ("unknown `deny_as` a list", "one of result, error"),
    ]


def test_nothing_close_gives_no_advice():
    assert (did_you_mean("tol", ["tool"]), did_you_mean("zzz", ["tool"])) == ("did you mean `tool`?", "")
