"""The clocks of the ledger, and what tells one process and one start of the machine from another."""

from __future__ import annotations

import time

_SINCE_START = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady_clock() -> int:
    """Microseconds since the machine started, asleep or not; the same in every process."""
    return time.clock_gettime_ns(_SINCE_START) // 1000


def day_clock() -> int:
    return time.time_ns() // 1000


def process_start() -> str:
    """Which start of the machine this is, and when in it this process started: a pid alone may be another's later.

    Empty where the system does not tell it so; then the time of the hold has to do.
    """
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = file.read(4096).rpartition(b")")[2].split()[19].decode()
        return f"{boot_id()}:{ticks}"
    except (OSError, IndexError):
        return ""


def boot_id() -> str:
    with open("/proc/sys/kernel/random/boot_id", "rb") as file:
        return file.read(8).decode()


def this_start() -> str:
    """The same for as long as the machine runs; "" where the system does not tell."""
    try:
        return boot_id()
    except OSError:
        return ""
