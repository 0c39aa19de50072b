"""Decide one call by the compiled policy. Pure: no I/O, no clock. The first rule that matches decides.

The compiled text is JSON whose head comes first and whose rules stand one to a line after it:
    {"format":1,"head":{…},"rules":[
    {rule},
    {rule}
    ]}
A rule is identified by the offset of its line, so offsets sort by rule order, and only candidates are ever parsed.

What judging takes (rules, readers of values) is loaded by the first call: many servers wait for one all day.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, MOST_STEPS, STRICTNESS, Decision, StepLimitExceeded
from mcpgov.core.json.values import scan
from mcpgov.core.rules.call import Call
from mcpgov.core.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcpgov.core.protection.protection import Protection
    from mcpgov.core.rules.by_names import ByNames
    from mcpgov.core.rules.path_matching import Reader
    from mcpgov.core.rules.rule import Hooks, Rule, Setting
    from mcpgov.core.rules.value_patterns import Pattern, PatternGroup
    from mcpgov.core.session.guard import Guards

FORMAT = 1
OPENING = f'{{"format":{FORMAT},"head":'
MIDDLE = ',"rules":[\n'
MOST_REMEMBERED = 512
UNDECIDED = f"it cannot be decided: judging it takes more than {MOST_STEPS} steps"


class RuleSet:
    """A compiled policy in force for one world. Raises ValueError for a text that is none."""

    __slots__ = (
        "_bases", "_displaced", "_hooks", "_memo", "_protection", "_roots", "_rules", "_screened", "_start", "_text",
        "default", "epoch", "head", "revision", "world",
    )  # fmt: skip

    def __init__(self, text: str, world: World, hooks: Hooks) -> None:
        if not text.startswith(OPENING):
            raise ValueError("not a compiled policy of this version")
        head, end = scan(text, len(OPENING))
        if not isinstance(head, dict) or text[end : end + len(MIDDLE)] != MIDDLE:
            raise ValueError("the compiled policy is damaged")
        self.head: dict[str, object] = head
        self.revision = str(head["revision"])
        self.default = str(head["default"])
        if self.default not in STRICTNESS:
            raise ValueError("the compiled policy has no usable default")
        self._text, self._start, self._hooks = text, end + len(MIDDLE), hooks
        self._rules: dict[int, Rule] = {}
        self._enter(world)

    def _enter(self, world: World) -> None:
        """Start with empty caches: nothing has been resolved in this world."""
        self.world = world
        self.epoch = 0  # counts how often the rules' own directories were looked up anew
        self._roots: dict[str, str] = {}
        self._displaced: dict[PatternGroup, tuple[Pattern, ...]] = {}
        self._screened: dict[str, str] = {}
        self._memo: dict[tuple[str | None, ...], tuple[Rule, ...]] = {}
        self._bases = world.bases
        self._protection: Protection | None = None

    def in_world(self, world: World) -> RuleSet:
        """The same policy for another world: it shares the text and the parsed rules, but no caches."""
        other = RuleSet.__new__(RuleSet)
        other._text, other._start, other._hooks = self._text, self._start, self._hooks
        other.head, other.revision, other.default = self.head, self.revision, self.default
        # `~` in a rule is replaced when the rule is parsed.
        other._rules = self._rules if world.home == self.world.home else {}
        other._enter(world)
        return other

    @property
    def protection(self) -> Protection | None:
        """The protected places, resolved when the first call needs them, not at the start."""
        if self._protection is None:
            protected, secret = self.head.get("protect"), self.head.get("secret")
            if (isinstance(protected, list) and protected) or secret:
                from mcpgov.core.protection.protection import Protection

                secrets = secret if isinstance(secret, list) else None
                self._protection = Protection(protected if isinstance(protected, list) else [], self.world, secrets)
        return self._protection

    def decide(self, call: Call, today: str = "") -> Decision:
        """The first rule that matches decides; nothing matches: the default. What takes too many steps is denied."""
        try:
            if type(call.args) is dict or call.args is None:
                return self.decide_part(call, today)
            from mcpgov.core.large.large_calls import decide_in_parts

            return decide_in_parts(self, call, today)
        except StepLimitExceeded:
            return self._undecided()

    def _undecided(self) -> Decision:
        return Decision(DENY, None, "policy", UNDECIDED, self.revision)

    def decide_part(self, call: Call, today: str, reader: Reader | None = None) -> Decision:
        """The verdict on arguments that are all in memory. `reader`: of a large call, whose parts share one.

        Raises StepLimitExceeded.
        """
        protection = self.protection if call.tool is not None else None
        if call.uris and self.protection is not None:
            reader = reader or self.reader()
            read = self.protection.secret_in(call.uris, reader)
            if read:
                return Decision(DENY, "mcpgov:protect", "policy", f"`{read}` belongs to mcpgov", self.revision)
        if protection is None or protection.passes(call):
            # The usual case: no protected place can be meant, and names alone decide.
            candidates = self._memo.get((call.method, call.tool, call.prompt, call.server, call.client, call.project))
            if candidates and not candidates[0].dynamic:
                return candidates[0].decision(self.revision)
            reader = reader or self.reader()
        else:
            reader = reader or self.reader()
            touched = protection.touched(call, reader)
            if touched:
                return Decision(DENY, "mcpgov:protect", "policy", f"`{touched}` belongs to mcpgov", self.revision)
        setting = self._setting(call, today, reader)
        try:
            verdict = self._judge(call, setting)
            if setting.used_operation:
                for operation in call.other_operations:
                    other = self._setting(call, today, reader, operation)
                    verdict = stricter(verdict, self._judge(call, other))
            return verdict
        finally:
            reader.screens.clear()  # a screen refers to its reader: without this, both wait for the cycle collector

    def by_names(self, call: Call, today: str) -> ByNames | None:
        """The verdict by names; every value must be harmless() and pass its check. None: names do not decide."""
        protection = self.protection
        if protection is not None and not protection.passes_by_name(call):
            return None
        from mcpgov.core.rules.by_names import decide_by_names

        return decide_by_names(self, call, today)

    @property
    def is_ascii(self) -> bool:
        return self._text.isascii() and "\\u" not in self._text

    def reader(self) -> Reader:
        from mcpgov.core.rules.path_matching import Reader

        return Reader(self.world, self._roots, self._displaced)

    @property
    def by_default(self) -> Decision:
        """The verdict where no rule matches."""
        return Decision(self.default, None, default_kind(self.default), "", self.revision)

    @property
    def harmless(self) -> Callable[[str], bool]:
        """A check of texts of the kind line_templates.TEXT: nothing to protect, nothing to mask in the record."""
        return is_open_and_plain if self.protection is None else self.protection.harmless

    @property
    def unmarked(self) -> Callable[[str], bool]:
        """The same check for texts that match line_templates.VALUE."""
        return is_open_and_plain if self.protection is None else self.protection.unmarked

    @property
    def nowhere(self) -> Callable[[str], bool]:
        """The same check for such texts without any of line_templates.MARKS (of a secret, an option or `..`)."""
        return bool if self.protection is None else self.protection.nowhere

    def _setting(self, call: Call, today: str, reader: Reader, operation: str = "", message: object = None) -> Setting:
        from mcpgov.core.rules.rule import Setting

        return Setting(reader, today, self.service_of(call), operation, message)

    def _judge(self, call: Call, setting: Setting) -> Decision:
        names: set[str] | None = None
        for rule in self.candidates(call, setting):
            if rule.required_argument:
                if names is None:
                    from mcpgov.core.rules.arguments import argument_names

                    names = argument_names(call.args or ())
                if rule.required_argument not in names:
                    continue
            if not (rule.dynamic and rule.dynamic_mismatch(call, setting)):
                return rule.decision(self.revision)
        return self.by_default

    def judge_answer(self, call: Call, answer: object, today: str = "") -> Decision | None:
        """The verdict of the first rule whose `contains` finds its text in the answer; None: no rule does."""
        setting = self._setting(call, today, self.reader(), message=answer)
        try:
            for rule in self.candidates(call, setting):
                if rule.contains and not rule.dynamic_mismatch(call, setting):
                    return rule.decision(self.revision)
        except StepLimitExceeded:
            return self._undecided()
        return None

    def could_pass(self, call: Call) -> bool:
        """Could any arguments make a call of this tool pass, or at least be asked about?"""
        return any(self._could_pass_as(call, operation) for operation in call.possible_operations)

    def _could_pass_as(self, call: Call, named: str) -> bool:
        setting = self._setting(call, "", self.reader())
        for rule in self.candidates(call, setting):
            # Whatever its values raise it to, a call is also judged by the operation of its name.
            if rule.operation and named not in rule.operation:
                continue
            if rule.action != DENY:
                return True
            if rule.only_operation:
                return False
        return self.default != DENY

    def candidates(self, call: Call, setting: Setting) -> tuple[Rule, ...]:
        """The rules whose name matchers hold, in order, up to the first that does not depend on values."""
        key = (call.method, call.tool, call.prompt, call.server, call.client, call.project)
        rules = self._memo.get(key)
        if rules is None:
            if len(self._memo) >= MOST_REMEMBERED:
                self._memo.clear()
            rules = self._memo[key] = self._find(call, setting)
        return rules

    def _find(self, call: Call, setting: Setting) -> tuple[Rule, ...]:
        out: list[Rule] = []
        for offset in self._offsets(call):
            rule = self.rule_at(offset)
            if not rule.static_mismatch(call, setting):
                out.append(rule)
                if not rule.dynamic:
                    break
        return tuple(out)

    def _offsets(self, call: Call) -> Sequence[int]:
        """Rules that could match by the literal parts of their tool globs, in order."""
        index = self.head["index"]
        assert isinstance(index, dict)
        collected: set[int] = set(index["untooled"])
        tool = call.tool
        if tool is not None:
            collected.update(index["wild"])
            _collect(collected, index["exact"].get(tool))
            for size in index["prefix_sizes"]:
                if size <= len(tool):
                    _collect(collected, index["prefix"].get(tool[:size]))
            for size in index["suffix_sizes"]:
                if size <= len(tool):
                    _collect(collected, index["suffix"].get(tool[-size:]))
            for middle, offsets in index["inner"].items():
                if middle in tool:
                    _collect(collected, offsets)
        return sorted(collected)

    def forget_links(self) -> bool:
        """Drop the resolved directories of the rules; those of values are resolved for every call anyway.

        True: a directory that a verdict by names relies on has moved.
        """
        self.epoch += 1
        self._roots.clear()
        self._displaced.clear()
        changed = any(real != self._resolved(root) for root, real in self._screened.items())
        if self._bases != self.world.bases:
            # Which names lead to a protected place depends on the server's directories.
            self._bases, changed = self.world.bases, True
            self._protection = None
        return changed

    def real_root(self, root: str) -> str:
        """Where a rule's directory lies, for a verdict by names; valid until forget_links() returns True."""
        real = self._screened.get(root)
        if real is None:
            real = self._screened[root] = self._resolved(root)
        return real

    def _resolved(self, root: str) -> str:
        if not root.startswith("/"):
            return root
        from mcpgov.core.rules.links import canonical

        return canonical(root, self.world) or root

    def adopt_names(self, other: RuleSet) -> None:
        """Judge by another policy's aliases and hubs: a project narrows the services its user knows."""
        self.head = {**self.head, "aliases": other.head.get("aliases"), "hubs": other.head.get("hubs")}

    def guards(self, names: list[str], heads: list[dict[str, object]]) -> Guards:
        """The guards of these names, which judge after the rules; `heads`: of all policies in force together."""
        return self._hooks.guards(names, heads, self.world)

    def rule_at(self, offset: int) -> Rule:
        rule = self._rules.get(offset)
        if rule is None:
            from mcpgov.core.rules.rule import Rule

            data, _ = scan(self._text, self._start + offset)
            assert isinstance(data, dict)
            rule = self._rules[offset] = Rule(data, self.world.home, self._hooks)
        return rule

    def __iter__(self) -> Iterator[Rule]:
        """Every rule in order: for explanations, not for decisions."""
        offset = 0
        end = len(self._text) - self._start
        while offset < end and self._text[self._start + offset] == "{":
            yield self.rule_at(offset)
            offset = self._text.index("\n", self._start + offset) + 1 - self._start

    def service_of(self, call: Call) -> str:
        """The call's service: its server's config key through the aliases, or a prefix of a hub's tool."""
        hubs = self.head.get("hubs")
        if isinstance(hubs, dict) and call.tool is not None:
            for service in hubs.get(call.server, ()):
                rest = call.tool[len(service) :]
                if call.tool.startswith(service) and (not rest or not rest[0].isalnum() or rest[0].isupper()):
                    return str(service)
        aliases = self.head.get("aliases")
        return str(aliases.get(call.server, call.server)) if isinstance(aliases, dict) else call.server


def _collect(collected: set[int], offsets: int | list[int] | None) -> None:
    """The index writes one offset as a number, several as a list."""
    if isinstance(offsets, int):
        collected.add(offsets)
    elif offsets is not None:
        collected.update(offsets)


def is_open_and_plain(text: str) -> bool:
    """Needs no mask, and every reader takes it for the same relative name."""
    from mcpgov.core.audit.audit_preview import needs_no_mask
    from mcpgov.core.protection.protected_places import is_plain

    return is_plain(text) and needs_no_mask(text)


def default_kind(action: str) -> str:
    """The kind of a verdict by default: a denial is `unauthorized`."""
    return "unauthorized" if action == DENY else "default"


def stricter(first: Decision, second: Decision) -> Decision:
    """The stricter of two verdicts, the first on a tie."""
    return second if STRICTNESS.index(second.action) > STRICTNESS.index(first.action) else first
