"""The rows of a compiled policy: which calls each counts, and what a call claims of it."""

import time

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.ledger.periods import Calendar
from mcpgov.guards.ledger.rows import NOBODY, BudgetRow, LimitRow, share_of
from tests.helpers.policies import world

CALENDAR = Calendar(time.localtime, time.mktime)


def call(tool="get_x", args=None, server="gh", client="cursor", project="/p"):
    return call_of("tools/call", {"name": tool, "arguments": args or {}}, server, client, project)


def shared(**fields):
    return {"name": "n", "each": "user", "when_down": "deny", "match": {"method": ["**"]}, **fields}


def limit(**fields):
    return LimitRow(shared(count=5, period=1_000_000, burst=2, **fields), "/home/u", LazyHooks())


def budget(**fields):
    usual = {"limit": 100, "cost": 7, "warn": 80, "per": "total", "unit": "", "charge": "always", "costs": {}}
    return BudgetRow(shared(**{**usual, "cost_from": [], **fields}), "/home/u", LazyHooks())


def claim(row, subject, operation=""):
    return row.claim(subject, operation, CALENDAR, 0.0, "s")


@pytest.mark.parametrize(
    ("match", "counted"),
    [
        ({"server": ["gh"]}, True), ({"server": ["other"]}, False), ({"tool": ["get_*"]}, True),
        ({"tool": ["put_*"]}, False), ({"operation": ["read"]}, True), ({"operation": ["delete"]}, False),
        ({"client": ["cursor"], "server": ["gh"]}, True), ({"project": ["/p/**"]}, True),
        ({"project": ["/q/**"]}, False),
        ({"method": ["sampling/*"]}, False), ({"method": ["**"]}, True),
    ],
)  # fmt: skip
def test_a_row_counts_the_calls_that_its_matchers_name(match, counted):
    assert limit(match=match).counted_as(call(), Reader(world())) == ([""] if counted else [])


def test_a_call_that_is_judged_as_several_operations_counts_as_each():
    asked = call("delete_x", {"command": "ls"})
    both = [asked.operation, *asked.other_operations]
    assert len(both) == 2
    for operation in both:
        assert limit(match={"operation": [operation]}).counted_as(asked, Reader(world())) == [""]
        one = limit(match={"operation": [operation]}, each="operation")
        assert one.counted_as(asked, Reader(world())) == [operation]
    assert limit(match={"operation": ["read"]}).counted_as(asked, Reader(world())) == []
    assert limit(match={"operation": both}).counted_as(asked, Reader(world())) == [""]
    assert limit(each="operation").counted_as(asked, Reader(world())) == both
    assert [limit(each="operation").share(asked, each) for each in both] == [f"n\x1f{each}" for each in both]


@pytest.mark.parametrize(
    ("match", "may"),
    [({"server": ["other"]}, False), ({"tool": ["put_*"]}, False), ({"operation": ["delete"]}, True),
     ({"operation": ["delete"], "tool": ["put_*"]}, False), ({"method": ["prompts/get"]}, False)],
)  # fmt: skip
def test_names_tell_that_a_row_counts_none_of_such_calls(match, may):
    assert limit(match=match).may_count(call(), Reader(world())) is may


@pytest.mark.parametrize(
    ("each", "share"),
    [
        ("user", "n"), ("server", "n\x1fgh"), ("client", "n\x1fcursor"), ("project", "n\x1f/p"),
        ("tool", "n\x1fgh get_x"), ("operation", "n\x1fread"),
    ],
)  # fmt: skip
def test_each_has_a_share_of_its_own(each, share):
    assert claim(budget(each=each), call(), "read").key == share
    assert limit(each=each).claim(call(), "read").key == f"{share} 5/1000000"


def test_a_call_without_a_tool_is_counted_by_its_method():
    asked = call_of("sampling/createMessage", {}, "gh")
    assert limit(each="operation").counted_as(asked, Reader(world())) == [""]
    assert limit(each="tool").claim(asked, "").key == "n\x1fgh sampling/createMessage 5/1000000"
    assert limit(each="operation").claim(asked, "").key == "n\x1fsampling/createMessage 5/1000000"


@pytest.mark.parametrize(
    ("key", "share"), [("n", ""), ("n\x1fgh", "gh"), ("n gh", None), ("no", None), ("no\x1fgh", None)]
)
def test_a_key_tells_whose_share_it_is_of_one_budget_only(key, share):
    assert share_of("n", key) == share


def test_a_call_costs_what_its_tool_costs_else_the_usual():
    row = budget(costs={"get_*": 2, "free_*": 0})
    assert [claim(row, call(tool)).amount for tool in ("get_x", "put_x")] == [2, 7]
    assert claim(row, call("free_x")) is None


def test_a_cost_from_an_argument_that_is_not_there_is_more_than_there_is():
    row = budget(cost_from=["args", "sum", "amount"])
    assert claim(row, call(args={"sum": {"amount": "0.00005"}})).amount == 50
    for args in ({"sum": {"amount": "lots"}}, {"sum": {"amount": -1}}, {}):
        found = claim(row, call(args=args))
        assert (found.amount, found.unnamed) == (101, True)
    assert claim(row, call(args={"sum": {"amount": 0}})) is None


def test_a_cost_from_the_result_is_charged_afterwards():
    row = budget(cost=3, cost_from=["result", "usage", "cost"])
    held = claim(row, call())
    assert (held.amount, held.open_end, row.from_result) == (3, True, True)
    assert row.charge(held, {"usage": {"cost": 0.5}}, is_error=False) == 500_000
    for usage in ({}, {"cost": -1}, {"costs": 1}, {"cost": "cheap"}, None):
        assert row.charge(held, {"usage": usage}, is_error=False) is None
    assert row.usual_charge(held) is None
    assert claim(budget(cost=0, cost_from=["result", "c"]), call()).amount == 0


def test_a_failed_call_is_free_where_only_success_is_charged():
    row = budget(charge="success")
    held = claim(row, call())
    assert (row.charge(held, {}, is_error=True), row.charge(held, {}, is_error=False)) == (0, 7)
    assert budget().charge(held, {}, is_error=True) == 7
    assert (row.usual_charge(held), budget().usual_charge(held)) == (0, 7)


@pytest.mark.parametrize(
    ("row", "key", "period", "share"),
    [
        ({}, "n", "total", ""), ({"each": "server"}, "n\x1fgh", "total", "gh"),
        ({"each": "client"}, "n", "total", NOBODY),
        ({"per": "session"}, "n", "session 4f1d", "4f1d"), ({"per": "session"}, "n", "session ", ""),
        ({"per": "session", "each": "server"}, "n\x1fgh", "session 4f1d", "gh 4f1d"),
    ],
)  # fmt: skip
def test_each_share_has_a_name_that_people_can_type(row, key, period, share):
    assert budget(**row).named_share(key, period) == share


def test_a_limit_says_what_it_counts():
    assert (limit().claim(call(), "").counts, limit(on="question").claim(call(), "").counts) == ("call", "question")


@pytest.mark.parametrize(
    ("fields", "by_values"),
    [({}, False), ({"per": "session"}, True), ({"cost_from": ["args", "price"]}, True),
     ({"cost_from": ["result", "price"]}, False)],
)  # fmt: skip
def test_a_claim_may_depend_on_more_than_names(fields, by_values):
    assert budget(**fields).claims_by_values is by_values


@pytest.mark.parametrize(
    ("fields", "always"),
    [({}, True), ({"charge": "success"}, False), ({"cost_from": ["result", "price"]}, False),
     ({"cost_from": ["args", "price"]}, True)],
)  # fmt: skip
def test_what_a_call_costs_may_depend_on_its_answer(fields, always):
    assert budget(**fields).is_always_charged is always
