"""What the page asks to see: a function for each URL, none of which changes anything.

Law: heavy reading is a command's, in a child; the daemon is asked only for what it alone knows.
"""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Awaitable, Callable, Mapping

from mcpgov.daemon_client import DaemonClient
from mcpgov.web import parameters
from mcpgov.web.clock_hours import heat_rows, hours_of
from mcpgov.web.commands import CommandFailed, PageCommands
from mcpgov.web.page_errors import PageError
from mcpgov.web.sections import Sections
from mcpgov.web.stream.record_items import item_of

Query = Mapping[str, object]
Data = dict[str, object]
Read = Callable[[Query], Awaitable[Data]]

FILTERS = ("server", "client", "tool", "method", "action", "rule", "session", "text", "since", "until")
DAYS = 7
SLOW = 120.0  # seconds for what reads the whole journal
NO_TEXT: Data = {"file": "", "text": "", "digest": "", "writable": False, "why": None}
NEVER_REACHED = "is never reached"
DECISION = re.compile(r"[0-9A-Za-z_.:-]{1,80}")


class PageReads:
    def __init__(self, daemon: DaemonClient, commands: PageCommands, sections: Sections) -> None:
        self._daemon, self._commands, self._sections = daemon, commands, sections

    def table(self) -> dict[str, Read]:
        return {
            "status": self.status,
            "why": self.why,
            "tools": self.tools,
            "policy": self.policy,
            "policy/text": self.policy_text,
            "policy/hits": self.policy_hits,
            "record": self.record,
            "heat": self.heat,
            "verify": self.verify,
            "budgets": self.budgets,
            "privacy": self.privacy,
            "grants": self.grants,
            "remote": self.remote,
        }

    async def status(self, _query: Query) -> Data:
        return _without_envelope(await self._sections.status())

    async def remote(self, _query: Query) -> Data:
        status = await self._sections.status()
        return {"remote": status.get("remote") or [], "listener": status.get("listener")}

    async def grants(self, _query: Query) -> Data:
        return await self._daemon.ask("grants")

    async def why(self, query: Query) -> Data:
        decision = parameters.text(query, "decision", most=80)
        if not DECISION.fullmatch(decision):
            raise PageError("wrong", "`decision` should be the number of a decision")
        return (await self._commands.run("why", names=[decision])).data

    async def tools(self, _query: Query) -> Data:
        return (await self._commands.run("tools")).data

    async def budgets(self, _query: Query) -> Data:
        return (await self._commands.run("budget")).data

    async def verify(self, _query: Query) -> Data:
        done = await self._commands.run("audit", "verify", seconds=SLOW)
        return {**done.data, "intact": done.status == 0}

    async def policy(self, _query: Query) -> Data:
        """The text, and if it can be compiled its rules."""
        text, shown, error = dict(NO_TEXT), None, None
        try:
            text = (await self._commands.run("policy", "edit")).data
            shown = with_shadows((await self._commands.run("policy", "show")).data)
        except CommandFailed as problem:
            error = {"message": str(problem), "hint": problem.hint}
        return {**text, "show": shown, "error": error}

    async def policy_text(self, _query: Query) -> Data:
        return (await self._commands.run("policy", "edit")).data

    async def policy_hits(self, _query: Query) -> Data:
        """How often each rule decided in the last days: that is counted from the record, and may take a while."""
        counted = (await self._commands.run("audit", "stats", f"--since={DAYS}d", seconds=SLOW)).data
        return {"days": DAYS, "rules": counted.get("rules", {}), "default": counted.get("default")}

    async def record(self, query: Query) -> Data:
        most = int(parameters.number(query, "limit", 1, 1000, 200))
        before = parameters.text(query, "before", most=300, optional=True)
        options = [*self.filters(query), *([f"--before={before}"] if before else [])]
        found = (await self._commands.run("audit", "show", *options, f"--limit={most}", seconds=SLOW)).data
        records = found.get("records")
        items = [_joined(each) for each in records] if isinstance(records, list) else []
        return {**found, "records": items}

    def filters(self, query: Query) -> list[str]:
        given = {name: parameters.text(query, name, most=300, optional=True) for name in FILTERS}
        return [f"--{name}={value}" for name, value in given.items() if value]

    async def heat(self, query: Query) -> Data:
        day = parameters.text(query, "day", most=10, optional=True) or time.strftime("%Y-%m-%d")
        try:
            hours = hours_of(datetime.date.fromisoformat(day))
        except (ValueError, OverflowError, OSError):
            raise PageError("wrong", "`day` should be a day: 2026-11-18") from None
        words = ("audit", "stats", f"--since={day}", f"--until={day}")
        counted = (await self._commands.run(*words, seconds=SLOW)).data
        return {"day": day, "hours": hours, **heat_rows(counted.get("hours"), hours), "days": counted.get("days", [])}

    async def privacy(self, query: Query) -> Data:
        days = int(parameters.number(query, "days", 1, 90, DAYS))
        counted = (await self._commands.run("audit", "stats", f"--since={days}d", seconds=SLOW)).data
        found = counted.get("findings")
        kinds = found if isinstance(found, list) else []
        return {"days": days, "kinds": kinds, "total": sum(int(row["count"]) for row in kinds)}


def with_shadows(shown: Data) -> Data:
    """The rules that an earlier one always decides before are marked: a warning names the line of each."""
    rules, warnings = shown.get("rules"), shown.get("warnings")
    if not isinstance(rules, list) or not isinstance(warnings, list):
        return shown
    told = {(each["source"], each["line"]) for each in warnings if NEVER_REACHED in str(each["message"])}
    return {**shown, "rules": [{**rule, "shadowed": (rule["source"], rule["line"]) in told} for rule in rules]}


def _joined(record: Mapping[str, object]) -> Data:
    """A search shows a call and what its answer adds as one."""
    added = {key: record[key] for key in ("round_trip_us", "error", "outcome") if key in record}
    return {**item_of({key: value for key, value in record.items() if key not in added}), **added}


def _without_envelope(found: Mapping[str, object]) -> Data:
    return {key: value for key, value in found.items() if key not in ("version", "command", "ok")}
