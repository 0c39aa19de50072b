import pytest

from mcpgov.errors import McpgovError, PolicyError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.policy.new_rule import Asked, NotNeeded, addition, arguments, sample

KEYS = """
[[rule]]
name = "no-keys"
action = "deny"
args."*" = "~/.ssh/**"
"""
ETC = """
[[rule]]
name = "no-etc"
action = "deny"
tool = "read_file"
args.path = "/etc/**"
"""
NO_WRITES = """
[[rule]]
name = "no-writes"
action = "deny"
tool = "write_*"
"""
OTHER = """
[[rule]]
name = "other"
action = "allow"
server = "other"
tool = "*"
"""
READS = """
[services."*"]
read = "allow"
delete = "prompt"
"""


@pytest.fixture
def context(root):
    return Context(str(root))


def above(context, *asked, **more):
    return addition(Asked(*asked, **more), context).above


def test_arguments_are_names_or_keys_and_patterns():
    assert arguments(["path=/a=b", "path=/c", "a.b=x", '"a.b"=y', "*=z", "odd name=w", "a..b=v"]) == (
        (("path",), ("/a=b", "/c")), (("a", "b"), ("x",)), (("a.b",), ("y",)), (("*",), ("z",)),
        (("odd name",), ("w",)), (("a..b",), ("v",)),
    )  # fmt: skip
    for odd in ("path", "path=", "=x", ""):
        with pytest.raises(UsageError, match="needs a name and a pattern"):
            arguments([odd])


def test_a_sample_is_a_call_that_the_rule_is_about(context, home):
    call = sample(Asked("allow", "s*", "t?", arguments(["path=~/p/**", "a.b=1", "*=k"])), context)
    assert (call.server, call.tool, call.args) == ("sx", "tx", {"path": f"{home}/p/x", "a": {"b": "1"}, "x": "k"})
    for args in (["a=1", "a.b=2"], ["a.b=2", "a=1"]):
        with pytest.raises(UsageError, match="no object"):
            sample(Asked("allow", "s", "t", arguments(args)), context)


def test_an_allow_stands_above_the_rule_that_decides_and_below_those_that_guard_values(context, policy):
    policy(KEYS + OTHER + NO_WRITES + READS)
    assert above(context, "allow", "fs", "write_file") == "no-writes"
    policy(KEYS + OTHER + READS)
    made = addition(Asked("allow", "fs", "delete_file"), context)
    assert (made.above, made.text.index("no-keys") < made.text.index("allow-fs-delete_file")) == ("", True)
    assert made.text.index("allow-fs-delete_file") < made.text.index("[services")


def test_an_allow_of_one_place_stands_above_the_rule_that_guards_it(context, policy):
    policy(KEYS + ETC + READS)
    args = arguments(["path=/etc/hosts"])
    assert above(context, "allow", "fs", "read_file", args=args) == "no-etc"
    with pytest.raises(NotNeeded, match="pass already, by rule `services"):
        above(context, "allow", "fs", "read_file")
    with pytest.raises(NotNeeded, match="pass already"):
        above(context, "allow", "fs", "read_file", args=arguments(["path=/srv/**"]))


def test_a_deny_stands_above_everything_that_might_let_it_pass(context, policy):
    maybe = '\n[[rule]]\nname = "mine"\naction = "allow"\ntool = "read_*"\nargs.path = "~/p/**"\n'
    policy(KEYS + OTHER + maybe + READS)
    assert above(context, "deny", "fs", "read_file") == "mine"
    assert above(context, "deny", "*", "read_*") == "other"
    assert above(context, "deny", "fs", "list_x") == ""
    with pytest.raises(NotNeeded, match="are denied already, by the default"):
        above(context, "deny", "fs", "frobnicate_deploy")


def test_an_administrators_rule_is_never_written_against(context, policy, root):
    policy(NO_WRITES)
    managed = root / "managed" / "policy.toml"
    managed.parent.mkdir()
    managed.write_text('[[rule]]\nname = "boss"\naction = "deny"\ntool = "write_*"\n')
    managed.chmod(0o644)
    for asked in (Asked("allow", "fs", "write_file"), Asked("allow", "fs", "write_*")):
        with pytest.raises(McpgovError, match=r"the managed rule `boss` .* decides such calls"):
            addition(asked, Context(str(root)))
    managed.write_text('[[rule]]\nname = "boss"\naction = "allow"\ntool = "write_*"\n')
    with pytest.raises(McpgovError, match="the managed rule `boss`"):
        addition(Asked("deny", "fs", "write_file"), Context(str(root)))


def test_a_rule_of_an_included_file_is_told_with_the_text_to_write_there(context, policy, root):
    shared = root / "config" / "shared.toml"
    shared.write_text(NO_WRITES)
    shared.chmod(0o600)
    policy('include = ["shared.toml"]\n' + READS)
    with pytest.raises(McpgovError, match=r"`no-writes` .*shared.toml:2.* is asked first") as caught:
        addition(Asked("allow", "fs", "write_file"), context)
    assert 'tool = "write_file"' in caught.value.hint


def test_guards_that_an_allow_overtakes_are_named(context, policy):
    policy(NO_WRITES + KEYS + ETC + READS)
    made = addition(Asked("allow", "fs", "write_file"), context)
    assert (made.above, made.overtakes) == ("no-writes", ("no-keys",)), "`no-etc` is about another tool"
    policy(KEYS + NO_WRITES)
    assert addition(Asked("allow", "fs", "write_file"), context).overtakes == ()


def test_the_administrators_own_file_is_never_written(policy, root):
    managed = root / "managed" / "policy.toml"
    managed.parent.mkdir()
    managed.write_text(NO_WRITES)
    managed.chmod(0o644)
    (root / "config" / "settings.toml").write_text(f'policy = "{managed}"\n')
    with pytest.raises(McpgovError, match="is the administrator's policy"):
        addition(Asked("allow", "fs", "delete_file"), Context(str(root)))


def test_what_is_protected_no_rule_opens(context, policy, root):
    policy(NO_WRITES)
    with pytest.raises(McpgovError, match="built-in protection"):
        addition(Asked("allow", "fs", "write_file", arguments([f"path={root}/config/policy.toml"])), context)


def test_where_there_is_no_policy_of_this_kind_it_is_told(context, root):
    with pytest.raises(PolicyError, match="there is no policy"):
        addition(Asked("allow", "fs", "x"), context)
    (root / "config" / "rules.json").write_text("{}")
    with pytest.raises(McpgovError, match="no rules of this kind"):
        addition(Asked("allow", "fs", "x"), Context(str(root)))
