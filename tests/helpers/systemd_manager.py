"""A real systemd user manager for a test, also where systemd is not process 1.

It lives in a mount namespace with a /run of its own, in control groups of its own, and in a user namespace in which it
is an ordinary user: what needs privileges fails in it as it does at a person's desk. The keeper, a shell script, ends
all of it when its standard input ends, so nothing is left even where the tests are killed.
"""

import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SYSTEMD = next((path for path in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if Path(path).exists()), "")
TOOLS = ("systemctl", "systemd-analyze", "dbus-daemon", "unshare", "nsenter", "mount", "bash")
LONGEST = 20.0
_numbers = itertools.count()

# $1 the base directory, $2… the control groups.
KEEPER = f"""
set -eu
base=$1; shift
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system
(
  for group; do echo $BASHPID > "$group/cgroup.procs"; done
  exec env -i HOME="$base/home" XDG_RUNTIME_DIR="$base/run" PATH=/usr/bin:/bin NOTIFY_SOCKET="$base/notify" \\
    DBUS_SESSION_BUS_ADDRESS="unix:path=$base/run/bus" \\
    unshare --user --map-user=1000 --map-group=1000 bash -c '
      echo $$ > "$HOME/../pid"
      env --unset=NOTIFY_SOCKET dbus-daemon --session --fork --address="$DBUS_SESSION_BUS_ADDRESS"
      exec {SYSTEMD} --user --log-target=console --log-level=notice'
) > "$base/log" 2>&1 < /dev/null &
set +e
read -r _
kill -TERM $! 2> /dev/null
for round in $(seq 200); do
  # First the manager, which ends its services in order; then whatever is left. Groups vanish while we look.
  if [ -z "$(jobs -rp)" ] || [ "$round" -gt 100 ]; then
    for group; do find "$group" -name cgroup.procs -exec cat {{}} + ; done 2> /dev/null | sort -u | xargs -r kill -KILL
    for group; do find "$group" -depth -type d -exec rmdir {{}} \\; ; done
    left=; for group; do [ -e "$group" ] && left=1; done
    [ -z "$left" ] && break
  fi 2> /dev/null
  sleep 0.05
done
rm -rf "$base"
"""


@dataclass(frozen=True)
class Manager:
    """`environ` is what a process needs to be a neighbour of the manager; its `systemctl` reaches it."""

    base: Path
    pid: int
    environ: dict[str, str]

    @property
    def home(self) -> Path:
        return self.base / "home"

    def inside(self, *words: str) -> list[str]:
        """The command, run as the manager's own user."""
        return ["nsenter", f"--target={self.pid}", "--user", "--mount", "--preserve-credentials", *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environ = {**self.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}  # the real systemctl
        return subprocess.run(self.inside(*words), env=environ, capture_output=True, text=True, timeout=60, check=False)

    def systemctl(self, *words: str) -> str:
        return self.run("systemctl", "--user", "--no-pager", *words).stdout.strip()

    def log(self) -> str:
        return (self.base / "log").read_text("utf-8", errors="replace")


def missing() -> str:
    """Why there can be no manager here; nothing if there can."""
    if sys.platform != "linux":
        return "this is no Linux"
    if os.geteuid() != 0:
        return "only root may make the namespaces and control groups"
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None] + ([] if SYSTEMD else ["systemd"])
    if lacking:
        return f"{', '.join(lacking)} not installed (Debian: systemd, dbus)"
    made = subprocess.run(
        ["unshare", "--mount", "unshare", "--user", "--map-user=1000", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return f"namespaces are not permitted: {made.stderr.strip()}" if made.returncode else ""


def _hierarchies() -> list[Path]:
    """This process's groups where systemd keeps its own: the unified hierarchy, and the named one beside it."""
    mounts: dict[str, tuple[str, str]] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ")
        fields, (kind, _, options) = before.split(), after.split(" ", 2)
        if kind == "cgroup2":
            mounts["0::"] = (fields[4], fields[3])
        elif kind == "cgroup" and "name=systemd" in options:
            mounts["name=systemd"] = (fields[4], fields[3])
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, names, path = line.split(":", 2)
        place = mounts.get("0::" if number == "0" else names)
        if place is not None:
            found.append(Path(place[0] + "/" + path.removeprefix(place[1]).lstrip("/")))
    return found


def _groups(name: str) -> list[Path]:
    groups = [place / name for place in _hierarchies()]
    if not groups:
        pytest.skip("NO SYSTEMD MANAGER: control groups are not mounted here")
    try:
        for group in groups:
            group.mkdir()
    except OSError as error:
        for group in groups:
            with contextlib.suppress(OSError):
                group.rmdir()
        pytest.skip(f"NO SYSTEMD MANAGER: control groups cannot be made here: {error}")
    return groups


@contextlib.contextmanager
def running_manager() -> Iterator[Manager]:
    """Skips, loudly, where there can be none."""
    reason = missing()
    if reason:
        pytest.skip(f"NO SYSTEMD MANAGER: {reason}")
    groups = _groups(f"mcpgov-test-{os.getpid()}-{next(_numbers)}")
    base = Path(tempfile.mkdtemp(prefix="mcpgov-sd-"))  # short: sockets lie in it
    for name in ("home", "run", "bin"):
        (base / name).mkdir(mode=0o700)
    words = ["unshare", "--mount", "--propagation=private", "bash", "-c", KEEPER, "keeper", base, *groups]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(str(base / "notify"))
            keeper = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
            try:
                _await_ready(ready, base)
                yield _manager(base)
            finally:
                keeper.communicate()
                assert not any(group.exists() for group in groups), "the manager's processes have not ended"
    finally:
        shutil.rmtree(base, ignore_errors=True)  # the keeper has done so, if it began


def _await_ready(ready: socket.socket, base: Path) -> None:
    ready.settimeout(LONGEST)
    try:
        while b"READY=1" not in ready.recv(4096):
            continue
    except TimeoutError:
        pytest.fail(f"the manager did not start:\n{(base / 'log').read_text()}")


def _manager(base: Path) -> Manager:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "DBUS_", "MCPGOV_"))}
    environ = {
        **kept,
        "HOME": str(base / "home"),
        "XDG_RUNTIME_DIR": str(base / "run"),
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={base}/run/bus",
        "PATH": f"{base}/bin:{os.environ['PATH']}",
    }
    manager = Manager(base, int((base / "pid").read_text()), environ)
    real, front = shutil.which("systemctl"), base / "bin" / "systemctl"
    front.write_text(f'#!/bin/sh\nexec {" ".join(manager.inside(str(real)))} "$@"\n')
    front.chmod(0o755)
    return manager


def until(true: Callable[[], object], what: str) -> None:
    """Bounded, in short steps: for what no event tells."""
    end = time.monotonic() + LONGEST
    while not true():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.02)
