from mcpgov.front.commands.daemon_stop import stop_result
from mcpgov.front.result import Line
from mcpgov.front.service.daemon_ops import Ended
from tests.helpers.daemons import Home


def test_what_does_not_run_need_not_be_stopped(run):
    done = run("daemon", "stop", "--json")
    expected = {"version": 1, "command": "daemon stop", "ok": True, "pid": None, "killed": False, "changed": False}
    assert (done.status, done.json) == (0, expected)
    assert run("daemon", "stop").out == "the daemon is not running\n"


def test_it_is_stopped_and_its_lock_is_free(run, root, tmp_path):
    home = Home(tmp_path / "d")
    home.root, home.socket = root, root / "run" / "daemon.sock"
    with home.daemon() as process:
        done = run("daemon", "stop")
        assert (done.status, done.out) == (0, f"the daemon has ended: pid {process.pid}\n")
        assert process.wait(15) == 0


def test_broken_settings_hide_nothing_of_what_was_done(run, root):
    (root / "config" / "settings.toml").write_text("clients = 5")
    done = run("daemon", "stop")
    assert (done.status, done.out, done.err) == (0, "the daemon is not running\n", "")


def test_one_that_had_to_be_killed_is_told():
    found = stop_result(Ended(7, killed=True))
    assert found.view == [Line("the daemon did not end by itself and was killed: pid 7", "warning")]
