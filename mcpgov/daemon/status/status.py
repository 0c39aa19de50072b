"""Facts -> Status, for `mcpgov status` in all its forms. Pure: no I/O, no clock."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import ClientStatus, Facts, File, Server, Status
from mcpgov.daemon.status.problems import problems, worst

VERSION = 1
STARTING = 60  # seconds
SUBJECTS = {
    model.STOPPED: "the daemon is stopped",
    model.NOT_INSTALLED: "mcpgov is not installed",
    model.NOT_ANSWERING: "the daemon does not answer",
}


def build(facts: Facts) -> Status:
    titles = {file.client: file.title for file in facts.files}
    stale = {(server.client, server.server) for server in facts.ungoverned}
    servers = tuple(
        replace(server, restart=server.restart or (server.client, server.name) in stale)
        for file in facts.files
        for server in file.servers
    )
    all_problems = problems(facts, servers)
    return Status(
        facts.now, _summary(facts, servers), facts.daemon, facts.policy,
        tuple(_client(client, title, facts.files, servers) for client, title in titles.items()),
        servers, facts.proxies, facts.denials,
        tuple(problem for problem in all_problems if problem.level != model.NOTE),
        tuple(problem for problem in all_problems if problem.level == model.NOTE),
        facts.services,
        bool(_counted(servers)[0] or _unread(facts)) or _looked(facts),
        facts.questions,
        facts.lock is not None,
        facts.remote,
        facts.listener if facts.remote else None,
        facts.ledger,
        facts.engine,
    )  # fmt: skip


def to_json(status: Status) -> dict[str, object]:
    """The fields of `status --json` inside the envelope; services, remote servers and budgets only if there are any."""
    absent = [*([] if status.services else ["services"]), *([] if status.remote else ["remote", "listener"])]
    absent += [name for name in ("ledger", "engine") if getattr(status, name) is None]
    return {key: value for key, value in asdict(status).items() if key not in absent}


def envelope(status: Status) -> str:
    """The whole text of `status --json`, so that the command only prints it."""
    document = {"version": VERSION, "command": "status", "ok": status.healthy, **to_json(status)}
    return json.dumps(document, indent=2) + "\n"


def _counted(servers: Sequence[Server]) -> tuple[int, int]:
    """How many servers the clients would start, and how many of them are governed; projects' own files aside."""
    gone = (model.DISABLED, model.LOST)
    alive = [server for server in servers if server.state not in gone and not (server.aside or server.excluded)]
    return len(alive), sum(server.state == model.GOVERNED and not server.restart for server in alive)


def _summary(facts: Facts, servers: Sequence[Server]) -> str:
    total, governed = _counted(servers)
    things = f"{total} server{'' if total == 1 else 's'}"
    subject, unread = SUBJECTS.get(facts.daemon.state, ""), _unread(facts)
    # If nothing is governed, no call passes through a proxy that could deny it.
    stops = worst(facts) if any(server.state == model.GOVERNED for server in servers) else ""
    aside = sum(server.aside for server in servers)
    if not total and not unread:
        text = _nothing(facts, sum(server.state == model.LOST for server in servers))
    elif governed == total:
        every = "all " if not subject and not unread and not aside and not stops else ""
        text = f"{every}{things} governed" if total != 1 or aside else "the one server is governed"
    else:
        text = f"{governed} of {things} governed"
    if aside:
        text += f", {aside} in projects' files left alone"
    if unread:
        text += f", {unread} config file{'' if unread == 1 else 's'} not read"
    if facts.daemon.state == model.NOT_INSTALLED:
        text = f"{subject}: {text}"
    elif subject:
        text = f"{text}, {'but' if total and governed == total else 'and'} {subject}"
    return f"{stops}; {text}" if stops else text


def _unread(facts: Facts) -> int:
    """Files that could not be read: their entries are unknown."""
    return sum(bool(file.problem) and not file.servers for file in facts.files)


def _nothing(facts: Facts, lost: int) -> str:
    """No server that a client would start."""
    if _looked(facts):
        return f"{lost} server{'' if lost == 1 else 's'} lost" if lost else "no servers yet"
    young = facts.daemon.state == model.RUNNING and (facts.daemon.uptime or 0) < STARTING
    return f"{'starting: nothing' if young and not facts.settings else 'no config'} looked at yet"


def _looked(facts: Facts) -> bool:
    return bool(facts.files) and all(file.looked for file in facts.files)


def _client(client: str, title: str, files: Sequence[File], servers: Sequence[Server]) -> ClientStatus:
    own = [file for file in files if file.client == client]
    total, governed = _counted([server for server in servers if server.client == client])
    problem = next((file.problem for file in own if file.problem), "")
    return ClientStatus(client, title, tuple(file.file for file in own), total, governed, problem)
