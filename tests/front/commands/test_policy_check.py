GOOD = '[[rule]]\nname = "a"\naction = "deny"\ntool = "x"\n'


def test_a_good_policy_says_what_it_holds(run, policy):
    path = policy(GOOD)
    done = run("policy", "check")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{path}\nvalid: 1 rule, default deny, 0 warnings\n"


def test_every_error_and_warning_is_told_at_once_with_file_and_line(run, policy):
    path = policy('[[rule]]\naction = "dney"\ntool = "x"\n[[rule]]\naction = "deny"\ntol = "x"\nname = 3\n')
    done = run("policy", "check")
    assert (done.status, done.err) == (3, "")
    lines = done.out.splitlines()
    assert lines[0] == str(path)
    assert f"error: {path}:2: unknown action `dney`" in lines
    assert "  hint: did you mean `deny`?" in lines
    told = [line.split(": ")[1] for line in lines if line.startswith("error: ")]
    assert told == sorted(told)
    assert set(told) >= {f"{path}:2", f"{path}:6", f"{path}:7"}
    assert lines[-1] == "invalid: 3 errors, 0 warnings"


def test_json_lists_the_problems(run, policy):
    path = policy('[[rule]]\naction = "dney"\ntool = "x"\n')
    done = run("policy", "check", "--json")
    found = done.json
    assert (done.status, done.err, found["ok"], found["valid"]) == (3, "", False, False)
    assert found["problems"] == [
        {"level": "error", "source": str(path), "line": 2, "message": "unknown action `dney`",
         "hint": "did you mean `deny`?"},
    ]  # fmt: skip


def test_broken_syntax_is_told_with_its_line(run, policy):
    path = policy("default = deny\n")
    done = run("policy", "check")
    assert (done.status, done.out, done.err) == (3, "", f"mcpgov: {path}:1: not valid TOML: invalid value\n")


def test_a_rules_json_without_default_is_told_that_it_means_deny(run, root):
    rules = root / "config" / "rules.json"
    rules.write_text('{"github": {"delete": "deny", "read": "allow"}}')
    rules.chmod(0o600)
    done = run("policy", "check")
    assert done.status == 0
    assert f"warning: {rules}:1: " in done.out
    assert "deny" in done.out


def test_a_project_policy_is_checked_too_and_may_only_narrow(run, policy, tmp_path):
    policy(GOOD)
    project = tmp_path / "project"
    project.mkdir()
    (project / ".mcpgov.toml").write_text('[[rule]]\nname = "p"\naction = "allow"\ntool = "x"\n')
    done = run("policy", "check", "--project", project)
    assert done.status == 3
    assert f"error: {project}/.mcpgov.toml:1: a project policy may only narrow: `p` is `allow`\n" in done.out
    assert done.out.endswith("invalid: 1 error, 0 warnings\n")


def test_an_unsafe_policy_gives_status_4_and_says_what_to_type(run, policy):
    path = policy(GOOD)
    path.chmod(0o646)
    done = run("policy", "check")
    assert (done.status, done.out) == (4, "")
    assert done.err == f"mcpgov: `{path}` can be written by everybody: refused\n  hint: chmod o-w '{path}'\n"
