import time

import pytest

from mcpgov.places import Places
from tests.helpers.held_calls import HeldCalls

POLICY = """\
# mine
[[rule]]
name = "ask-deletes"
action = "prompt"
tool = "delete_*"
"""


@pytest.fixture
def calls(root):
    return HeldCalls(Places(root).journal, time.time() - 3600)


def test_without_a_habit_nothing_is_suggested(run, policy, calls):
    policy(POLICY)
    told = "nothing to suggest: nothing was allowed three times in a row in the last 30 days\n"
    assert run("approvals", "suggest").out == told
    calls.allowed(), calls.allowed(), calls.refused(), calls.allowed()
    assert run("approvals", "suggest").out == told
    assert run("approvals", "suggest", "--add", "--yes").err.startswith(f"mcpgov: {told}")


def test_the_rule_is_shown_with_what_it_would_have_done_and_added_on_request(run, policy, calls):
    path = policy(POLICY)
    refused = calls.refused({"path": "/srv/a/secret"})
    numbers = [calls.allowed({"path": f"/srv/a/{name}"}) for name in "xyz"]
    other = calls.ask({"path": "/etc/hosts"})
    calls.ask({"path": "/srv/a/x"}, tool="delete_y")
    done = run("approvals", "suggest")
    assert (done.status, done.err) == (0, "")
    out = done.out
    assert out.startswith("1. github: delete_x, allowed 3 times in a row\n")
    assert '  args.path = ["/srv/a/**"]\n' in out
    assert f"it would have let pass what you refused or did not answer: {refused}\n" in out
    assert "it would have let pass 4 calls without a question\n" in out
    assert f"it would not have touched 1 call of this tool: {other}\n" in out
    assert "would still ask about 1 call of other tools\n" in out
    assert out.endswith("write it: mcpgov approvals suggest --add\n")
    assert path.read_text() == POLICY
    (found,) = run("approvals", "suggest", "--json").json["suggestions"]
    assert (found["scope"], found["yeses"], found["question"], found["refused"]) == (
        "folder",
        3,
        numbers[-1],
        [refused],
    )
    assert 'args.path = ["/srv/a/**"]' in found["rule"]["text"]
    assert run("approvals", "suggest", "--add").status == 64, "no terminal to ask on"
    done = run("approvals", "suggest", "--add", "--yes")
    assert (done.status, "wrote `allow-github-delete_x` to " in done.out) == (0, True)
    text = path.read_text()
    assert text.startswith("# approved on 20")
    assert text.endswith("\n\n" + POLICY)
    assert (
        run("policy", "explain", "--server", "github", "--tool", "delete_x", "--args", '{"path": "/srv/a/n"}').status
        == 0
    )
    assert (
        run("policy", "explain", "--server", "github", "--tool", "delete_x", "--args", '{"path": "/etc/n"}').status == 2
    )


def test_equal_arguments_give_a_rule_for_exactly_them(run, policy, calls):
    policy(POLICY)
    for _ in range(3):
        calls.allowed({"repo": "acme/site"})
    out = run("approvals", "suggest").out
    assert """  when = 'args == {"repo": "acme/site"}'\n""" in out
    assert run("approvals", "suggest", "--add", "1", "--yes").status == 0


def test_where_no_rule_can_be_written_that_is_said(run, policy, calls):
    policy('[[rule]]\nname = "other"\naction = "prompt"\ntool = "delete_*"\n')
    for name in "xyz":
        calls.allowed({"path": f"/srv/a/{name}"})
    assert (
        "no rule can be written for it: rule `ask-deletes`, which asked, is no longer in your policy\n"
        in run("approvals", "suggest").out
    )
    done = run("approvals", "suggest", "--add", "--yes")
    assert (done.status, "is no longer in your policy" in done.err) == (1, True)


def test_one_of_several_is_named_by_its_number(run, policy, calls):
    path = policy(POLICY)
    for tool in ("delete_x", "delete_y"):
        for name in "xyz":
            calls.allowed({"path": f"/srv/a/{name}"}, tool)
    assert run("approvals", "suggest").out.endswith("--add 1\n")
    for words in ([], ["3"], ["-1"]):
        assert run("approvals", "suggest", "--yes", "--add", *words).status == 64
    assert run("approvals", "suggest", "--add", "2", "--yes").status == 0
    assert path.read_text().count("allow-github-delete_y") == 1


def test_a_no_at_the_terminal_writes_nothing(terminal, policy, calls):
    path = policy(POLICY)
    for name in "xyz":
        calls.allowed({"path": f"/srv/a/{name}"})
    done = terminal("approvals", "suggest", "--add", typed=b"n\n")
    assert (done.status, "write this rule? [y/N]" in done.out, path.read_text()) == (1, True, POLICY)


def test_programs_are_told_every_habit(run, policy, calls):
    policy(POLICY)
    calls.refused(), calls.allowed()
    last = calls.allowed()
    habit = {"server": "github", "target": "delete_x", "asked_by": "ask-deletes", "yeses": 2, "number": last}
    assert run("approvals", "suggest", "--json").json["habits"] == [habit]
