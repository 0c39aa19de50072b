"""Takes wraps of other governors out of a config, or replaces them by ours, in one write through the worker.

Law: the command they stored is restored literally; an entry whose command they did not store is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mcpgov.configs import foreign
from mcpgov.configs.config_pass import Worker
from mcpgov.configs.files import store
from mcpgov.configs.foreign import Foreign
from mcpgov.configs.insert import single_edit
from mcpgov.configs.locations import ConfigSource, decoded
from mcpgov.configs.pass_result import CHANGED, UNCHANGED, FileResult, as_result
from mcpgov.configs.plan import LOOK, UNWRAP, UNWRAPPED, WRAP, WRAPPED, EntryResult, Plan
from mcpgov.configs.planner import plan
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Entry
from mcpgov.configs.wrap import ConfigText


def take_out(
    worker: Worker, source: ConfigSource, names: Collection[str] | None = None, *, wrap: bool = False, dry: bool = False
) -> FileResult:
    """Take the wraps of other tools out; `wrap`: and put ours in their place."""
    if source.managed or source.listed or source.client.dialect == texts.TOML:
        return FileResult(source.client.name, str(source.file), UNCHANGED)

    def changed(text: str) -> tuple[Plan, FileResult]:
        return _changed(worker, source, names, text, wrap)

    work = as_result(source, lambda: _there(worker, source, names))
    if work.result != CHANGED:
        return work
    return worker.offer(source, changed, "{}") if dry else worker.rewrite(source, changed, "{}", None)


def _there(worker: Worker, source: ConfigSource, names: Collection[str] | None) -> FileResult:
    """CHANGED if there is such a wrap, without writing."""
    seen = store.look(source.file, worker.home.home)
    entries = [] if seen.missing else _foreign(worker, source, names, decoded(seen))[1]
    return FileResult(source.client.name, str(source.file), CHANGED if entries else UNCHANGED)


def _foreign(
    worker: Worker, source: ConfigSource, names: Collection[str] | None, text: str
) -> tuple[str, list[tuple[Entry, Foreign]]]:
    """The text without our wraps around entries of other governors, and those entries."""
    task = worker.task(source, LOOK)
    states = plan(text, task).states
    wanted = {state.place for state in states if state.foreign and (names is None or state.name in names)}
    leave = frozenset(state.place for state in states) - wanted
    made = plan(text, replace(task, goal=UNWRAP, leave=leave))
    bare = worker.edited(source, text, made)
    entries = texts.find(bare, source.client.dialect, source.client.places) if wanted else []
    known = [(entry, foreign.recognised(entry.value)) for entry in entries if entry.place in wanted]
    return bare, [(entry, wrap) for entry, wrap in known if wrap is not None and wrap.argv]


def _changed(
    worker: Worker, source: ConfigSource, names: Collection[str] | None, text: str, wrap: bool
) -> tuple[Plan, FileResult]:
    client = source.client
    bare, found = _foreign(worker, source, names, text)
    doc = ConfigText(bare, client.dialect)
    edits, intended = [], {}
    for entry, theirs in found:
        more, intended[entry.place] = foreign.restored(doc, entry, theirs)
        edits += more
    new = texts.splice(bare, edits)
    texts.verify(bare, new, client.dialect, client.places, intended)
    others = frozenset(state.place for state in plan(new, worker.task(source, LOOK)).states) - intended.keys()
    made = plan(new, worker.task(source, WRAP if wrap else LOOK, others))
    whole = worker.edited(source, new, made)
    states = {state.place: state.reason for state in made.states}
    results = tuple(
        EntryResult(entry.place, entry.place[-1], WRAPPED if wrap and entry.place in made.intended else UNWRAPPED,
                    f"`{theirs.tool}` taken out" + (f"; {states[entry.place]}" if states[entry.place] and wrap else ""))
        for entry, theirs in found
    )  # fmt: skip
    result = FileResult(client.name, str(source.file), CHANGED, "", results, made.states, made.containers)
    return made, replace(result, before=text, after=whole, edits=(single_edit(text, whole),))
