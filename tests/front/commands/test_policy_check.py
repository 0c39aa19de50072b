import pytest

GOOD = '[[rule]]\nname = "a"\naction = "deny"\ntool = "x"\n'


def test_a_good_policy_says_what_it_holds(run, policy):
    path = policy(GOOD)
    done = run("policy", "check")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{path}\nvalid: 1 rule, default deny, 0 warnings\n"


@pytest.mark.parametrize("mode", [0o777, 0o722])
def test_a_directory_that_others_may_write_is_told_alike_by_check_doctor_and_status(run, policy, root, mode):
    path = policy(GOOD)
    (root / "config").chmod(mode)
    what, hint = f"others may write to `{root}/config`", f"chmod go-w {root}/config"
    done = run("policy", "check")
    assert (done.status, done.err) == (4, "")
    last = "unsafe: others may write 1 file or directory of yours"
    assert done.out == f"{path}\n{what}\n  hint: {hint}\n{last}\n"
    assert run("policy", "check", "--json").json["unsafe"] == [{"file": f"{root}/config", "what": what, "hint": hint}]
    doctor = run("doctor", "--json")
    assert (doctor.status, (what, hint)) == (1, next((c["what"], c["hint"]) for c in doctor.json["checks"]))
    status = run("status", "--json")
    assert (status.status, (what, hint) in [(p["what"], p["hint"]) for p in status.json["problems"]]) == (1, True)
    assert run("policy", "check", "--policy", path).status == 0, "one that is only looked at may lie anywhere"


@pytest.mark.parametrize("mode", [0o666, 0o602])
def test_a_policy_that_others_may_write_is_refused_by_all_three(run, policy, mode):
    path = policy(GOOD)
    path.chmod(mode)
    assert f"others may write to `{path}`" in run("status").out, "before an install, too"
    assert run("launcher").status == 0
    assert (run("policy", "check").status, run("doctor").status, run("status").status) == (4, 1, 1)
    told = f"`{path}` can be written by everybody: refused"
    assert told in run("policy", "check").err
    assert told in run("doctor").out
    assert told in run("status").out


def test_a_policy_that_the_owners_own_group_may_write_is_fine_to_all_three(run, policy):
    policy(GOOD).chmod(0o660)
    assert run("policy", "check").status == 0
    assert "others may write" not in run("doctor").out + run("status").out


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
