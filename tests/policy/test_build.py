"""Order when dialects meet, layers, and what the compiled text promises."""

import pytest

from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.errors import PolicyError
from mcpgov.guards.hooks import LazyHooks
from mcpgov.policy.build import MOST_PROJECT_RULES, MOST_PROJECT_WHEN, build, build_project, read_layer
from tests.helpers.policies import policy, world, write

MEETING = """
default = "log"
[services."*"]
"*" = "prompt"
[services.fs]
"*" = "allow"
read = "deny"
[rules.second]
action = "block"
priority = 2
match.tool_name = ["write_*"]
[rules.first]
action = "allow"
priority = 1
match.tool_name = ["write_x"]
[[rule]]
name = "one"
action = "deny"
tool = "write_a"
[[rule]]
name = "two"
action = "allow"
tool = ["write_a", "write_b"]
"""


def test_dialects_are_asked_in_the_documented_order(tmp_path):
    rules = policy(tmp_path, MEETING)
    tools = ["write_a", "write_b", "write_x", "write_y", "get_x", "create_x"]
    assert [rules.call(tool) for tool in tools] == [
        ("deny", "one"),
        ("allow", "two"),
        ("allow", "first"),
        ("deny", "second"),
        ("deny", "services.fs.read"),
        ("allow", "services.fs.*"),
    ]
    assert rules.call("create_x", server="other") == ("prompt", "services.*.*")
    assert rules.ask("sampling/createMessage", {}) == ("log", None)


def test_managed_rules_come_first_whatever_their_dialect(tmp_path):
    managed = '[services.fs]\ndelete = "deny"\n[[rule]]\naction = "log"\ntool = "t"\n'
    rules = policy(tmp_path, '[[rule]]\nname = "mine"\naction = "allow"\ntool = "*"\n', managed=managed)
    assert [rules.call(tool) for tool in ("delete_x", "t", "get_x")] == [
        ("deny", "managed:services.fs.delete"),
        ("log", "managed:rule-1"),
        ("allow", "mine"),
    ]


@pytest.mark.parametrize(
    ("managed", "mine", "expected"),
    [
        ("prompt", "allow", "prompt"),
        ("allow", "deny", "deny"),
        ("log", "allow", "log"),
        (None, "allow", "allow"),
        ("log", None, "log"),
        (None, None, "deny"),
    ],
)
def test_the_strictest_default_of_the_layers_holds(tmp_path, managed, mine, expected):
    def said(value):
        return f'default = "{value}"' if value else "# nothing"

    assert policy(tmp_path, said(mine), managed=said(managed)).call("t") == (expected, None)


def test_only_a_managed_policy_switches_the_protection_off_where_there_is_one(tmp_path):
    allow = '[[rule]]\nname = "r"\naction = "allow"\ntool = "*"\n'
    asked = ("write_file", {"path": "/own/x", "content": ""})
    off = "protect = false\n"
    mine = policy(tmp_path, off + allow, managed="# nothing", protect=["/own"])
    assert mine.call(*asked) == ("deny", "mcpgov:protect")
    assert mine.said == ["policy.toml:1: `protect = false` is ignored: only the managed policy may say it"]
    theirs = policy(tmp_path, allow, managed=off, protect=["/own"])
    assert (theirs.call(*asked), theirs.said) == (("allow", "r"), [])


def test_where_layers_speak_of_the_same_thing_the_managed_one_holds(tmp_path):
    managed = 'deny_as = "error"\n[aliases]\na = "x"\n[tools]\npin = "deny"\n'
    mine = 'deny_as = "result"\n[aliases]\na = "y"\nb = "z"\n[tools]\npin = "off"\nhide_denied = false\n'
    head = policy(tmp_path, mine, managed=managed).head
    assert (head["deny_as"], head["aliases"], head["pin"], head["hide_denied"]) == (
        "error",
        {"a": "x", "b": "z"},
        "deny",
        False,
    )


def test_the_same_file_as_both_layers_is_no_clash_of_names(tmp_path):
    path = write(tmp_path, '[[rule]]\nname = "r"\naction = "deny"\ntool = "x"\n')
    assert build([read_layer(path, prefix="managed:"), read_layer(path)]).errors == ()


def test_the_same_files_give_the_same_bytes_and_revision(tmp_path):
    first, second = policy(tmp_path, MEETING).compiled, policy(tmp_path, MEETING).compiled
    assert (first.text, first.revision) == (second.text, second.revision)


def test_another_rule_gives_another_revision(tmp_path):
    changed = MEETING.replace('"write_b"', '"write_c"')
    assert policy(tmp_path, MEETING).compiled.revision != policy(tmp_path, changed).compiled.revision


def test_other_protected_places_are_the_same_revision_but_switching_them_off_is_not(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text('default = "deny"\n')
    first, second = (build([read_layer(file)], protect=[place]) for place in ("/a", "/b"))
    assert (first.revision, first.text == second.text) == (second.revision, False)
    file.write_text('protect = false\ndefault = "deny"\n')
    assert build([read_layer(file)], protect=["/a"]).revision != first.revision


def test_the_decision_names_the_revision(tmp_path):
    rules = policy(tmp_path, MEETING)
    assert rules.rules.revision == rules.compiled.revision


def test_the_compiled_head_says_which_guards_are_needed(tmp_path):
    def needs(matcher):
        return policy(tmp_path, f'[[rule]]\naction = "deny"\n{matcher}\n').head["needs"]

    assert [needs(text) for text in ('tool = "x"', 'contains = "x"', 'contains = ["x", "re:y"]', "when = 'true'")] == [
        [],
        ["contains"],
        ["contains", "re"],
        ["cel"],
    ]


def test_a_sealed_text_decides_alike_and_names_its_inputs(tmp_path):
    rules = policy(tmp_path, MEETING)
    sealed = RuleSet(rules.compiled.sealed([("f", 1, 2, 3)]), rules.rules.world, LazyHooks())
    assert sealed.head == {"inputs": [["f", 1, 2, 3]], **rules.head}
    assert [rule.data for rule in sealed] == [rule.data for rule in rules.rules]


def test_every_rule_carries_its_file_and_line(tmp_path):
    rules = policy(tmp_path, MEETING)
    places = [(rule.id, rule.data["line"]) for rule in rules.rules if rule.data["file"] == f"{tmp_path}/policy.toml"]
    assert places == [
        ("one", 16),
        ("two", 20),
        ("first", 12),
        ("second", 8),
        ("services.fs.read", 7),
        ("services.fs.unknown", 5),
        ("services.fs.*", 6),
        ("services.*.unknown", 3),
        ("services.*.*", 4),
    ]


def test_one_error_is_raised_and_the_others_counted(tmp_path):
    with pytest.raises(PolicyError) as one:
        policy(tmp_path, "x = 1").compiled.raise_errors()
    with pytest.raises(PolicyError) as more:
        policy(tmp_path, "toools = 1\ny = 1").compiled.raise_errors()
    assert str(one.value) == f"{tmp_path}/policy.toml:1: unknown key `x` in a policy"
    assert (str(more.value), more.value.hint) == (
        f"{tmp_path}/policy.toml:1: unknown key `toools` in a policy (and 1 more: mcpgov policy check)",
        "did you mean `tools`?",
    )


def test_a_sound_policy_passes_through(tmp_path):
    compiled = policy(tmp_path, MEETING).compiled
    assert (compiled.raise_errors(), compiled.warnings, compiled.sources) == (
        compiled,
        (),
        (f"{tmp_path}/policy.toml",),
    )


def test_every_letter_survives_compiling(tmp_path):
    text = '[[rule]]\nname = "é😀\\u2028"\naction = "deny"\ntool = "t😀*"\n[[rule]]\naction="log"\ntool="u"\n'
    rules = policy(tmp_path, text)
    assert [rules.call("t😀x"), rules.call("u")] == [("deny", "é😀\u2028"), ("log", "rule-2")]


def test_a_project_policy_is_bounded_in_rules_and_in_expressions(tmp_path):
    rules = '[[rule]]\naction = "deny"\ntool = "a"\n' * (MOST_PROJECT_RULES + 1)
    found = build_project(write(tmp_path, rules, "many/.mcpgov.toml"))
    assert f"a project policy has at most {MOST_PROJECT_RULES} rules" in [problem.message for problem in found.errors]
    when = '[[rule]]\naction = "deny"\nwhen = "args.x == \'%s\'"\n' % ("a" * 16_000)
    found = build_project(write(tmp_path, when * 17, "long/.mcpgov.toml"))
    most = f"all `when` of a project policy have at most {MOST_PROJECT_WHEN} characters together"
    assert most in [problem.message for problem in found.errors]
    found = build_project(write(tmp_path, when * 10, "fair/.mcpgov.toml"))
    assert not found.errors


def test_only_the_topmost_layer_may_leave_the_shells_unprotected(tmp_path):
    upper = read_layer(write(tmp_path, 'default = "deny"\n', "managed.toml"))
    lower = read_layer(write(tmp_path, "protect_shell = false\n", "user.toml"))
    built = build([upper, lower], ["/a"], shell=["/rc"])
    assert '"protect":["/a","/rc"]' in built.text
    assert "`protect_shell = false` is ignored" in str(built.warnings[0])
    assert '"protect":["/a"]' in build([lower], ["/a"], shell=["/rc"]).text


def test_a_rule_knows_its_layer_and_where_it_may_be_answered(tmp_path):
    managed = 'default = "prompt"\n[[rule]]\nname = "theirs"\naction = "prompt"\ntool = "t"\n'
    mine = '[[rule]]\nname = "mine"\naction = "prompt"\ntool = "*"\nask = ["desk", "app", "desk"]\n'
    mine += '[rules.named]\naction = "prompt"\nmatch.any = true\nask = "desk"\n'
    rules = policy(tmp_path, mine, managed=managed).rules
    found = {rule.id: (rule.data.get("layer"), rule.data.get("ask")) for rule in rules}
    assert found == {"theirs": ("managed", None), "mine": (None, ["desk", "app"]), "named": (None, ["desk"])}
    assert rules.head["default_layer"] == "managed"
    assert "default_layer" not in policy(tmp_path, 'default = "prompt"\n').rules.head


def test_the_rules_of_a_project_know_that_they_are(tmp_path):
    file = write(tmp_path, '[[rule]]\nname = "p"\naction = "prompt"\ntool = "t"\n')
    (rule,) = RuleSet(build_project(file).text, world(), LazyHooks())
    assert rule.data["layer"] == "project"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('action = "deny"\nask = ["desk"]', "`ask` is for prompt rules: `deny` asks nobody"),
        ('action = "prompt"\nask = ["phone"]', "unknown surface `phone`"),
        ('action = "prompt"\nask = []', "`ask` is an empty list"),
        ('action = "prompt"\nask = 7', "`ask` must be a string or a list of strings"),
        ('action = "nonsense"\nask = ["desk"]', "unknown action `nonsense`"),
    ],
)
def test_where_a_rule_may_be_answered_is_checked(tmp_path, text, said):
    (problem,) = policy(tmp_path, f'[[rule]]\ntool = "t"\n{text}\n').errors
    assert said in problem


def test_secret_places_are_in_every_policy_and_in_no_revision(tmp_path):
    layer = read_layer(write(tmp_path, "protect = false\n", "user.toml"))
    plain, secret = build([layer], ["/a"]), build([layer], ["/a"], secret=["/s"])
    assert ('"protect":[]' in secret.text, '"secret":["/s"]' in secret.text, "secret" in plain.text) == (
        True, True, False
    )  # fmt: skip
    assert plain.revision == secret.revision
