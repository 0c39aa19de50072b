"""What `mcpgov doctor` looks at where remote servers are governed: the port, the service, where logins are kept.

Law: no id and no URL is told. Modes of files are in daemon/file_modes, which `status` tells of as well.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from mcpgov import reason_codes
from mcpgov.daemon.status import remote_facts
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.front.output.text import count
from mcpgov.front.status.doctor_checks import BAD, OK, WARNING, Check, Checks
from mcpgov.places import Places
from mcpgov.remote_servers import OUR_LOGIN, RemoteServer, load_port, load_servers, url_digest

NAME = "remote"


def remote(places: Places, listener: Mapping[str, Any] | None) -> Checks:
    """`listener`: as the daemon tells of it; None where no daemon answers. Nothing is told where nothing is remote."""
    servers = list(load_servers(places.remote_servers).values())
    if not servers:
        return
    yield Check(NAME, OK, f"{count(len(servers), 'remote server')} governed")
    yield from _port(places)
    yield from _service(listener)
    yield from _logins(places, servers)


def _port(places: Places) -> Checks:
    port = load_port(places.remote_port)
    if port:
        yield Check(NAME, OK, f"they are reached at port {port} of this machine alone")
        return
    why = "cannot be read" if os.path.lexists(places.remote_port) else "is missing"
    text = f"`{places.remote_port}` {why}: wrapped entries may lead to an old port"
    yield Check(NAME, BAD, text, "mcpgov daemon restart", reason_codes.REMOTE_PORT)


def _service(listener: Mapping[str, Any] | None) -> Checks:
    state = str((listener or {}).get("state", remote_facts.DOWN))
    if state == remote_facts.UP:
        yield Check(NAME, OK, "their service is up")
    elif state == remote_facts.STARTING:
        yield Check(NAME, WARNING, "their service is starting", "mcpgov status")
    elif listener is None:
        text = "their service is down, since the daemon does not run: none can be reached"
        yield Check(NAME, BAD, text, "mcpgov daemon start", reason_codes.REMOTE_DOWN)
    else:
        why = f": {listener['why']}" if listener.get("why") else ""
        yield Check(NAME, BAD, f"their service is {state}{why}", "mcpgov daemon logs", reason_codes.REMOTE_DOWN)


def _logins(places: Places, servers: list[RemoteServer]) -> Checks:
    """Servers that mcpgov logs in to must have a login on record."""
    for server in servers:
        marker = places.remote_tokens / f"{url_digest(server.url)}.json"
        if server.login == OUR_LOGIN and not os.path.lexists(marker):
            text = f"the login of `{server.name}` is gone from `{places.remote_tokens}`"
            yield Check(NAME, BAD, text, typed("login", server.name), reason_codes.REMOTE_LOGIN)
