"""A call that waits for a person, from end to end: real proxy, real daemon, real commands, a real terminal."""

import json

import pytest

from tests.front.conftest import command
from tests.helpers.askers import Asker, refusals
from tests.helpers.desks import POLICY, Desk


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path / "d")
    made.write_policy(POLICY)
    settings = made.root / "config" / "settings.toml"
    settings.write_text('approvals_surfaces = ["terminal"]\n')
    settings.chmod(0o600)
    made.mcpgov("launcher")
    with made.daemon():
        yield made


def call(talk, path="/srv/a/x", tool="delete_file"):
    return talk.send("tools/call", {"name": tool, "arguments": {"path": path}})


def denied(answer):
    return "Permission denied" in json.dumps(answer)


def test_a_key_in_the_live_view_lets_the_call_pass_and_others_go_on_meanwhile(desk):
    with desk.watching() as live, desk.app() as app:
        held = call(app)
        live.until("files wants to run delete_file (delete)")
        assert "result" in app.call("read_file", path="/srv/a"), "others are answered while one waits"
        assert desk.json("status", status=1)["questions"][0]["headline"].startswith("files wants to run delete_file")
        live.until("y allow once")
        number = desk.waiting()
        live.type("y")
        found = app.receive()
        assert (found["id"], denied(found)) == (held, False)
        live.until(f"allowed once: delete_file on files ({number})")
        live.until("nothing is asked")
        assert desk.json("why", number)["outcome"] == "allowed"
        story = desk.mcpgov("why", number)
        assert "offered in `mcpgov approvals --watch`, for 25 s" in story
        assert "allowed once in `mcpgov approvals --watch` by pid" in story
        assert "sent to the server" in story
        assert [each["outcome"] for each in desk.json("audit", "show")["records"] if each["action"] == "prompt"] == [
            "allowed"
        ]
        assert desk.json("audit", "verify")["ok"]
        call(app)
        live.until("n deny")
        live.type("n")
        assert "was refused by the user" in json.dumps(app.receive())


def test_a_cancelled_call_goes_from_the_view(desk):
    with desk.watching() as live, desk.app() as app:
        held = call(app)
        live.until("delete_file")
        number = desk.waiting()
        app.write(
            json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": held}}).encode()
        )
        live.until("nothing is asked")
        assert desk.json("why", number)["outcome"] == "withdrawn"
        assert "was withdrawn" in desk.mcpgov("approve", number, status=1)


def test_an_answer_for_a_time_is_a_grant_that_can_be_revoked(desk):
    with desk.watching(), desk.app() as app:
        call(app)
        told = desk.mcpgov("approve", desk.waiting(), "--for", "15m", "--folder")
        assert "allowed for 15 min, this folder: delete_file on files" in told
        assert not denied(app.receive())
        call(app, "/srv/a/y")
        assert not denied(app.receive()), "the grant holds for the folder"
        (grant,) = desk.json("grants")["grants"]
        assert (grant["tool"], grant["term"], grant["folders"]) == ("delete_file", "time", ["path = /srv/a/**"])
        assert desk.mcpgov("grants", "revoke", grant["id"]) == "ended 1 grant\n"
        call(app, "/srv/a/z")
        assert desk.mcpgov("deny", desk.waiting()).startswith("denied: delete_file on files")
        assert denied(app.receive())


def test_always_writes_the_rule_and_nothing_is_asked_from_then_on(desk):
    with desk.watching(), desk.app() as app:
        call(app)
        desk.mcpgov("approve", desk.waiting(), "--always", "--tool", "--yes")
        assert not denied(app.receive())
        assert desk.policy.read_text().startswith('# mine\ndefault = "deny"\n\n# approved on 20')
        assert desk.policy.read_text().endswith(POLICY[POLICY.index("[[rule]]") :])
        call(app, "/other")
        assert not denied(app.receive())
        assert desk.json("approvals")["questions"] == []


def test_with_nobody_to_ask_a_late_yes_lets_the_next_try_pass(desk):
    with desk.app() as app:
        call(app)
        text = json.dumps(app.receive())
        assert "Ask the user to run: mcpgov approve " in text
        number = text.partition("mcpgov approve ")[2].partition(",")[0]
        assert f"mcpgov approve {number}" not in desk.mcpgov("status"), "it does not wait any more"
        assert "the next try of exactly this call passes" in desk.mcpgov("approve", number)
        call(app, "/another")
        assert denied(app.receive())
        call(app)
        assert not denied(app.receive())
        call(app)
        assert denied(app.receive()), "once"
        assert "it counts for the next try" in desk.mcpgov("why", number)


def test_what_an_app_has_started_cannot_approve(desk, tmp_path):
    claude = Asker(tmp_path, desk.home, "claude")
    with desk.watching() as live, desk.app() as app:
        call(app)
        number = desk.waiting()
        for kind in ("plain", "setsid"):
            status, _, err = claude.ask(kind, *command(desk.root, "approve", number))
            assert (status, "is refused" in err) == (2, True)
        live.until("delete_file")
        assert desk.waiting() == number
        assert len(refusals(desk.root / "state" / "journal")) == 2
        desk.mcpgov("deny", number)
        assert denied(app.receive())


def test_a_lock_denies_everything_until_it_is_taken_away(desk):
    with desk.watching(), desk.app() as app:
        call(app)
        desk.waiting()
        assert desk.mcpgov("lock", "enough").startswith("locked: ")
        assert denied(app.receive()), "what waited is denied"
        assert "mcpgov unlock" in json.dumps(app.call("read_file", path="/srv/a"))
        status = desk.mcpgov("status", status=1)
        assert "mcpgov is locked, every call is denied (enough)" in status
        desk.mcpgov("unlock")
        assert not denied(app.call("read_file", path="/srv/a"))
