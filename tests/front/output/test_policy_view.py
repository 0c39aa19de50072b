from mcpgov.core.rules.call import OPERATED, call_of
from mcpgov.front.output.policy_view import (
    matchers_lines,
    problem_blocks,
    problem_data,
    rule_data,
    rules_table,
    short_names,
    subject,
    where,
)
from mcpgov.front.output.text import count, home_short
from mcpgov.front.result import Cell, Line
from mcpgov.policy.draft import WARNING, Draft, PolicyProblem


def test_a_path_below_the_home_is_shortened_and_a_neighbour_is_not(home):
    assert home_short(f"{home}/a/b") == "~/a/b"
    assert home_short(f"{home}-other/a") == f"{home}-other/a"
    assert where(f"{home}/p.toml", 3) == "~/p.toml:3"
    assert where("built in", 0) == "built in"


def test_files_are_named_by_the_shortest_end_that_tells_them_apart():
    assert short_names(["/etc/x/policy.toml", "/home/u/policy.toml", "/home/u/team.toml"]) == {
        "/etc/x/policy.toml": "x/policy.toml",
        "/home/u/policy.toml": "u/policy.toml",
        "/home/u/team.toml": "team.toml",
    }
    assert short_names(["policy.toml", "/a/policy.toml"]) == {
        "policy.toml": "policy.toml",
        "/a/policy.toml": "a/policy.toml",
    }


def test_numbers_have_their_plural():
    assert [count(n, "rule") for n in (0, 1, 2, 10_000)] == ["0 rules", "1 rule", "2 rules", "10,000 rules"]


def test_matchers_speak_the_words_of_the_policy_file():
    matchers = {
        "tool": ["a_*", "b"],
        "args": [[["path"], ["/x/**", "/y"]], [["a", "b"], ["1"]]],
        "paths": ["/etc/**"],
        "events": ["file_read"],
        "when": "size(args) > 1",
        "method": list(OPERATED),
    }
    assert matchers_lines(matchers) == (
        "tool = a_* | b",
        "args.path = /x/** | /y",
        "args.a.b = 1",
        "resource_path = /etc/**",
        "event_type = file_read",
        "when size(args) > 1",
    )
    assert matchers_lines({}) == ("every governed method",)


def test_the_subject_of_a_call_is_its_tool_prompt_or_resource():
    assert subject(call_of("tools/call", {"name": "t"})) == "t"
    assert subject(call_of("prompts/get", {"name": "p"})) == "p"
    assert subject(call_of("resources/read", {"uri": "file:///x"})) == "file:///x"
    assert subject(call_of("sampling/createMessage", {})) == ""


def test_a_rule_is_one_row_with_its_notes_below_the_matchers():
    drafts = [
        Draft("a", "deny", "/p/x.toml", 2, {"tool": ["t"]}, "m", "d", "2030-01-01"),
        Draft("b", "allow", "/p/x.toml", 9, {}, enabled=False),
    ]
    assert rules_table(drafts).rows == [
        [Cell("1", "faint"), Cell("a", "strong"), Cell("deny", "deny"),
         Cell(("tool = t",), "", ("m", "d", "until 2030-01-01")), Cell("x.toml:2", "faint")],
        [Cell("2", "faint"), Cell("b", "faint"), Cell("allow", "faint"),
         Cell(("every governed method",), "faint", ("disabled",)), Cell("x.toml:9", "faint")],
    ]  # fmt: skip


def test_rules_and_problems_are_whole_in_json(home):
    draft = Draft("a", "deny", "/p/x.toml", 2, {"tool": ["t"]}, "m")
    assert rule_data(draft) == {
        "rule": "a", "action": "deny", "enabled": True, "source": "/p/x.toml", "line": 2,
        "matchers": {"tool": ["t"]}, "message": "m", "description": "", "expires": None,
    }  # fmt: skip
    problem = PolicyProblem(f"{home}/x.toml", 4, "wrong", "right", WARNING)
    assert problem_data(problem) == {
        "level": "warning", "source": f"{home}/x.toml", "line": 4, "message": "wrong", "hint": "right",
    }  # fmt: skip
    assert problem_blocks([problem, PolicyProblem("/y.toml", 1, "bad")]) == [
        Line("warning: ~/x.toml:4: wrong", "warning"),
        Line("  hint: right", "faint"),
        Line("error: /y.toml:1: bad", "bad"),
    ]
