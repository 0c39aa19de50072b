"""`mcpgov budget raise`."""

import pytest

POLICY = '[[budget]]\nname = "money"\nlimit = 10\nper = "month"\nunit = "USD"\n'


def test_it_allows_more_in_this_period_and_is_on_record(run, policy):
    policy(POLICY)
    done = run("budget", "raise", "money", "2.50", "--yes")
    assert (done.status, done.out) == (0, "0 USD of 12.5 USD of `money` are spent now\n")
    (record,) = run("audit", "show", "--all", "--json").json["records"]
    assert (record["method"], record["action"], record["raised"]) == (
        "mcpgov budget raise",
        "budget changed",
        2_500_000,
    )


@pytest.mark.parametrize("amount", ["-1", "0", "lots", "nan"])
def test_what_is_no_amount_is_refused(run, policy, amount):
    policy(POLICY)
    done = run("budget", "raise", "money", f"{amount}", "--yes") if amount[0] != "-" else run(
        "budget", "raise", "--yes", "--", "money", amount
    )  # fmt: skip
    assert (done.status, "is no amount" in done.err) == (64, True)
