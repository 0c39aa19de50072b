from mcpgov.daemon.control.approval_requests import DenyRequest
from tests.helpers.asking_daemon import view

START = """\
[[rule]]
name = "all"
action = "allow"
tool = "*"
"""


def test_a_denied_tool_is_denied_from_then_on_and_the_rest_is_not(run, policy):
    path = policy(START)
    assert run("deny", "fs", "delete_file", "--yes").status == 0
    assert path.read_text().endswith("\n\n" + START)
    for tool, status in (("delete_file", 2), ("read_file", 0)):
        assert run("policy", "explain", "--server", "fs", "--tool", tool, "--args", "{}").status == status
    assert run("policy", "explain", "--server", "other", "--tool", "delete_file", "--args", "{}").status == 0
    again = run("deny", "fs", "delete_file", "--yes")
    assert (again.status, "are denied already" in again.out) == (0, True)


def test_patterns_name_many(run, policy):
    policy(START)
    assert run("deny", "*", "delete_*", "--yes").status == 0
    assert run("deny", "fs", "read_*", "--arg", "path=~/private/**", "--yes").status == 0
    place = '{"path": "~/private/a"}'
    assert run("policy", "explain", "--server", "b", "--tool", "delete_x", "--args", "{}").status == 2
    assert run("policy", "explain", "--server", "fs", "--tool", "read_x", "--args", place).status == 2
    assert run("policy", "explain", "--server", "fs", "--tool", "read_x", "--args", "{}").status == 0


def test_it_asks_like_allow_does(run, policy):
    path = policy(START)
    assert (run("deny", "fs", "x").status, path.read_text()) == (64, START)
    assert run("deny", "fs", "x", "--dry-run").out.endswith("nothing was written\n")


# --- the number of a question


def test_one_word_that_is_a_number_answers_that_question(run, asking):
    asking.waiting = [view(), view("77aa-1")]
    done = run("deny", "4f1d-12")
    assert (done.status, done.out) == (0, "denied: delete_repository on github (4f1d0c92ab37-12)\n")
    assert asking.got == [DenyRequest("4f1d0c92ab37-12", "command")]
    found = run("deny", "77aa-1", "--json").json
    assert (found["question"], found["answer"]) == ("77aa-1", "no")


def test_what_is_neither_a_question_nor_a_rule_is_told(run, asking, policy):
    policy(START)
    asking.waiting = [view()]
    done = run("deny", "github")
    assert (done.status, "mcpgov deny SERVER TOOL, or mcpgov deny ID" in done.err) == (64, True)
    assert run("deny", "4f1d-12", "--dry-run").status == 64
    assert run("deny", "99ff-1").err.startswith("mcpgov: there is no question `99ff-1`\n")
    assert asking.got == []


def test_a_question_that_is_not_told_in_full_can_be_denied(run, asking):
    asking.waiting = [view(question={})]
    assert run("deny", "4f1d-12").out.startswith("denied: github wants to run delete_repository")
    assert asking.got == [DenyRequest("4f1d0c92ab37-12", "command")]


def test_a_question_for_the_app_alone_is_not_answered_at_the_desk(run, asking):
    asking.waiting = [view(ask=["app"])]
    done = run("deny", "4f1d-12")
    assert (done.status, "keeps this question from the desk" in done.err, asking.got) == (1, True, [])
