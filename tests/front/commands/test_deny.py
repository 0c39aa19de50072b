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
