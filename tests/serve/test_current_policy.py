import asyncio
import os

import pytest

from mcpgov.front.install.launcher import home_of
from mcpgov.places import Places
from mcpgov.serve.current_policy import CurrentPolicy
from mcpgov.serve.verdicts import decide
from mcpgov.settings import Settings
from tests.helpers.policies import write

NOBODY = ("", "", "")


@pytest.fixture
def where(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return home_of(Places(tmp_path), Settings())


def action(policy, target="/srv/a", project=""):
    judges = asyncio.run(policy.judges(project))
    return decide(judges, "file_read", target, NOBODY, policy.today).action


def test_a_changed_policy_holds_from_the_next_question_on(where, tmp_path):
    policy = CurrentPolicy(where)
    assert action(policy) == "deny"
    write(tmp_path, 'default = "allow"\n', "config/policy.toml")
    assert action(policy) == "allow"
    assert asyncio.run(policy.judges()) is asyncio.run(policy.judges())
    write(tmp_path, 'default = "prompt"\n# longer\n', "config/policy.toml")
    assert action(policy) == "prompt"
    policy.close()


def test_a_projects_policy_narrows_and_many_projects_are_not_kept(where, tmp_path, monkeypatch):
    monkeypatch.setattr("mcpgov.serve.current_policy.MOST_PROJECTS", 1)
    write(tmp_path, 'default = "allow"\n', "config/policy.toml")
    write(tmp_path / "p", '[[rule]]\naction = "deny"\noperation = "read"\n', ".mcpgov.toml")
    policy = CurrentPolicy(where)
    assert (action(policy), action(policy, project=str(tmp_path / "p"))) == ("allow", "deny")
    assert len(policy._in_force) == 1
    policy.close()


def test_the_lock_and_where_paths_lead_are_looked_up_each_time(where, tmp_path):
    policy = CurrentPolicy(where, str(tmp_path))
    assert not policy.locked
    (tmp_path / "state").mkdir(exist_ok=True)
    (tmp_path / "state" / "lock.json").write_text("{}")
    assert policy.locked
    os.symlink("/srv/real", tmp_path / "link")
    home = where["home"]
    found = [policy.real(text) for text in (f"{tmp_path}/link/a", "~/x", "~", "x", "https://a")]
    assert found == ["/srv/real/a", f"{home}/x", home, "x", "https://a"]
    policy.close()
