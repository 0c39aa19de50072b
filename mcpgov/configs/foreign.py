"""Wraps of other governors: recognised, and taken out with what they kept of the entry. Pure. JSON only, as they are.

Law: only what such a tool has kept itself counts as the original; a command line that was joined into one text is not
taken apart again.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Edit, Entry, Member
from mcpgov.configs.wrap import Doc

# The member in which a tool keeps the entry's command, and the names its program has.
TOOLS = (
    ("clawdefender", ("_clawdefender_original", "_clawai_original"), ("clawdefender", "clawai")),
    ("mcp-gov", ("_original",), ("mcp-gov-proxy", "mcp-gov-proxy.js")),
)
TARGET = "--target-args"  # of mcp-gov-proxy: the command line as a JSON list


@dataclass(frozen=True, slots=True)
class Foreign:
    """A wrap of `tool`; `argv` is the server's own command line, () where the tool has not kept it."""

    tool: str
    key: str  # the member that keeps it; "": it stands in the arguments
    argv: tuple[str, ...]


def recognised(value: object) -> Foreign | None:
    if not isinstance(value, Mapping):
        return None
    command = value.get("command")
    name = command.replace("\\", "/").rsplit("/", 1)[-1] if isinstance(command, str) else ""
    for tool, keys, programs in TOOLS:
        if name in programs:
            key = next((key for key in keys if _argv(value.get(key))), "")
            return Foreign(tool, key, _argv(value.get(key)) if key else _behind(value.get("args")))
    return None


def _argv(kept: object) -> tuple[str, ...]:
    """What a kept entry says; () for anything else."""
    if not isinstance(kept, Mapping):
        return ()
    command, args = kept.get("command"), kept.get("args")
    words = [command, *(args if isinstance(args, list) else [])]
    sane = bool(command) and (args is None or isinstance(args, list))
    return tuple(words) if sane and all(isinstance(word, str) for word in words) else ()


def _behind(args: object) -> tuple[str, ...]:
    """The command line among the arguments: behind `--`, or as mcp-gov writes it."""
    words = args if isinstance(args, list) and all(isinstance(word, str) for word in args) else []
    if "--" in words:
        return tuple(words[words.index("--") + 1 :])
    given = words[words.index(TARGET) + 1 :][:1] if TARGET in words else []
    try:
        found = json.loads(given[0]) if given else []
    except ValueError:
        return ()
    return _argv({"command": found[0], "args": found[1:]}) if isinstance(found, list) and found else ()


def offer(tool: str, name: str) -> str:
    """What is said of an entry in which another governor stands; the command can be typed as it is."""
    ends = "-- " if name.startswith("-") else ""
    return f"`{tool}` stands in it as well; `mcpgov wrap --replace {ends}{shlex.quote(name)}` puts mcpgov in its place"


def restored(doc: Doc, entry: Entry, foreign: Foreign) -> tuple[list[Edit], object]:
    """The edits that take a tool's wrap out, and the entry's value then."""
    assert isinstance(entry.value, dict)
    members = {member.key: member for member in entry.members}
    program, *rest = foreign.argv
    value = {key: held for key, held in entry.value.items() if key != foreign.key}
    kept = _kept(doc, members[foreign.key]) if foreign.key else {}
    edits = [
        (members["command"].start, members["command"].end, kept.get("command") or texts.quote(doc.dialect, program))
    ]
    value["command"] = program
    if rest or not kept or "args" in kept:
        raw = kept.get("args") or f"[{', '.join(texts.quote(doc.dialect, word) for word in rest)}]"
        value["args"] = rest
        if "args" in members:
            edits.append((members["args"].start, members["args"].end, raw))
        else:
            edits.append(texts.insert_after(doc.text, doc.dialect, entry, "command", "args", raw))
    elif "args" in members:
        del value["args"]
        edits.append(texts.remove(doc.text, doc.dialect, entry, "args"))
    if foreign.key:
        edits.append(texts.remove(doc.text, doc.dialect, entry, foreign.key))
    return edits, value


def _kept(doc: Doc, member: Member) -> dict[str, str]:
    """The literals as the tool has kept them; a null list is none."""
    inner = texts.members(doc.text, doc.dialect, member.start, member.end)
    return {held.key: doc.text[held.start : held.end] for held in inner if held.value is not None}
