import os

import psutil
import pytest

from mcpgov.daemon.children.service_process import LONGEST_LINE, ServiceProcess
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.daemon.reactor import Reactor
from tests.helpers.daemons import entries, turn_until
from tests.helpers.talks import PYTHON


class Bench:
    def __init__(self, base):
        self.reactor = Reactor(Log(base / "d.jsonl"))
        self.log = Log(base / "service.jsonl", largest=20_000, files=2)
        self.silent = []
        self.made = []

    def run(self, code):
        words = [PYTHON, "-I", "-S", "-c", code]
        found = ServiceProcess(words, {"A": "b"}, self.log, this_machine(), self.reactor, lambda: self.silent.append(1))
        self.made.append(found)
        return found

    def texts(self):
        return [entry["text"] for entry in entries(self.log)]


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for process in made.made:
        if process.exit_code() is None:
            os.kill(process.pid, 9)
            process.wait(10)
        process.close()
    made.reactor.close()


def test_its_output_is_logged_line_by_line_and_its_end_is_seen(bench):
    process = bench.run("import sys; print('one\\n\\ntwo'); sys.stderr.buffer.write(b'\\xff end')")
    turn_until(bench.reactor, lambda: bench.silent, "the end of its output")
    process.wait(10)
    assert (sorted(bench.texts()), process.exit_code()) == (["\\xff end", "one", "two"], 0)
    process.close()


def test_what_it_said_last_is_kept_though_the_loop_did_not_turn(bench):
    process = bench.run("print('last')")
    process.wait(10)
    process.close()
    assert bench.texts() == ["last"]


def test_a_long_line_is_cut_and_the_log_is_capped(bench, tmp_path):
    bench.run("print('x' * 1_000_000)\nfor n in range(2000): print('line', n)")
    turn_until(bench.reactor, lambda: bench.silent, "the end of its output")
    assert max(map(len, bench.texts())) <= LONGEST_LINE
    files = sorted(path.name for path in tmp_path.glob("service*"))
    assert files == ["service.1.jsonl", "service.jsonl"]
    assert sum((tmp_path / name).stat().st_size for name in files) <= 40_000


def test_it_has_a_session_of_its_own_and_no_environment_but_the_given(bench):
    process = bench.run("import os, sys; print(os.environ.get('A'), os.getcwd(), flush=True); sys.stdin.read()")
    turn_until(bench.reactor, bench.texts, "its output")
    assert (bench.texts(), os.getsid(process.pid)) == (["b /"], process.pid)
    assert process.ident.start > 0
    assert process.family.members == {process.ident}
    process.wait(0.01)
    assert process.exit_code() is None
    assert psutil.Process(process.pid).environ().get("HOME") is None


def test_a_program_that_is_not_there_is_an_error(bench):
    with pytest.raises(FileNotFoundError):
        ServiceProcess(["/no/such"], {}, bench.log, this_machine(), bench.reactor, lambda: None)
