"""`mcpgov servers`: every server of every installed client, and whether it is governed.

The files are read for this: `governed` means that the client would start the
launcher for it, or reach mcpgov at its URL. What no file tells is the daemon's
to know, while it runs: who still runs an old entry, which entries are
contested, which ones were lost. Files in projects are told of, too, where
`project_files` leaves them alone.

examples:
  mcpgov servers
  mcpgov servers --client gemini --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from mcpgov import reason_codes
from mcpgov.configs.config_pass import BUSY, FAILED, FileResult
from mcpgov.configs.locations import projects
from mcpgov.configs.remote.masked_url import host_of
from mcpgov.daemon.status.model import CONTESTED, ERROR, LOST, NATIVE, STDIO
from mcpgov.daemon.watching.project_servers import ProjectServers, UnmanagedApps
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.front.status.local_status import LocalStatus

COLUMNS = ("server", "client", "state", "transport", "why", "where")
RESTART = "restart the client: it still runs the old entry"
Row = dict[str, Any]


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser)


def run(args: Namespace, context: Context) -> Result:
    worker, sources = config_view.chosen_sources(args, context)
    results = [worker.look(source) for source in sources]
    aside = [] if args.config or worker.home.project_files else ProjectServers().look(worker, projects(worker.home))
    aside += [] if args.config or args.client else UnmanagedApps().look(worker)
    rows = server_rows([*results, *aside], LocalStatus(context).known())
    cells: list[list[str | Cell]] = [
        [
            row["name"],
            config_view.title_of(row["client"]),
            config_view.state_cell(row["state"], row["reason_code"]),
            _transport(row),
            "; ".join(filter(None, (row["reason"], RESTART if row["restart"] else ""))),
            Cell(_where(row["file"], row["path"]), "faint"),
        ]
        for row in rows
    ]
    failed = [result for result in results if result.result in (FAILED, BUSY)]
    view: list[Block] = [Table(COLUMNS, cells, empty="no client has a server yet")]
    view += [Line(f"{home_short(result.file)}: {result.reason}", "bad") for result in failed]
    data = {"servers": rows, "files": [config_view.file_data(result) for result in failed]}
    return Result("servers", data, view, config_view.exit_code(results))


def server_rows(results: Sequence[FileResult], known: Sequence[Row]) -> list[Row]:
    """What the files say, and what the daemon knows beyond that."""
    by_place = {(row["file"], tuple(row["path"])): row for row in known}
    rows = []
    for result in results:
        for state in result.states:
            row = config_view.state_data(state)
            more = by_place.get((state.file, state.place), row)
            row["restart"] = more["restart"]
            if more["state"] == CONTESTED and state.state == NATIVE:
                row |= {"state": CONTESTED, "reason": more["reason"], "reason_code": reason_codes.CONTESTED}
            rows.append(row)
        here = {state.place for state in result.states}
        lost = [row for row in known if row["state"] in (LOST, ERROR) and row["file"] == result.file]
        rows += [row for row in lost if tuple(row["path"]) not in here]
    return rows


def _transport(row: Row) -> str:
    """With the host of a remote server; that of a bridge is part of the note on it."""
    host = host_of(str(row.get("upstream", ""))) if row["transport"] != STDIO else ""
    return f"{row['transport']} {host}".strip()


def _where(file: str, path: Sequence[str]) -> str:
    project = f" ({home_short(path[1])})" if path[0] == "projects" else ""
    return home_short(file) + project
