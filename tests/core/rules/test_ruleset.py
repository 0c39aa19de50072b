"""Rule sets: first match decides, the index loses nothing, a damaged text is refused."""

import gc
import json
import weakref

import pytest

from mcpgov.core.decision import Decision, StepLimitExceeded
from mcpgov.core.large import large_messages
from mcpgov.core.rules import path_matching
from mcpgov.core.rules import ruleset as module
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.ruleset import MIDDLE, OPENING, RuleSet, stricter
from mcpgov.core.world import World
from tests.helpers.compiled import NoHooks, compiled_text, ruleset, world


def tool(name, args=None, **more):
    return call_of("tools/call", {"name": name, "arguments": args or {}}, **more)


def verdict(rules, call, today=""):
    decision = rules.decide(call, today)
    return decision.action, decision.rule, decision.kind


def test_the_first_rule_that_matches_decides():
    rules = ruleset({"action": "deny", "tool": ["delete_*"]}, {"action": "allow", "tool": ["**"]})
    assert verdict(rules, tool("delete_x")) == ("deny", "r1", "policy")
    assert verdict(rules, tool("read_x")) == ("allow", "r2", "policy")


def test_nothing_matches_so_the_default_speaks():
    assert verdict(ruleset(), tool("x")) == ("deny", None, "unauthorized")


@pytest.mark.parametrize("action", ["allow", "log", "prompt"])
def test_a_call_that_the_default_does_not_deny_is_never_called_unauthorized(action):
    assert verdict(ruleset(default=action), tool("x")) == (action, None, "default")
    raised = tool("delete_rows", {"sql": "DROP TABLE x", "command": "rm x"})
    assert verdict(ruleset(default=action), raised) == (action, None, "default")


def test_the_decision_names_revision_and_message():
    decision = ruleset({"action": "deny", "tool": ["x"], "description": "why"}).decide(tool("x"))
    assert (decision.revision, decision.message) == ("rev", "why")


def test_values_are_looked_at_for_every_call_though_names_are_remembered():
    rules = ruleset({"action": "deny", "args": [[["p"], ["/etc/**"]]]}, {"action": "allow", "tool": ["**"]})
    for _ in range(2):
        assert verdict(rules, tool("x", {"p": "/etc/a"}))[0] == "deny"
        assert verdict(rules, tool("x", {"p": "/ok/a"}))[0] == "allow"


def test_a_call_without_the_argument_passes_the_rule_by():
    rules = ruleset({"action": "deny", "args": [[["p"], ["**"]]]}, {"action": "allow", "tool": ["**"]})
    assert verdict(rules, tool("x", {"q": "1"}))[0] == "allow"
    assert verdict(rules, tool("x", {"P": "1"}))[0] == "deny"


def test_a_rules_own_directory_is_looked_up_again_when_links_are_forgotten():
    links = {}
    rules = ruleset(
        {"action": "deny", "args": [[["p"], ["/data/**"]]]}, {"action": "allow", "tool": ["**"]}, links=links
    )
    assert verdict(rules, tool("x", {"p": "/disk/a"}))[0] == "allow"
    rules.world.readlink = {"/data": "/disk"}.get
    rules.forget_links()
    assert verdict(rules, tool("x", {"p": "/disk/a"}))[0] == "deny"


def test_one_policy_judges_in_many_worlds_with_its_rules_parsed_once():
    first = ruleset({"action": "deny", "tool": ["t"], "args": [[["path"], ["/a/**"]]]}, default="allow")
    second = first.in_world(world(links={"/work/l": "/a"}))
    assert verdict(second, tool("t", {"path": "l/x"}))[0] == "deny"
    assert verdict(first, tool("t", {"path": "l/x"}))[0] == "allow"
    assert next(iter(first)) is next(iter(second))


def test_the_home_of_another_world_is_what_its_rules_mean():
    first = ruleset({"action": "deny", "tool": ["t"], "args": [[["path"], ["~/**"]]]}, default="allow")
    second = first.in_world(world(home="/home/other"))
    assert [verdict(rules, tool("t", {"path": "/home/other/x"}))[0] for rules in (first, second)] == ["allow", "deny"]


def test_an_expired_rule_no_longer_speaks():
    rules = ruleset({"action": "allow", "tool": ["x"], "expires": "2026-05-01"})
    assert verdict(rules, tool("x"), "2026-05-01")[0] == "allow"
    assert verdict(rules, tool("x"), "2026-05-02")[0] == "deny"


def test_names_remembered_are_bounded():
    rules = ruleset({"action": "allow", "tool": ["**"]})
    for at in range(module.MOST_REMEMBERED + 5):
        assert verdict(rules, tool(f"t{at}"))[0] == "allow"
    assert len(rules._memo) <= module.MOST_REMEMBERED


def test_a_delete_dressed_up_as_a_command_is_judged_as_both():
    rules = ruleset({"action": "deny", "operation": ["delete"]}, {"action": "allow", "operation": ["execute"]})
    assert verdict(rules, tool("delete_x", {"command": "y"})) == ("deny", "r1", "policy")
    assert verdict(rules, tool("run_shell", {"command": "y"})) == ("allow", "r2", "policy")


def test_a_policy_that_asks_for_no_operation_judges_once():
    assert verdict(ruleset({"action": "allow", "tool": ["**"]}), tool("delete_x", {"command": "y"}))[0] == "allow"


def test_the_index_offers_exact_prefix_suffix_and_wild_rules_in_order():
    lines = [
        {"id": "suffix", "action": "deny", "tool": ["*_purge"], "args": [[["p"], ["1"]]]},
        {"id": "exact", "action": "deny", "tool": ["db_purge"], "args": [[["p"], ["2"]]]},
        {"id": "prefix", "action": "deny", "tool": ["db_*"], "args": [[["p"], ["3"]]]},
        {"id": "wild", "action": "deny", "tool": ["*b_p*"], "args": [[["p"], ["4"]]]},
        {"id": "also", "action": "deny", "tool": ["db_*"], "args": [[["p"], ["5"]]]},
        {"id": "long", "action": "deny", "tool": ["a_very_long_tool_name_*", "*_and_a_very_long_ending"]},
    ]
    texts = [json.dumps({"file": "f", "line": 1, **line}) for line in lines]
    at = [sum(len(text) + 2 for text in texts[:number]) for number in range(len(texts))]
    index = {
        "exact": {"db_purge": at[1]},
        "prefix": {"db_": [at[2], at[4]], "a_very_long_tool_name_": at[5]},
        "prefix_sizes": [3, 22],
        "suffix": {"_purge": at[0], "_and_a_very_long_ending": at[5]},
        "suffix_sizes": [6, 23],
        "inner": {"b_p": at[3], "zzz": at[5]},
        "wild": [],
        "untooled": [],
    }
    head = json.dumps({"revision": "r", "default": "allow", "index": index})
    rules = RuleSet(f"{OPENING}{head}{MIDDLE}" + ",\n".join(texts) + "\n]}\n", world(), NoHooks())
    found = [verdict(rules, tool("db_purge", {"p": str(number)}))[1] for number in range(1, 7)]
    assert found == ["suffix", "exact", "prefix", "wild", "also", None]
    assert [rule.id for rule in rules] == ["suffix", "exact", "prefix", "wild", "also", "long"]


def test_an_answer_is_judged_by_rules_that_fit_its_call():
    rules = ruleset(
        {"action": "deny", "tool": ["a"], "contains": ["secret"]},
        {"action": "redact", "contains": ["token"]},
        {"action": "allow", "tool": ["**"]},
    )
    assert rules.judge_answer(tool("a"), {"text": "a secret"}).rule == "r1"
    assert rules.judge_answer(tool("b"), {"text": "a secret token"}).rule == "r2"
    assert rules.judge_answer(tool("b"), {"text": "plain"}) is None


@pytest.mark.parametrize(
    ("rules", "default", "expected"),
    [
        ([], "deny", False),
        ([], "log", True),
        ([{"action": "deny", "tool": ["**"]}], "allow", False),
        ([{"action": "prompt", "tool": ["**"]}], "deny", True),
        ([{"action": "deny", "args": [[["p"], ["/x/**"]]]}, {"action": "allow", "tool": ["**"]}], "deny", True),
        ([{"action": "allow", "args": [[["p"], ["/x/**"]]]}], "deny", True),
        ([{"action": "allow", "operation": ["read"]}], "deny", False),
        ([{"action": "allow", "operation": ["delete"]}], "deny", True),
        ([{"action": "deny", "operation": ["delete"]}, {"action": "allow", "tool": ["**"]}], "deny", False),
        ([{"action": "deny", "operation": ["read"]}, {"action": "allow", "tool": ["**"]}], "deny", True),
    ],
)
def test_a_tool_could_pass_if_some_arguments_could_make_it(rules, default, expected):
    assert ruleset(*rules, default=default).could_pass(tool("delete_x")) is expected


def test_names_alone_decide_only_where_no_value_is_asked():
    rules = ruleset({"action": "allow", "tool": ["a"]}, {"action": "allow", "tool": ["b"], "args": [[["p"], ["1"]]]})
    assert rules.by_names(tool("a"), "").decision.rule == "r1"
    assert rules.by_names(tool("b", {"p": None}), "") is None
    assert rules.by_names(tool("c"), "").decision.action == "deny"
    guarded = ruleset({"action": "allow", "tool": ["**"]}, protect=["/home/u/.config/mcpgov"])
    assert guarded.by_names(tool("run_shell", {"command": None}), "") is None
    assert guarded.by_names(tool("echo", {"text": None}), "").decision.rule == "r1"


def test_a_harmless_value_has_nothing_to_protect_and_nothing_to_mask():
    assert ruleset().harmless("hello")
    assert ruleset().unmarked("hello")
    assert not ruleset().harmless("ghp_1234567890")
    guarded = ruleset(protect=["/home/u/.config/mcpgov"])
    assert not guarded.harmless("hello")  # nobody has looked into the directory
    guarded.world.absent = lambda name: True
    assert guarded.harmless("hello")
    assert not guarded.harmless("ghp_1234567890")
    assert guarded.unmarked("hello")
    assert not guarded.unmarked("ghp_1234567890")
    assert not guarded.harmless("x" * 1000)


def test_a_harmless_call_is_decided_by_its_name_each_time():
    rules = ruleset({"action": "allow", "tool": ["**"]}, protect=["/home/u/.config/mcpgov"])
    rules.world.absent = lambda name: True
    for _ in range(3):
        assert verdict(rules, tool("echo", {"text": "hello"})) == ("allow", "r1", "policy")


def test_a_project_judges_by_the_names_its_user_gave():
    project = ruleset({"action": "deny", "service": ["github"]}, default="allow")
    assert verdict(project, tool("x", server="gh"))[0] == "allow"
    project.adopt_names(ruleset(aliases={"gh": "github"}))
    assert project.decide(tool("y", server="gh")).action == "deny"


def test_requests_without_a_tool_skip_the_tool_rules():
    rules = ruleset({"action": "allow", "prompt": ["p"]})
    assert verdict(rules, call_of("prompts/get", {"name": "p"}))[0] == "allow"


def test_protection_speaks_before_every_rule():
    rules = ruleset({"action": "allow", "tool": ["**"]}, protect=["/home/u/.config/mcpgov"])
    found = rules.decide(tool("write_file", {"path": "~/.config/mcpgov/policy.toml"}))
    assert (found.action, found.rule, found.kind) == ("deny", "mcpgov:protect", "policy")
    assert verdict(rules, tool("write_file", {"path": "/ok"}))[0] == "allow"
    assert verdict(rules, call_of("resources/read", {"uri": "/home/u/.config/mcpgov/x"}))[0] == "deny"


def test_the_service_is_the_server_its_alias_or_a_hub_prefix():
    rules = ruleset(aliases={"gh": "github"}, hubs={"hub": ["github_enterprise", "github"]})
    assert rules.service_of(tool("x", server="fs")) == "fs"
    assert rules.service_of(tool("x", server="gh")) == "github"
    assert rules.service_of(tool("github_list", server="hub")) == "github"
    assert rules.service_of(tool("github_enterprise__list", server="hub")) == "github_enterprise"
    assert rules.service_of(tool("githubish", server="hub")) == "hub"
    assert rules.service_of(tool("githubDeleteRepo", server="hub")) == "github"
    assert rules.service_of(tool("github", server="hub")) == "github"
    assert rules.service_of(tool("github_list", server="other")) == "other"
    assert ruleset().service_of(tool("x", server="gh")) == "gh"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        OPENING,
        OPENING + "[]" + MIDDLE,
        OPENING + '{"revision":"r","default":"deny"}]}',
        compiled_text([], default="perhaps"),
        compiled_text([])[:-40],
        OPENING.replace("1", "999") + "{}" + MIDDLE,
    ],
)
def test_a_damaged_or_foreign_text_is_refused(text):
    with pytest.raises(ValueError, match=r"compiled policy|JSON|Unterminated"):
        RuleSet(text, world(), NoHooks())


def test_of_two_verdicts_the_stricter_holds_and_the_first_on_a_tie():
    allow, deny = Decision("allow", "a", "policy", "", ""), Decision("deny", "b", "policy", "", "")
    other = Decision("deny", "c", "policy", "", "")
    assert stricter(allow, deny) is deny
    assert stricter(deny, allow) is deny
    assert stricter(deny, other) is deny


def test_protection_knows_the_directories_that_the_server_is_in_now():
    rules = ruleset({"action": "allow", "method": ["**"]}, protect=["/own/config"])
    call = call_of("tools/call", {"name": "write_file", "arguments": {"path": "config"}})
    rules.world.absent = lambda name: True
    assert rules.decide(call).action == "allow"
    rules.world.bases = (*rules.world.bases, "/own")
    rules.forget_links()
    assert rules.decide(call).rule == "mcpgov:protect"
    rules.forget_links()


def test_a_deny_on_an_argument_is_asked_for_look_alikes_of_its_name():
    rules = ruleset({"action": "deny", "args": [[["path"], ["/etc/**"]]]}, default="allow")
    for name, action in (("path", "deny"), ("Path\0", "deny"), ("pa\u200bth", "deny"), ("other", "allow")):
        assert rules.decide(call_of("tools/call", {"name": "t", "arguments": {name: "/etc/x"}})).action == action


def test_what_takes_too_many_steps_is_denied_whatever_the_rules_say():
    def readlink(_path):
        raise StepLimitExceeded

    def made(rules):
        return RuleSet(compiled_text(rules), World(readlink, "/work", "/home/u"), NoHooks())

    rules = made([{"id": "a", "action": "allow", "args": [[["*"], ["/ok/**"]]]}])
    found = rules.decide(tool("t", {"a": "/ok/x"}))
    assert (found.action, found.rule, found.kind, found.message) == ("deny", None, "policy", module.UNDECIDED)
    rules = made([{"id": "a", "action": "log", "args": [[["*"], ["/ok/**"]]], "contains": ["x"]}])
    answer = rules.judge_answer(tool("t", {"a": "/ok/x"}), {"text": "x"})
    assert (answer.action, answer.message) == ("deny", module.UNDECIDED)


def test_where_a_rules_directory_lies_is_asked_once_until_links_are_forgotten():
    links = {"/alias": "/real"}
    rules = ruleset()
    rules.world = World(links.get, "/work")
    assert [rules.real_root(root) for root in ("/alias", "plain", "/alias")] == ["/real", "plain", "/real"]
    rules.forget_links()  # the server is elsewhere
    assert not rules.forget_links()
    links["/alias"] = "/other"
    assert rules.forget_links()


def test_nothing_of_a_large_call_outlives_its_verdict(monkeypatch):
    made = []

    class Seen(Reader):
        __slots__ = ("__weakref__",)

        def __init__(self, *args):
            super().__init__(*args)
            made.append(weakref.ref(self))

    monkeypatch.setattr(path_matching, "Reader", Seen)
    rules = ruleset({"action": "deny", "args": [[["*"], ["/keys/**"]]]}, {"action": "allow", "tool": ["**"]})
    gc.disable()
    try:
        assert verdict(rules, tool("t", {"a": [f"x{at}" for at in range(1000)]}))[0] == "allow"
        assert [reader() for reader in made] == [None]
    finally:
        gc.enable()


def test_without_protection_every_place_is_free():
    assert ruleset().nowhere("guarded")
    guarded = ruleset(protect=["/home/u/.config/mcpgov"])
    guarded.world.absent = lambda name: True
    assert guarded.nowhere("hello")


def test_guards_are_asked_of_the_hooks():
    class Hooks(NoHooks):
        def guards(self, names, heads, world):
            return names, heads, world

    rules = ruleset(hooks=Hooks())
    assert rules.guards(["quota"], [rules.head]) == (["quota"], [rules.head], rules.world)


def test_a_large_call_is_judged_part_by_part():
    rules = ruleset({"action": "deny", "args": [[["*"], ["/keys/**"]]]}, {"action": "allow", "tool": ["**"]})
    for last, rule in (("x", "r2"), ("/keys/a", "r1")):
        line = json.dumps({"id": 1, "params": {"name": "t", "arguments": {"items": ["x y"] * 9_000 + [last]}}})
        params = large_messages.read(bytearray(line.encode()), judged=True)["params"]
        assert rules.decide(call_of("tools/call", params)).rule == rule


def test_a_policy_in_ascii_is_told_from_others():
    assert ruleset().is_ascii
    assert not ruleset({"action": "deny", "tool": ["é"]}).is_ascii


@pytest.mark.parametrize("protect", [[], ["/home/u/.local/state/mcpgov"]])
def test_a_secret_is_read_by_no_tool_and_as_no_resource_whatever_is_allowed(protect):
    secret = "/home/u/.local/state/mcpgov/remote"
    rules = ruleset({"action": "allow", "method": ["**"]}, protect=protect, secret=[secret])

    def decided(method, params):
        found = rules.decide(call_of(method, params))
        return found.action, found.rule

    denied = ("deny", "mcpgov:protect")
    assert decided("tools/call", {"name": "read_file", "arguments": {"path": f"{secret}/port.json"}}) == denied
    assert decided("resources/read", {"uri": f"file://{secret}/port.json"}) == denied
    assert decided("resources/subscribe", {"uri": f"file://{secret}/port.json"}) == denied
    assert decided("resources/read", {"uri": "file:///work/x"})[0] == "allow"
    assert decided("tools/call", {"name": "read_file", "arguments": {"path": "/work/x"}})[0] == "allow"
