from mcpgov.lock_file import lock_state
from mcpgov.places import Places


def test_the_daemon_unlocks(run, asking):
    run("lock")
    done = run("unlock")
    assert (done.status, done.out, asking.locked) == (0, "unlocked: the policy decides again\n", None)
    assert run("unlock").out == "it was not locked\n"


def test_without_a_daemon_the_file_goes_and_that_is_on_record(run, root):
    assert run("unlock", "--json").json["changed"] is False
    run("lock")
    assert run("unlock").out == "unlocked: the policy decides again\n"
    assert lock_state(Places(root).lock) is None
    assert [each["action"] for each in run("audit", "show", "--all", "--json").json["records"]] == [
        "locked",
        "unlocked",
    ]


def test_what_cannot_be_recorded_stays_locked(run, root):
    run("lock")
    journal = Places(root).journal
    for file in journal.iterdir():
        file.unlink()
    journal.rmdir()
    journal.write_text("in its place")
    done = run("unlock")
    assert (done.status, "it stays locked" in done.err) == (1, True)
    assert lock_state(Places(root).lock) is not None
