import stat
import tomllib

import pytest

from tests.test_tool_store import seen, tool

RULES = '{"rules": [{"service": "github", "operations": ["delete"], "permission": "deny", "reason": "no"}]}'


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text(RULES)
    return path


def test_the_converted_policy_goes_to_stdout_as_toml(run, source):
    done = run("policy", "import", source)
    assert (done.status, done.err) == (0, "")
    assert tomllib.loads(done.out)["default"] == "deny"
    assert tomllib.loads(done.out)["rule"][0]["service"] == ["github"]


def test_json_holds_the_policy_and_what_is_lost(run, source):
    found = run("policy", "import", source, "--json").json
    assert [found[key] for key in ("command", "ok", "source", "lost")] == ["policy import", True, str(source), []]
    assert found["policy"] == run("policy", "import", source).out


def test_a_written_policy_is_private_valid_and_decides(run, source, tmp_path):
    target = tmp_path / "new.toml"
    done = run("policy", "import", source, "--output", target)
    assert (done.status, done.out) == (
        0, f"wrote {target}\ncheck it with `mcpgov policy check --policy {target}`\n",
    )  # fmt: skip
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    words = ("policy", "explain", "--policy", target, "--server", "github", "--tool", "delete_repo", "--json")
    assert run(*words).json["message"] == "no"


def test_an_existing_file_or_link_is_never_written(run, source, tmp_path):
    there, link = tmp_path / "there.toml", tmp_path / "link.toml"
    there.write_text("mine")
    link.symlink_to(tmp_path / "target")
    for path in (there, link):
        done = run("policy", "import", source, "--output", path)
        assert (done.status, done.err) == (
            1, f"mcpgov: `{path}` exists already\n  hint: choose another name, or move it away\n",
        )  # fmt: skip
    assert (there.read_text(), (tmp_path / "target").exists()) == ("mine", False)


def test_what_cannot_be_expressed_is_said_and_gives_status_1(run, tmp_path):
    path = tmp_path / "old.toml"
    path.write_text('[[rule]]\nname = "a"\naction = "deny"\ntool = "x"\ncolour = "red"\n')
    done = run("policy", "import", path)
    assert done.status == 1
    assert done.err == "mcpgov: not expressed: line 5: unknown key `colour` in a rule\n"
    assert "# line 5: unknown key `colour` in a rule\n" in done.out
    written = run("policy", "import", path, "--output", tmp_path / "new.toml")
    assert written.status == 1
    assert "not expressed: line 5: unknown key `colour` in a rule\n" in written.out


def test_a_cel_expression_becomes_a_rule_with_the_chosen_action(run, tmp_path):
    path = tmp_path / "kubectl.cel"
    path.write_text('mcpRequest.Method == mcp.ToolsCallMethod && mcpRequest.ToolCall.Name == "shell"\n')
    done = run("policy", "import", path, "--action", "deny")
    assert tomllib.loads(done.out)["rule"] == [
        {"name": "kubectl", "action": "deny", "when": path.read_text().strip()},
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [("x.yaml", "a: 1"), ("x.json", "{"), ("x.toml", "= 1"), ("x.cel", "1 +")])
def test_a_file_that_cannot_be_read_as_a_policy_gives_status_3(run, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    done = run("policy", "import", path)
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("mcpgov: ")


def test_a_missing_file_is_told(run, tmp_path):
    done = run("policy", "import", tmp_path / "none.json")
    assert done.err == f"mcpgov: cannot read `{tmp_path}/none.json`: no such file or directory\n"


def test_what_is_looser_than_the_source_is_a_warning(run, tmp_path, root):
    path = tmp_path / "rules.json"
    path.write_text('{"github": {"read": "allow", "admin": "deny"}}')
    tools = str(root / "state" / "tools")
    seen(tools, "github", [tool("get_settings"), tool("get_issue")])
    told = "tool `get_settings` of `github`: allow here, there it may count as `admin` (deny)"
    done = run("policy", "import", path)
    assert (done.status, done.err) == (0, f"mcpgov: looser than the source: {told}\n")
    assert run("policy", "import", path, "--json").json["looser"] == [told]
    assert f"looser than the source: {told}\n" in run("policy", "import", path, "--output", tmp_path / "new.toml").out
