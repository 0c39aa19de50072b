"""A config file that is too heavy for the daemon's own process: a child works on it and tells what became of it.

Laws: the child works on the very source that is meant, and tells all that a look in this process would have told.
Both ends of that talk are here: what is asked (`words`, `meant`) and what is told (`tell`, `hear`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcpgov.configs.clients import BY_NAME, TOML, Place
from mcpgov.configs.config_pass import FAILED, FileResult, Worker
from mcpgov.configs.locations import ConfigSource, Home
from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.daemon.children.child_command import error_in, parsed

LARGE = 2 * 1024 * 1024


def heavy(source: ConfigSource) -> bool:
    """A parser of TOML stays in memory, and so does what a large text leaves behind."""
    try:
        size = source.file.stat().st_size
    except OSError:
        return False  # there is nothing to parse
    return size > LARGE or (size > 0 and source.client.dialect == TOML)


def words(source: ConfigSource, leave: frozenset[Place], exclude: Sequence[str] = ()) -> list[str]:
    """The verb and its options; a client that is in no table is known by the file."""
    client = ["--client", source.client.name] if source.client.name in BY_NAME else []
    facts = {
        "places": sorted(map(list, leave)),
        "project": source.project,
        "managed": source.managed,
        "user_level": source.user_level,
        "listed": source.listed,
        "exclude": list(exclude),
    }
    return ["sync", "--json", *client, f"--config={source.file}", f"--leave={json.dumps(facts)}"]


def meant(home: Home, file: Path, client: str, said: str) -> tuple[Worker, ConfigSource, frozenset[Place]]:
    """In the child: what `words` stands for. ValueError: this was never made by it."""
    try:
        facts = json.loads(said)
        leave = frozenset(map(_texts, facts["places"]))
        project, listed = str(facts["project"]), str(facts["listed"])
        managed, user_level = bool(facts["managed"]), bool(facts["user_level"])
        worker = Worker(replace(home, exclude=_texts(facts["exclude"])))
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    source = worker.source(file, client)
    return worker, replace(source, project=project, managed=managed, user_level=user_level, listed=listed), leave


def tell(found: FileResult) -> dict[str, object]:
    """What the report for people leaves out."""
    states = [
        {
            "path": state.place, "name": state.name, "transport": state.transport, "state": state.state,
            "reason": state.reason, "reason_code": state.reason_code, "argv": state.argv,
        }
        for state in found.states
    ]  # fmt: skip
    return {"outcome": found.result, "hint": found.hint, "states": states, "containers": found.containers}


def hear(source: ConfigSource, output: bytes, status: int) -> FileResult:
    """In the daemon: what the child told; one that told nothing of use has failed."""
    client, file = source.client.name, str(source.file)
    try:
        (told,) = json.loads(output)["files"]
        lists = told["containers"]
        return FileResult(
            client, file, str(told["outcome"]), str(told["reason"]),
            tuple(_entry(item) for item in told["entries"]),
            tuple(state_in(client, file, item) for item in told["states"]),
            containers=None if lists is None else tuple(map(_texts, lists)),
            hint=str(told["hint"]), reason_code=str(told["reason_code"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, RecursionError):
        why = error_in(parsed(output, status)) or f"it ended with status {status}"
        return FileResult(client, file, FAILED, f"the work in a process of its own failed: {why}")


def _entry(item: Mapping[str, Any]) -> EntryResult:
    name, result, reason, code = (str(item[key]) for key in ("name", "result", "reason", "reason_code"))
    return EntryResult(_texts(item["path"]), name, result, reason, code)


def state_in(client: str, file: str, item: Mapping[str, Any]) -> EntryState:
    """An entry as `sync --json` and `servers --json` tell it; the second leaves the command line out."""
    name, transport, state, reason = (str(item[key]) for key in ("name", "transport", "state", "reason"))
    path, argv = _texts(item["path"]), _texts(item.get("argv", []))
    code = str(item.get("reason_code", ""))
    return EntryState(client, file, path, name, transport, state, reason, argv, reason_code=code)


def _texts(items: list[object]) -> tuple[str, ...]:
    return tuple(map(str, items))
