import os
import stat

import pytest

from mcpgov.errors import McpgovError, PolicyError
from mcpgov.front.policy.policy_write import write_included, write_policy
from mcpgov.front.policy.rule_text import Addition


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "config" / "policy.toml"
    path.parent.mkdir()
    path.write_text("old\n")
    path.chmod(0o640)
    return path


def made(file, before="old\n", text="new\n"):
    return Addition(file, "name", "rule", 1, before, text, "")


def fails(*_):
    raise PolicyError("no policy", hint="look")


def test_a_policy_is_replaced_as_a_whole_after_it_was_tried_and_keeps_its_rights(file):
    seen = []
    write_policy(made(file), lambda trial: seen.append(trial.read_text()))
    assert (seen, file.read_text(), os.listdir(file.parent)) == (["new\n"], "new\n", ["policy.toml"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_stays_a_link(file, tmp_path):
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    write_policy(made(link), lambda trial: None)
    assert (link.is_symlink(), file.read_text()) == (True, "new\n")


def test_a_policy_that_fails_its_trial_stays(file):
    with pytest.raises(PolicyError, match="nothing was written: no policy"):
        write_policy(made(file), fails)
    assert (file.read_text(), os.listdir(file.parent)) == ("old\n", ["policy.toml"])


def test_what_somebody_else_wrote_meanwhile_stays(file):
    for write in (write_policy, write_included):
        with pytest.raises(McpgovError, match="changed meanwhile"):
            write(made(file, before="older\n"), lambda *_: None)
    assert file.read_text() == "old\n"


def test_an_included_file_gets_its_text_back_where_it_fails(file):
    write_included(made(file), lambda: None)
    assert file.read_text() == "new\n"
    with pytest.raises(PolicyError):
        write_included(made(file, "new\n", "newer\n"), fails)
    assert (file.read_text(), os.listdir(file.parent)) == ("new\n", ["policy.toml"])


def test_a_file_that_is_gone_is_told(tmp_path):
    for write in (write_policy, write_included):
        with pytest.raises(McpgovError, match="cannot write"):
            write(made(tmp_path / "none.toml"), lambda *_: None)


@pytest.mark.parametrize("write", [write_policy, write_included])
def test_a_read_only_policy_is_left_alone(file, write):
    file.chmod(0o444)
    with pytest.raises(McpgovError, match="is read-only: nothing was written") as told:
        write(made(file), lambda *_: None)
    assert told.value.hint == f"chmod u+w {file}"
    assert (file.read_text(), os.listdir(file.parent)) == ("old\n", ["policy.toml"])
