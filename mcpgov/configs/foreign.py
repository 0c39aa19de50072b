"""Wraps of other governors: recognised, and replaced by the original command that they stored. Pure. JSON only.

Law: only what the other tool stored counts as the original; a command line joined into one text is not split again.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Edit, Entry, Member
from mcpgov.configs.wrap import ConfigText

# Per tool: the members in which it stores the entry's command, and the names of its program.
TOOLS = (
    ("clawdefender", ("_clawdefender_original", "_clawai_original"), ("clawdefender", "clawai")),
    ("mcp-gov", ("_original",), ("mcp-gov-proxy", "mcp-gov-proxy.js")),
)
TARGET = "--target-args"  # of mcp-gov-proxy: the command line as a JSON list


@dataclass(frozen=True, slots=True)
class Foreign:
    """A wrap of `tool`; `argv`: the server's own command line, () if the tool did not store it."""

    tool: str
    key: str  # the member that stores it; "": it is in the arguments
    argv: tuple[str, ...]


def recognised(value: object) -> Foreign | None:
    if not isinstance(value, Mapping):
        return None
    command = value.get("command")
    name = command.replace("\\", "/").rsplit("/", 1)[-1] if isinstance(command, str) else ""
    for tool, keys, programs in TOOLS:
        if name in programs:
            key = next((key for key in keys if _argv(value.get(key))), "")
            return Foreign(tool, key, _argv(value.get(key)) if key else _from_arguments(value.get("args")))
    return None


def _argv(kept: object) -> tuple[str, ...]:
    """The command line of a stored entry; () for anything else."""
    if not isinstance(kept, Mapping):
        return ()
    command, args = kept.get("command"), kept.get("args")
    words = [command, *(args if isinstance(args, list) else [])]
    sane = bool(command) and (args is None or isinstance(args, list))
    return tuple(words) if sane and all(isinstance(word, str) for word in words) else ()


def _from_arguments(args: object) -> tuple[str, ...]:
    """The command line among the arguments: behind `--`, or as mcp-gov writes it."""
    words = args if isinstance(args, list) and all(isinstance(word, str) for word in args) else []
    if "--" in words:
        return tuple(words[words.index("--") + 1 :])
    encoded = words[words.index(TARGET) + 1 :][:1] if TARGET in words else []
    try:
        command_line = json.loads(encoded[0]) if encoded else []
    except ValueError:
        return ()
    return (
        _argv({"command": command_line[0], "args": command_line[1:]})
        if isinstance(command_line, list) and command_line
        else ()
    )


def takeover_hint(tool: str, name: str) -> str:
    """The note on an entry wrapped by another governor, with the command to type."""
    ends = "-- " if name.startswith("-") else ""
    return f"`{tool}` stands in it as well; `mcpgov wrap --replace {ends}{shlex.quote(name)}` puts mcpgov in its place"


def restored(doc: ConfigText, entry: Entry, foreign: Foreign) -> tuple[list[Edit], object]:
    """The edits that take a tool's wrap out, and the resulting value of the entry."""
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


def _kept(doc: ConfigText, member: Member) -> dict[str, str]:
    """The literals that the tool stored; null counts as absent."""
    inner = texts.members(doc.text, doc.dialect, member.start, member.end)
    return {inside.key: doc.text[inside.start : inside.end] for inside in inner if inside.value is not None}
