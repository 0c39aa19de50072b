"""`[signals]` as the guard reads it."""

import pytest

from tests.helpers.policies import policy

PACKS = ["instructions", "hidden_text", "terminal", "lookalike_tools"]
USUAL = {"results": "off", "descriptions": "off", "packs": PACKS, "threshold": 0.6, "name": "signals", "match": {}}


def tables(tmp_path, text, **more):
    made = policy(tmp_path, text, **more)
    assert made.errors == []
    return made.head.get("signals", {}).get("tables"), "signals" in made.head["needs"]


def test_everything_reaches_the_compiled_policy(tmp_path):
    text = """
    [signals]
    results = "log"
    descriptions = "prompt"
    packs = ["terminal", "hidden_text"]
    threshold = 0.8
    [[signals.rule]]
    name = "web"
    description = "pages of strangers"
    server = ["web", "browser*"]
    results = "prompt"
    [[signals.rule]]
    tool = "x"
    enabled = false
    """
    row = {**USUAL, "results": "log", "descriptions": "prompt", "packs": ["terminal", "hidden_text"], "threshold": 0.8}
    web = {**row, "name": "web", "results": "prompt", "match": {"server": ["web", "browser*"]}}
    assert tables(tmp_path, text) == ([{"rows": [web, row]}], True)


@pytest.mark.parametrize(
    "text", ["", "[signals]", '[signals]\nresults = "off"', '[signals]\n[[signals.rule]]\nserver = "a"']
)
def test_off_is_the_default_and_needs_no_guard(tmp_path, text):
    assert tables(tmp_path, text) == (None, False)


def test_a_rule_alone_may_switch_it_on(tmp_path):
    found, needs = tables(tmp_path, '[signals]\n[[signals.rule]]\nserver = "a"\nresults = "log"')
    assert [row["name"] for row in found[0]["rows"]] == ["signals-1", "signals"]
    assert needs


def test_the_managed_table_and_the_users_are_both_there(tmp_path):
    found, _ = tables(tmp_path, '[signals]\nresults = "log"', managed='[signals]\nresults = "prompt"')
    assert [(table["rows"][0]["name"], table["rows"][0]["results"]) for table in found] == [
        ("managed:signals", "prompt"),
        ("signals", "log"),
    ]


def test_the_place_of_the_tool_store_is_no_part_of_the_revision(tmp_path):
    from mcpgov.policy.build import build, read_layer
    from tests.helpers.policies import write

    layer = read_layer(write(tmp_path, '[signals]\nresults = "log"'))
    first, second = build([layer], tools="/a"), build([layer], tools="/b")
    assert first.revision == second.revision
    assert '"tools":"/a"' in first.text


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ('[signals]\nresults = "ask"', "policy.toml:2: unknown `results` `ask`", "did you mean `prompt`?"),
        ('[signals]\ndescriptions = "deny"', "policy.toml:2: unknown `descriptions` `deny`", "one of off, log, prompt"),
        ('[signals]\npacks = ["ansi"]', "policy.toml:2: unknown pack `ansi`", "one of " + ", ".join(PACKS)),
        ("[signals]\nthreshold = 60", "policy.toml:2: `threshold` must be a number above 0, and at most 1", ""),
        ("[signals]\nthreshold = true", "policy.toml:2: `threshold` must be a number above 0, and at most 1", ""),
        ('[signals]\nresult = "log"', "policy.toml:2: unknown key `result` in `signals`", "did you mean `results`?"),
        ("signals = 1", "policy.toml:1: `signals` must be a table, not a number", ""),
        (
            '[signals.rule]\nserver = "a"',
            "policy.toml:1: a rule on signals is written as `[[signals.rule]]`, with double brackets",
            "",
        ),
        (
            '[signals]\n[[signals.rule]]\nresults = "log"',
            "policy.toml:2: a rule on signals matches everything",
            "name a server, tool, client, project or method",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, said, hint):
    made = policy(tmp_path, text)
    assert made.errors == [said]
    assert made.hints == [hint]
