import os
import posix
import signal
import subprocess
import sys

import pytest

from mcpgov.proxy import stray_processes
from mcpgov.proxy.stray_processes import StrayProcesses, facts_of
from tests.helpers.talks import PATIENCE, PYTHON

SLEEP = [PYTHON, "-I", "-S", "-c", "import time; time.sleep(600)"]
# Whatever a proxy does with its strays is done in a process of its own: the one that runs the tests has children too.
OWNER = """
import sys, time, subprocess, posix
sys.path.insert(0, {root!r})
from mcpgov.proxy.stray_processes import StrayProcesses
from mcpgov.proxy import launch
launch.adopt_orphans()
spared = subprocess.Popen({sleep!r})
group = subprocess.Popen({sleep!r}, process_group=0)
stray = subprocess.Popen({sleep!r}, start_new_session=True)
found = StrayProcesses(group.pid, lambda: [spared.pid])
print(sorted(found.look()) == [stray.pid], flush=True)
found.end(time.monotonic() + 5)
print(spared.poll(), group.poll(), stray.wait(), found.signal(9), flush=True)
spared.kill(), group.kill()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_only_what_left_the_group_and_is_no_helper_is_ended():
    code = OWNER.format(root=os.getcwd(), sleep=SLEEP)
    done = subprocess.run([PYTHON, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=2 * PATIENCE)
    assert (done.stdout, done.stderr) == (f"True\nNone None {-signal.SIGTERM} False\n", "")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_is_its_number_and_its_start():
    with subprocess.Popen(SLEEP, start_new_session=True) as process:
        group, start = facts_of(process.pid)
        assert group == process.pid
        assert int(start) > 0
        stray_processes._send(process.pid, "1", signal.SIGKILL, True)
        assert process.poll() is None
        stray_processes._send(process.pid, start, signal.SIGKILL, True)
        assert process.wait(PATIENCE) == -signal.SIGKILL
    assert facts_of(process.pid) == (0, "")
    stray_processes._send(process.pid, start, signal.SIGKILL, True)  # nobody is hit


def test_the_process_table_tells_of_descendants_elsewhere(monkeypatch):
    me = posix.getpid()
    began = "Tue Nov 17 20:00:00 2026"
    rows = {
        10: (me, 10, "S"),  # the server
        11: (10, 11, "S"),  # in a group of its own
        12: (11, 12, "S"),  # below that one
        13: (10, 13, "Z"),  # dead
        14: (1, 14, "S"),  # a stranger
        15: (me, 1, "S"),  # our helper
    }
    text = "\n".join(f"{pid} {parent} {group} {state} {began}" for pid, (parent, group, state) in rows.items())
    sent = []
    monkeypatch.setattr(stray_processes, "table", lambda: text)
    monkeypatch.setattr(posix, "kill", lambda pid, number: sent.append((pid, number)))
    found = StrayProcesses(10, lambda: [15], linux=False)
    assert found.look() == {11: began, 12: began}
    # Its parents are gone, but it was seen before; a number with another start is a stranger's.
    text = f"11 1 11 S Wed Nov 18 20:00:00 2026\n12 1 12 S {began}\n14 1 14 S {began}"
    assert found.signal(signal.SIGTERM)
    assert sent == [(12, signal.SIGTERM)]


def test_the_table_of_this_machine_names_this_process():
    rows = [line.split() for line in stray_processes.table().splitlines()]
    if rows:  # there may be no `ps`
        assert str(posix.getpid()) in [row[0] for row in rows]


def test_without_ps_nobody_is_found(monkeypatch):
    monkeypatch.setattr(stray_processes, "TABLE", ("/nowhere/ps",))
    assert StrayProcesses(1, tuple, linux=False).look() == {}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_stray_that_ignores_sigterm_is_killed_when_its_time_is_over():
    stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
    code = f"""
import sys, time, subprocess
sys.path.insert(0, {os.getcwd()!r})
from mcpgov.proxy.stray_processes import StrayProcesses
stray = subprocess.Popen([{PYTHON!r}, "-I", "-S", "-c", {stubborn!r}], start_new_session=True, stdout=subprocess.PIPE)
stray.stdout.readline()
StrayProcesses(0, tuple).end(time.monotonic() + 0.05)
print(stray.wait())
"""
    done = subprocess.run([PYTHON, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=2 * PATIENCE)
    assert (done.stdout, done.stderr) == (f"{-signal.SIGKILL}\n", "")
