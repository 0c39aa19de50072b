import pytest

from mcpgov.core.listing import Pins
from mcpgov.proxy import pins_file
from mcpgov.proxy.present import FEW_LOOKS
from tests.helpers.talks import ALLOW_ALL, wait_for

PINNED = ALLOW_ALL + '[tools]\npin = "deny"\n'


def denied(answer):
    return answer.get("result", {}).get("isError") is True


@pytest.fixture
def changed_tool(own):
    """A server whose only tool is not the one that was accepted."""
    own.write(PINNED)
    tools = str(own.root / "state" / "tools")
    other = {"digest": "another", "definition": {"name": "t"}, "hidden": False}
    assert pins_file.save(tools, "s", Pins({"t": other}))
    listed = '{"tools":[{"name":"t","description":"new","inputSchema":{}}]}'
    script = (
        "while read -r l; do i=${l#*'\"id\": '}; i=${i%%,*}; r={}; "
        f"case $l in *tools/list*) r='{listed}';; esac; "
        'printf \'{"jsonrpc":"2.0","id":%s,"result":%s}\\n\' "$i" "$r"; done'
    )
    return own, tools, ["/bin/sh", "-c", script]


def test_a_changed_tool_is_denied_until_somebody_accepts_it(changed_tool, start):
    place, tools, command = changed_tool
    talk = start(place, command).begin()
    assert talk.ask("tools/list")["result"]["tools"] == []
    assert denied(talk.call("t"))
    found = pins_file.load(tools, "s")
    assert set(found.changed) == {"t"}
    assert found.accepted is not None
    assert pins_file.save(tools, "s", Pins({"t": found.changed["t"]}))
    assert not denied(talk.call("t"))
    assert talk.end() == 0


@pytest.mark.parametrize("before", [0, FEW_LOOKS])
def test_a_link_that_the_server_just_made_is_seen_by_the_next_call(own, start, tmp_path, before):
    """Plain names are known to name no file, but only as long as the server has done nothing."""
    here = tmp_path / "here"
    here.mkdir()
    talk = start(own, ["/bin/sh", "-c", (
        "while read -r l; do i=${l#*'\"id\": '}; i=${i%%,*}; case $l in *make*) ln -s \"$0\" plain;; esac; "
        'printf \'{"jsonrpc":"2.0","id":%s,"result":{}}\\n\' "$i"; done'
    ), str(own.policy)], cwd=here).begin()  # fmt: skip
    for _ in range(before + 1):
        assert not denied(talk.call("write_file", path="plain"))
    assert not denied(talk.call("make"))
    assert denied(talk.call("write_file", path="plain"))
    assert talk.end() == 0


def test_a_session_that_lives_on_learns_the_policy_of_the_day(own, start):
    talk = start(own, "echo").begin()
    own.write(ALLOW_ALL + '[tools]\npin = "prompt"\n')
    assert not denied(talk.call("t"))
    wait_for(lambda: [record for record in own.records() if record["action"] == "reloaded"], "the record")
    assert talk.end() == 0


def test_a_policy_behind_a_link_judges_the_next_message_however_long_the_session(own, start, tmp_path):
    """No directory that is listened to tells of a change in the link's target."""
    target = tmp_path / "dotfiles" / "policy.toml"
    target.parent.mkdir()
    target.write_text(ALLOW_ALL)
    target.chmod(0o600)
    own.policy.unlink()
    own.policy.symlink_to(target)
    talk = start(own, "echo").begin()
    for _ in range(FEW_LOOKS + 2):
        assert not denied(talk.call("t"))
    target.write_text(ALLOW_ALL.replace('"allow"', '"deny"'))
    assert denied(talk.call("t"))
    assert talk.end() == 0
