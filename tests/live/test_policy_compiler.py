import pytest

from mcpgov.live import policy_compiler
from mcpgov.live.policy_compiler import Compiler
from tests.helpers.talks import wait_for
from tests.live.test_dir_notify import opened


def compiler(script):
    return Compiler(["/bin/sh", "-c", script])


def complaint(child):
    while (told := child.read()) is None:
        pass
    return told


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("exit 0", ""),
        ("echo said >&2; exit 0", ""),
        ("echo 'mcpgov: broken' >&2; exit 3", "broken"),
        ("exit 3", "the policy cannot be compiled"),
        ("kill -9 $$", "the policy cannot be compiled"),
    ],
)
def test_what_a_compiler_complains_of_is_told_once_it_has_failed(script, told):
    before = opened()
    child = compiler(script)
    wait_for(child.ready)
    assert complaint(child) == told
    assert opened() == before


def test_a_compiler_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr(policy_compiler, "TIMEOUT", 0.0)
    child = compiler("exec sleep 600")
    assert child.ready()
    assert complaint(child) == "compiling the policy took more than 0 seconds"


def test_a_compiler_that_cannot_be_started_leaves_no_descriptor(tmp_path):
    before = opened()
    with pytest.raises(OSError, match="No such file"):
        Compiler([str(tmp_path / "nowhere")])
    assert opened() == before
