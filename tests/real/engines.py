"""Real engines for shared budgets, started by the tests on loopback: Redis or Valkey, and PostgreSQL.

Law: what an engine keeps lies in a directory of its own, which goes with it; no process of one outlives its test.
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.helpers import certificates
from tests.helpers.talks import wait_for

SECRET = "s3cret-of-the-engine"
STARTS_IN = 30.0


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def listens(port: int) -> bool:
    with socket.socket() as tried:
        tried.settimeout(0.5)
        return tried.connect_ex(("127.0.0.1", port)) == 0


class EngineServer:
    """One engine at one port of the loopback. `url`: with its password."""

    name = ""
    url = ""

    def __init__(self) -> None:
        self.port = free_port()
        self.home = Path(tempfile.mkdtemp(prefix="mcpgov-engine-"))
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, cwd=self.home)
        wait_for(self.answers, f"the start of {self.name}", STARTS_IN)

    def answers(self) -> bool:
        return listens(self.port)

    def _all(self) -> list[psutil.Process]:
        assert self.process is not None
        with contextlib.suppress(psutil.NoSuchProcess):
            first = psutil.Process(self.process.pid)
            return [first, *first.children(recursive=True)]
        return []

    def pause(self) -> None:
        """It is there and does not answer."""
        for each in self._all():
            with contextlib.suppress(psutil.NoSuchProcess):
                each.suspend()

    def go_on(self) -> None:
        for each in self._all():
            with contextlib.suppress(psutil.NoSuchProcess):
                each.resume()

    def stop(self, number: int = signal.SIGKILL) -> None:
        if self.process is not None:
            left = self._all()
            for each in left:
                with contextlib.suppress(psutil.NoSuchProcess):
                    each.resume()
                    each.send_signal(number)
            self.process.wait(STARTS_IN)
            psutil.wait_procs(left, STARTS_IN)
            self.process = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)


class RedisServer(EngineServer):
    name = "redis"

    def __init__(self) -> None:
        super().__init__()
        self.url = f"redis://:{SECRET}@127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "yes", "--requirepass", SECRET]
        return [redis_program(self.home), *words, "--dir", str(self.home), "--save", "", "--daemonize", "no"]


class RedisTls(RedisServer):
    """`authority`: the file that tells its certificate from others."""

    def __init__(self) -> None:
        super().__init__()
        self.authority, _ = certificates.make(self.home)
        self.url = f"rediss://:{SECRET}@127.0.0.1:{self.port}/0?ssl_ca_certs={self.authority}"

    def command(self) -> list[str]:
        words = [word if word != "--port" else "--tls-port" for word in super().command()]
        files = ["--tls-cert-file", "cert.pem", "--tls-key-file", "key.pem", "--tls-ca-cert-file", "cert.pem"]
        return [*words, "--port", "0", "--tls-auth-clients", "no", *files]


def redis_program(home: Path) -> str:
    """Debian's `redis-tools` has the server under the name of a checker: what it does depends on its name."""
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    checker = shutil.which("redis-check-rdb")
    if checker is None:
        pytest.skip("REAL PART MISSING: neither valkey-server nor redis-server (run scripts/realparts)")
    link = home / "redis-server"
    if not link.is_symlink():
        link.symlink_to(checker)
    return str(link)


class PostgresServer(EngineServer):
    name = "postgres"

    def __init__(self) -> None:
        super().__init__()
        self.url = f"postgresql://tester:{SECRET}@127.0.0.1:{self.port}/postgres"
        self.data = self.home / "data"

    @staticmethod
    def program(name: str) -> str:
        found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        where = str(found[-1]) if found else shutil.which(name)
        if where is None:
            pytest.skip("REAL PART MISSING: PostgreSQL (run scripts/realparts)")
        return where

    def _as_user(self) -> list[str]:
        """It refuses to run as root."""
        if os.geteuid():
            return []
        return ["setpriv", f"--reuid={_other().pw_uid}", f"--regid={_other().pw_gid}", "--clear-groups", "--"]

    def start(self) -> None:
        if not self.data.exists():
            initdb = self.program("initdb")
            password = self.home / "password"
            password.write_text(SECRET)
            if not os.geteuid():
                for path in (self.home, password):
                    os.chown(path, _other().pw_uid, _other().pw_gid)
            words = [initdb, "-D", str(self.data), "-U", "tester", "-A", "scram-sha-256", f"--pwfile={password}", "-N"]
            subprocess.run([*self._as_user(), *words], check=True, capture_output=True, cwd=self.home)
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        super().start()

    def command(self) -> list[str]:
        options = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.home}
        options |= {"max_connections": 60, "shared_buffers": "16MB", "fsync": "off"}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        return [*self._as_user(), self.program("postgres"), "-D", str(self.data), *words]

    def answers(self) -> bool:
        ready = self.program("pg_isready")
        words = [ready, "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0


class PostgresTls(PostgresServer):
    """`authority`: as above. Over a connection that is not encrypted nobody is let in."""

    def __init__(self) -> None:
        super().__init__()
        self.authority, _ = certificates.make(self.home)
        self.url += f"?sslmode=verify-full&sslrootcert={self.authority}"

    def start(self) -> None:
        if not os.geteuid():
            os.chown(self.home / "key.pem", _other().pw_uid, _other().pw_gid)
        super().start()

    def command(self) -> list[str]:
        access = self.data / "pg_hba.conf"
        access.write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n", "utf-8")
        files = {"ssl_cert_file": self.home / "cert.pem", "ssl_key_file": self.home / "key.pem"}
        return [*super().command(), "-c", "ssl=on", *(f"--{name}={path}" for name, path in files.items())]


def _other() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    pytest.skip("REAL PART MISSING: PostgreSQL runs under no user of this machine")


ENGINES = {"redis": RedisServer, "postgres": PostgresServer}
ENCRYPTED = {"redis": RedisTls, "postgres": PostgresTls}


@contextlib.contextmanager
def running(name: str, kinds: dict[str, type[EngineServer]] = ENGINES) -> Iterator[EngineServer]:
    engine = kinds[name]()
    try:
        engine.start()
        yield engine
    finally:
        engine.close()


class Cable:
    """A forwarder on loopback between machines and an engine, which can be cut: then nobody answers there."""

    def __init__(self, engine: EngineServer) -> None:
        self._engine = engine
        self.port = free_port()
        self.url = engine.url.replace(f":{engine.port}/", f":{self.port}/")
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.mend()

    def mend(self) -> None:
        listener = self._listener = socket.create_server(("127.0.0.1", self.port), reuse_port=True)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        assert self._listener is not None
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        opened, self._open = self._open, []
        for each in opened:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
                each.close()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._engine.port))
                self._open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_copy, args=(one, other), daemon=True).start()


def _copy(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    for each in (one, other):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
            each.close()
