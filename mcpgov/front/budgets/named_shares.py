"""Which share of a budget a person raises, also one in which nothing was counted yet.

Law: the raise of a misspelled share would help nobody and stay unseen. So a share that nothing was counted in is taken
as meant where the apps' configs, the governed servers or their tools name it; of any other a person is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from mcpgov import remote_servers, tool_store
from mcpgov.configs.clients import BY_NAME, OTHER
from mcpgov.configs.locations import projects
from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.core.rules.call import GOVERNED
from mcpgov.daemon.status.budget_shares import BudgetShare
from mcpgov.daemon.watching.project_servers import ProjectServers
from mcpgov.errors import McpgovError, nearest
from mcpgov.front.budgets.standings import Standings, counts_apart, share_named, uncounted
from mcpgov.front.context import Context
from mcpgov.front.output.text import some
from mcpgov.guards.ledger.rows import CLIENT, NOBODY, OPERATION, PROJECT, SERVER, TOOL

# Why a share is not taken as meant.
UNKNOWN = {
    SERVER: "no app has a server `{}`",
    CLIENT: "mcpgov knows no app `{}`",
    PROJECT: "no app names a project `{}`",
    TOOL: "no server has shown a tool `{}`",
    OPERATION: "there is no operation `{}`",
}


@dataclass(frozen=True, slots=True)
class RaisedShare:
    """`doubt`: why it may be misspelled, "" where it is known; `hint`: what may be meant instead."""

    share: BudgetShare
    counted: bool = True
    doubt: str = ""
    hint: str = ""


def share_to_raise(context: Context, found: Standings, name: str, share: str | None) -> RaisedShare:
    """Raises McpgovError where no share, or more than one, is meant."""
    row = next((row for row in found.rows if row.name == name and counts_apart(row)), None)
    counted = [each.share for each in found.budgets if each.name == name]
    if row is None or share in counted or (share is None and counted):
        return RaisedShare(share_named(found, name, share))
    known = known_shares(context, row.each)
    if not share:
        told = f"nothing of `{name}` is spent in this period, and it is counted for each {row.each} apart: say which"
        raise McpgovError(told, hint=f"--share, one of: {some([*map(quote, known)])}" if known else "--share WHOSE")
    new = uncounted(found, row, share)
    if share in known:
        return RaisedShare(new, counted=False)
    near = nearest(share, [*known, *counted])
    hint = f"did you mean `{near}`?" if near else f"known: {some([*map(quote, known)])}" if known else ""
    return RaisedShare(new, counted=False, doubt=UNKNOWN[row.each].format(share), hint=hint)


def known_shares(context: Context, each: str) -> list[str]:
    """The names that a share of such a budget may have, as `--share` takes them."""
    if each == SERVER:
        return sorted(_servers(context))
    if each == CLIENT:
        return [*BY_NAME, OTHER.name, NOBODY]
    if each == PROJECT:
        return [*sorted(_projects(context)), NOBODY]
    if each == OPERATION:
        return [*OPERATIONS, *sorted(GOVERNED)]
    seen, _ = tool_store.load_all(str(context.places.tools))
    return [f"{tools.server} {tool}" for tools in seen for tool in tools.names]


def _servers(context: Context) -> set[str]:
    """Of all apps, enabled or not; those that proxies have seen; remote ones."""
    worker = context.worker([*BY_NAME])
    results = [worker.look(source) for source in worker.sources()]
    results += ProjectServers().look(worker, projects(worker.home))
    seen, _ = tool_store.load_all(str(context.places.tools))
    remote = remote_servers.load_servers(context.places.remote_servers).values()
    named = {state.name for result in results for state in result.states}
    return named | {tools.server for tools in seen} | {server.name for server in remote}


def _projects(context: Context) -> set[str]:
    worker = context.worker([*BY_NAME])
    remote = remote_servers.load_servers(context.places.remote_servers).values()
    named = {*projects(worker.home), *(source.project for source in worker.sources())}
    return {name for name in (*named, *(server.project for server in remote)) if name}
