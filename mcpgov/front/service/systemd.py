"""The user's systemd, through systemctl. Law: a failure is reported in systemd's own words."""

from __future__ import annotations

import time

from mcpgov.errors import McpgovError
from mcpgov.front.service.service_manager import Status, UnitState, number, run

# ActiveState -> our status; every other one counts as `inactive`.
STATES: dict[str, Status] = {
    "active": "active",
    "reloading": "active",
    "activating": "starting",
    "failed": "failed",
}
ASKED = "LoadState,ActiveState,SubState,Result,MainPID,NRestarts,StateChangeTimestampMonotonic,UnitFileState"


class Systemd:
    """The user's own manager."""

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def unit_path() -> tuple[str, str]:
        """Where the manager looks for units, in one line; and why it cannot be asked."""
        status, out, err = run(["systemctl", "--user", "show", "--property=UnitPath"])
        return (out.strip().removeprefix("UnitPath="), "") if status == 0 else ("", err)

    def ask(self, *words: str) -> str:
        status, out, err = run(["systemctl", "--user", "--no-pager", *words])
        if status != 0:
            hint = f"journalctl --user --unit {self.name} --lines 20"
            raise McpgovError(f"systemd refused `{' '.join(words)}`: {err}", hint=hint)
        return out

    def state(self) -> UnitState:
        out = self.ask("show", f"--property={ASKED}", self.name)
        properties = dict(line.partition("=")[::2] for line in out.splitlines())
        loaded, active = properties.get("LoadState", ""), properties.get("ActiveState", "")
        status = STATES.get(active, "inactive")
        if loaded == "not-found" and status == "inactive":
            return UnitState("missing")
        changed = number(properties.get("StateChangeTimestampMonotonic", ""))
        why = properties.get("Result", "success")
        return UnitState(
            status,
            enabled=properties.get("UnitFileState") == "enabled",
            pid=number(properties.get("MainPID", "")) or None,
            since=time.time() - time.monotonic() + changed / 1e6 if changed else None,
            restarts=number(properties.get("NRestarts", "")),
            detail=properties.get("SubState", "") + (f": {why}" if why != "success" else ""),
        )

    def take_up(self, changed: bool) -> list[str]:
        """Enable a written unit and make sure that its current text runs."""
        if changed or self.state().status == "missing":
            self.ask("daemon-reload")
        before, steps_done = self.state(), []
        if not before.enabled:
            self.ask("enable", self.name)
            steps_done.append("enabled the service at login")
        if changed and before.status in ("active", "starting"):
            self.restart()
            steps_done.append("restarted the service")
        elif before.status != "active":
            self.start()
            steps_done.append("started the service")
        return steps_done

    def give_up(self) -> list[str]:
        """Stop and disable the unit, before its file is removed."""
        before = self.state()
        if before.status == "missing":
            return []
        self.ask("disable", "--now", self.name) if before.enabled else self.stop()
        return ["stopped and disabled the service"]

    def forget(self) -> None:
        """After the unit's file is removed. Resetting a unit that has not failed is an error, which is ignored."""
        self.ask("daemon-reload")
        run(["systemctl", "--user", "reset-failed", self.name])

    def start(self) -> None:
        # A unit that failed too often would be refused until its start limit expires.
        run(["systemctl", "--user", "reset-failed", self.name])
        self.ask("start", self.name)

    def stop(self) -> None:
        self.ask("stop", self.name)

    def restart(self) -> None:
        run(["systemctl", "--user", "reset-failed", self.name])
        self.ask("restart", self.name)
