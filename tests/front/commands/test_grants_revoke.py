from mcpgov.daemon.control.approval_requests import RevokeRequest
from tests.front.commands.test_grants import grant


def test_one_or_all_are_ended(run, asking):
    asking.grants = [grant("a-1"), grant("a-2"), grant("a-3")]
    done = run("grants", "revoke", "a-1")
    assert (done.status, done.out, asking.got) == (0, "ended 1 grant\n", [RevokeRequest(("a-1",), False)])
    assert run("grants", "revoke", "--all", "--json").json["revoked"] == ["a-2", "a-3"]
    assert run("grants", "revoke", "--all").out == "no grant holds: nothing to end\n"


def test_what_does_not_hold_is_told(run, asking):
    asking.grants = [grant("a-1")]
    done = run("grants", "revoke", "b-1")
    assert (done.status, done.err) == (
        1,
        "mcpgov: no such grant holds: b-1\n  hint: `mcpgov grants` lists what holds\n",
    )
    done = run("grants", "revoke", "a-1", "b-1")
    assert (done.status, done.out, done.err) == (1, "ended 1 grant\n", "mcpgov: no such grant holds: b-1\n")


def test_say_which(run, asking):
    for words in ([], ["a-1", "--all"]):
        assert run("grants", "revoke", *words).status == 64
