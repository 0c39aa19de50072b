import tomllib
from pathlib import Path

import pytest

from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.policy.rule_text import added, free_name, key_text, quoted, rule_text

FILE = Path("/p.toml")
RULE = rule_text("allow", "new", "fs", "read", ((("path",), ("/a/**",)),), "2026-11-17")
REST = """\
default = "deny"   # mine

# About the first.
# Two lines of it.
[[rule]]
name = "first"
action = "deny"
tool = "x"
[rule.args]
path = "/etc/**"

[[rule]]
name = "second"
action = "deny"
tool = "y"
message = '''
# not a comment'''
[[rule]]
name = "third"
action = "deny"
tool = "z"
"""


def test_a_rule_is_written_as_a_person_would():
    args = ((("a", "b c"), ("x", "y")), (("*",), ("~/k",)))
    assert rule_text("deny", "n", 'a"b', "t\x7f", args, "2026-11-17") == (
        "# added with `mcpgov deny` on 2026-11-17\n"
        '[[rule]]\nname = "n"\naction = "deny"\nserver = "a\\"b"\ntool = "t\\u007f"\n'
        'args.a."b c" = ["x", "y"]\nargs."*" = "~/k"\n'
    )


@pytest.mark.parametrize("text", ["plain", "a b", '\n\t"\\', "\x00\x1f\x7f\x85", "ü😀\u2028", "'''", '"""', ""])
def test_every_text_is_read_back_as_it_was(text):
    assert tomllib.loads(f"x = {quoted(text)}\n{key_text(text)} = 1") == {"x": text, text: 1}


def test_what_is_no_text_is_refused():
    with pytest.raises(UsageError, match="not UTF-8"):
        quoted("\udc80")


def test_a_name_is_plain_and_free():
    assert free_name("allow-my server-a/b*", set()) == "allow-my-server-a-b"
    assert free_name("x", {"x", "x-2"}) == "x-3"
    assert len(free_name("x" * 500, set())) == 80


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("at", "before"), [(4, "# About the first."), (11, "[[rule]]"), (17, "[[rule]]"), (99, "")])
def test_it_goes_in_above_a_rule_and_its_comment_and_every_other_byte_stays(at, before, end, mark):
    text = mark + REST.replace("\n", end)
    made = added(FILE, text, "new", RULE, "x", at)
    body = RULE.replace("\n", end)
    assert made.text.count(body) == 1
    left, right = made.text.split(body)
    assert (left + right).replace(end, "") == text.replace(end, ""), "but for blank lines around it"
    assert right.lstrip(end).startswith(before)
    assert made.text.removeprefix(mark).split(end)[made.line - 1] == "[[rule]]"
    assert (made.text.startswith(mark), made.text.count("\r\n") * (end == "\r\n")) in (
        (True, made.text.count("\n")), (True, 0),
    )  # fmt: skip
    names = [rule["name"] for rule in tomllib.loads(made.text.removeprefix("\ufeff"))["rule"]]
    assert [name for name in names if name != "new"] == ["first", "second", "third"]


@pytest.mark.parametrize("text", ["", "\n", 'default = "deny"', 'default = "deny"\n\n\n', "# only words\n"])
def test_a_policy_without_rules_gets_its_first_at_the_end(text):
    made = added(FILE, text, "new", RULE, "", 99)
    assert made.text.startswith(text)
    assert tomllib.loads(made.text)["rule"][0]["name"] == "new"
    assert made.text.split("\n")[made.line - 1] == "[[rule]]"


@pytest.mark.parametrize("text", ['rule = [{name = "a", action = "deny", tool = "x"}]', "[rule]\na = 1\n"])
def test_a_layout_that_takes_no_such_rule_is_told_with_the_text_to_write(text):
    with pytest.raises(McpgovError, match="no rule can be added") as caught:
        added(FILE, text, "new", RULE, "", 99)
    assert RULE in caught.value.hint
