"""A server's entry put into a config: a new one, or one that was lost. Goes through the worker's one way to write.

Law: it arrives wrapped, or for a reason that is told; the file never holds it bare meanwhile. What is there already is
not overwritten, and no other entry is touched.
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
from mcpgov.configs.text.splice import Broken, Twice, Unintended
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


def rendered(client: Client, place: Place, value: Mapping[str, object]) -> str:
    """The entry's text: JSON laid out as clients do, or a TOML table."""
    if client.dialect == TOML:
        return f"[{dotted_key(place)}]\n{_body(value)}\n"
    # Escaped where it cannot be written: half a character stands for a byte of a command line that is no UTF-8.
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


def _body(value: Mapping[str, object]) -> str:
    return "\n".join(f"{toml_key(key)} = {_toml(held)}" for key, held in value.items())


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(str(key))} = {_toml(held)}" for key, held in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return texts.quote(TOML, value) if isinstance(value, str) else repr(value)


def put(
    worker: Worker, source: ConfigSource, place: Place, raw: str, *, restore: bool = False, dry: bool = False
) -> FileResult:
    """Insert the entry and wrap it, in one write. `restore`: also one that cannot be governed. `dry`: only tell."""
    client = source.client

    def changed(text: str) -> tuple[Plan, FileResult]:
        others = frozenset(state.place for state in plan(text, worker.task(source, LOOK)).states)
        if place in others:
            raise McpgovError(f"`{source.file}` has a server `{place[-1]}` already", hint="mcpgov servers")
        _may_be_made(source)
        whole = _inserted(text, client, place, raw)
        made = plan(whole, worker.task(source, WRAP, others, [place[-1]]))
        became = next(entry for entry in made.results if entry.place == place)
        if not restore and became.result not in (WRAPPED, ALREADY):
            raise McpgovError(f"it could not be governed: {became.reason}")
        new = texts.splice(whole, made.edits)
        texts.verify(whole, new, client.dialect, client.places, made.intended, made.found)
        found = FileResult(client.name, str(source.file), CHANGED, "", made.results, made.states)
        return made, replace(found, before=text, after=new, edits=(one_edit(text, new),) if dry else ())

    back = place if restore else None
    empty = EMPTY.get(client.dialect, "{}\n")
    return worker.offer(source, changed, empty) if dry else worker.rewrite(source, changed, empty, back)


def _may_be_made(source: ConfigSource) -> None:
    """A client's own directory is made where it is missing; a project that is gone is not."""
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
    except (Broken, Unintended):
        # The servers stand in an inline table, say: then this one has to stand there as well.
        return _entered(text, client, place, _body(value), value)


def _entered(text: str, client: Client, place: Place, raw: str, value: object) -> str:
    try:
        edits = texts.insert_entry(text, client.dialect, place[:-1], place[-1], raw)
    except Twice as error:
        raise McpgovError(f"there is no room for `{place[-1]}`: {error}") from None
    return _checked(text, texts.splice(text, edits), client, place, value)


def _appended(text: str, raw: str) -> str:
    ends = line_end(text)
    lines = raw.replace("\r\n", "\n").strip("\n").replace("\n", ends)
    gap = "" if not text.strip() or text.endswith(ends * 2) else ends if text.endswith("\n") else ends * 2
    return f"{text}{gap}{lines}{ends}"


def _checked(text: str, new: str, client: Client, place: Place, value: object) -> str:
    """Law: every other value stays."""
    # An empty TOML text says as much as a comment, but reads as one that is not written yet.
    texts.verify(text if text.strip() else "#", new, client.dialect, client.places, {place: value})
    return new


def _value(place: Place, raw: str) -> dict[str, object]:
    """What a TOML entry's text says: a table, an inline table, or keys as they stood below some header."""
    if raw.lstrip().startswith("{"):
        return _table(texts.parse(f"value = {raw}", TOML), ("value",))
    held = texts.parse(raw, TOML)
    found: dict[str, object] = {}
    for depth in range(len(place)):
        found |= _table(held, place[depth:])
    if not found:
        raise McpgovError(f"the text of `{place[-1]}` is not an entry")
    return found


def _table(held: object, place: Place) -> dict[str, object]:
    for key in place:
        held = held.get(key) if isinstance(held, dict) else None
    return held if isinstance(held, dict) else {}


def one_edit(old: str, new: str) -> Edit:
    """The one stretch in which two texts differ."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return head, len(old) - tail, new[head : len(new) - tail]


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    return len(commonprefix([one, other]))  # noqa: RUF071 (these are texts, not paths)
