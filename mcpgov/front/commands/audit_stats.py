"""`mcpgov audit stats`: how many calls, how many were stopped, how long they took.

A call is a message that got a verdict; p50 and p99 are the times that half and
99 of 100 do not exceed: of the decision, and of the way there and back.

examples:
  mcpgov audit stats
  mcpgov audit stats --since 24h --server 'git*'
  mcpgov audit stats --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from mcpgov import journal_reader
from mcpgov.front.audit import audit_filter
from mcpgov.front.audit.audit_counts import AuditCounts, Stats, bar, busiest, is_answer
from mcpgov.front.audit.audit_filter import Filter
from mcpgov.front.audit.rule_hits import RuleHits
from mcpgov.front.context import Context
from mcpgov.front.output import audit_view
from mcpgov.front.output.audit_view import cut, span
from mcpgov.front.output.text import count
from mcpgov.front.result import Block, Cell, Line, Result, Table, visible
from mcpgov.journal_reader import Damage

BAR = 20
SMALL_BAR = 6
TIMES = ("p50", "p99", "trip p50", "trip p99")
OTHER_COLUMNS = 62
MOST_TOOLS = 30


def add_arguments(parser: ArgumentParser) -> None:
    audit_filter.add_filters(parser)


def run(args: Namespace, context: Context) -> Result:
    wanted, damage, stats, hits = Filter(args), Damage(), Stats(), RuleHits()
    where = audit_filter.place(args, context)
    for piece in journal_reader.read(wanted.files(where), damage, wanted.holding):
        if is_answer(piece):
            stats.answer(piece)
        if not wanted.fits(piece):
            continue
        hits.add(piece)
        if piece.text("action") != journal_reader.ANSWERED:
            stats.add(piece)
    data = {**_data(stats, damage), **hits.data, "days": journal_reader.days(where)}
    return Result("audit stats", data, _view(stats, where), notes=damage.notes)


def _data(stats: Stats, damage: Damage) -> dict[str, object]:
    tools = [(server, tool, tally) for (server, tool), tally in stats.tools.items()]
    return {
        "records": stats.records,
        **({"reported": stats.reported} if stats.reported else {}),
        "damaged": damage.damaged,
        "torn": damage.torn,
        "first": stats.first or None,
        "last": stats.last or None,
        **stats.total.data,
        "counts": dict(sorted(stats.actions.items())),
        "actions": [{"action": name, **tally.data} for name, tally in busiest(stats.verdicts.items())],
        "servers": [{"server": name, **tally.data} for name, tally in busiest(stats.servers.items())],
        "tools": [
            {"server": server, "tool": tool, **tally.data}
            for server, tool, tally in sorted(tools, key=lambda item: (-item[2].calls, item[:2]))
        ],
    }


def _view(stats: Stats, where: str) -> list[Block]:
    told = Line(f"{count(stats.reported, 'action')} reported by servers themselves: mcpgov audit show --reported")
    reported: list[Block] = [told] if stats.reported else []
    if not stats.records:
        return reported or [Line(audit_view.empty(where))]
    total = stats.total
    head = f"{count(total.calls, 'call')}, {total.stopped:,} stopped, {count(total.errors, 'error')}"
    when = f"{audit_view.clock(stats.first)} to {audit_view.clock(stats.last)}"
    room = audit_view.width()
    servers = [(_named(name, room), tally) for name, tally in busiest(stats.servers.items())]
    tools = [
        (_named(tool if len(servers) == 1 else f"{server} {tool}", room), tally)
        for (server, tool), tally in stats.tools.items()
    ]
    return [
        Line(f"{head}; {when}", "strong"),
        _actions(stats),
        _names("server", servers, len(servers)),
        _names("tool", busiest(tools), MOST_TOOLS),
        *reported,
    ]


def _named(name: str, room: int | None) -> str:
    return cut(visible(name), max(room - OTHER_COLUMNS, 12)) if room else name


def _actions(stats: Stats) -> Table:
    most, total = max(stats.actions.values()), sum(stats.actions.values())
    rows: list[list[str | Cell]] = []
    for name, number in sorted(stats.actions.items(), key=lambda item: (-item[1], item[0])):
        style = audit_view.STYLES.get(name, "faint")
        share = f"{number * 100 / total:5.1f} %"
        rows.append([Cell(name or "–", style), f"{number:>9,}", share, Cell(bar(number, most, BAR), style)])
    return Table(("action", "  records", "  share", ""), rows)


def _names(title: str, tallies: Sequence[tuple[str, AuditCounts]], most_rows: int) -> Table:
    most = max((tally.calls for _, tally in tallies), default=0)
    rows: list[list[str | Cell]] = []
    for name, tally in tallies:
        stopped = Cell(f"{tally.stopped:,}" if tally.stopped else "", "deny")
        times = [tally.decided.at(50), tally.decided.at(99), tally.round_trip.at(50), tally.round_trip.at(99)]
        shown = Cell(bar(tally.calls, most, SMALL_BAR), "deny" if tally.stopped == tally.calls else "allow")
        rows.append([Cell(name, "strong"), shown, f"{tally.calls:>6,}", stopped, *map(span, times)])
    return Table((title, "", " calls", "denied", *TIMES), rows, most=most_rows)
