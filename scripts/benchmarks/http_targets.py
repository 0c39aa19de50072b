"""What is measured on HTTP: the stub by itself, the byte-level reverse proxy and our listener in front of it.

The targets share one CPU, the clients and the stub have the others: what is measured is the target.
"""

import contextlib
import datetime
import ipaddress
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from shapes import SHAPES

from mcpgov.policy.starter import starter

HERE = Path(__file__).parent
MCPGOV = str(Path(sys.executable).with_name("mcpgov"))
DIRECT, BYTES = "direct", "byte proxy"
# The shapes that are shipped and shown first: the starter that `install` offers, and a table per service.
POLICIES = {"balanced": starter("balanced"), "services": SHAPES["service tables"]}
UP_WITHIN = 30.0
AT_START = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}


def cpus() -> tuple[set[int], set[int]]:
    """(for the target, for everybody else), of those that this process had at its start: it takes its own part."""
    target = {max(AT_START)}
    return target, (AT_START - target) or target


def ours(scratch: Path, policy: str, url: str, port: int) -> list[str]:
    root = scratch / f"root-{policy}"
    file = root / "config" / "policy.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(POLICIES[policy], "utf-8")
    file.chmod(0o600)
    words = ["proxy", "--server", "s", "--url", f"{url}/mcp", "--listen", f"127.0.0.1:{port}"]
    return [MCPGOV, "--root", str(root), *words]


def argv_of(name: str, scratch: Path, url: str, port: int) -> list[str]:
    if name == BYTES:
        return [sys.executable, str(HERE / "byte_proxy.py"), url, str(port)]
    return ours(scratch, name, url, port)


class Target:
    """A running target: the port clients use, and its processes."""

    def __init__(self, name: str, port: int, pid: int = 0) -> None:
        self.name, self.port, self.pid = name, port, pid

    def pids(self) -> list[int]:
        found, out = [self.pid] if self.pid else [], []
        while found:
            out.append(pid := found.pop())
            for task in Path(f"/proc/{pid}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        return out

    def _sum(self, field: int) -> int:
        """Over all threads: a listener may resolve names in one."""
        tasks = [task for pid in self.pids() for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int((task / "schedstat").read_text().split()[field]) for task in tasks)

    def cpu(self) -> float:
        """Seconds."""
        return self._sum(0) / 1e9

    def wakes(self) -> int:
        return self._sum(2)

    def memory(self, key: str = "VmRSS:") -> float:
        """MB (1e6 bytes)."""
        total = 0
        for pid in self.pids():
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith(key):
                    total += int(line.split()[1])
        return total * 1024 / 1e6

    def reset_peak(self) -> None:
        for pid in self.pids():
            Path(f"/proc/{pid}/clear_refs").write_text("5")


@contextlib.contextmanager
def stub(*certificate: str) -> Iterator[str]:
    """The URL of a stub of its own, without a path."""
    command = [sys.executable, "-I", str(HERE / "http_stub.py"), *certificate]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        os.sched_setaffinity(process.pid, cpus()[1])
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            yield f"{'https' if certificate else 'http'}://127.0.0.1:{port}"
        finally:
            process.stdin.close()
            process.wait(5)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def target(name: str, scratch: Path, url: str, **env: str) -> Iterator[Target]:
    if name == DIRECT:
        yield Target(name, int(url.rpartition(":")[2]))
        return
    port = free_port()
    with open(scratch / f"{name}.log", "ab") as log:
        process = subprocess.Popen(
            argv_of(name, scratch, url, port), env={**os.environ, **env}, cwd=scratch, stdin=subprocess.PIPE,
            stdout=log, stderr=log,
        )  # fmt: skip
    os.sched_setaffinity(process.pid, cpus()[0])
    try:
        until_up(process, port, scratch / f"{name}.log")
        yield Target(name, port, process.pid)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until_up(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + UP_WITHIN
    while True:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"the listener did not come up: {log.read_text('utf-8', 'replace')[-2000:]}")
        time.sleep(0.02)


def certificate(place: Path) -> tuple[str, str]:
    """A certificate for 127.0.0.1 that signs itself, and its key: two files."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = place / "stub.pem", place / "stub.key"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.touch(0o600)
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return str(public), str(private)
