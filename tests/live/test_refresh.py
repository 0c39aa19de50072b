import datetime
import json
import os
import stat
import sys
import time

import pytest

from mcpgov import host
from mcpgov.core.session.tool_list import Pins
from mcpgov.fingerprints import Fingerprints
from mcpgov.live import pins_store
from mcpgov.live.journal_writer import digest_text
from mcpgov.live.refresh import FEW_LOOKS, LOCATED
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
    assert pins_store.save(tools, "s", Pins({"t": other}))
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
    found = pins_store.load(tools, "s")
    assert set(found.changed) == {"t"}
    assert found.accepted is not None
    assert pins_store.save(tools, "s", Pins({"t": found.changed["t"]}))
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


def lasting(days):
    """A rule whose last day is today, so many days ago, or ahead."""
    day = datetime.date.fromisoformat(host.local_day(time.time())) + datetime.timedelta(days=days)
    return f'default = "deny"\n[[rule]]\naction = "allow"\ntool = "**"\nexpires = {day}\n'


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway", "XYZ+23"])
@pytest.mark.parametrize(("days", "holds"), [(0, True), (-1, False)])
def test_the_zone_of_an_entry_moves_no_expiry(own, start, zone, days, holds):
    """At any time of the day one of these zones has another date than the machine."""
    own.write(lasting(days))
    talk = start(own, "echo", env={**os.environ, "TZ": zone}).begin()
    assert denied(talk.call("t")) is not holds
    assert talk.end() == 0


def test_what_a_record_masks_has_a_salted_digest_that_two_sessions_share(own, start):
    for pin in ("4711", "4711", "4712"):
        talk = start(own, "echo").begin()
        talk.call("t", pin=pin)
        assert talk.end() == 0
    told = [record["digest"] for record in own.records() if "digest" in record]
    assert len(told) == 3
    assert told[0] == told[1] != told[2]
    salt = own.root / "state" / "salt"
    assert told[0] == Fingerprints(str(salt)).of('{"pin":"4711"}')
    assert digest_text('{"pin":"4711"}') not in told[0]
    assert stat.S_IMODE(salt.stat().st_mode) == 0o600


def test_a_proxy_that_masks_nothing_makes_no_salt(own, start):
    talk = start(own, "echo").begin()
    talk.call("t", path="plain")
    assert talk.end() == 0
    assert not (own.root / "state" / "salt").exists()


def test_what_a_dying_server_said_is_masked_on_record(own, start):
    script = 'read -r l; echo "DB_PASSWORD=hunter2 at postgres://u:hunter2@db" >&2; exit 3'
    talk = start(own, ["/bin/sh", "-c", script])
    answer = talk.ask("initialize")
    told = "the server ended with status 3: DB_PASSWORD=*** at postgres://u:***@db"
    assert answer["error"]["message"] == told
    assert "hunter2" in talk.errors()  # up to the proxy's end, when everything is on record
    assert [record["why"] for record in own.records() if record["action"] == "failed"] == [told]


MOVER = """
import json, os, subprocess, sys
child = None
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    params = message.get("params", {})
    args = params.get("arguments", {})
    if params.get("name") == "enter_place":
        os.chdir(args.get("to") or os.environ["GOAL"])
    if params.get("name") == "send_child":
        child = subprocess.Popen(["sleep", "20"], cwd=args["to"])
    if params.get("name") == "ask_roots":
        print(json.dumps({"jsonrpc": "2.0", "id": "r", "method": "roots/list"}), flush=True)
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
if child:
    child.kill()
"""


@pytest.fixture
def guarded(own, tmp_path):
    """A policy that denies what lies below `guarded`, and that directory."""
    place = tmp_path / "guarded"
    (place / "deep").mkdir(parents=True)
    (tmp_path / "start").mkdir()
    own.write(f'[[rule]]\naction = "deny"\nargs.path = "{place}/**"\n' + ALLOW_ALL)
    return own, place, tmp_path / "start"


@pytest.mark.parametrize(
    "command",
    [
        lambda place: ["/bin/sh", "-c", f'cd "{place}" && exec "$0" -c "$1"', sys.executable, MOVER],
        lambda place: ["/bin/sh", "-c", f'cd "{place}/deep/.." ; "$0" -c "$1"; exit 0', sys.executable, MOVER],
        lambda place: [sys.executable, "-c", f"import os; os.chdir({str(place)!r})\n{MOVER}"],
        lambda place: ["/bin/sh", "-c", f'(cd "{place}" && "$0" -c "$1")', sys.executable, MOVER],
    ],
    ids=["exec", "child", "own", "subshell"],
)
def test_a_relative_path_begins_where_the_server_is_not_where_it_was_started(guarded, start, command):
    own, place, first = guarded
    talk = start(own, command(place), cwd=first).begin()
    assert denied(talk.call("read_file", path="deep/key"))
    assert denied(talk.call("read_file", path="key"))
    assert not denied(talk.call("read_file", path="../other/key"))
    assert talk.end() == 0


def test_a_server_that_moves_is_followed_by_the_next_call(guarded, start):
    own, place, first = guarded
    talk = start(own, [sys.executable, "-c", MOVER], cwd=first).begin()
    assert not denied(talk.call("read_file", path="key"))
    assert not denied(talk.call("enter_place", to=str(place)))
    assert denied(talk.call("read_file", path="key"))
    assert not denied(talk.call("enter_place", to=str(first)))
    assert denied(talk.call("read_file", path="key"))  # a server may remember where it was
    assert talk.end() == 0


def test_a_process_that_the_server_has_started_elsewhere_counts_too(guarded, start):
    own, place, first = guarded
    talk = start(own, [sys.executable, "-c", MOVER], cwd=first).begin()
    assert not denied(talk.call("send_child", to=str(place)))
    assert wait_for(lambda: denied(talk.call("read_file", path="key")))
    assert talk.end() == 0


def test_the_roots_that_the_client_gave_count_too(guarded, start):
    own, place, first = guarded
    talk = start(own, [sys.executable, "-c", MOVER], cwd=first).begin()
    assert not denied(talk.call("read_file", path="key"))
    talk.call("ask_roots")
    answer = {"jsonrpc": "2.0", "id": "r", "result": {"roots": [{"uri": f"file://{place}", "name": "x"}]}}
    # In one write: what the client says behind its answer is judged by it already.
    asked = {"jsonrpc": "2.0", "id": 99, "method": "tools/call"}
    asked["params"] = {"name": "read_file", "arguments": {"path": "key"}}
    talk.write(json.dumps(answer).encode() + b"\n" + json.dumps(asked).encode())
    found = talk.receive()
    assert (found["id"], denied(found)) == (99, True)
    assert talk.end() == 0


@pytest.mark.parametrize("before", [0, 2 * FEW_LOOKS])
def test_plain_names_are_protected_where_the_server_is_now(own, start, tmp_path, before):
    """The quick way of plain calls knows of the move as well."""
    env = {**os.environ, "GOAL": str(own.policy.parent)}
    talk = start(own, [sys.executable, "-c", MOVER], cwd=tmp_path, env=env).begin()
    name = own.policy.name
    for _ in range(before + 1):
        assert not denied(talk.call("write_file", path=name))
    assert not denied(talk.call("enter_place"))
    assert wait_for(lambda: denied(talk.call("write_file", path=name)), patience=100 * LOCATED)
    assert talk.end() == 0


def test_a_lock_holds_from_the_next_message_on_and_until_it_is_gone(own, start):
    talk = start(own, "echo").begin()
    lock = own.root / "state" / "lock.json"
    for _ in range(3):
        for _ in range(20):  # long enough for change notifications, and for the short way
            assert "_meta" not in talk.call()["result"]
        lock.write_text("{}")
        answer = talk.call()["result"]
        assert answer["_meta"]["mcpgov/decision"]["kind"] == "locked"
        assert "everything is locked until the user runs: mcpgov unlock" in answer["content"][0]["text"]
        assert "result" in talk.ask("tools/list")
        assert "_meta" in talk.call()["result"]
        lock.unlink()
    assert "_meta" not in talk.call()["result"]
    assert talk.end() == 0
    noted = [note["action"] for note in own.records() if note["dir"] == "proxy"]
    assert noted == ["locked", "unlocked"] * 3
    assert {note["kind"] for note in own.records() if note["action"] == "deny"} == {"locked"}


def test_a_lock_is_there_from_the_first_message_on(own, start):
    (own.root / "state" / "lock.json").mkdir(parents=True)  # whatever it is
    talk = start(own, "echo").begin()
    assert talk.call()["result"]["_meta"]["mcpgov/decision"]["kind"] == "locked"
    assert "result" in talk.ask("ping")
