import json
import os
import shlex
import subprocess
import sys

import pytest

from mcpgov.proxy import launch
from tests.helpers.talks import PATIENCE, PYTHON, SERVERS, wait_for

ODD = ["", " ", "a b", "'", '"', "\\", "--", "-x", "--server=evil", "$HOME", "*", "ü", "\udcff", "line\nbreak", "\t"]


def told(file):
    wait_for(lambda: file.exists() and file.read_text("utf-8", "surrogateescape").endswith("}"), "the report")
    return json.loads(file.read_text("utf-8", "surrogateescape"))


def test_argv_arrives_as_it_was_given(shared, start, tmp_path):
    talk = start(shared, "tell", tmp_path / "told", *ODD).begin()
    assert told(tmp_path / "told")["argv"] == ODD
    assert talk.end() == 0


@pytest.mark.parametrize("more", [{}, {b"LC_ALL": b"C"}, {b"LC_CTYPE": b"C"}, {b"LC_CTYPE": b"C.UTF-8"}])
def test_the_environment_arrives_as_it_was_given_and_nothing_is_added(shared, start, tmp_path, more):
    given = {
        b"PATH": os.environb[b"PATH"],
        b"PYTHONPATH": b"/nowhere",
        b"PYTHONHOME": b"/nowhere",
        b"PYTHONSTARTUP": b"/nowhere",
        b"PYTHONCOERCECLOCALE": b"0",
        b"MCPGOV_ROOT": b"/nowhere",
        b"MCPGOV_POLICY": b"/nowhere",
        b"odd-name.x": b"1",
        b"npm_config_//host/:_token": b"t",
        b"BYTES": b"\xff\xfe=\n",
        b"EMPTY": b"",
        **more,
    }
    talk = start(shared, "tell", tmp_path / "told", env=given).begin()
    arrived = {entry.encode("latin-1") for entry in told(tmp_path / "told")["environ"] if entry}
    assert arrived == {key + b"=" + value for key, value in given.items()}
    assert talk.end() == 0


def test_the_working_directory_is_the_clients(shared, start, tmp_path):
    place = tmp_path / "a place\nwith ü"
    place.mkdir()
    talk = start(shared, "tell", tmp_path / "told", cwd=place).begin()
    assert told(tmp_path / "told")["cwd"] == str(place)
    assert talk.end() == 0


def test_a_directory_that_is_gone_is_no_obstacle(shared, start, tmp_path):
    place = tmp_path / "gone"
    place.mkdir()
    talk = start(shared, ["/bin/sh", "-c", f'exec "{PYTHON}" -I -S "{SERVERS}" echo x'], cwd=place)
    place.rmdir()
    assert "result" in talk.begin().call()


def test_further_descriptors_reach_the_server(shared, start):
    read, write = os.pipe()
    talk = start(shared, ["/bin/sh", "-c", f"echo passed >/dev/fd/{write}; cat"], pass_fds=[write])
    os.close(write)
    assert os.read(read, 100) == b"passed\n"
    os.close(read)
    assert talk.end() == 0


def test_a_server_finds_broken_pipes_and_large_files_as_signals_again(shared, start):
    talk = start(shared, ["/bin/sh", "-c", "grep SigIgn /proc/$$/status >&2"])
    talk.end()
    ignored = int(talk.errors().split()[1], 16)
    assert ignored & (1 << 12) == 0
    assert ignored & (1 << 24) == 0


def test_a_server_in_a_group_of_its_own(shared, start):
    talk = start(shared, ["/bin/sh", "-c", "ps -o pid=,pgid= -p $$ >&2; cat"])
    assert talk.end() == 0
    pid, group = talk.errors().split()
    assert pid == group


@pytest.mark.parametrize("words", [[], ["--server"], ["--server", "s"], ["--server", "s", "--"], ["--what", "--", "x"]])
def test_a_wrong_command_line_is_told_and_starts_nothing(shared, words):
    done = subprocess.run([shared.launcher, *words], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr.startswith("mcpgov: ")
    assert "usage: mcpgov-proxy" in done.stderr


def test_options_stand_with_a_space_or_an_equals_sign_up_to_the_first_double_dash():
    words = ["--server=a=b", "--client", "c", "--project=", "--", "x", "--", "--server", "y"]
    assert launch.parse(words) == ({"server": "a=b", "client": "c", "project": ""}, ["x", "--", "--server", "y"])


def test_a_script_without_its_first_line_runs_in_a_shell_as_execvp_would(shared, start, tmp_path):
    script = tmp_path / "server"
    script.write_text(f'exec "{PYTHON}" -I -S "{SERVERS}" echo x "$@"\n')
    script.chmod(0o755)
    talk = start(shared, [str(script), "5"]).begin()
    assert talk.end() == 5


def test_nothing_heavy_stands_above_the_spawn():
    code = (
        "import sys; before = set(sys.modules); import os; import mcpgov.proxy.launch; "
        "print(*sorted(set(sys.modules) - before - {'__future__'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mcpgov", "mcpgov.proxy", "mcpgov.proxy.launch"]


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- >&- 2>&-"])
def test_a_standard_descriptor_that_is_closed_is_nobody_elses(own, closed):
    behind = shlex.join([own.launcher, "--server", "s", "--", "/bin/sh", "-c", "echo FORGED >&2; cat >/dev/null"])
    done = subprocess.run(["/bin/sh", "-c", f"exec {behind} {closed}"], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 0
    assert "FORGED" not in "".join(file.read_text() for file in own.journal.glob("*"))


def test_without_descriptors_the_reason_is_told(shared):
    command = ["/bin/sh", "-c", f"ulimit -n 6; exec {shlex.quote(shared.launcher)} --server s -- cat"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (126, "mcpgov: cannot start `cat`: too many open files\n")
