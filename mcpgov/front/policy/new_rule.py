"""The rule that `mcpgov allow`, `ask` and `deny` write: what was asked for, and its place in the policy.

Laws: a rule that would not decide its own calls is not written; an administrator's rule is neither changed nor opposed.
An allow goes directly above the rule that decides the call today: earlier rules on values (`~/.ssh/**`) stay effective.
An ask goes there too, or above an earlier rule that might let a call pass unasked.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgov import host, tool_store
from mcpgov.core.decision import ALLOW, DENY, LOG, PROMPT, Decision
from mcpgov.core.rules.call import Call, call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context, Rules, no_policy, today
from mcpgov.front.output.policy_view import where
from mcpgov.front.policy.rule_text import MARK, Addition, Args, added, free_name, rule_text, verb
from mcpgov.front.policy.tool_verdicts import verdicts
from mcpgov.policy.draft import Draft
from mcpgov.policy.files import read_text
from mcpgov.policy.source_lines import toml_lines

WILD = re.compile(r"\*+|\?")
PROTECT = "mcpgov:protect"
# A tool of each class, to try a rule for the whole class on.
SAMPLES = {name: f"{name}_x" for name in ("read", "write", "delete", "execute", "unknown")} | {"admin": "grant_role"}


@dataclass(frozen=True, slots=True)
class Asked:
    """`args`: paths of arguments and the patterns each must be inside. `operation`: every tool of that class."""

    action: str
    server: str
    tool: str
    args: Args = ()
    operation: str = ""

    @property
    def about(self) -> str:
        """What the rule is named after."""
        return self.operation or self.tool


class NotNeeded(McpgovError):
    """The policy decides so already."""


# --- what was asked for


def arguments(given: Sequence[str]) -> Args:
    """Parse `NAME=PATTERN …`; a repeated name means any of its patterns. NAME: a TOML key, or any text."""
    patterns_by_path: dict[tuple[str, ...], list[str]] = {}
    for text in given:
        name, pattern = _split(text)
        if not name or not pattern:
            raise UsageError(f"`--arg {text}` needs a name and a pattern", hint="--arg path='/home/me/project/**'")
        patterns_by_path.setdefault(_path(name), []).append(pattern)
    return tuple((path, tuple(patterns)) for path, patterns in patterns_by_path.items())


def _split(text: str) -> tuple[str, str]:
    quoted = re.match(r'("(?:[^"\\]|\\.)*")=', text)
    if quoted:
        return quoted[1], text[quoted.end() :]
    name, _, pattern = text.partition("=")
    return name, pattern


def _path(name: str) -> tuple[str, ...]:
    try:
        value: object = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        return (name,)
    out: list[str] = []
    while isinstance(value, dict) and len(value) == 1:
        [(key, value)] = value.items()
        out.append(key)
    return tuple(out) if value == 0 else (name,)


def sample(asked: Asked, context: Context) -> Call:
    """A sample call for the rule; wildcards are replaced by `x`."""
    server, tool = _plain(asked.server), SAMPLES.get(asked.operation) or _plain(asked.tool)
    args: dict[str, object] = {}
    for path, patterns in asked.args:
        inner = args
        for key in path[:-1]:
            deeper = inner.setdefault(key, {})
            if not isinstance(deeper, dict):
                raise UsageError(f"`--arg {'.'.join(path)}` is inside an argument that is no object")
            inner = deeper
        if isinstance(inner.get(path[-1]), dict):
            raise UsageError(f"`--arg {'.'.join(path)}` is inside an argument that is no object")
        inner["x" if path[-1] == "*" else path[-1]] = _plain(_in_home(patterns[0]))
    seen = tool_store.load(str(context.places.tools), server)
    hints = tool_store.hints(seen, tool) if seen is not None and tool in seen.names else None
    return call_of("tools/call", {"name": tool, "arguments": args}, server, "", "", None, hints)


def _in_home(pattern: str) -> str:
    return host.home() + pattern[1:] if pattern.startswith("~/") else pattern


def _plain(pattern: str) -> str:
    return WILD.sub("x", pattern)


# --- its place


def addition(asked: Asked, context: Context) -> Addition:
    """Raises McpgovError if such a rule cannot be written, or is not needed."""
    file = policy_file(context)
    rules, call = context.rules(None), sample(asked, context)
    _needed(asked, rules, call)
    own, managed = str(file), managed_files(context)
    above = _above(asked, rules, call, own, managed)
    name = free_name(
        f"{verb(asked.action)}-{asked.server}-{asked.about}", {draft.id for draft in rules.compiled.drafts}
    )
    read_text(file)  # raises if others may write it
    before = file.read_bytes().decode("utf-8")  # as on disk, including a byte order mark
    text = rule_text(asked.action, name, asked.server, asked.tool, asked.args, today(), asked.operation)
    at = place_of(before.removeprefix(MARK), rules.compiled.drafts, own, above)
    made = added(file, before, name, text, above.id if above else "", at)
    return replace(made, overtakes=tuple(overtaken(asked, rules, call, made.above)))


def policy_file(context: Context) -> Path:
    file = context.policy_path(None)
    if file.suffix == ".json":
        hint = "`mcpgov policy import` makes a policy.toml of it"
        raise McpgovError(f"your policy is `{file}`, which has no rules of this kind", hint=hint)
    if os.path.realpath(file) in map(os.path.realpath, managed_files(context)):
        raise McpgovError(f"`{file}` is the administrator's policy", hint="ask whoever manages this machine")
    if not file.exists():
        raise no_policy(file)
    return file


def managed_files(context: Context) -> set[str]:
    """The administrator's files."""
    from mcpgov.policy.build import read_layer

    managed = context.places.managed_policy
    if not managed.exists():
        return set()
    layer = read_layer(managed, prefix="managed:", owner=context.places.managed_owner)
    return {document.diag.file for document in layer.documents}


def _needed(asked: Asked, rules: Rules, call: Call) -> None:
    decision = rules.ruleset.decide(call, today())
    by = f"rule `{decision.rule}`" if decision.rule else "the default"
    if decision.rule == PROTECT and asked.action != DENY:
        raise McpgovError(f"built-in protection denies this call: {decision.message}", hint="no rule changes that")
    if asked.action == ALLOW and decision.action in (ALLOW, LOG):
        raise NotNeeded(f"such calls pass already, by {by}")
    wild = bool(asked.args) or WILD.search(asked.server + asked.tool)
    if asked.action == ALLOW or wild:
        return
    loosest = verdicts(rules.ruleset, call.server, call.tool or "", (), {})[0]
    if asked.action == decision.action == loosest:
        already = "denied" if asked.action == DENY else "asked about"
        raise NotNeeded(f"such calls are {already} already, by {by}")


def _above(asked: Asked, rules: Rules, call: Call, own: str, managed: set[str]) -> Draft | None:
    """The rule that must come after the new one; None: the new rule may go to the end."""
    drafts = {(draft.file, draft.line, draft.id): draft for draft in rules.compiled.drafts}
    for rule in _deciding(asked, rules, call):
        draft = drafts[str(rule.data["file"]), line_of(rule), rule.id]
        place = f"`{draft.id}` ({where(draft.file, draft.line)})"
        if draft.file in managed:
            message = f"the managed rule {place} decides such calls: nothing in your own policy changes that"
            raise McpgovError(message, hint="ask whoever manages this machine")
        if draft.file != own:
            name = f"{verb(asked.action)}-{asked.about}"
            text = rule_text(asked.action, name, asked.server, asked.tool, asked.args, today(), asked.operation)
            hint = f"write it there, above that rule:\n{text}"
            raise McpgovError(f"rule {place} is asked first, in a file that your policy includes", hint=hint)
        return draft if draft.dialect == "ordered" else None
    return None


def overtaken(asked: Asked, rules: Rules, call: Call, above: str) -> Iterator[str]:
    """Rules on values behind a new allow or ask: they are no longer asked about the calls it passes."""
    ruleset, behind = rules.ruleset, False
    setting = Setting(Reader(ruleset.world), today(), ruleset.service_of(call))
    for rule in ruleset if asked.action != DENY and above else ():
        behind = behind or rule.id == above
        stricter = rule.lenient and rule.action != asked.action
        guards = stricter and not rule.only_operation and rule.id != above
        if behind and guards and not rule.static_mismatch(call, setting):
            yield rule.id


def line_of(rule: Rule) -> int:
    line = rule.data["line"]
    assert isinstance(line, int)
    return line


def _deciding(asked: Asked, rules: Rules, call: Call) -> Iterator[Rule]:
    """The rules, in order, that the new one must precede.

    For an allow: rules that certainly decide the call. For a deny: rules that might pass one. For an ask: both, but for
    rules that ask or deny by a value.
    """
    ruleset = rules.ruleset
    reader, service = Reader(ruleset.world), ruleset.service_of(call)
    stops = {DENY: (DENY,), PROMPT: (DENY, PROMPT)}.get(asked.action)  # a rule with another action might pass a call
    open_names = WILD.search(asked.server + asked.tool)
    for rule in ruleset:
        if stops and rule.action not in stops:
            if open_names or not rule.static_mismatch(call, Setting(reader, "", service)):
                yield rule
        elif asked.action != DENY and any(
            not rule.mismatch(call, Setting(reader, today(), service, operation))
            for operation in (call.operation, *call.other_operations)
        ):
            yield rule


def place_of(text: str, drafts: Sequence[Draft], own: str, above: Draft | None) -> int:
    """The line, counted from 0, before which the rule goes."""
    if above is not None:
        return above.line - 1
    lines = text.count("\n") + 1
    last = max((draft.line for draft in drafts if draft.file == own and draft.dialect == "ordered"), default=0)
    if not last:
        return lines
    after = [line for place, line in toml_lines(text).items() if place[0] != "rule" and line > last]
    return min(after, default=lines + 1) - 1


def decided(made: Addition, asked: Asked, context: Context, scratch: Path) -> Decision:
    """The decision of the new policy in `scratch` on the sample. Raises if it is invalid or decides otherwise."""
    rules = context.rules(str(scratch))
    decision = rules.ruleset.decide(sample(asked, context), today())
    if decision.rule != made.name or decision.action != asked.action:
        by = f"`{decision.rule}`" if decision.rule else "the default"
        raise McpgovError(f"the rule would change nothing: {by} still decides ({decision.action}); nothing was written")
    return decision
