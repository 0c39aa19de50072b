"""Who speaks, and by which rules: what a conversation stands on between two lines. Pure."""

from __future__ import annotations

from mcpgov.core.decision import ALLOW, LOG, REDACT, Decision
from mcpgov.core.json.lookalikes import VERSION_KEY, all_differ, imitates
from mcpgov.core.json.values import quote
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.ruleset import RuleSet, stricter
from mcpgov.core.session.tool_list import ToolList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcpgov.core.rules.by_names import ValueCheck
    from mcpgov.core.rules.globs import Glob
    from mcpgov.core.session.guard import Guards

    Checks = tuple[ValueCheck | None, ...]

# Needs of a policy that its rules meet themselves; whatever else its head lists is a guard.
MATCHERS = frozenset(("cel", "contains", "re"))


class Who:
    """Whose conversation this is."""

    __slots__ = ("client", "project", "server", "session")

    def __init__(self, server: str, client: str, project: str, session: str) -> None:
        self.server = server
        self.client = client
        self.project = project
        self.session = session


class Policy:
    """The rules in force: the user's, and the project's if it has some.

    `guards`: what judges after the rules, None where nothing does; `reads_lines`: one of them sees every line before
    anybody else. `plain_records`: nothing is kept of a call that concerns no guard but a short record, and nobody looks
    at its answer; so there may be a fast path. `records_only`: that holds for every call. `repeats`: the same call in
    the same world gets the same verdict, for there is no expression that may look at anything else.
    """

    __slots__ = (
        "audit", "guards", "known_methods", "plain_records", "project", "reads_lines", "records_only", "repeats",
        "rules", "watches_answers",
    )  # fmt: skip

    def __init__(self, rules: RuleSet, project: RuleSet | None = None) -> None:
        self.rules = rules
        self.project = project
        if project is not None:
            project.adopt_names(rules)
        head = rules.head
        self.audit = str(head.get("audit") or "redacted")
        allow = head.get("methods_allow") or ()
        assert isinstance(allow, (list, tuple))
        self.known_methods = _globs(allow)
        heads = [rules.head, *((project.head,) if project is not None else ())]
        needs = [need for head in heads for need in _needs(head)]
        wanted = guards_wanted(heads)
        self.guards = rules.guards(wanted, heads) if wanted else None
        self.reads_lines = self.guards is not None and self.guards.lines is not None
        self.watches_answers = "contains" in needs or (self.guards is not None and self.guards.watch_answers)
        self.plain_records = "contains" not in needs and self.audit == "redacted"
        self.records_only = self.plain_records and not self.watches_answers
        self.repeats = "cel" not in needs and (project is None or project.world is rules.world)

    @property
    def is_ascii(self) -> bool:
        """No rule names a sign outside of ASCII."""
        return self.rules.is_ascii and (self.project is None or self.project.is_ascii)

    @property
    def epoch(self) -> int:
        """Counts how often the rules' own directories were looked up anew."""
        return self.rules.epoch + (self.project.epoch if self.project is not None else 0)

    def decide(self, call: Call, today: str) -> Decision:
        first = self.rules.decide(call, today)
        return first if self.project is None else both(first, self.project.decide(call, today))

    def by_names(self, call: Call, today: str) -> tuple[Decision, Checks] | None:
        """The verdict where names alone decide, with the checks its arguments' values must pass; else None.

        Nothing may be kept of such a call but its record (`plain_records`).
        """
        first = self.rules.by_names(call, today)
        second = self.project.by_names(call, today) if self.project is not None else None
        if first is None or (second is None and self.project is not None):
            return None
        from mcpgov.core.rules.by_names import value_check

        decision, watched = first.decision, first.watched
        if second is not None:
            decision = both(decision, second.decision)
            watched = {name: found + second.watched[name] for name, found in watched.items()}
        return decision, tuple(value_check(name, call, patterns, self.rules) for name, patterns in watched.items())

    def judge_answer(self, call: Call, answer: object, today: str) -> Decision | None:
        first = self.rules.judge_answer(call, answer, today)
        second = self.project.judge_answer(call, answer, today) if self.project is not None else None
        return both(first, second) if first is not None and second is not None else first or second

    def could_pass(self, call: Call) -> bool:
        return self.rules.could_pass(call) and (self.project is None or self.project.could_pass(call))

    def hides(self, call: Call) -> bool:
        """Is a tool left out of lists, because no arguments could make its calls pass?"""
        return bool(self.rules.head.get("hide_denied", True)) and not self.could_pass(call)

    def forget_links(self) -> bool:
        """True: what names decide may be another thing now."""
        changed = self.rules.forget_links()
        return (self.project is not None and self.project.forget_links()) or changed

    def names(self, method: str) -> bool:
        """Does `methods.allow` let an unknown method pass?"""
        return any(glob.matches(method) for glob in self.known_methods)

    def deny_as(self, server: str) -> str:
        own = self.rules.head.get("server_deny_as")
        return str((own.get(server) if isinstance(own, dict) else None) or self.rules.head.get("deny_as") or "result")


def _globs(texts: Sequence[str]) -> tuple[Glob, ...]:
    if not texts:
        return ()
    from mcpgov.core.rules.globs import Glob

    return tuple(Glob(text) for text in texts)


def _needs(head: dict[str, object]) -> list[str]:
    found = head.get("needs") or []
    assert isinstance(found, list)
    return found


def guards_wanted(heads: Iterable[dict[str, object]]) -> list[str]:
    """The guards that these policies need together."""
    return [need for head in heads for need in _needs(head) if need not in MATCHERS]


def both(first: Decision, second: Decision) -> Decision:
    """Two policies judged apart: the stricter verdict holds; where both cut, both cuts are made."""
    if first.action == REDACT and second.action == REDACT:
        return Decision(REDACT, first.rule, first.kind, first.message, first.revision, first.cuts + second.cuts)
    return stricter(first, second)


def note_part(decision: Decision) -> str:
    """What a record says of a verdict, the same for every call."""
    rule = quote(decision.rule) if decision.rule is not None else "null"
    return f'"action":"{decision.action}","rule":{rule},"kind":"{decision.kind}","revision":"{decision.revision}"'


def call_note(call: Call, decision: Decision, service: str) -> str:
    """What the record of a passed `tools/call` says before its arguments."""
    assert call.tool is not None
    named = f'"tool":{quote(call.tool)},"service":{quote(service)},"operation":"{call.operation}"'
    return f'"method":"tools/call",{named},{note_part(decision)}'


class Shape:
    """What is the same for calls of one tool with the same arguments' names; unusable where names do not decide.

    `open`: nothing in the names is in the way of a short record, and nothing needs a look at the answer. `checks`: for
    each argument in turn what its values must pass besides being harmless, if anything. `counted_by`: guards that count
    such calls, each time anew, and read nothing else of them.
    """

    __slots__ = ("checks", "counted_by", "harmless", "noted", "nowhere", "open", "unmarked", "usable")

    def __init__(
        self,
        policy: Policy | None,
        tool: str,
        names: tuple[str, ...],
        meta: tuple[str | None, ...],
        who: Who,
        listing: ToolList,
        modern: bool,
        today: str = "",
    ) -> None:
        from mcpgov.core.audit.audit_preview import needs_no_mask

        self.noted = ""
        self.checks: Checks = ()
        self.harmless: Callable[[str], bool] = needs_no_mask
        self.unmarked: Callable[[str], bool] = needs_no_mask
        self.nowhere: Callable[[str], bool] = needs_no_mask
        self.usable = False
        self.counted_by: Guards | None = None
        call = Call("tools/call", {}, who.server, who.client, who.project, None, listing.annotations.get(tool))
        call.tool, call.args = tool, dict.fromkeys(names)
        self.open = policy is not None and not modern and _short(policy, call) and _open_names(tool, names, meta)
        if policy is None or not self.open or listing.holds(tool):
            return
        if policy.guards is not None and policy.guards.concerns(call):
            self.counted_by = policy.guards
        found = policy.by_names(call, today)
        if found is not None and found[0].action in (ALLOW, LOG):
            decision, self.checks = found
            self.noted = call_note(call, decision, policy.rules.service_of(call))
            rules = policy.rules
            self.harmless, self.unmarked, self.nowhere = rules.harmless, rules.unmarked, rules.nowhere
            self.usable = True

    def passes(self, values: Iterable[object]) -> bool:
        """The verdict by names holds for a call of these values, and its record shows them as they are."""
        for value, check in zip(values, self.checks, strict=True):
            if type(value) is str:
                if not self.harmless(value) or (check is not None and not check.text(value)):
                    return False
            elif isinstance(value, (dict, list)) or (check is not None and not check.number(value)):
                return False
        return True


def _short(policy: Policy, call: Call) -> bool:
    """Is a short record all that is kept of calls of these names, and perhaps a count?"""
    return policy.plain_records and (policy.guards is None or policy.guards.only_counts(call))


def _open_names(tool: str, names: tuple[str, ...], meta: tuple[str | None, ...]) -> bool:
    """Nothing to refuse, to mask or to cut in the tool's and its arguments' names, and none in `_meta` that decides."""
    from mcpgov.core.audit.audit_preview import LONGEST_TEXT, MOST_ITEMS, is_secret_name, needs_no_mask, pairs_up

    if len(tool) > LONGEST_TEXT or not tool.isprintable() or len(names) > MOST_ITEMS:
        return False
    if not all(name.isprintable() and needs_no_mask(name) and not is_secret_name(name) for name in names):
        return False
    if pairs_up(names):  # whether a value is masked depends on another one
        return False
    kept: dict[str, object] = {name: None for name in meta if name is not None}
    if VERSION_KEY in kept or imitates(kept, VERSION_KEY):
        return False
    return all_differ(dict.fromkeys(names)) and all_differ(kept)
