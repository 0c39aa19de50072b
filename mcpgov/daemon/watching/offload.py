"""A config file that is too heavy for the daemon's own process: a child runs the pass and returns its result.

Laws: the child works on the very same source, and returns all that a pass in this process would have returned.
Both ends are here: the command line (`build_args`, `parse_args`) and the result (`encode`, `decode`).
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
from mcpgov.daemon.children.child_command import error_field, parse_answer

LARGE = 2 * 1024 * 1024


def is_heavy(source: ConfigSource) -> bool:
    """A TOML parser stays in the daemon's memory once loaded, and so does the heap that a large text needed."""
    try:
        size = source.file.stat().st_size
    except OSError:
        return False  # there is nothing to parse
    return size > LARGE or (size > 0 and source.client.dialect == TOML)


def build_args(source: ConfigSource, leave: frozenset[Place], exclude: Sequence[str] = ()) -> list[str]:
    """The command and its options; a client that is not in the table is identified by the file alone."""
    client = ["--client", source.client.name] if source.client.name in BY_NAME else []
    options = {
        "places": sorted(map(list, leave)),
        "project": source.project,
        "managed": source.managed,
        "user_level": source.user_level,
        "listed": source.listed,
        "exclude": list(exclude),
    }
    return ["sync", "--json", *client, f"--config={source.file}", f"--leave={json.dumps(options)}"]


def parse_args(home: Home, file: Path, client: str, leave_option: str) -> tuple[Worker, ConfigSource, frozenset[Place]]:
    """In the child: the reverse of `build_args`. ValueError: the option was not made by it."""
    try:
        options = json.loads(leave_option)
        leave = frozenset(map(_texts, options["places"]))
        project, listed = str(options["project"]), str(options["listed"])
        managed, user_level = bool(options["managed"]), bool(options["user_level"])
        worker = Worker(replace(home, exclude=_texts(options["exclude"])))
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    source = worker.source(file, client)
    return worker, replace(source, project=project, managed=managed, user_level=user_level, listed=listed), leave


def encode(result: FileResult) -> dict[str, object]:
    """In the child: what the JSON report for people does not contain."""
    states = [
        {
            "path": state.place, "name": state.name, "transport": state.transport, "state": state.state,
            "reason": state.reason, "reason_code": state.reason_code, "argv": state.argv,
            "timeout": state.timeout, "upstream": state.upstream, "url": state.url,
        }
        for state in result.states
    ]  # fmt: skip
    return {"outcome": result.result, "hint": result.hint, "states": states, "containers": result.containers}


def decode(source: ConfigSource, output: bytes, status: int) -> FileResult:
    """In the daemon: the child's result; a child without a usable one has failed."""
    client, file = source.client.name, str(source.file)
    try:
        (row,) = json.loads(output)["files"]
        lists = row["containers"]
        return FileResult(
            client, file, str(row["outcome"]), str(row["reason"]),
            tuple(_entry(item) for item in row["entries"]),
            tuple(decode_state(client, file, item) for item in row["states"]),
            containers=None if lists is None else tuple(map(_texts, lists)),
            hint=str(row["hint"]), reason_code=str(row["reason_code"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, RecursionError):
        why = error_field(parse_answer(output, status)) or f"it ended with status {status}"
        return FileResult(client, file, FAILED, f"the work in a process of its own failed: {why}")


def _entry(item: Mapping[str, Any]) -> EntryResult:
    name, result, reason, code = (str(item[key]) for key in ("name", "result", "reason", "reason_code"))
    return EntryResult(_texts(item["path"]), name, result, reason, code)


def decode_state(client: str, file: str, item: Mapping[str, Any]) -> EntryState:
    """An entry in the output of `sync --json` or `servers --json`; the latter has no command line."""
    name, transport, state, reason = (str(item[key]) for key in ("name", "transport", "state", "reason"))
    path, argv = _texts(item["path"]), _texts(item.get("argv", []))
    code, timeout = str(item.get("reason_code", "")), float(item.get("timeout", 0.0))
    upstream, url = str(item.get("upstream", "")), str(item.get("url", ""))
    return EntryState(
        client, file, path, name, transport, state, reason, argv, reason_code=code, timeout=timeout, upstream=upstream,
        url=url,
    )  # fmt: skip


def _texts(items: list[object]) -> tuple[str, ...]:
    return tuple(map(str, items))
