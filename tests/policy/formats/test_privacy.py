"""`[privacy]` as the guard reads it, and what is said of a wrong one."""

import pytest

from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.screening.rows import layers_of
from mcpgov.policy.build import build_project
from tests.helpers.policies import policy


def rows(tmp_path, text):
    made = policy(tmp_path, text)
    assert made.errors == []
    found = made.head.get("privacy", [])
    return [without_places(row) for row in found]


def without_places(row):
    kept = {key: row[key] for key in row if key not in ("file", "line")}
    return {**kept, "rules": [without_places(rule) for rule in row["rules"]]} if "rules" in row else kept


def test_rules_have_their_lines(tmp_path):
    made = policy(tmp_path, '[privacy]\nresults = "log"\n[[privacy.rule]]\nserver = "a"\nresults = "off"\n')
    (row,) = made.head["privacy"]
    assert [(each["name"], each["line"]) for each in (row, *row["rules"])] == [("privacy", 1), ("privacy-rule-1", 3)]
    assert row["rules"][0]["file"] == row["file"]


def test_everything_of_it_reaches_the_compiled_policy(tmp_path):
    text = """
    [privacy]
    params = "deny"
    results = "redact"
    kinds = ["email", "ssn", "employee_id"]
    allow = ["*@example.com"]
    restore = true
    description = "of people"
    [[privacy.rule]]
    server = "crm"
    tool = ["export_*", "list_*"]
    kinds = "email"
    results = "log"
    [[privacy.rule]]
    name = "readers"
    operation = "read"
    params = "off"
    [[privacy.rule]]
    server = "x"
    params = "deny"
    enabled = false
    [privacy.patterns]
    employee_id = "re:EMP-[0-9]{6}"
    """
    first = {"name": "privacy-rule-1", "match": {"server": ["crm"], "tool": ["export_*", "list_*"]}}
    assert rows(tmp_path, text) == [
        {
            "name": "privacy",
            "params": "deny",
            "results": "redact",
            "kinds": ["email", "ssn", "employee_id"],
            "allow": ["*@example.com"],
            "restore": True,
            "patterns": {"employee_id": "re:EMP-[0-9]{6}"},
            "rules": [
                {**first, "results": "log", "kinds": ["email"]},
                {"name": "readers", "match": {"operation": ["read"]}, "params": "off"},
            ],
        }
    ]
    assert policy(tmp_path, text).head["needs"] == ["privacy"]


@pytest.mark.parametrize("text", ["", "[privacy]", '[privacy]\nparams = "off"', '[privacy]\nkinds = ["email"]'])
def test_without_anything_to_look_for_no_guard_is_needed(tmp_path, text):
    assert rows(tmp_path, text) == []
    assert policy(tmp_path, text).head["needs"] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("privacy = 1", "1: `privacy` must be a table, not a number"),
        ('[privacy]\nparam = "deny"', "2: unknown key `param` in `privacy`"),
        ('[privacy]\nparams = "block"', "2: unknown `params` `block`"),
        ('[privacy]\nresults = "deny"\nkinds = ["mail"]', "3: unknown kind `mail`"),
        ('[privacy]\nresults = "deny"\nkinds = []', "3: `kinds` is an empty list"),
        ('[privacy]\nresults = "deny"\nrestore = "yes"', "3: `restore` must be true or false, not a string"),
        ('[privacy]\nresults = "deny"\nallow = 3', "3: `allow` must be a string or a list of strings, not a number"),
        (
            '[privacy.rule]\ntool = "x"',
            "1: a privacy rule is written as `[[privacy.rule]]`, with double brackets",
        ),
        ('[[privacy.rule]]\nparams = "deny"', "1: a privacy rule needs a matcher or `kinds`"),
        ('[[privacy.rule]]\ntool = "x"', "1: a privacy rule needs `params` or `results`"),
        ('[[privacy.rule]]\ntools = "x"\nkinds = "ssn"\nparams = "log"', "2: unknown key `tools` in a privacy rule"),
        (
            '[[privacy.rule]]\noperation = "reed"\nparams = "log"',
            "2: unknown operation `reed`",
        ),
        ("[privacy.patterns]\nEmp = 're:a'", "2: a pattern cannot be called `Emp`"),
        ("[privacy.patterns]\nemail = 're:a'", "2: a pattern cannot be called `email`"),
        ("[privacy.patterns]\nliteral = 're:a'", "2: a pattern cannot be called `literal`"),
        ("[privacy.patterns]\nemp = 'a'", "2: the pattern `emp` must be a text that begins with `re:`"),
        ("[privacy.patterns]\nemp = 're:a*'", "2: the pattern `emp` matches an empty text"),
        ("[privacy.patterns]\nemp = 're:(?=a)'", "2: pattern `(?=a)`: look-around is not supported"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, expected):
    assert policy(tmp_path, text).errors == [f"policy.toml:{expected}"]


def test_there_are_only_so_many_patterns(tmp_path):
    text = "[privacy.patterns]\n" + "\n".join(f"p{at} = 're:a{at}'" for at in range(65))
    assert policy(tmp_path, text).errors == ["policy.toml:1: there are at most 64 patterns"]


def test_managed_and_included_files_have_their_own_say(tmp_path):
    (tmp_path / "more.toml").write_text('[privacy]\nparams = "log"\n')
    text = 'include = ["more.toml"]\n[privacy]\nparams = "redact"\n'
    assert [row["params"] for row in rows(tmp_path, text)] == ["log", "redact"]


def test_a_project_may_only_narrow(tmp_path):
    path = tmp_path / ".mcpgov.toml"
    path.write_text(
        '[privacy]\nparams = "log"\nallow = ["x"]\nrestore = true\n[[privacy.rule]]\ntool = "a"\nresults = "off"\n'
    )
    assert [str(problem).rpartition("/")[2] for problem in build_project(path).errors] == [
        ".mcpgov.toml:2: a project policy may only narrow: `params` is `log`",
        ".mcpgov.toml:3: a project policy may only narrow: `allow` lets more pass",
        ".mcpgov.toml:4: a project policy may only narrow: `restore` lets more pass",
        ".mcpgov.toml:7: a project policy may only narrow: `results` is `off`",
    ]
    path.write_text('[privacy]\nparams = "redact"\nkinds = ["email"]\n')
    made = build_project(path)
    assert made.errors == ()
    assert '"needs":["privacy"]' in made.text


def test_names_need_the_extra_and_a_policy_without_it_says_what_to_type(tmp_path, monkeypatch):
    from mcpgov.guards.people import analyzer

    monkeypatch.setattr(analyzer, "EXTRA", "no_such_package_anywhere")
    for text in ('kinds = ["email", "person"]', '[[privacy.rule]]\nkinds = "address"\nresults = "deny"'):
        (problem,) = policy(tmp_path, f'[privacy]\nresults = "deny"\n{text}').compiled.errors
        assert "names and addresses need the extra `presidio`, which is not installed" in str(problem)
        assert problem.hint == "pip install 'mcpgov[presidio]'"


def test_a_rule_without_kinds_is_for_the_names_that_the_policy_looks_for(tmp_path, monkeypatch):
    for name in ("presidio_analyzer", "en_core_web_sm"):
        (tmp_path / f"{name}.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    text = '[privacy]\nresults = "deny"\nkinds = ["person"]\n[[privacy.rule]]\nserver = "a"\nresults = "log"\n'
    made = policy(tmp_path, text)
    assert made.errors == []
    (layer,) = layers_of([made.head], "", LazyHooks())[0]
    assert layer.kinds >= {"person", "email"}
    assert made.head["privacy_people"][-1] == "en_core_web_sm"
    assert policy(tmp_path, '[privacy]\nresults = "deny"').head.get("privacy_people") is None
    twin = policy(tmp_path, text)
    monkeypatch.syspath_prepend(str(tmp_path / "more"))
    assert policy(tmp_path, text).head["revision"] == twin.head["revision"]


@pytest.mark.parametrize("text", ['kinds = ["ssn"]', "", "restore = true", '[privacy.patterns]\nx = "re:X-[0-9]"'])
def test_a_table_that_says_nothing_of_what_is_done_is_told(tmp_path, text):
    made = policy(tmp_path, f'default = "allow"\n[privacy]\n{text}\n')
    assert made.errors == []
    assert [(each.line, each.message) for each in made.compiled.problems] == [
        (2, "`[privacy]` looks for nothing: it does not say what is done")
    ]
    assert "privacy" not in made.head


@pytest.mark.parametrize(
    "text", ['results = "off"', 'results = "log"', '[[privacy.rule]]\nserver = "a"\nparams = "log"']
)
def test_a_table_that_says_what_is_done_is_not(tmp_path, text):
    assert policy(tmp_path, f'default = "allow"\n[privacy]\n{text}\n').compiled.problems == ()
