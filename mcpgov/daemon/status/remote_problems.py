"""What is wrong with remote servers, and what to type. Pure.

Law: where their service is down, every remote server is unreachable: that is the first problem of all.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcpgov import reason_codes as codes
from mcpgov.daemon.processes.apps import TITLES
from mcpgov.daemon.status import model, remote_facts, typed_commands
from mcpgov.daemon.status.model import Facts, Problem

MOST_NAMES = 5
STARTS = {model.STOPPED: "mcpgov daemon start", model.NOT_INSTALLED: "mcpgov install"}


def remote_problems(facts: Facts) -> list[Problem]:
    if not facts.remote:
        return []
    return [*_service(facts), *_logins(facts), *_port(facts)]


def _service(facts: Facts) -> list[Problem]:
    listener = facts.listener
    if listener is None or listener.state not in (remote_facts.DOWN, remote_facts.SILENT):
        return []
    why = f": {listener.why}" if listener.why else ""
    if listener.state == remote_facts.SILENT:
        text = f"the service that reaches remote servers does not answer{why}"
        return [Problem(text, "mcpgov daemon restart", reason_code=codes.REMOTE_SILENT)]
    names = list(dict.fromkeys(row.server for row in facts.remote))
    text = f"every remote server is unreachable ({_names(names)}), their service is down{why}"
    hint = STARTS.get(facts.daemon.state, "mcpgov daemon restart")
    return [Problem(text, hint, reason_code=codes.REMOTE_DOWN)]


def _logins(facts: Facts) -> list[Problem]:
    return [
        Problem(
            f"`{row.server}` in {TITLES.get(row.client, row.client)} needs a login, its calls are denied"
            + (f": {row.why}" if row.why else ""),
            typed_commands.typed("login", row.server),
            reason_code=codes.REMOTE_LOGIN,
        )
        for row in facts.remote
        if row.state == remote_facts.LOGIN
    ]


def _port(facts: Facts) -> list[Problem]:
    listener = facts.listener
    if listener is None or not listener.restart:
        return []
    text = "the port of remote servers has changed, another program had taken it; running apps still use the old one"
    apps = ", ".join(TITLES.get(client, client) for client in listener.restart)
    return [Problem(text, f"restart the apps: {apps}", model.WARNING, codes.REMOTE_PORT)]


def needs_login(title: str, names: Sequence[str]) -> Problem:
    """Entries that stay ungoverned until somebody logs in: one command each."""
    which = f"{_names(names)} in {title} {'is' if len(names) == 1 else 'are'} not governed"
    typed = "; ".join(typed_commands.typed("login", name) for name in dict.fromkeys(names))
    return Problem(f"{which}: a login is needed first", typed, model.WARNING)


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
