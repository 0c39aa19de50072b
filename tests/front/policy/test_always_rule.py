import json
import os

import pytest

from mcpgov.core.approvals.question import Asker, question_of
from mcpgov.core.rules.call import call_of
from mcpgov.daemon.approvals.question import question_from
from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.front.policy import always_rule
from mcpgov.front.policy.always_rule import always, write

ASK = """\
[[rule]]
name = "ask-deletes"
action = "prompt"
tool = "delete_*"
"""
KEYS = """\
[[rule]]
name = "no-keys"
action = "deny"
args."*" = "~/.ssh/**"
"""
LATER = """\
[[rule]]
name = "no-etc"
action = "deny"
args.path = "/etc/**"
"""
SERVICES = """\
[services.github]
read = "allow"
execute = "deny"
"*" = "prompt"
"""
NAMED = """\
[rules.ask]
action = "prompt"
priority = 10
[rules.ask.match]
tool_name = ["delete_*"]
"""
# The layouts, each with the rule that asks.
LAYOUTS = {
    "alone": (ASK, "ask-deletes"),
    "between": (f"{KEYS}\n{ASK}\n{LATER}", "ask-deletes"),
    "comment above": (f"# top\n\n{KEYS}\n# ours: asks\n# two lines\n{ASK}", "ask-deletes"),
    "trailing comment": (ASK.replace("[[rule]]", "[[rule]]   # asks") + "# the end", "ask-deletes"),
    "no blank lines": (KEYS + ASK + LATER, "ask-deletes"),
    "no last newline": ((KEYS + ASK).rstrip("\n"), "ask-deletes"),
    "crlf": (f'default = "deny"\n\n{KEYS}\n# asks\n{ASK}'.replace("\n", "\r\n"), "ask-deletes"),
    "mark": ("\ufeff" + ASK, "ask-deletes"),
    "indented": ("\n".join("  " + line for line in ASK.splitlines()) + "\n", "ask-deletes"),
    "tabs and odd blanks": (
        '[[rule]]\nname\t=\t"ask-deletes"\n\taction = "prompt"  \n tool=["delete_*",\n  "x"]\n', "ask-deletes",
    ),
    "inline args": (
        '[[rule]]\nname = "ask-acme"\naction = "prompt"\nargs = { repo = "**" }\ntool = "delete_*"\n', "ask-acme",
    ),
    "multi-line text": (f'{KEYS}description = """\n# no comment\n[[rule]]\n"""\n{ASK}', "ask-deletes"),
    "sub-table": (f'[[rule]]\naction = "deny"\ntool = "x"\n[rule.args]\npath = "/a"\n\n{ASK}', "ask-deletes"),
    "inline rules": (
        'rule = [\n  { name = "a", action = "deny", tool = "x" },\n  # asks\n'
        '  { name = "ask-deletes", action = "prompt", tool = "delete_*" },\n]\n', "ask-deletes",
    ),
    "inline rules, crlf, no last comma": (
        'rule = [\r\n  { name = "ask-deletes", action = "prompt", tool = "delete_*" }\r\n]', "ask-deletes",
    ),
    "mark and crlf": ("\ufeff" + ASK.replace("\n", "\r\n"), "ask-deletes"),
    "mixed line ends": (KEYS.replace("\n", "\r\n") + ASK, "ask-deletes"),
    "odd header": (ASK.replace("[[rule]]", '[[ "rule" ]]  # [[rule]]'), "ask-deletes"),
    "dotted args": (f'{ASK}args.repo = "**"', "ask-deletes"),
    "its own sub-table": (f'{ASK}[rule.args]\nrepo = "**"\n\n{LATER}', "ask-deletes"),
    "services": (SERVICES, "services.github.*"),
    "services behind rules": (f"{KEYS}\n{SERVICES}\n[tools]\npin = 'log'\n", "services.github.*"),
    "services before rules": (f"{SERVICES}\n{KEYS}", "services.github.*"),
    "inline services": ('services = { github = { delete = "prompt" } }\n', "services.github.delete"),
    "dotted services": ('services.github.delete = "prompt"\nservices."*".read = "allow"\n', "services.github.delete"),
    "named": (f"{KEYS}\n{NAMED}", "ask"),
    "default": ('default = "prompt"   # mine\n', "(default)"),
    "default behind rules": (f'default = "prompt"\n{KEYS}\n[services.other]\ndelete = "deny"\n', "(default)"),
    "empty lines at the end": (ASK + "\n\n\n", "ask-deletes"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def day(monkeypatch):
    monkeypatch.setattr("mcpgov.front.policy.always_rule.today", lambda: "2026-11-18")


@pytest.fixture
def context(root):
    return Context(str(root))


def store(policy, text):
    path = policy("")
    path.write_bytes(text.encode())
    return path


def call(args=None, tool="delete_repository", server="github"):
    return call_of("tools/call", {"name": tool, "arguments": args or {"repo": "acme/site"}}, server, "claude-code")


def asked(context, made=None, layer="user", **change):
    """As a proxy would ask about it."""
    made = made or call()
    ruleset = context.rules().ruleset
    decision = ruleset.decide(made, "2026-11-18")
    assert decision.action == "prompt"
    rule = next((rule for rule in ruleset if rule.id == decision.rule), None)
    asker = Asker("4f1d-12", "4f1d", layer, "github", "d1", "")
    data = question_of(made, decision, rule, asker, ruleset.reader(), lambda text: f"#{len(text)}")
    return question_from({**json.loads(json.dumps(data)), **change})


def verdict(context, made):
    found = context.rules().ruleset.decide(made, "2026-11-18")
    return found.action, found.rule


@pytest.mark.parametrize("scope", ["exact", "tool"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_file_is_the_old_text_and_the_rule_and_only_such_calls_pass(policy, context, layout, scope):
    text, asks = LAYOUTS[layout]
    path = store(policy, text)
    asking = asked(context)
    assert asking.asked_by == asks
    before = [draft.id for draft in context.rules().compiled.drafts]
    made = always(asking, scope, context)
    assert path.read_bytes() == text.encode(), "nothing is written before it is shown"
    write(made, asking, context)
    after = path.read_bytes().decode()
    assert old_text_with_one_block(text, after, made.rule)
    assert os.listdir(path.parent) == ["policy.toml"]
    name = "allow-github-delete_repository"
    drafts = context.rules().compiled.drafts
    assert [draft.id for draft in drafts if draft.id != name] == before
    below = drafts[[draft.id for draft in drafts].index(name) + 1 :]
    if below and asks in before and below[0].dialect == "ordered":
        assert below[0].id == asks
    assert verdict(context, call()) == ("allow", name)
    other = verdict(context, call({"repo": "acme/site", "force": True}))
    assert other[0] == ("prompt" if scope == "exact" else "allow")
    assert verdict(context, call(tool="delete_issue"))[0] == "prompt"
    assert verdict(context, call({"repo": "~/.ssh/id"}))[0] == ("deny" if "no-keys" in text else other[0])


def old_text_with_one_block(old, new, rule):
    """The new text is the old one with the rule's lines put in at one place, and blank lines around them at most."""
    end = "\r\n" if "\r\n" in old else "\n"
    block = rule.replace("\n", end)
    at = new.index(block)
    head, tail = new[:at], new[at + len(block) :]
    gaps = ("", end)
    candidates = {(head.removesuffix(one) if one else head) + (tail.removeprefix(two) if two else tail)
                  for one in gaps for two in gaps}  # fmt: skip
    return old in candidates or old + end in candidates


def test_the_text_says_when_and_why_and_is_what_a_person_would_write(policy, context):
    store(policy, f"{KEYS}\n# asks\n{ASK}")
    assert always(asked(context), "exact", context).rule == (
        "# approved on 2026-11-18, decision 4f1d-12\n"
        "[[rule]]\n"
        'name = "allow-github-delete_repository"\n'
        'action = "allow"\n'
        'server = "github"\n'
        'tool = "delete_repository"\n'
        """when = 'args == {"repo": "acme/site"}'\n"""
    )
    made = always(asked(context, call({"path": "/srv/a/b"})), "folder", context)
    assert made.rule.endswith('tool = "delete_repository"\nargs.path = ["/srv/a/**"]\n')
    assert made.above == "ask-deletes"


def test_a_folder_lets_pass_what_is_in_it_and_nothing_else(policy, context, tmp_path):
    store(policy, KEYS + ASK)
    place = os.path.realpath(tmp_path)
    (tmp_path / "link").symlink_to("/etc")
    asking = asked(context, call({"path": f"{place}/a"}))
    write(always(asking, "folder", context), asking, context)
    assert verdict(context, call({"path": f"{place}/deep/b"}))[0] == "allow"
    for path in (f"{place}/../x", f"{place}/link/passwd", "/elsewhere/x", f"{place}/%2e%2e/x"):
        assert verdict(context, call({"path": path}))[0] == "prompt"


def test_a_rule_for_calls_whose_arguments_are_secret_is_for_the_folder_or_the_tool(policy, context):
    store(policy, ASK)
    asking = asked(context, call({"to": {"path": "/srv/a/b"}, "password": "x"}))
    with pytest.raises(McpgovError, match="too long or secret"):
        always(asking, "exact", context)
    write(always(asking, "folder", context), asking, context)
    assert verdict(context, call({"to": {"path": "/srv/a/c"}, "password": "y"}))[0] == "allow"


def test_odd_values_are_said_exactly(policy, context):
    store(policy, ASK)
    args = {"q'": 'it\'s "x"\n\t', "n": [1, 2.5, True, None, {"é": "\u202e"}], "back": "a\\b"}
    asking = asked(context, call(args))
    write(always(asking, "exact", context), asking, context)
    assert verdict(context, call(args))[0] == "allow"
    assert verdict(context, call({**args, "back": "a\\\\b"}))[0] == "prompt"


def test_a_rule_that_asked_in_an_included_file_gets_its_rule_there(policy, context, root):
    shared = root / "config" / "shared.toml"
    shared.write_text(f"# shared\n{ASK}")
    shared.chmod(0o600)
    main = f'include = ["shared.toml"]\n{KEYS}'
    path = store(policy, main)
    asking = asked(context)
    made = always(asking, "exact", context)
    assert made.file == shared
    write(made, asking, context)
    assert path.read_text() == main
    assert shared.read_text() == f"{made.rule}\n# shared\n{ASK}"
    assert verdict(context, call()) == ("allow", "allow-github-delete_repository")


def test_an_included_file_gets_its_old_text_back_where_the_rule_decides_nothing(policy, context, root, monkeypatch):
    shared = root / "config" / "shared.toml"
    shared.write_text(ASK)
    shared.chmod(0o600)
    store(policy, 'include = ["shared.toml"]\n')
    asking = asked(context)
    made = always(asking, "exact", context)
    monkeypatch.setattr(always_rule, "_call", lambda *_: call({"repo": "other"}))
    with pytest.raises(McpgovError, match="still decides"):
        write(made, asking, context)
    assert shared.read_text() == ASK


def test_the_managed_layer_is_never_written_and_never_overruled(policy, context, root):
    managed = root / "managed" / "policy.toml"
    managed.parent.mkdir()
    managed.write_text(ASK)
    store(policy, KEYS)
    asking = asked(context)
    assert asking.file == str(managed)
    with pytest.raises(McpgovError, match="administrator's policy"):
        always(asking, "exact", context)
    with pytest.raises(McpgovError, match="no rule of yours changes what the managed policy asks"):
        always(asked(context, layer="managed", ask=["desk"]), "exact", context)
    assert managed.read_text() == ASK


def test_a_rules_json_takes_no_rule_for_a_tool(root, context):
    path = root / "config" / "rules.json"
    path.write_text('{"github": {"delete": "prompt"}}')
    path.chmod(0o600)
    assert context.policy_path(None) == path
    asking = asked(context)
    with pytest.raises(McpgovError, match="no rules for single tools"):
        always(asking, "tool", context)
    assert path.read_text() == '{"github": {"delete": "prompt"}}'


def test_rules_that_hold_calls_back_above_the_one_that_asked_keep_their_say(policy, context):
    first = '[rules.keep]\naction = "block"\npriority = 1\n[rules.keep.match]\nresource_path = ["/srv/keep/**"]\n'
    store(policy, f"{first}\n{NAMED}")
    asking = asked(context, call({"path": "/srv/a"}))
    with pytest.raises(McpgovError, match=r"rule `keep` .* stands above and would lose its say"):
        always(asking, "tool", context)
    write(always(asking, "exact", context), asking, context)
    assert verdict(context, call({"path": "/srv/keep/a"}))[0] == "deny"


def test_a_tool_that_a_service_map_asked_about_is_allowed_for_what_it_did(policy, context):
    store(policy, '[services.db]\nread = "prompt"\ndelete = "deny"\n')
    query = call({"sql": "select 1"}, "query", "db")
    asking = asked(context, query)
    made = always(asking, "tool", context)
    assert 'operation = ["read"]' in made.rule
    write(made, asking, context)
    assert verdict(context, query)[0] == "allow"
    assert verdict(context, call({"sql": "drop table x"}, "query", "db"))[0] == "deny"


def test_what_an_allow_overtakes_is_told(policy, context):
    store(policy, f"{ASK}\n{LATER}")
    assert always(asked(context), "tool", context).overtakes == ("no-etc",)
    assert always(asked(context), "exact", context).overtakes == ()


@pytest.mark.parametrize(
    ("change", "scope", "why"),
    [
        ({"asked_by": "gone"}, "exact", "is no longer in"),
        ({"asked_by": "(pin)"}, "exact", "mcpgov tools SERVER --accept TOOL"),
        ({"target": "delete_*"}, "tool", "cannot be named by a rule"),
        ({"method": "sampling/createMessage", "target": ""}, "exact", "no rule can name one"),
    ],
)
def test_what_cannot_be_written_is_said(policy, context, change, scope, why):
    store(policy, ASK)
    with pytest.raises(McpgovError, match=why):
        always(asked(context, **change), scope, context)


def test_resources_and_prompts_get_rules_of_their_own(policy, context):
    store(policy, '[[rule]]\naction = "prompt"\nmethod = ["resources/read", "prompts/get"]\n')
    read = call_of("resources/read", {"uri": "file:///srv/a"}, "fs")
    asking = asked(context, read)
    write(always(asking, "exact", context), asking, context)
    assert verdict(context, read)[0] == "allow"
    assert verdict(context, call_of("resources/read", {"uri": "file:///srv/b"}, "fs"))[0] == "prompt"
    prompt = call_of("prompts/get", {"name": "review", "arguments": {"a": "b"}}, "fs")
    asking = asked(context, prompt)
    write(always(asking, "exact", context), asking, context)
    assert verdict(context, prompt)[0] == "allow"


def test_a_layout_that_takes_no_rule_is_left_as_it_is(policy, context):
    text = 'rule = [{ name = "ask-deletes", action = "prompt", tool = "delete_*" }]\n'
    path = store(policy, text)
    with pytest.raises(McpgovError, match="no rule can be added") as told:
        always(asked(context), "tool", context)
    assert 'tool = "delete_repository"' in told.value.hint
    assert path.read_text() == text
