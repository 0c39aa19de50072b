"""`mcpgov daemon run`: start-up, main loop and shutdown.

Laws: one daemon at a time; no proxy depends on it, so its end does not disturb any.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress

from mcpgov import __version__
from mcpgov.daemon import instance_lock
from mcpgov.daemon.control.listener import private_place
from mcpgov.daemon.daemon import Daemon
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import FILE, Log
from mcpgov.daemon.sd_notify import Notifier
from mcpgov.daemon.status.status_facts import service_kind
from mcpgov.errors import EXIT_FAILED, McpgovError
from mcpgov.places import Places

DESCRIPTORS = 8192


def serve(places: Places, level: str = "", environ: MutableMapping[str, str] = os.environ) -> int:
    """Run until stopped. Raises McpgovError if it cannot start."""
    os.umask(0o077)
    os.chdir("/")
    _allow_descriptors()
    service = service_kind(environ)
    notifier = Notifier.of(environ)
    # launchd would write the mirrored log into a file that is never rotated.
    mirror = sys.stderr if sys.stderr.isatty() or service == "systemd" else None
    log = Log(places.log / FILE, level or "info", mirror=mirror)
    lock = instance_lock.InstanceLock(places.runtime / instance_lock.FILE)
    try:
        private_place(places.runtime)
        lock.take(__version__)
        daemon = Daemon(places, log, DesktopNotifier(), notifier, service, lock.held)
        if level:
            daemon.keep_level(level)
        _run(daemon)
        # A daemon that lost its lock has failed: the service manager starts another one, which clients can find.
        return 0 if lock.held() else EXIT_FAILED
    except McpgovError as error:
        log.error("cannot start", problem=str(error), hint=error.hint)
        raise
    finally:
        lock.release()
        log.close()


def _allow_descriptors() -> None:
    """Each session of the remote service is a connection; systems give 256 or 1,024 descriptors unless one asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # the unit forbids it, and has set the limit itself
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _run(daemon: Daemon) -> None:
    with _signals(daemon):
        try:
            daemon.open()
            daemon.reactor.run()
        finally:
            daemon.close()


@contextmanager
def _signals(daemon: Daemon) -> Iterator[None]:
    """SIGTERM and SIGINT stop it, SIGHUP reloads everything."""
    actions: dict[int, Callable[[], None]] = {
        signal.SIGTERM: daemon.reactor.stop,
        signal.SIGINT: daemon.reactor.stop,
        signal.SIGHUP: lambda: daemon.reactor.soon(daemon.reload),
    }
    # A signal wakes the selector through the loop's wake-up pipe.
    fd = signal.set_wakeup_fd(daemon.reactor.wake_fd, warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda n, _frame: actions[n]()) for number in actions}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(fd)
