"""What the whole server promises: a permission holds for the server that asked and for nothing else."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.helpers.serving import GovernedServing

SERVER = Path(__file__).parents[1] / "helpers" / "permitted_server.py"
PERMIT = {"resource": "/srv/a", "operation": "write", "justification": "j", "timeout_seconds": 2}


@pytest.fixture
def governed(tmp_path):
    found = GovernedServing(tmp_path)
    found.prepare()
    return found


def text(result):
    return result.content[0].text


def asked_for(term):
    """A person who says yes to permissions, for this term, and no to calls."""
    return lambda view: (term, "") if "asks for permission" in view.headline else ("no", "")


def test_a_permission_holds_for_the_server_that_asked_its_operation_and_its_resource_alone(governed, tmp_path):
    mine, other = str(tmp_path / "mine.txt"), str(tmp_path / "other.txt")

    async def talk():
        found = []
        async with (
            governed.through_proxy("notes", SERVER) as notes,
            governed.through_proxy("others", SERVER) as others,
        ):
            found.append(text(await notes.call_tool("get_leave", {"item": mine})))
            for client, path in ((notes, mine), (notes, other), (others, mine), (notes, mine)):
                found.append(text(await client.call_tool("write_note", {"path": path, "content": "x"})))
        return found

    with governed.daemon(), governed.person(asked_for("session")) as seen:
        found = asyncio.run(talk())
    assert found[:2] == ["True session", "written"]
    assert [said.startswith("Permission denied: write_note was refused") for said in found[2:4]] == [True, True]
    assert found[4] == "written"
    assert [view.headline.split(" ")[0] for view in seen] == ["notes", "notes", "others"]
    made = [record for record in governed.records() if record.get("action") == "grant made"]
    assert [(record["server"], record["resource"], record["scope"]) for record in made] == [("notes", mine, "resource")]


def test_a_permission_for_once_is_used_up_by_one_call(governed, tmp_path):
    mine = str(tmp_path / "mine.txt")

    async def talk():
        async with governed.through_proxy("notes", SERVER) as notes:
            await notes.call_tool("get_leave", {"item": mine})
            return [text(await notes.call_tool("write_note", {"path": mine, "content": "x"})) for _ in range(2)]

    with governed.daemon(), governed.person(asked_for("once")):
        first, second = asyncio.run(talk())
    assert (first, second.startswith("Permission denied")) == ("written", True)


def test_a_permission_for_a_time_holds_until_then_and_no_longer(governed, tmp_path):
    """Over restarts of the daemon, between which the time passes in the file that keeps it."""
    mine = str(tmp_path / "mine.txt")
    kept = governed.root / "state" / "daemon" / "grants.json"

    async def write(*tools):
        async with governed.through_proxy("notes", SERVER) as notes:
            given = {"get_leave": {"item": mine}, "write_note": {"path": mine, "content": "x"}}
            return [text(await notes.call_tool(tool, given[tool])) for tool in tools]

    with governed.daemon(), governed.person(asked_for("time")):
        assert asyncio.run(write("get_leave", "write_note", "write_note")) == ["True time", "written", "written"]
    data = json.loads(kept.read_text())
    (grant,) = data["grants"]
    for passed, wanted in ((800.0, "written"), (900.0, "Permission denied: write_note was refused")):
        grant_then = {**grant, "made": grant["made"] - passed, "until": grant["until"] - passed}
        kept.write_text(json.dumps({**data, "grants": [grant_then]}))
        with governed.daemon(), governed.person(asked_for("no")):
            assert asyncio.run(write("write_note"))[0].startswith(wanted)


def test_a_permission_to_delete_is_none_to_delete_with_a_flag(governed, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_text("x")

    async def talk():
        async with governed.through_proxy("notes", SERVER) as notes:
            asked = text(await notes.call_tool("get_leave", {"item": str(mine), "doing": "delete"}))
            calls = ({"path": str(mine), "recursive": True}, {"path": str(mine)})
            return asked, [text(await notes.call_tool("delete_note", given)) for given in calls]

    with governed.daemon(), governed.person(asked_for("session")):
        asked, (with_flag, without) = asyncio.run(talk())
    assert (asked, without) == ("True session", "deleted")
    assert with_flag.startswith("Permission denied: delete_note was refused")


def test_over_http_a_permission_holds_for_calls_of_the_server_that_the_token_is_for(governed, tmp_path):
    """With a token for no server it is told, and holds for nothing."""
    tokens = {"files": governed.tokens.add("files", "notes"), "ci": governed.tokens.add("ci")}
    mine = {name: str(tmp_path / name) for name in tokens}

    async def talk():
        found = []
        async with governed.through_proxy("notes", SERVER) as notes:
            for name, token in tokens.items():
                async with governed.over_http(token=token) as client:
                    asked = await client.call_tool("requestPermission", {**PERMIT, "resource": mine[name]})
                written = text(await notes.call_tool("write_note", {"path": mine[name], "content": "x"}))
                found.append((asked.structured_content["granted"], asked.meta["mcpgov/why"], written[:17]))
        return found

    with governed.daemon(), governed.http(), governed.person(asked_for("once")) as seen:
        found = asyncio.run(talk())
    assert found == [
        (True, "calls of notes pass by it", "written"),
        (True, "it holds for no call", "Permission denied"),
    ]
    assert [view.headline.split(" asks")[0] for view in seen[:2]] == ["notes", "token ci"]


def test_a_permission_never_beats_a_deny_the_managed_layer_or_protection(governed, tmp_path):
    """Where the policy denies, nobody is asked; where the administrator asks, a permission is no answer."""
    governed.write_policy('default = "allow"\n[[rule]]\nname = "no"\naction = "deny"\nargs.path = "/srv/no/**"\n')
    managed = governed.root / "managed" / "policy.toml"
    managed.parent.mkdir()
    managed.write_text('[[rule]]\nname = "boss"\naction = "prompt"\noperation = "write"\nask = ["desk"]\n')
    managed.chmod(0o600)
    mine = str(tmp_path / "mine.txt")

    async def talk():
        async with governed.through_proxy("notes", SERVER) as notes:
            asked = [
                text(await notes.call_tool("get_leave", {"item": resource}))
                for resource in ("/srv/no/a", str(governed.policy), mine)
            ]
            return asked, text(await notes.call_tool("write_note", {"path": mine, "content": "x"}))

    with governed.daemon(), governed.person(asked_for("session")) as seen:
        asked, written = asyncio.run(talk())
    assert asked == ["False none"] * 3
    assert written.startswith("Permission denied")
    assert not Path(mine).exists()
    assert ["asks for permission" in view.headline for view in seen] == [False]
