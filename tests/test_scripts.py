"""What the scripts do around the real work: with stand-ins for pip, pytest and the registries."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.helpers.talks import wait_for

ROOT = Path(__file__).parents[1]


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout whose venv is there already, as far as the scripts can tell."""
    place = tmp_path.resolve() / "checkout"
    (place / "scripts").mkdir(parents=True)
    for name in ("test", "install", "demo", "lib.sh"):
        shutil.copy(ROOT / "scripts" / name, place / "scripts" / name)
    shutil.copy(ROOT / "pyproject.toml", place)
    with open(place / "pyproject.toml", "rb") as file:
        stamp = subprocess.run(["cksum"], stdin=file, capture_output=True, text=True, check=True).stdout
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / ".stamp").write_text(stamp.strip(), "utf-8")
    program(place / "scripts" / "realparts", "echo realparts")
    return place


@pytest.mark.parametrize(
    ("tests", "alone", "purity", "status"),
    [(0, 0, 0, 0), (1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (2, 1, 1, 2), (0, 5, 0, 1)],
)
def test_every_result_is_printed_whatever_the_one_before_said_and_each_counts(copy, tests, alone, purity, status):
    told = f'case "$*" in *"-m deadline"*) echo promised times; exit {alone};; esac; echo tests; exit {tests}'
    program(copy / ".venv" / "bin" / "pytest", told)
    program(copy / ".venv" / "bin" / "python", f"echo purity; exit {purity}")
    done = subprocess.run([copy / "scripts" / "test"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (status, "realparts\ntests\npromised times\npurity\n")


def failing(copy: Path, count: int, *, again: int) -> subprocess.CompletedProcess[str]:
    """Runs the tests of a checkout in which so many fail; `again`: the status of what is run once more."""
    told = "\n".join(f'  "tests/test_a.py::test_{number}": true' for number in range(count))
    program(
        copy / ".venv" / "bin" / "pytest",
        f"""
case "$*" in *"-m deadline"*) exit 0;; esac
case "$*" in *--last-failed*) echo "again: $*"; exit {again};; esac
for word; do case "$word" in cache_dir=*) place=${{word#cache_dir=}}/v/cache;; esac; done
mkdir -p "$place"
printf '{{\n%s\n}}' '{told}' > "$place/lastfailed"
exit 1
""",
    )
    program(copy / ".venv" / "bin" / "python", "exit 0")
    return subprocess.run([copy / "scripts" / "test"], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("again", [0, 1])
def test_a_few_tests_that_fail_beside_others_are_run_once_more_alone_and_named(copy, again):
    done = failing(copy, 2, again=again)
    assert done.returncode == again
    assert "!!! 2 FAILED AND RUN ONCE MORE" in done.stdout
    assert "tests/test_a.py::test_1" in done.stdout
    assert "-n 0" in done.stdout.partition("again: ")[2]


def test_many_tests_that_fail_have_failed(copy):
    done = failing(copy, 9, again=0)
    assert (done.returncode, "again" in done.stdout) == (1, False)


# --- scripts/install

# A Python whose venvs hold a copy of it; `without` says what it lacks, `hangs` that its pip never comes back.
PYTHON = """
here=$(dirname "$0")
case "$*" in
  "-c import ensurepip, venv") [ ! -e "$STATE/without-ensurepip" ] ;;
  "-c import sys; print(sys.executable)") echo "$0" ;;
  "-c "*) exit 0 ;;
  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; touch "$3/bin/pip" ;;
  "-m pip --version") [ -e "$here/pip" ] ;;
  "-m pip install "*)
    [ ! -e "$STATE/hangs" ] || { echo > "$STATE/hanging"; exec sleep 60; }
    printf '#!/bin/sh\\necho "mcpgov $*"\\n' > "$here/mcpgov"; chmod +x "$here/mcpgov" ;;
  "-m compileall "*) : ;;
esac
"""
TOOLS = ("bash", "env", "sh", "dirname", "basename", "mkdir", "rm", "cp", "cat", "cksum")
TOOLS += ("find", "sort", "readlink", "ln", "sed", "xargs", "touch", "chmod", "sleep")


class Bench:
    """A home, and a PATH with nothing on it but a few tools and that Python."""

    def __init__(self, place: Path, copy: Path) -> None:
        self.home, self.bin, self.state = place / "home", place / "bin", place / "state"
        for each in (self.home, self.bin, self.state):
            each.mkdir()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        program(self.bin / "python3", PYTHON)
        self.script = copy / "scripts" / "install"
        self.venv = self.home / ".local" / "share" / "mcpgov" / "venv"
        self.environ = {"HOME": str(self.home), "PATH": str(self.bin), "STATE": str(self.state), "SHELL": "/bin/bash"}

    def run(self, **more: str) -> subprocess.CompletedProcess[str]:
        environ = {**self.environ, **more}
        return subprocess.run([self.script, "--yes"], env=environ, capture_output=True, text=True, timeout=60)

    def command(self) -> str:
        return subprocess.run([self.home / ".local/bin/mcpgov", "x"], capture_output=True, text=True).stdout


@pytest.fixture
def bench(tmp_path: Path, copy: Path) -> Bench:
    return Bench(tmp_path, copy)


def test_install_says_how_far_it_is_and_ends_with_mcpgov_install(bench):
    done = bench.run()
    assert done.returncode == 0, done.stderr
    steps = [line for line in done.stdout.splitlines() if line[:3] in ("1/3", "2/3", "3/3")]
    assert len(steps) == 3
    assert done.stdout.endswith("\nmcpgov install --yes\n")
    assert bench.command() == "mcpgov x\n"
    assert (bench.venv / ".mcpgov-install").read_text() == f"{bench.home}/.local/bin/mcpgov\n"


@pytest.mark.parametrize("apt", ["apt", "apt-get", ""])
def test_a_python_without_ensurepip_is_told_with_what_to_type_and_nothing_is_left(bench, apt):
    (bench.state / "without-ensurepip").touch()
    if apt:
        program(bench.bin / apt, "exit 1")
    done = bench.run()
    assert (done.returncode, "sudo apt install python3-venv" in done.stderr) == (1, bool(apt))
    assert "ensurepip" in done.stderr
    assert not bench.venv.exists()
    (bench.state / "without-ensurepip").unlink()
    assert bench.run().returncode == 0


def test_another_python_that_can_make_environments_is_taken_instead(bench):
    program(bench.bin / "python3.14", 'case "$*" in *ensurepip*) exit 1 ;; esac')
    assert bench.run().returncode == 0


@pytest.mark.parametrize("left", ["no pip", "unfinished", "no python", "an empty directory"])
def test_a_half_made_environment_is_made_anew(bench, left):
    (bench.venv / "bin").mkdir(parents=True)
    (bench.venv / "rubbish").touch()
    if left != "no python":
        shutil.copy(bench.bin / "python3", bench.venv / "bin" / "python")
    if left == "unfinished":
        (bench.venv / "bin" / "pip").touch()
        (bench.venv / ".unfinished").touch()
    done = bench.run()
    assert (done.returncode, "is made anew" in done.stdout) == (0, True), done.stderr
    assert not (bench.venv / "rubbish").exists()
    assert not (bench.venv / ".unfinished").exists()
    (bench.venv / "kept").touch()
    again = bench.run()
    assert (again.returncode, "is made anew" in again.stdout, (bench.venv / "kept").exists()) == (0, False, True)


def test_after_ctrl_c_it_can_be_run_again(bench):
    (bench.state / "hangs").touch()
    process = subprocess.Popen(
        [bench.script, "--yes"], env=bench.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    wait_for((bench.state / "hanging").exists, "pip")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, "run it again" in err) == (130, True)
    (bench.state / "hangs").unlink()
    done = bench.run()
    assert (done.returncode, "is made anew" in done.stdout, bench.command()) == (0, True, "mcpgov x\n")


@pytest.mark.parametrize(("shell", "line"), [
    ("/bin/bash", "  echo 'export PATH=\"{0}:$PATH\"' >> ~/.bashrc; export PATH=\"{0}:$PATH\""),
    ("/usr/bin/zsh", "  echo 'export PATH=\"{0}:$PATH\"' >> ~/.zshrc; export PATH=\"{0}:$PATH\""),
    ("/usr/bin/fish", "  fish_add_path {0}"),
    ("/bin/dash", '  export PATH="{0}:$PATH"'),
])  # fmt: skip
def test_where_the_command_is_not_on_the_path_the_line_to_type_is_printed(bench, shell, line):
    place = f"{bench.home}/.local/bin"
    assert line.format(place) in bench.run(SHELL=shell).stdout.splitlines()
    there = bench.run(SHELL=shell, PATH=f"{bench.bin}:{place}")
    assert "not on your PATH" not in there.stdout


# --- scripts/realparts

NO_NODE = "!!! NO NODE 22 HERE: the conformance suite will be skipped"


@pytest.mark.parametrize(("version", "refused", "installed", "said"), [
    (20, "", {"node-newer", "node-conformance", "node-gateway"}, []),
    (22, "", {"node-conformance", "node-gateway"}, []),
    (20, "node-*", {"node-conformance", "node-gateway"}, [NO_NODE]),
    (22, "supergateway*", {"node-conformance"}, ["!!! supergateway@4.0.0 NOT INSTALLED: its tests will be skipped"]),
])  # fmt: skip
def test_a_newer_node_comes_from_npm_where_it_is_needed_and_what_cannot_be_had_is_said(
    copy, tmp_path, version, refused, installed, said
):
    shutil.copy(ROOT / "scripts" / "realparts", copy / "scripts" / "realparts")
    bin = tmp_path / "bin"
    python = program(bin / "python", PYTHON)
    program(bin / "node", f"[ {version} -ge 22 ]")
    program(bin / "npm", f'for each; do case "$each" in {refused or "-"}) exit 1 ;; esac; done')
    for name in ("systemctl", "dbus-daemon"):
        program(bin / name, "exit 0")
    env = {"PATH": f"{bin}:{os.environ['PATH']}", "MCPGOV_PYTHON": str(python), "STATE": str(tmp_path)}
    done = subprocess.run([copy / "scripts" / "realparts"], env=env, capture_output=True, text=True, timeout=60)
    assert [line for line in done.stderr.splitlines() if line.startswith("!!!")] == said
    stamped = {stamp.parent.name for stamp in (copy / ".tools").glob("node-*/.stamp")}
    assert (done.returncode, stamped - {"node-clients", "node-axe"}) == (0, installed)
