"""A server's entry put into a config: a new one, or one that was lost. Goes through the worker's one way to write.

Law: it arrives wrapped; the file never holds it bare. What is there already is not overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mcpgov.configs import text as texts
from mcpgov.configs.clients import TOML, Client, Place
from mcpgov.configs.plan import LOOK, WRAP, plan
from mcpgov.configs.sources import Source
from mcpgov.configs.work import CHANGED, FileResult, Worker
from mcpgov.errors import McpgovError

EMPTY = {TOML: ""}


def entry_value(client: Client, argv: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    """A stdio entry as this client itself would write it."""
    program, *args = argv
    if client.name == "opencode":
        return {"type": "local", "command": [*argv], "environment": dict(env), "enabled": True}
    value: dict[str, object] = {"command": program, "args": args, "env": dict(env)}
    if client.name == "copilot":
        return {"tools": ["*"], "type": "local", **value}
    if client.name in ("claude-code", "vscode"):
        return {"type": "stdio", **value}
    if client.name == "zed":
        return {"source": "custom", **value}
    if client.dialect == TOML and not env:
        del value["env"]
    return value


def rendered(client: Client, value: Mapping[str, object]) -> str:
    """The entry's text: JSON laid out as clients do, or the body of a TOML table."""
    if client.dialect != TOML:
        return json.dumps(value, indent=2, ensure_ascii=False)
    return "\n".join(f"{key} = {_toml(held)}" for key, held in value.items())


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{texts.quote(TOML, str(key))} = {_toml(held)}" for key, held in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return texts.quote(TOML, str(value))


def put(worker: Worker, source: Source, place: Place, raw: str) -> FileResult:
    """Insert the entry and wrap it, in one write."""
    client = source.client

    def changed(text: str) -> tuple[str, FileResult]:
        if any(state.place == place for state in plan(text, worker.task(source, LOOK)).states):
            raise McpgovError(f"`{source.file}` has a server `{place[-1]}` already", hint="mcpgov servers")
        with_entry = _inserted(text, client, place, raw)
        made = plan(with_entry, replace(worker.task(source, WRAP), names=frozenset((place[-1],))))
        new = texts.splice(with_entry, made.edits)
        texts.verify(with_entry, new, client.dialect, client.places, made.intended, made.found)
        found = FileResult(
            client.name, str(source.file), CHANGED, "", made.results, made.states, before=text, after=new
        )
        worker.keep(source, made)
        return new, found

    return worker.rewrite(source, changed, EMPTY.get(client.dialect, "{}\n"))


def _inserted(text: str, client: Client, place: Place, raw: str) -> str:
    if client.dialect == TOML and not text.strip():
        return raw if raw.lstrip().startswith("[") else f"[{place[0]}.{texts.quote(TOML, place[-1])}]\n{raw.rstrip()}\n"
    if client.dialect == TOML and raw.lstrip().startswith("["):
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        new = f"{text}{gap}{raw.rstrip()}\n"
    else:
        edits = texts.insert_entry(text, client.dialect, place[:-1], place[-1], raw)
        new = texts.splice(text, edits)
    before = {entry.place: entry.value for entry in texts.find(text, client.dialect, client.places)}
    after = {entry.place: entry.value for entry in texts.find(new, client.dialect, client.places)}
    if {key: value for key, value in after.items() if key != place} != before or place not in after:
        raise McpgovError(f"`{place[-1]}` cannot be put into `{place[0]}` without changing other servers")
    return new
