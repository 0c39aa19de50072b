import signal
import subprocess

from mcpgov.daemon.control import line_client
from tests.front.conftest import command
from tests.helpers.daemons import entries
from tests.helpers.talks import PATIENCE, wait_for


def answers(root):
    try:
        return line_client.request(root / "run" / "daemon.sock", "ping")
    except line_client.ControlError:
        return None


def test_it_runs_in_the_foreground_until_a_signal_and_says_nothing_into_a_pipe(root):
    words = command(root, "daemon", "run", "--log-level", "debug")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            wait_for(lambda: answers(root), "the daemon")
            again = subprocess.run(command(root, "daemon", "run"), capture_output=True, text=True, check=False)
            assert again.returncode == 1
            assert again.stderr.startswith("mcpgov: the daemon runs already: pid ")
            process.send_signal(signal.SIGTERM)
            assert (process.wait(PATIENCE), process.stdout.read(), process.stderr.read()) == (0, b"", b"")
        finally:
            process.kill()
    assert entries(root / "state" / "log" / "daemon.jsonl")[0]["event"] == "started"


def test_a_level_that_is_none_is_refused(run):
    assert run("daemon", "run", "--log-level", "loud").status == 64
