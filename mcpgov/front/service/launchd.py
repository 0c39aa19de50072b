"""The user's domain of launchd, through launchctl. Law: a failure is reported in launchd's own words."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from mcpgov.errors import McpgovError
from mcpgov.front.service.service_manager import Status, UnitState, number, run

LONGEST_END = 20.0
STEP = 0.05


class Launchd:
    """One service; stopped means not loaded."""

    def __init__(self, name: str, domain: str, unit: Path) -> None:
        self.name, self.domain, self.unit = name, domain, unit
        self.target = f"{domain}/{name}"

    @staticmethod
    def find_domain() -> tuple[str, str]:
        """The domain of the desktop session, else of the user; and why there is none."""
        err = ""
        for domain in (f"gui/{os.getuid()}", f"user/{os.getuid()}"):
            status, _, err = run(["launchctl", "print", domain])
            if status == 0:
                return domain, ""
        return "", err

    def ask(self, *words: str) -> str:
        status, out, err = run(["launchctl", *words])
        if status != 0:
            hint = f"launchctl print {self.target}"
            raise McpgovError(f"launchd refused `{' '.join(words)}`: {err or f'status {status}'}", hint=hint)
        return out

    def _print(self) -> dict[str, str] | None:
        """The top-level `key = value` lines; None where the service is not loaded."""
        status, out, _ = run(["launchctl", "print", self.target])
        return dict(re.findall(r"(?m)^\t([a-z ]+) = (.*[^{\s])\s*$", out)) if status == 0 else None

    def _disabled(self) -> bool:
        """A person may have disabled it; launchd remembers that without the file."""
        _, out, _ = run(["launchctl", "print-disabled", self.domain])
        return re.search(rf'"{re.escape(self.name)}" => (disabled|true)', out) is not None

    def state(self) -> UnitState:
        enabled, properties = self.unit.exists() and not self._disabled(), self._print()
        if properties is None:
            return UnitState("inactive" if self.unit.exists() else "missing", enabled)
        pid, code = number(properties.get("pid", "")) or None, properties.get("last exit code", "")
        ended = code if code not in ("0", "(never exited)") else ""
        status: Status = "active" if pid else "failed" if ended else "inactive"
        detail = properties.get("state", "") + (f": last exit code {ended}" if ended else "")
        return UnitState(status, enabled, pid, None, max(number(properties.get("runs", "")) - 1, 0), detail)

    def take_up(self, changed: bool) -> list[str]:
        before, steps_done = self.state(), []
        if not before.enabled:
            self.ask("enable", self.target)
            steps_done.append("enabled the service at login")
        if changed and self._print() is not None:
            self.stop()
            self.start()
            steps_done.append("restarted the service")
        elif before.status != "active":
            self.start()
            steps_done.append("started the service")
        return steps_done

    def give_up(self) -> list[str]:
        if self._print() is None:
            return []
        self.stop()
        return ["stopped and disabled the service"]

    def forget(self) -> None:
        """launchd keeps nothing of a service that is not loaded."""

    def start(self) -> None:
        if self._print() is None:
            self.ask("bootstrap", self.domain, str(self.unit))
        else:
            self.ask("kickstart", self.target)

    def stop(self) -> None:
        """Waits for the end: until then the service cannot be loaded again."""
        if self._print() is None:
            return
        status, _, err = run(["launchctl", "bootout", self.target])
        end = time.monotonic() + LONGEST_END
        while self._print() is not None:
            if time.monotonic() > end:
                raise McpgovError(f"launchd has not ended `{self.target}`: {err or f'status {status}'}")
            time.sleep(STEP)

    def restart(self) -> None:
        self.stop()
        self.start()
