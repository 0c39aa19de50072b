import os
import shutil

import pytest

from mcpgov.live.refresh import FEW_REFRESHES
from tests.helpers.talks import ALLOW_ALL, Place, wait_for

DENY_T = '[[rule]]\naction = "deny"\ntool = "t"\nmessage = "not t"\n' + ALLOW_ALL
BROKEN = "this is = = not TOML"


def denied(answer):
    return answer.get("result", {}).get("isError") is True


def actions(place):
    return [record["action"] for record in place.records() if record["dir"] == "proxy"]


def replace(place, text):
    """As editors do."""
    other = place.policy.with_name("new")
    other.write_text(text)
    other.chmod(0o600)
    os.replace(other, place.policy)


@pytest.mark.parametrize("before", [1, 3 * FEW_REFRESHES])
def test_an_edited_policy_judges_the_next_message(own, start, before):
    talk = start(own, "echo").begin()
    for _ in range(before):
        assert not denied(talk.call("t"))
    for write in (own.write, lambda text: replace(own, text)):
        write(DENY_T)
        assert denied(talk.call("t"))
        write(ALLOW_ALL)
        assert not denied(talk.call("t"))
    assert talk.end() == 0
    assert actions(own) == ["reloaded"] * 4


def test_a_broken_policy_changes_nothing_and_is_told_and_recorded_once(own, start):
    own.write(DENY_T)
    talk = start(own, "echo").begin()
    own.write(BROKEN)
    for _ in range(3):
        assert denied(talk.call("t"))
        assert not denied(talk.call("u"))
    own.write(ALLOW_ALL)
    assert not denied(talk.call("t"))
    assert talk.end() == 0
    assert actions(own) == ["broken", "reloaded"]
    assert [record["rules"] for record in own.records() if record["action"] == "broken"] == ["kept"]
    assert talk.errors().count("not valid TOML") == 1


def test_a_policy_that_is_broken_at_the_start_leaves_the_last_good_one_in_force(own, start):
    own.write(DENY_T)
    assert start(own, "echo").begin().end() == 0
    own.write(BROKEN)
    talk = start(own, "echo").begin()
    assert denied(talk.call("t"))
    assert not denied(talk.call("u"))
    assert talk.end() == 0
    assert "not valid TOML" in talk.errors()


def test_without_a_policy_only_the_handshake_passes_until_there_is_one(tmp_path, start):
    place = Place(tmp_path / "root", None)
    talk = start(place, "echo").begin()
    assert "result" in talk.ask("ping")
    assert denied(talk.call("t"))
    assert "error" in talk.ask("resources/read", {"uri": "file:///x"})
    place.write(ALLOW_ALL)
    assert not denied(talk.call("t"))
    assert talk.end() == 0
    assert talk.errors().count("there is no policy") == 1


def test_a_policy_that_goes_away_stays_in_force(own, start):
    talk = start(own, "echo").begin()
    own.policy.unlink()
    assert not denied(talk.call("t"))
    assert talk.end() == 0


def test_the_compiled_policy_is_used_at_the_next_start(own, start):
    own.write(DENY_T)
    assert start(own, "echo").begin().end() == 0
    with open(own.launcher, encoding="utf-8") as file:
        text = file.read()
    with open(own.launcher, "w", encoding="utf-8") as file:
        file.write(text.replace("from mcpgov.__main__ import entry", "raise SystemExit(3)"))
    talk = start(own, "echo").begin()
    assert denied(talk.call("t"))
    assert not denied(talk.call("u"))
    own.write(ALLOW_ALL)
    assert denied(talk.call("t"))  # now it would have to compile, and cannot
    assert talk.end() == 0
    assert "the policy cannot be compiled" in talk.errors()


@pytest.mark.parametrize("before", [1, 3 * FEW_REFRESHES])
def test_an_included_file_and_a_new_one_judge_the_next_message(own, start, before):
    part = own.policy.with_name("parts") / "one.toml"
    part.parent.mkdir()
    part.write_text(ALLOW_ALL)
    part.chmod(0o600)
    own.write('include = ["parts/*.toml"]\n')
    talk = start(own, "echo").begin()
    for _ in range(before):
        assert not denied(talk.call("t"))
    for text, verdict in ((DENY_T, True), (ALLOW_ALL, False), (DENY_T, True)):
        other = part.with_name("new")
        other.write_text(text)
        other.chmod(0o600)
        os.replace(other, part)
        assert denied(talk.call("t")) is verdict
    part.write_text(ALLOW_ALL)
    assert not denied(talk.call("t"))
    second = part.with_name("a.toml")
    second.write_text('[[rule]]\naction = "deny"\ntool = "t"\n')
    second.chmod(0o600)
    assert denied(talk.call("t"))
    assert talk.end() == 0


@pytest.mark.parametrize("before", [1, 3 * FEW_REFRESHES])
def test_a_new_project_policy_judges_the_next_message(own, start, tmp_path, before):
    project = tmp_path / "project"
    project.mkdir()
    talk = start(own, "echo", options=("--project", str(project))).begin()
    for _ in range(before):
        assert not denied(talk.call("t"))
    new = project / "new"
    new.write_text('[[rule]]\naction = "deny"\ntool = "t"\n')
    new.rename(project / ".mcpgov.toml")
    assert denied(talk.call("t"))
    assert talk.end() == 0


@pytest.mark.deadline
def test_what_an_include_may_find_is_noticed_within_a_second(own, start):
    own.write('include = ["rules.d/*.toml"]\n' + ALLOW_ALL)
    talk = start(own, "echo").begin()
    assert not denied(talk.call("t"))
    rules = own.policy.with_name("rules.d")
    rules.mkdir()
    found = rules / "new.toml"
    found.write_text('[[rule]]\naction = "deny"\ntool = "t"\n')
    found.chmod(0o600)
    wait_for(lambda: denied(talk.call("t")), "the new file", 3.0)
    found.write_text('[[rule]]\naction = "deny"\ntool = "other"\n')
    wait_for(lambda: not denied(talk.call("t")), "the change", 3.0)
    shutil.rmtree(rules)
    wait_for(lambda: not denied(talk.call("other")), "the removal", 3.0)
    assert talk.end() == 0


@pytest.mark.deadline
def test_a_project_policy_narrows_and_may_come_later(own, start, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    talk = start(own, "echo", options=("--project", f"{project}/")).begin()
    assert not denied(talk.call("t"))
    (project / ".mcpgov.toml").write_text('[[rule]]\naction = "deny"\ntool = "t"\n')
    wait_for(lambda: denied(talk.call("t")), "the project's policy", 3.0)
    assert not denied(talk.call("u"))
    for _ in range(FEW_REFRESHES):
        assert not denied(talk.call("u"))
    (project / ".mcpgov.toml").write_text('[[rule]]\naction = "deny"\ntool = "u"\n')
    assert denied(talk.call("u"))
    assert talk.end() == 0


def test_a_broken_project_policy_denies_all(own, start, tmp_path):
    (tmp_path / ".mcpgov.toml").write_text('[[rule]]\naction = "allow"\ntool = "t"\n')
    talk = start(own, "echo", options=("--project", str(tmp_path))).begin()
    assert denied(talk.call("u"))
    assert talk.end() == 0
    assert talk.errors().startswith(f"mcpgov: {tmp_path}/.mcpgov.toml:1: a project policy may only narrow")


def test_nothing_in_the_entrys_environment_decides_for_us(own, start, tmp_path):
    own.write(DENY_T)
    lax = tmp_path / "lax.toml"
    lax.write_text(ALLOW_ALL)
    lax.chmod(0o600)
    (tmp_path / "mcpgov").mkdir()
    (tmp_path / "mcpgov" / "__init__.py").write_text("raise SystemExit(9)")
    env = {
        **os.environ,
        "MCPGOV_POLICY": str(lax),
        "MCPGOV_ROOT": str(tmp_path),
        "MCPGOV_AUDIT_ARGUMENTS": "none",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path),
        "PYTHONPATH": str(tmp_path),
        "PYTHONHOME": str(tmp_path),
        "PYTHONINSPECT": "1",
        "PYTHONWARNINGS": "error",
    }
    talk = start(own, "echo", env=env, cwd=tmp_path).begin()
    assert denied(talk.call("t", x="seen"))
    assert talk.end() == 0
    assert [record["args"] for record in own.records() if record.get("tool") == "t"] == [{"x": "seen"}]


def test_a_policy_given_by_name_has_a_compiled_file_of_its_own(own, start, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(DENY_T)
    other.chmod(0o600)
    talk = start(own, "echo", options=("--policy", "other.toml"), cwd=tmp_path).begin()
    assert denied(talk.call("t"))
    assert talk.end() == 0
    assert not denied(start(own, "echo").begin().call("t"))
