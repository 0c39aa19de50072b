"""`policy show` of what a policy has besides rules."""

TEXT = """
default = "deny"
[privacy]
params = "deny"
results = "redact"
kinds = ["email", "staff"]
[[privacy.rule]]
server = "crm"
kinds = "email"
results = "log"
[privacy.patterns]
staff = "re:EMP-[0-9]{4}"
[signals]
results = "log"
[[limit]]
server = "github"
rate = "60/min"
each = "tool"
[[limit]]
rate = "3/10s"
burst = 1
on = "question"
[[budget]]
name = "search"
limit = 10.50
per = "day"
unit = "EUR"
"""


def test_guards_are_told_shortly(run, policy):
    path = policy(TEXT)
    lines = run("policy", "show").out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("privacy"))
    assert lines[start] == f"privacy     params deny, results redact: email, staff ({path}:3)"
    assert lines[start + 1] == "              privacy-rule-1: results log: email where server = crm"
    assert lines[start + 2].startswith("signals     signals: results log, descriptions off, from ")
    said = "limit-1: 60/min, burst 60, calls for each tool, server = github"
    assert lines[start + 3] == f"limits      {said} ({path}:15)"
    assert lines[start + 4] == f"            limit-2: 3/10 s, burst 1, questions, every call ({path}:19)"
    assert lines[start + 5] == f"budgets     search: 10.5 EUR per day, every call ({path}:23)"


def test_json_has_all_of_them(run, policy):
    path = policy(TEXT)
    found = run("policy", "show", "--json").json
    assert found["privacy"][0]["source"] == str(path)
    assert found["privacy"][0]["rules"][0]["kinds"] == ["email"]
    assert found["signals"][0]["results"] == "log"
    assert [row["name"] for row in found["limits"]] == ["limit-1", "limit-2"]
    assert found["budgets"][0]["limit"] == 10_500_000
    policy('default = "deny"')
    found = run("policy", "show", "--json").json
    assert [found[key] for key in ("privacy", "signals", "limits", "budgets")] == [[]] * 4
