"""The text of a new rule, and the policy's text with it. Pure except for the file's name.

Law: every other character stays, and the parsed policies differ by that one rule only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpgov.configs.text.spans import quote
from mcpgov.configs.text.toml_edit import toml_key
from mcpgov.core.decision import PROMPT
from mcpgov.errors import McpgovError, UsageError

LONGEST_NAME = 80
MARK = "\ufeff"

# Paths of arguments, and the patterns each must be inside.
Args = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Addition:
    """The rule's text, the line of its header, and the whole policy before and after.

    `above`: the rule that follows it, or ""; `overtakes`: rules on values that are no longer asked after it.
    """

    file: Path
    name: str
    rule: str
    line: int
    before: str
    text: str
    above: str
    overtakes: tuple[str, ...] = ()


def rule_text(action: str, name: str, server: str, tool: str, args: Args, day: str, operation: str = "") -> str:
    """The rule as a person would write it; with an `operation` it is for all tools of that class."""
    lines = [f"# added with `mcpgov {verb(action)}` on {day}", "[[rule]]"]
    lines += [f"name = {quoted(name)}", f"action = {quoted(action)}", f"server = {quoted(server)}"]
    lines.append(f"operation = {quoted(operation)}" if operation else f"tool = {quoted(tool)}")
    for path, patterns in args:
        shown = quoted(patterns[0]) if len(patterns) == 1 else f"[{', '.join(map(quoted, patterns))}]"
        lines.append(f"args.{'.'.join(map(key_text, path))} = {shown}")
    return "\n".join(lines) + "\n"


def verb(action: str) -> str:
    """The command that writes a rule with this action."""
    return "ask" if action == PROMPT else action


def quoted(text: str) -> str:
    """A TOML string. Raises UsageError for text that is not UTF-8."""
    return quote(_utf8(text))


def key_text(part: str) -> str:
    """One part of a TOML key, quoted if it must be."""
    return toml_key(_utf8(part))


def _utf8(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{text!r} is not UTF-8 text") from None
    return text


def free_name(wanted: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", wanted).strip("-")[:LONGEST_NAME]
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    return name


def added(file: Path, before: str, name: str, rule: str, above: str, at: int, gap: bool = True) -> Addition:
    """Insert the rule before line `at` (from 0); `gap`: with an empty line behind it.

    Raises McpgovError if the layout of the text does not allow that.
    """
    mark, body = (MARK, before[1:]) if before.startswith(MARK) else ("", before)
    lines = body.split("\n")
    high = at
    while at < len(lines) and high and lines[high - 1].lstrip().startswith("#"):
        high -= 1  # a comment right above a rule belongs to it
    for place in dict.fromkeys((high, at)):
        text, line = _spliced(body, rule, place, gap)
        if _only_added(body, text, name):
            return Addition(file, name, rule, line, before, mark + text, above)
    raise McpgovError(f"`{file}` is laid out so that no rule can be added", hint=f"add it by hand:\n{rule}")


def _spliced(before: str, rule: str, place: int, spaced: bool) -> tuple[str, int]:
    """The new text, and the line of the rule's header."""
    end = "\r\n" if "\r\n" in before else "\n"
    lines = before.split("\n")
    body = rule.replace("\n", end)
    if place >= len(lines) or (place == len(lines) - 1 and not lines[-1]):
        start = before if not before or before.endswith("\n") else before + end
        gap = end if start.strip() and not start.endswith(end + end) else ""
        return start + gap + body, (start + gap).count("\n") + 2
    start, rest = "\n".join(lines[:place]), "\n".join(lines[place:])
    start += "\n" if place else ""
    gap = end if spaced and start.strip() and lines[place - 1].strip() else ""
    return start + gap + body + (end if spaced else "") + rest, (start + gap).count("\n") + 2


def _only_added(before: str, after: str, name: str) -> bool:
    """Do the parsed texts differ only by the new rule?"""
    try:
        old, new = (tomllib.loads(text) for text in (before, after))
    except tomllib.TOMLDecodeError:
        return False
    rules = new.get("rule")
    if not isinstance(rules, list):
        return False
    kept = [item for item in rules if not (isinstance(item, dict) and item.get("name") == name)]
    rest = {key: value for key, value in new.items() if key != "rule"} | ({"rule": kept} if kept else {})
    return len(kept) == len(rules) - 1 and _same(rest, old)


def _same(one: Mapping[str, object], two: Mapping[str, object]) -> bool:
    return one == {key: value for key, value in two.items() if not (key == "rule" and value == [])}
