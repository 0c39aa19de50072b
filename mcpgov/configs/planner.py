"""Makes the plan for one config text: reads its entries, decides on each, collects edits. Pure: text in, plan out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcpgov import reason_codes
from mcpgov.configs import foreign
from mcpgov.configs import wrap as wraps
from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.clients import NO_YAML, OTHER, YAML, Client, Place
from mcpgov.configs.entry import STDIO, EntryFacts, EntryForm, Original, environment_of, option_words, read_entry
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
from mcpgov.configs.remote.url_plan import OLD_PORT, SECRET_IN_PROJECT, UrlEntries
from mcpgov.configs.remote.url_wrap import LOST, UrlSite
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text import yaml_names
from mcpgov.configs.text.splice import Edit, Entry, InvalidText
from mcpgov.configs.wrap import ConfigText
from mcpgov.reason_codes import NONE, Reason

EXCLUDED = Reason(reason_codes.EXCLUDED, "left alone on purpose: `exclude` in the settings names it")
OWN_SERVER = Reason(reason_codes.OWN_SERVER, "mcpgov's own server: it is never wrapped")
NOT_WRAPPED = Reason(reason_codes.NOT_WRAPPED, "not wrapped")
ADMINISTRATED = Reason(reason_codes.MANAGED, "managed by an administrator: mcpgov does not touch it")
OFF = Reason(reason_codes.DISABLED, "switched off in the client")
OTHER_NAME = Reason(reason_codes.OTHER_NAME, "wrapped for another name or client")
NO_OBJECT = "the top level is not an object"


class NoServerList(ValueError):
    """A valid text that cannot contain servers."""


class _Planner:
    def __init__(self, task: Task, doc: ConfigText) -> None:
        self.task = task
        self.doc = doc
        self.edits: list[Edit] = []
        self.intended: dict[Place, object] = {}
        self.results: list[EntryResult] = []
        self.states: list[EntryState] = []
        self.originals: list[Original] = []
        self.forms: dict[Place, EntryForm] = {}
        self.urls = UrlEntries(task, doc)

    def plan(self, entries: Sequence[Entry], containers: tuple[Place, ...]) -> Plan:
        return Plan(
            tuple(self.edits), self.intended, tuple(self.results), tuple(self.states), tuple(self.originals),
            self.forms, tuple(entries), containers, tuple(self.urls.keep), tuple(self.urls.forget),
            tuple(self.urls.shown), self.urls.holds_secret,
        )  # fmt: skip

    def told(self, place: Place, value: object = None) -> None:
        """An entry of a file that is only listed, whatever its contents."""
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
        facts = read_entry(task.client, entry.place, entry.value, task.known, task.off)
        facts = replace(facts, broken=facts.broken or entry.fault)
        if facts.remote is not None and not facts.broken:
            facts = self.urls.checked(self.site(entry, facts), facts)
        try:
            if not facts.broken:
                self.forms[entry.place] = EntryForm(self.doc.dialect, self.bare(entry, facts))
        except ValueError as error:  # must not affect the other entries
            facts = replace(facts, broken=str(error))
        theirs = self.theirs(entry, facts)
        if theirs:
            offered = foreign.takeover_hint(theirs, facts.name)
            facts = replace(facts, note="; ".join(filter(None, (facts.note, offered))))
        why_native = self.why_native(entry, facts)
        result, why = self.act(entry, facts, why_native)
        self.results.append(EntryResult(entry.place, facts.name, result, why.text, why.code))
        self.states.append(replace(self.state(entry, facts, why_native, result), foreign=theirs))

    def fault(self, place: Place, kind: str) -> None:
        """The value where a list of servers belongs is something else: reported under the name of the place."""
        why = f"`{'.'.join(place)}` is {kind}, not an object: whatever servers it names are not read"
        self.only_told(place, ERROR, Reason(reason_codes.BROKEN_ENTRY, why))

    def theirs(self, entry: Entry, facts: EntryFacts) -> str:
        """The other governor that wraps an entry, possibly inside our wrap."""
        if not facts.argv or not isinstance(entry.value, dict):
            return ""
        program, *args = facts.argv
        wrap = foreign.recognised({**entry.value, "command": program, "args": args})
        return wrap.tool if wrap and wrap.argv else ""

    def why_native(self, entry: Entry, facts: EntryFacts) -> Reason:
        if self.task.managed:
            return ADMINISTRATED
        if facts.native or facts.broken:
            return facts.native
        if reason := self.bare_on_purpose(entry, facts):
            return reason
        limits = self.task.limits(self.project(entry))
        reason = self.why_limited(entry, facts, limits)
        unread = limits.unread or limits.unread_project
        if reason or not unread:
            return reason
        if limits.unread and self.task.goal == WRAP and not facts.wrapped and self.asked(facts):
            raise InvalidText(limits.unread)  # not now
        sentence = f"what the client's own lists say of it is not known at the moment: {unread}"
        return Reason(reason_codes.LISTS_UNREAD, sentence)

    def why_limited(self, entry: Entry, facts: EntryFacts, limits: ClientLimits) -> Reason:
        if facts.remote is not None:
            return self.urls.why_native(self.site(entry, facts), limits)
        options = self.options(entry)
        wrapped = (self.task.launcher, *option_words(options), *facts.argv)
        return Reason(reason_codes.UNSAYABLE, wraps.why_unwritable(options)) or limits.why_not(facts.argv, wrapped)

    def site(self, entry: Entry, facts: EntryFacts) -> UrlSite:
        return self.urls.site(entry, facts, self.project(entry))

    def bare_on_purpose(self, entry: Entry, facts: EntryFacts) -> Reason:
        """Why an entry must not be wrapped although it could be; NONE if it may."""
        if facts.argv and self.task.own_server(facts.argv, environment_of(entry.value)):
            return OWN_SERVER
        if self.task.exclude & {facts.name, f"{self.task.client.name}:{facts.name}"}:
            return EXCLUDED
        if facts.remote is not None and facts.wrapped and self.task.in_project:
            return SECRET_IN_PROJECT
        return Reason(reason_codes.OVERLAID, self.task.overlaid(facts.name) if self.task.client.layered else "")

    def act(self, entry: Entry, facts: EntryFacts, why_native: Reason) -> tuple[str, Reason]:
        task = self.task
        if facts.broken:
            return SKIPPED, _broken(facts)
        if task.goal == UNWRAP:
            return self.unwrap(entry, facts)
        if why_native and not facts.wrapped:
            return SKIPPED, why_native
        if task.goal == WRAP and facts.wrapped and not facts.own and self.bare_on_purpose(entry, facts):
            return self.unwrap(entry, facts)[0], why_native
        if facts.wrapped and self.up_to_date(entry, facts):
            return ALREADY, NONE
        if task.goal == LOOK or not self.asked(facts) or entry.place in task.leave:
            return self.left(entry, facts)
        if facts.remote is not None:
            return self.wrap_url(entry, facts)
        if unsayable := wraps.why_unwritable(self.options(entry)):
            return SKIPPED, Reason(reason_codes.UNSAYABLE, unsayable)
        return self.wrap(entry, facts)

    def asked(self, facts: EntryFacts) -> bool:
        return self.task.names is None or facts.name in self.task.names

    def project(self, entry: Entry) -> str:
        # ("projects", DIR, "mcpServers", NAME): the scope of one project.
        return entry.place[1] if entry.place[0] == "projects" and len(entry.place) == 4 else self.task.project

    def options(self, entry: Entry) -> dict[str, str]:
        return wraps.options_of(entry.place[-1], self.task.client.name, self.project(entry))

    def left(self, entry: Entry, facts: EntryFacts) -> tuple[str, Reason]:
        if facts.remote is not None:
            self.urls.left(self.site(entry, facts))
        return SKIPPED, NONE

    def up_to_date(self, entry: Entry, facts: EntryFacts) -> bool:
        if facts.remote is not None:
            return self.urls.is_current(self.site(entry, facts))
        assert facts.wrap is not None
        said = facts.wrap.own or facts.wrap.options == self.options(entry)
        return said and self.program(entry) == self.task.launcher

    def program(self, entry: Entry) -> object:
        program = wraps.command_members(self.doc, entry).program.value
        return program[0] if isinstance(program, list) else program

    def wrap(self, entry: Entry, facts: EntryFacts) -> tuple[str, Reason]:
        task, options = self.task, self.options(entry)
        ours = facts.wrap.words if facts.wrap and facts.wrap.own else option_words(options)
        words = (task.launcher, *ours, *facts.argv)
        if facts.wrap is None:
            edits = wraps.wrapped(self.doc, entry, task.launcher, options)
            before, text = wraps.args_before(self.doc, entry), texts.raw(self.doc.text, entry)
        else:
            edits = wraps.updated(self.doc, entry, facts.wrap, task.launcher, options)
            known = task.original(task.file, entry.place, facts.argv)
            before = known.before if known else wraps.LIST
            text = self.forms[entry.place].text
        self.change(entry, edits, words)
        self.originals.append(
            Original(task.client.name, task.file, entry.place, task.launcher, facts.argv, before, text)
        )
        return WRAPPED, _noted(facts)

    def wrap_url(self, entry: Entry, facts: EntryFacts) -> tuple[str, Reason]:
        edits, url, original = self.urls.wrap(self.site(entry, facts), self.forms[entry.place].text)
        self.change_url(entry, facts, edits, url)
        self.originals.append(original)
        return WRAPPED, _noted(facts)

    def change_url(self, entry: Entry, facts: EntryFacts, edits: list[Edit], url: str) -> None:
        assert facts.remote is not None
        assert isinstance(entry.value, dict)
        self.edits += edits
        self.intended[entry.place] = {**entry.value, facts.remote.key: url}

    def unwrap(self, entry: Entry, facts: EntryFacts) -> tuple[str, Reason]:
        if not facts.wrapped:
            return ALREADY, NONE
        if not self.asked(facts) or entry.place in self.task.leave:
            return self.left(entry, facts)
        if facts.remote is not None:
            self.change_url(entry, facts, *self.urls.unwrap(self.site(entry, facts)))
            return UNWRAPPED, NONE
        assert facts.wrap is not None
        before = self.before(entry, facts)
        self.change(entry, wraps.unwrapped(self.doc, entry, facts.wrap, before), facts.argv, before)
        return UNWRAPPED, NONE

    def before(self, entry: Entry, facts: EntryFacts) -> str:
        known = self.task.original(self.task.file, entry.place, facts.argv)
        return known.before if known and not wraps.has_comments(self.doc, entry) else wraps.LIST

    def change(self, entry: Entry, edits: list[Edit], words: Sequence[str], before: str = wraps.LIST) -> None:
        self.edits += edits
        self.intended[entry.place] = wraps.expected(entry.value, words, before)

    def bare(self, entry: Entry, facts: EntryFacts) -> str:
        """The entry's text without our wrap."""
        if facts.remote is not None:
            return wraps.raw_with(self.doc, entry, self.urls.bare(self.site(entry, facts)))
        if facts.argv:
            wraps.command_members(self.doc, entry)  # raises if the program's place is ambiguous
        if facts.wrap is None:
            return texts.raw(self.doc.text, entry)
        edits = wraps.unwrapped(self.doc, entry, facts.wrap, self.before(entry, facts))
        return wraps.raw_with(self.doc, entry, edits)

    def state(self, entry: Entry, facts: EntryFacts, why_native: Reason, result: str) -> EntryState:
        if facts.broken:
            state, why = ERROR, _broken(facts)
        elif facts.disabled:
            state, why = DISABLED, OFF
        elif result == UNWRAPPED:
            state, why = NATIVE, why_native or NOT_WRAPPED
        elif result in (WRAPPED, ALREADY) and self.task.goal != UNWRAP:
            state, why = GOVERNED, why_native or _noted(facts)
        elif facts.wrapped and self.task.goal != UNWRAP:
            state, why = GOVERNED, OTHER_NAME if facts.remote is None else why_native or OLD_PORT
        elif facts.wrapped and result == SKIPPED:
            state, why = GOVERNED, _noted(facts)
        else:
            refused = Reason(reason_codes.FILE_REFUSED, self.task.refused)
            state, why = NATIVE, why_native or refused or NOT_WRAPPED
        return EntryState(
            self.task.client.name, self.task.file, entry.place, facts.name,
            facts.transport if not facts.broken or facts.remote else STDIO, state, why.text, facts.argv,
            reason_code=why.code, timeout=_timeout(entry.value), upstream=facts.upstream,
            url=facts.remote.url if facts.remote and state == NATIVE else "",
        )  # fmt: skip


def _timeout(value: object) -> float:
    """As Codex spells it; no other client of ours has such a key in its entries."""
    found = value.get("tool_timeout_sec") if isinstance(value, dict) else None
    return float(found) if isinstance(found, (int, float)) and found is not True and 0 < found < 1e6 else 0.0


def _broken(facts: EntryFacts) -> Reason:
    return Reason(reason_codes.REMOTE_LOST if facts.broken == LOST else reason_codes.BROKEN_ENTRY, facts.broken)


def _noted(facts: EntryFacts) -> Reason:
    return Reason(reason_codes.NOTE, facts.note) if facts.note else NONE


def plan(text: str, task: Task) -> Plan:
    """Raises InvalidText, DuplicateKey or NoServerList: then nothing may be written."""
    planner = _Planner(task, ConfigText(text, task.client.dialect))
    if task.client.dialect == YAML:
        if not task.listed:
            raise NoServerList(NO_YAML)
        for name in yaml_names.keys_below(text, task.client.places[0][0]):
            planner.told((*task.client.places[0][:-1], name))
        return planner.plan((), ())
    if task.client.dialect == texts.TOML and not text.strip():
        return planner.plan((), ())  # valid and empty
    survey = texts.survey(text, task.client.dialect, task.client.places)
    if survey.faults and not survey.faults[0][0]:
        raise NoServerList(f"{NO_OBJECT} but {survey.faults[0][1]}")
    entries, containers = survey.entries, survey.containers
    servers: set[Place] = set()
    for entry in entries:
        inside = any(entry.place[:depth] in servers for depth in range(1, len(entry.place)))
        if not inside and not _container(entry, task.client):
            servers.add(entry.place)
            planner.entry(entry)
    # No faults for a file that is only listed, nor for a file of unknown layout in which servers were found.
    quiet = task.listed or (task.client.name == OTHER.name and entries)
    for place, kind in () if quiet else survey.faults:
        planner.fault(place, kind)
    return planner.plan(entries, containers)


def _container(entry: Entry, client: Client) -> bool:
    """True for `mcp.servers` of a client with both layouts: it is a list of servers, not a server.

    Also for the values next to that list (`mcp.inputs`) in a file of an unknown client.
    """
    if client.name == OTHER.name and entry.place[:-1] == ("mcp",) and not isinstance(entry.value, dict):
        return True
    deeper = any(place[: len(entry.place)] == entry.place for place in client.places if len(place) > len(entry.place))
    return deeper and isinstance(entry.value, dict) and all(isinstance(member, dict) for member in entry.value.values())
