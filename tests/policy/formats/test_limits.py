"""`[[limit]]` and `[[budget]]` as the guard reads them."""

import pytest

from tests.helpers.policies import policy

SHARED = {"each": "user", "when_down": "deny", "match": {"method": ["**"]}}


def rows(tmp_path, text):
    made = policy(tmp_path, text)
    assert made.errors == []
    found = {}
    for key in ("limits", "budgets"):
        found[key] = [
            {name: row[name] for name in row if name not in ("file", "line")} for row in made.head.get(key, [])
        ]
    return found


@pytest.mark.parametrize(
    ("rate", "count", "seconds"),
    [
        ("60/min", 60, 60), ("5/s", 5, 1), ("100/day", 100, 86400), ("3/10s", 3, 10), ("2 / 5 minutes", 2, 300),
        ("1/hour", 1, 3600), ("7/seconds", 7, 1),
    ],
)  # fmt: skip
def test_a_rate_is_a_count_and_a_time(tmp_path, rate, count, seconds):
    (row,) = rows(tmp_path, f'[[limit]]\nrate = "{rate}"')["limits"]
    assert row == {"name": "limit-1", **SHARED, "count": count, "period": seconds * 1_000_000, "burst": count,
                   "on": "call"}  # fmt: skip


def test_everything_of_a_limit_reaches_the_compiled_policy(tmp_path):
    text = """
    [[limit]]
    name = "gh"
    server = "github"
    tool = ["a", "b"]
    operation = "write"
    rate = "1/s"
    burst = 4
    each = "tool"
    on = "question"
    when_down = "allow"
    """
    match = {"server": ["github"], "tool": ["a", "b"], "operation": ["write"]}
    (row,) = rows(tmp_path, text)["limits"]
    assert row == {
        "name": "gh", "each": "tool", "when_down": "allow", "match": match, "count": 1, "period": 1_000_000, "burst": 4,
        "on": "question",
    }  # fmt: skip


def test_everything_of_a_budget_reaches_the_compiled_policy(tmp_path):
    text = """
    [[budget]]
    limit = 10.00
    per = "day"
    unit = "USD"
    cost = 0.015
    costs = { "search_*" = 0.002 }
    charge = "success"
    warn = 0.5
    [[budget]]
    limit = 5
    per = "total"
    cost_from = "result.usage.cost"
    """
    first, second = rows(tmp_path, text)["budgets"]
    usual = {**SHARED, "costs": {}, "cost_from": [], "unit": "", "charge": "always"}
    assert first == {
        **usual, "name": "budget-1", "limit": 10_000_000, "cost": 15_000, "costs": {"search_*": 2_000}, "per": "day",
        "unit": "USD", "charge": "success", "warn": 5_000_000,
    }  # fmt: skip
    assert second == {
        **usual, "name": "budget-2", "limit": 5_000_000, "cost": 0, "cost_from": ["result", "usage", "cost"],
        "per": "total", "warn": 4_000_000,
    }  # fmt: skip


def test_without_a_word_about_costs_every_call_costs_one(tmp_path):
    (row,) = rows(tmp_path, '[[budget]]\nlimit = 5\nper = "day"')["budgets"]
    assert row["cost"] == 1_000_000


def test_one_that_is_switched_off_counts_nothing(tmp_path):
    text = '[[limit]]\nrate = "1/s"\nenabled = false\n[[budget]]\nlimit = 1\nper = "day"\nenabled = false'
    made = policy(tmp_path, text)
    assert (made.errors, made.head["needs"], "ledger" in made.head) == ([], [], False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit = 3", "policy.toml:1: a limit is written as `[[limit]]`, with double brackets"),
        ("[[limit]]", "policy.toml:1: a limit needs a `rate`"),
        ('[[limit]]\nrate = "fast"', "policy.toml:2: `rate` `fast` is no rate"),
        ('[[limit]]\nrate = "0/s"', "policy.toml:2: `rate` `0/s` is no rate"),
        ('[[limit]]\nrate = "5/0s"', "policy.toml:2: `rate` `5/0s` is no rate"),
        ('[[limit]]\nrate = "2000000/s"\nburst = 1', "policy.toml:2: `rate` lets more than 1000000 calls pass at once"),
        ('[[limit]]\nrate = "1/s"\nburst = 0', "policy.toml:3: `burst` must be a whole number from 1 to 1000000"),
        ('[[limit]]\nrate = "1/s"\nburst = true', "policy.toml:3: `burst` must be a whole number from 1 to 1000000"),
        ('[[limit]]\nrate = "1/s"\neach = "day"', "policy.toml:3: unknown `each` `day`"),
        ('[[limit]]\nrate = "1/s"\noperation = "fly"', "policy.toml:3: unknown operation `fly`"),
        ('[[limit]]\nrate = "1/s"\nargs.x = "y"', "policy.toml:3: unknown key `args` in a limit"),
        ('[[limit]]\nrate = "1/s"\nname = "a\\u001fb"', "policy.toml:3: `name` must be free of control characters"),
        (
            '[[budget]]\nlimit = 1\nper = "day"\nunit = "\\u001b[1m"',
            "policy.toml:4: `unit` must be free of control characters",
        ),
        ('[[budget]]\nper = "day"', "policy.toml:1: a budget needs a `limit`"),
        ("[[budget]]\nlimit = 1", "policy.toml:1: a budget needs a `per`"),
        ('[[budget]]\nlimit = -1\nper = "day"', "policy.toml:2: `limit` must be a number from 0 to 1,000,000,000,000"),
        ('[[budget]]\nlimit = nan\nper = "day"', "policy.toml:2: `limit` must be a number from 0 to 1,000,000,000,000"),
        ('[[budget]]\nlimit = 1\nper = "year"', "policy.toml:3: unknown `per` `year`"),
        ('[[budget]]\nlimit = 1\nper = "day"\nwarn = 80', "policy.toml:4: `warn` must be a share from 0 to 1"),
        (
            '[[budget]]\nlimit = 1\nper = "day"\ncost_from = "usage"',
            "policy.toml:4: `cost_from` `usage` names neither an argument nor a field",
        ),
        (
            '[[budget]]\nlimit = 1\nper = "day"\ncost_from = "args.order.sum"\ncost = 2',
            "policy.toml:5: `cost` says nothing beside `cost_from`: the argument `order.sum` says what a call costs",
        ),
        (
            '[[budget]]\nlimit = 1\nper = "day"\ncost_from = "args.sum"\ncosts = {a = 1}',
            "policy.toml:5: `costs` says nothing beside `cost_from`: the argument `sum` says what a call costs",
        ),
        (
            '[[budget]]\nlimit = 1\nper = "day"\ncosts = {a = "x"}',
            "policy.toml:4: a cost must be a number from 0 to 1,000,000,000,000",
        ),
        (
            '[[limit]]\nname = "a"\nrate = "1/s"\n[[budget]]\nname = "a"\nlimit = 1\nper = "day"',
            "policy.toml:4: a limit or budget of the name `a` is there already",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, said):
    assert policy(tmp_path, text).errors == [said]


def test_a_project_cannot_name_limits(tmp_path):
    from tests.helpers.policies import project

    assert any("unknown key `limit`" in said for said in project(tmp_path, '[[limit]]\nrate = "1/s"').errors)
