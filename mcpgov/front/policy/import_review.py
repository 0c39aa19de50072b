"""What an imported rules.json denied at its source and passes here: per rule, and per known tool."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mcpgov import host, journal_reader, tool_store
from mcpgov.core.decision import DENY
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.front.context import Context
from mcpgov.front.policy.tool_verdicts import verdicts
from mcpgov.guards.hooks import LazyHooks
from mcpgov.policy.build import build, read_layer
from mcpgov.policy.import_warnings import denies, looser_rules, origin_of

UNSEEN = (
    "operations are told by the verb here, there by any keyword in a tool's name: what it denies so may pass here; "
    "no tool of these servers is known yet, so look again when `mcpgov tools` lists some"
)


def looser_warnings(path: Path, context: Context) -> list[str]:
    """The warnings of an import; none for a dialect with the same meaning everywhere."""
    if path.suffix != ".json":
        return []
    layer = read_layer(path, safe=False)
    doc = layer.main.doc
    compiled = build([layer])
    passes = compiled.default != DENY or any(draft.action != DENY for draft in compiled.drafts)
    if not passes or not denies(doc):
        return []
    rules = RuleSet(compiled.text, host.world(), LazyHooks())
    known = dict(_known(context))
    out = looser_rules(doc)
    if not known:
        return [*out, UNSEEN]
    origin = origin_of(doc)
    for (server, tool), (names, hints) in sorted(known.items()):
        operation = origin.denied_as(server, tool)
        here = verdicts(rules, server, tool, names, hints) if operation else (DENY,)
        if here[0] != DENY:
            out.append(f"tool `{tool}` of `{server}`: {here[0]} here, there it may count as `{operation}` (deny)")
    return out


def _known(context: Context) -> Iterable[tuple[tuple[str, str], tuple[list[str], dict[str, object]]]]:
    """Every tool that was called or listed, with the names of its arguments and its annotations."""
    damage = journal_reader.Damage()
    for piece in journal_reader.read(journal_reader.files(str(context.places.journal)), damage, b'"tools/call"'):
        if piece.text("tool"):
            yield (piece.text("server"), piece.text("tool")), ([], {})
    for seen in tool_store.load_all(str(context.places.tools))[0]:
        for tool in seen.names:
            yield (seen.server, tool), (tool_store.properties(seen.latest(tool)), tool_store.hints(seen, tool))
