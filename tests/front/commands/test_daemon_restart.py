import os
import signal

import pytest

from mcpgov.front.service import daemon_ops
from mcpgov.places import Places
from tests.helpers.talks import wait_for


@pytest.fixture
def places(root):
    made = Places(root)
    yield made
    there = daemon_ops.lock_holder(made)
    if there is not None and there.pid:
        os.kill(there.pid, signal.SIGKILL)
        wait_for(lambda: daemon_ops.lock_holder(made) is None)


def test_another_process_takes_the_place_and_without_one_it_just_starts(run, places):
    assert run("launcher").status == 0
    first = run("daemon", "restart", "--json").json
    assert (first["how"], "before" in first) == ("detached", False)
    second = run("daemon", "restart", "--json").json
    assert (second["before"], second["changed"], second["pid"] != first["pid"]) == (first["pid"], True, True)
    assert daemon_ops.lock_holder(places).pid == second["pid"]
