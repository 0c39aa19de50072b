import pytest

START = """\
default = "allow"

[[rule]]
name = "no-keys"
action = "deny"
args."*" = "~/.ssh/**"

[[rule]]
name = "project"
action = "allow"
tool = "write_*"
args.path = "/srv/**"

[[rule]]
name = "no-writes"
action = "deny"
tool = "write_*"
args.path = "/**"

[[rule]]
name = "no-sends"
action = "deny"
tool = "send_*"
"""
WRITTEN = """\
# added with `mcpgov ask` on {day}
[[rule]]
name = "ask-fs-{about}"
action = "prompt"
server = "fs"
{names}

"""


@pytest.fixture
def day(monkeypatch):
    monkeypatch.setattr("mcpgov.front.policy.new_rule.today", lambda: "2026-11-17")
    return "2026-11-17"


def action(run, tool, path="/tmp/a", server="fs"):
    given = ("--server", server, "--tool", tool, "--args", f'{{"path": "{path}"}}')
    return run("policy", "explain", *given, "--json").json["action"]


def test_what_passed_is_asked_about_and_what_earlier_rules_deny_by_value_is_still_denied(run, policy, day):
    path = policy(START)
    done = run("ask", "fs", "write_file", "--yes")
    assert (done.status, done.err) == (0, "")
    rule = WRITTEN.format(day=day, about="write_file", names='tool = "write_file"')
    assert path.read_text() == START.replace('[[rule]]\nname = "project"', rule + '[[rule]]\nname = "project"')
    assert done.out.endswith(f"wrote `ask-fs-write_file` to {path}:9; it holds from the next call on\n")
    assert [action(run, "write_file", at) for at in ("/srv/a", "/tmp/a", "~/.ssh/id")] == ["prompt", "prompt", "deny"]
    assert (action(run, "write_all"), action(run, "write_file", server="other")) == ("deny", "deny")


def test_what_was_denied_is_asked_about(run, policy):
    policy(START)
    done = run("ask", "fs", "send_mail", "--yes", "--json")
    assert (done.status, done.json["command"], done.json["above"]) == (0, "ask", "no-sends")
    assert (action(run, "send_mail"), action(run, "send_all")) == ("prompt", "deny")


def test_rules_on_values_that_lose_their_say_are_told(run, policy):
    policy(START)
    assert run("ask", "fs", "write_file", "--dry-run", "--json").json["overtakes"] == ["no-writes"]


@pytest.mark.parametrize(("name", "tool"), [("write", "write_x"), ("unknown", "frobnicate")])
def test_a_whole_class_is_asked_about(run, policy, day, name, tool):
    path = policy(START)
    assert run("ask", "fs", "*", "--class", name, "--yes").status == 0
    assert WRITTEN.format(day=day, about=name, names=f'operation = "{name}"') in path.read_text()
    assert action(run, tool, "/srv/a") == "prompt"


def test_what_is_asked_about_already_is_said_and_nothing_written(run, policy):
    path = policy(START)
    assert run("ask", "fs", "write_file", "--yes").status == 0
    before = path.read_text()
    again = run("ask", "fs", "write_file", "--yes")
    told = "such calls are asked about already, by rule `ask-fs-write_file`: nothing was written\n"
    assert (again.status, again.out, path.read_text()) == (0, told, before)


def test_an_ask_at_the_end_where_only_the_default_decides(run, policy):
    path = policy(START)
    assert run("ask", "fs", "list_files", "--yes").status == 0
    assert path.read_text().startswith(START)
    assert action(run, "list_files") == "prompt"


def test_the_command_is_marked_as_one_that_weakens():
    from mcpgov.front.parser_table import COMMANDS

    assert COMMANDS["ask"].weakens == "always"
