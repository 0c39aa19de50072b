"""Inserts a server's entry into a config, a new one or a lost one, through the worker.

Law: it is inserted wrapped, or with a reported reason why not; the file never contains it unwrapped in between. An
existing entry is not overwritten, and no other entry changes.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path

from mcpgov.configs.clients import TOML, Client, Place
from mcpgov.configs.config_pass import CHANGED, FileResult, Worker
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import ALREADY, LOOK, WRAP, WRAPPED, Plan
from mcpgov.configs.planner import plan
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.spans import Edit, line_end
from mcpgov.configs.text.splice import DuplicateKey, InvalidText, UnintendedChange
from mcpgov.configs.text.toml_edit import dotted_key, toml_key
from mcpgov.errors import McpgovError

EMPTY = {TOML: ""}


def entry_value(client: Client, argv: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    """A stdio entry as this client itself would write it."""
    program, *args = argv
    if client.name in ("opencode", "kilo-cli"):
        return {"type": "local", "command": [*argv], "environment": dict(env), "enabled": True}
    value: dict[str, object] = {"command": program, "args": args, "env": dict(env)}
    if client.name == "copilot":
        return {"tools": ["*"], "type": "local", **value}
    if client.name in ("claude-code", "vscode", "vscode-insiders", "vscodium", "crush"):
        return {"type": "stdio", **value}
    if client.name == "zed":
        return {"source": "custom", **value}
    if client.dialect == TOML and not env:
        del value["env"]
    return value


def url_value(client: Client, url: str, headers: Mapping[str, str], *, sse: bool) -> dict[str, object]:
    """A remote entry as this client itself would write it. Raises McpgovError if its file cannot hold one."""
    shape = client.url
    kind = None if shape is None else shape.sse if sse else shape.http
    if shape is None or kind is None:
        what = "servers over legacy SSE" if shape is not None else "servers with a URL"
        hint = "mcpgov add NAME -- npx -y mcp-remote URL"
        raise McpgovError(f"the file of {client.title} holds no {what}", hint=hint)
    value: dict[str, object] = {"type": kind} if kind else {}
    value[shape.sse_key if sse and shape.sse_key else shape.key] = url
    if headers:
        value[shape.headers] = dict(headers)
    if client.name in ("opencode", "kilo-cli"):
        value["enabled"] = True
    return {"tools": ["*"], **value} if client.name == "copilot" else value


def rendered(client: Client, place: Place, value: Mapping[str, object]) -> str:
    """The entry's text: JSON laid out as clients do, or a TOML table."""
    if client.dialect == TOML:
        return f"[{dotted_key(place)}]\n{_body(value)}\n"
    # A lone surrogate stands for a byte of a command line that is not UTF-8; it is written as an escape.
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


def _body(value: Mapping[str, object]) -> str:
    return "\n".join(f"{toml_key(key)} = {_toml(item)}" for key, item in value.items())


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return texts.quote(TOML, value) if isinstance(value, str) else repr(value)


def insert(
    worker: Worker,
    source: ConfigSource,
    place: Place,
    raw: str,
    *,
    restore: bool = False,
    bare: bool = False,
    dry: bool = False,
) -> FileResult:
    """Insert the entry and wrap it in one write. `dry`: without writing.

    `restore`: it was lost; even if it cannot be governed. `bare`: a new one, even if it cannot be governed yet.
    """
    client = source.client

    def changed(text: str) -> tuple[Plan, FileResult]:
        others = frozenset(state.place for state in plan(text, worker.task(source, LOOK)).states)
        if place in others:
            raise McpgovError(f"`{source.file}` has a server `{place[-1]}` already", hint="mcpgov servers")
        _may_be_made(source)
        whole = _inserted(text, client, place, raw)
        made = plan(whole, worker.task(source, WRAP, others, [place[-1]]))
        entry_result = next(entry for entry in made.results if entry.place == place)
        if not restore and not bare and entry_result.result not in (WRAPPED, ALREADY):
            raise McpgovError(f"it could not be governed: {entry_result.reason}")
        new = texts.splice(whole, made.edits)
        texts.verify(whole, new, client.dialect, client.places, made.intended, made.entries)
        result = FileResult(client.name, str(source.file), CHANGED, "", made.results, made.states)
        return made, replace(result, before=text, after=new, edits=(single_edit(text, new),) if dry else ())

    back = place if restore else None
    empty = EMPTY.get(client.dialect, "{}\n")
    return worker.offer(source, changed, empty) if dry else worker.rewrite(source, changed, empty, back)


def _may_be_made(source: ConfigSource) -> None:
    """A client's own directory may be created; a project's directory must exist."""
    base = Path(source.project) if source.project else source.file.parent
    if not source.user_level and not base.is_dir():
        raise McpgovError(f"there is no directory `{base}`")


def _inserted(text: str, client: Client, place: Place, raw: str) -> str:
    if client.dialect != TOML:
        return _entered(text, client, place, raw, texts.parse(raw, client.dialect))
    value = _value(place, raw)
    try:
        table = raw if raw.lstrip().startswith("[") else rendered(client, place, value)
        return _checked(text, _appended(text, table), client, place, value)
    except (InvalidText, UnintendedChange):
        # The servers may be an inline table: then the entry must go in there.
        return _entered(text, client, place, _body(value), value)


def _entered(text: str, client: Client, place: Place, raw: str, value: object) -> str:
    try:
        edits = texts.insert_entry(text, client.dialect, place[:-1], place[-1], raw)
    except DuplicateKey as error:
        raise McpgovError(f"there is no room for `{place[-1]}`: {error}") from None
    return _checked(text, texts.splice(text, edits), client, place, value)


def _appended(text: str, raw: str) -> str:
    ends = line_end(text)
    lines = raw.replace("\r\n", "\n").strip("\n").replace("\n", ends)
    gap = "" if not text.strip() or text.endswith(ends * 2) else ends if text.endswith("\n") else ends * 2
    return f"{text}{gap}{lines}{ends}"


def _checked(text: str, new: str, client: Client, place: Place, value: object) -> str:
    """Raises UnintendedChange if any other value has changed."""
    # An empty TOML text counts as one that is still being written; a comment does not.
    texts.verify(text if text.strip() else "#", new, client.dialect, client.places, {place: value})
    return new


def _value(place: Place, raw: str) -> dict[str, object]:
    """The value of a TOML entry's text: a table, an inline table, or keys below some header."""
    if raw.lstrip().startswith("{"):
        return _table(texts.parse(f"value = {raw}", TOML), ("value",))
    document = texts.parse(raw, TOML)
    table: dict[str, object] = {}
    for depth in range(len(place)):
        table |= _table(document, place[depth:])
    if not table:
        raise McpgovError(f"the text of `{place[-1]}` is not an entry")
    return table


def _table(value: object, place: Place) -> dict[str, object]:
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def single_edit(old: str, new: str) -> Edit:
    """The single edit that turns one text into the other."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return head, len(old) - tail, new[head : len(new) - tail]


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    return len(commonprefix([one, other]))  # noqa: RUF071 (these are texts, not paths)
