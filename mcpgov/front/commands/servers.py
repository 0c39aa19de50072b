"""`mcpgov servers`: every server of every enabled client, and whether it is governed.

The files are read for this, nothing is remembered: `governed` means that the
client would start the launcher for it.

examples:
  mcpgov servers
  mcpgov servers --client gemini --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.configs.work import BUSY, FAILED
from mcpgov.front import config_view
from mcpgov.front.context import Context
from mcpgov.front.policy_view import home_short
from mcpgov.front.result import Block, Cell, Line, Result, Table

COLUMNS = ("server", "client", "state", "why", "where")


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser)


def run(args: Namespace, context: Context) -> Result:
    worker, sources = config_view.chosen(args, context)
    results = [worker.look(source) for source in sources]
    states = [state for result in results for state in result.states]
    rows: list[list[str | Cell]] = [
        [
            state.name,
            config_view.title_of(state.client),
            config_view.state_cell(state),
            state.reason,
            Cell(_where(state.file, state.place), "faint"),
        ]
        for state in states
    ]
    failed = [result for result in results if result.result in (FAILED, BUSY)]
    view: list[Block] = [Table(COLUMNS, rows, empty="no client has a server yet")]
    view += [Line(f"{home_short(result.file)}: {result.reason}", "bad") for result in failed]
    data = {
        "servers": [config_view.state_data(state) for state in states],
        "files": [config_view.file_data(result) for result in failed],
    }
    return Result("servers", data, view, config_view.exit_code(results))


def _where(file: str, place: tuple[str, ...]) -> str:
    project = f" ({home_short(place[1])})" if place[0] == "projects" else ""
    return home_short(file) + project
