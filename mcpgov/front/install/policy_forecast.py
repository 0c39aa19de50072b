"""What a policy will stop, before any call: by kinds of tools, and by name for tools that were seen."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgov import tool_store
from mcpgov.core.decision import DENY, PROMPT
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.front.context import Context, has_policy
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.output.text import some
from mcpgov.front.policy.tool_verdicts import verdicts
from mcpgov.front.safe_create import write_new
from mcpgov.policy.starter import starter

STOPPED = {DENY, PROMPT}
# Per kind: a tool name of that kind, and words for people.
KINDS = {
    "read": ("read_item", "read"),
    "write": ("write_item", "write"),
    "delete": ("delete_item", "delete"),
    "execute": ("run_command", "run something or act on others"),
    "admin": ("grant_permission", "change rights or how things run"),
    "unknown": ("frobnicate", "do something that their name does not tell"),
}


@dataclass(frozen=True, slots=True)
class PolicyForecast:
    """Servers that are treated alike: kinds of tools that pass, that do not, and that you are asked about."""

    servers: tuple[str, ...]
    passes: tuple[str, ...]
    stops: tuple[str, ...]
    asks: tuple[str, ...] = ()


def rules_of(context: Context, wanted: InstallRequest) -> RuleSet:
    """The policy that an install would leave in force; a starter is compiled in a temporary directory."""
    if wanted.policy is not None:
        return context.rules(str(wanted.policy)).ruleset
    if has_policy(context):
        return context.rules(None).ruleset
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "policy.toml"
        write_new(file, starter(wanted.profile))
        return context.rules(str(file)).ruleset


def servers_of(context: Context) -> list[str]:
    """The names of the servers that clients start."""
    worker = context.worker()
    states = (state for source in worker.sources() for state in worker.look(source).states)
    return list(dict.fromkeys(state.name for state in states if state.transport == "stdio"))


def forecast(rules: RuleSet, servers: Sequence[str]) -> list[PolicyForecast]:
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for server in servers:
        said = {kind: set(verdicts(rules, server, tool, (), {})) for kind, (tool, _) in KINDS.items()}
        stops = tuple(kind for kind in KINDS if said[kind] == {DENY})
        asks = tuple(kind for kind in KINDS if said[kind] <= STOPPED and kind not in stops)
        passes = tuple(kind for kind in KINDS if kind not in (*stops, *asks))
        alike.setdefault((passes, stops, asks), []).append(server)
    return [PolicyForecast(tuple(names), *kinds) for kinds, names in alike.items()]


def stopped_tools(rules: RuleSet, directory: str, servers: Iterable[str]) -> dict[str, list[str]]:
    """Tools that servers have shown and that are stopped whatever their arguments."""
    out: dict[str, list[str]] = {}
    for server in servers:
        seen = tool_store.load(directory, server)
        for name in seen.names if seen is not None else ():
            assert seen is not None
            names = tool_store.properties(seen.latest(name))
            if set(verdicts(rules, server, name, names, tool_store.hints(seen, name))) <= STOPPED:
                out.setdefault(server, []).append(name)
    return out


def forecast_sentences(policy: str, rules: RuleSet, servers: Sequence[str], directory: str) -> list[str]:
    """Sentences for people; `policy`: its name in them."""
    lines = []
    groups = forecast(rules, servers or ["*"])
    for found in groups:
        whose = f"for {some(found.servers)}" if servers else "for every server that you add"
        does = [
            f"{verb} {_kinds(kinds)}"
            for verb, kinds in (("asks you about", found.asks), ("stops", found.stops))
            if kinds
        ]
        if not does:
            lines.append(f"{whose}: {policy} stops no tool; every call is recorded and passes")
            continue
        passes = f"; those that {' or '.join(KINDS[kind][1] for kind in found.passes)} pass" if found.passes else ""
        lines.append(f"{whose}: {policy} {', and '.join(does)}{passes}")
    for server, names in stopped_tools(rules, directory, servers).items():
        lines.append(f"  of those that {server} has shown: {some(names)}")
    if any(found.asks for found in groups):
        lines.append("you are asked in the app or on the desktop, and by `mcpgov approvals --watch` in a terminal")
    if any(found.stops or found.asks for found in groups):
        lines.append("a call that is stopped says why; `mcpgov why` then gives the line that lets its kind pass")
    return lines


def _kinds(names: Sequence[str]) -> str:
    kinds = [KINDS[kind][1] for kind in names]
    return "tools that " + (f"{', '.join(kinds[:-1])}, or {kinds[-1]}" if len(kinds) > 1 else kinds[0])
