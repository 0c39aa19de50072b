from mcpgov.lock_file import lock_state
from mcpgov.places import Places


def test_the_daemon_locks(run, asking):
    done = run("lock", "it", "deletes")
    assert (done.status, done.out) == (
        0, "locked: every call of every governed server is denied until `mcpgov unlock`\n"
    )  # fmt: skip
    assert asking.locked.why == "it deletes"
    again = run("lock", "--json").json
    assert (again["locked"], again["changed"], again["why"]) == (True, False, "it deletes")


def test_without_a_daemon_the_file_that_proxies_look_for_is_written_and_that_is_on_record(run, root):
    done = run("lock", "stop")
    assert (done.status, done.out.startswith("locked: ")) == (0, True)
    assert lock_state(Places(root).lock).why == "stop"
    assert run("lock").out.startswith("it was locked already: ")
    (record,) = run("audit", "show", "--all", "--json").json["records"]
    assert (record["method"], record["action"], record["why"]) == ("mcpgov lock", "locked", "stop")
    assert run("audit", "verify").status == 0
