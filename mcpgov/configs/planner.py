"""Makes the plan for one config text: reads its entries, decides on each, collects edits. Pure: text in, plan out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcpgov import reason_codes
from mcpgov.configs import foreign
from mcpgov.configs import wrap as wraps
from mcpgov.configs.clients import NO_YAML, OTHER, YAML, Client, Place
from mcpgov.configs.entry import STDIO, EntryFacts, EntryForm, Original, understand, written
from mcpgov.configs.plan import (
    ALREADY,
    DISABLED,
    ERROR,
    GOVERNED,
    LOOK,
    NATIVE,
    SKIPPED,
    UNWRAP,
    UNWRAPPED,
    WRAP,
    WRAPPED,
    EntryResult,
    EntryState,
    Plan,
    Task,
)  # fmt: skip
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text import yaml_names
from mcpgov.configs.text.splice import Broken, Edit, Entry
from mcpgov.configs.wrap import Doc
from mcpgov.reason_codes import NONE, Reason

EXCLUDED = Reason(reason_codes.EXCLUDED, "left alone on purpose: `exclude` in the settings names it")
NOT_WRAPPED = Reason(reason_codes.NOT_WRAPPED, "not wrapped")
ADMINISTRATED = Reason(reason_codes.MANAGED, "managed by an administrator: mcpgov does not touch it")
OFF = Reason(reason_codes.DISABLED, "switched off in the client")
OTHER_NAME = Reason(reason_codes.OTHER_NAME, "wrapped for another name or client")
NO_OBJECT = "the top level is not an object"


class Shapeless(ValueError):
    """A text that is valid and can hold no servers."""


class _Making:
    def __init__(self, task: Task, doc: Doc) -> None:
        self.task = task
        self.doc = doc
        self.edits: list[Edit] = []
        self.intended: dict[Place, object] = {}
        self.results: list[EntryResult] = []
        self.states: list[EntryState] = []
        self.originals: list[Original] = []
        self.forms: dict[Place, EntryForm] = {}

    def plan(self, found: Sequence[Entry], containers: tuple[Place, ...]) -> Plan:
        return Plan(
            tuple(self.edits), self.intended, tuple(self.results), tuple(self.states), tuple(self.originals),
            self.forms, tuple(found), containers,
        )  # fmt: skip

    def told(self, place: Place, value: object = None) -> None:
        """An entry of a file that is only told of, whatever it looks like."""
        task = self.task
        off = isinstance(value, dict) and (value.get("disabled") is True or value.get("enabled") is False)
        self.only_told(place, DISABLED if off else NATIVE, Reason(reason_codes.LISTED, task.listed))

    def only_told(self, place: Place, state: str, why: Reason) -> None:
        task, name = self.task, place[-1]
        self.results.append(EntryResult(place, name, SKIPPED, why.text, why.code))
        self.states.append(
            EntryState(task.client.name, task.file, place, name, STDIO, state, why.text, (), reason_code=why.code)
        )

    def entry(self, entry: Entry) -> None:
        task = self.task
        if task.listed:
            self.told(entry.place, entry.value)
            return
        facts = understand(task.client, entry.place, entry.value, task.known, task.off)
        facts = replace(facts, broken=facts.broken or entry.fault)
        try:
            if not facts.broken:
                self.forms[entry.place] = EntryForm(self.doc.dialect, self.bare(entry, facts))
        except ValueError as error:  # of no concern to the entries beside it
            facts = replace(facts, broken=str(error))
        theirs = self.theirs(entry, facts)
        if theirs:
            offered = foreign.offer(theirs, facts.name)
            facts = replace(facts, note="; ".join(filter(None, (facts.note, offered))))
        why_native = self.why_native(entry, facts)
        result, why = self.act(entry, facts, why_native)
        self.results.append(EntryResult(entry.place, facts.name, result, why.text, why.code))
        self.states.append(replace(self.state(entry, facts, why_native, result), foreign=theirs))

    def fault(self, place: Place, kind: str) -> None:
        """Servers should stand there, and something else does: told under the name of the place."""
        why = f"`{'.'.join(place)}` is {kind}, not an object: whatever servers it names are not read"
        self.only_told(place, ERROR, Reason(reason_codes.BROKEN_ENTRY, why))

    def theirs(self, entry: Entry, facts: EntryFacts) -> str:
        """The other governor that stands in an entry, or in ours."""
        if not facts.argv or not isinstance(entry.value, dict):
            return ""
        program, *args = facts.argv
        found = foreign.recognised({**entry.value, "command": program, "args": args})
        return found.tool if found and found.argv else ""

    def why_native(self, entry: Entry, facts: EntryFacts) -> Reason:
        if self.task.managed:
            return ADMINISTRATED
        if facts.native or facts.broken:
            return facts.native
        if reason := self.bare_on_purpose(facts):
            return reason
        options = self.options(entry)
        limits = self.task.limits(self.project(entry))
        wrapped = (self.task.launcher, *written(options), *facts.argv)
        reason = Reason(reason_codes.UNSAYABLE, wraps.unsayable(options)) or limits.why_not(facts.argv, wrapped)
        unread = limits.unread or limits.unread_project
        if reason or not unread:
            return reason
        if limits.unread and self.task.goal == WRAP and facts.wrap is None and self.asked(facts):
            raise Broken(limits.unread)  # not now
        told = f"what the client's own lists say of it is not known at the moment: {unread}"
        return Reason(reason_codes.LISTS_UNREAD, told)

    def bare_on_purpose(self, facts: EntryFacts) -> Reason:
        """Why an entry is to be as it would be without us, if it is."""
        if self.task.exclude & {facts.name, f"{self.task.client.name}:{facts.name}"}:
            return EXCLUDED
        return Reason(reason_codes.OVERLAID, self.task.overlaid(facts.name) if self.task.client.layered else "")

    def act(self, entry: Entry, facts: EntryFacts, why_native: Reason) -> tuple[str, Reason]:
        task = self.task
        if facts.broken:
            return SKIPPED, Reason(reason_codes.BROKEN_ENTRY, facts.broken)
        if task.goal == UNWRAP:
            return self.unwrap(entry, facts)
        if why_native and facts.wrap is None:
            return SKIPPED, why_native
        if task.goal == WRAP and facts.wrap is not None and not facts.wrap.own and self.bare_on_purpose(facts):
            return self.unwrap(entry, facts)[0], why_native
        if facts.wrap is not None and self.up_to_date(entry, facts):
            return ALREADY, NONE
        if task.goal == LOOK or not self.asked(facts) or entry.place in task.leave:
            return SKIPPED, NONE
        if unsayable := wraps.unsayable(self.options(entry)):
            return SKIPPED, Reason(reason_codes.UNSAYABLE, unsayable)
        return self.wrap(entry, facts)

    def asked(self, facts: EntryFacts) -> bool:
        return self.task.names is None or facts.name in self.task.names

    def project(self, entry: Entry) -> str:
        # ("projects", DIR, "mcpServers", NAME): the scope of one project.
        return entry.place[1] if entry.place[0] == "projects" and len(entry.place) == 4 else self.task.project

    def options(self, entry: Entry) -> dict[str, str]:
        return wraps.options_of(entry.place[-1], self.task.client.name, self.project(entry))

    def up_to_date(self, entry: Entry, facts: EntryFacts) -> bool:
        assert facts.wrap is not None
        said = facts.wrap.own or facts.wrap.options == self.options(entry)
        return said and self.program(entry) == self.task.launcher

    def program(self, entry: Entry) -> object:
        program = wraps.seat(self.doc, entry).program.value
        return program[0] if isinstance(program, list) else program

    def wrap(self, entry: Entry, facts: EntryFacts) -> tuple[str, Reason]:
        task, options = self.task, self.options(entry)
        ours = facts.wrap.words if facts.wrap and facts.wrap.own else written(options)
        words = (task.launcher, *ours, *facts.argv)
        if facts.wrap is None:
            edits = wraps.wrapped(self.doc, entry, task.launcher, options)
            before, text = wraps.args_before(self.doc, entry), texts.raw(self.doc.text, entry)
        else:
            edits = wraps.renamed(self.doc, entry, facts.wrap, task.launcher, options)
            known = task.original(task.file, entry.place, facts.argv)
            before = known.before if known else wraps.LIST
            text = self.forms[entry.place].text
        self.change(entry, edits, words)
        self.originals.append(
            Original(task.client.name, task.file, entry.place, task.launcher, facts.argv, before, text)
        )
        return WRAPPED, _noted(facts)

    def unwrap(self, entry: Entry, facts: EntryFacts) -> tuple[str, Reason]:
        if facts.wrap is None:
            return ALREADY, NONE
        if not self.asked(facts) or entry.place in self.task.leave:
            return SKIPPED, NONE
        before = self.before(entry, facts)
        self.change(entry, wraps.unwrapped(self.doc, entry, facts.wrap, before), facts.argv, before)
        return UNWRAPPED, NONE

    def before(self, entry: Entry, facts: EntryFacts) -> str:
        known = self.task.original(self.task.file, entry.place, facts.argv)
        return known.before if known and not wraps.kept_list(self.doc, entry) else wraps.LIST

    def change(self, entry: Entry, edits: list[Edit], words: Sequence[str], before: str = wraps.LIST) -> None:
        self.edits += edits
        self.intended[entry.place] = wraps.expected(entry.value, words, before)

    def bare(self, entry: Entry, facts: EntryFacts) -> str:
        """The entry's text without our part."""
        if facts.argv:
            wraps.seat(self.doc, entry)  # raises where the program's place is not clear
        if facts.wrap is None:
            return texts.raw(self.doc.text, entry)
        edits = wraps.unwrapped(self.doc, entry, facts.wrap, self.before(entry, facts))
        return wraps.raw_with(self.doc, entry, edits)

    def state(self, entry: Entry, facts: EntryFacts, why_native: Reason, result: str) -> EntryState:
        if facts.broken:
            state, why = ERROR, Reason(reason_codes.BROKEN_ENTRY, facts.broken)
        elif facts.disabled:
            state, why = DISABLED, OFF
        elif result == UNWRAPPED:
            state, why = NATIVE, why_native or NOT_WRAPPED
        elif result in (WRAPPED, ALREADY) and self.task.goal != UNWRAP:
            state, why = GOVERNED, why_native or _noted(facts)
        elif facts.wrap is not None and self.task.goal != UNWRAP:
            state, why = GOVERNED, OTHER_NAME
        elif facts.wrap is not None and result == SKIPPED:
            state, why = GOVERNED, _noted(facts)
        else:
            refused = Reason(reason_codes.FILE_REFUSED, self.task.refused)
            state, why = NATIVE, why_native or refused or NOT_WRAPPED
        return EntryState(
            self.task.client.name, self.task.file, entry.place, facts.name,
            facts.transport if not facts.broken else STDIO, state, why.text, facts.argv, reason_code=why.code,
        )  # fmt: skip


def _noted(facts: EntryFacts) -> Reason:
    return Reason(reason_codes.NOTE, facts.note) if facts.note else NONE


def plan(text: str, task: Task) -> Plan:
    """Raises Broken, Twice or Shapeless of `text`: then nothing is known and nothing may be written."""
    making = _Making(task, Doc(text, task.client.dialect))
    if task.client.dialect == YAML:
        if not task.listed:
            raise Shapeless(NO_YAML)
        for name in yaml_names.below(text, task.client.places[0][0]):
            making.told((*task.client.places[0][:-1], name))
        return making.plan((), ())
    if task.client.dialect == texts.TOML and not text.strip():
        return making.plan((), ())  # valid, and nothing in it
    survey = texts.survey(text, task.client.dialect, task.client.places)
    if survey.faults and not survey.faults[0][0]:
        raise Shapeless(f"{NO_OBJECT} but {survey.faults[0][1]}")
    found, containers = survey.entries, survey.containers
    servers: set[Place] = set()
    for entry in found:
        inside = any(entry.place[:depth] in servers for depth in range(1, len(entry.place)))
        if not inside and not _container(entry, task.client):
            servers.add(entry.place)
            making.entry(entry)
    # A file that is only told of is nobody's trouble; in a file of anybody, the layout that is there counts.
    quiet = task.listed or (task.client.name == OTHER.name and found)
    for place, kind in () if quiet else survey.faults:
        making.fault(place, kind)
    return making.plan(found, containers)


def _container(entry: Entry, client: Client) -> bool:
    """`mcp.servers` of a client that knows both layouts is a list of servers, not one of them.

    Nor is what stands beside that list (`mcp.inputs`), in a file that may be anybody's.
    """
    if client.name == OTHER.name and entry.place[:-1] == ("mcp",) and not isinstance(entry.value, dict):
        return True
    deeper = any(place[: len(entry.place)] == entry.place for place in client.places if len(place) > len(entry.place))
    return deeper and isinstance(entry.value, dict) and all(isinstance(held, dict) for held in entry.value.values())
