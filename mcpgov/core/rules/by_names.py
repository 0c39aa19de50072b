"""What the names of a call decide, worked out once for a tool and the names of its arguments. Pure.

Law: the verdict given here is the one `RuleSet.decide` gives to every call with these names, as long as each value is
plain text or a number and passes its `ValueCheck`. Where that is not certain, there is no verdict by names.
"""

from __future__ import annotations

from mcpgov.core.decision import Decision
from mcpgov.core.json.values import number_of
from mcpgov.core.operations.classify import may_raise, raised_by_values
from mcpgov.core.rules.ambiguity import CARRYING
from mcpgov.core.rules.arguments import EVERY
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.globs import WILDCARDS, tokens
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.core.rules.ruleset import RuleSet, stricter
from mcpgov.core.rules.spellings import fold, normal
from mcpgov.core.rules.value_patterns import PATH, TEXT, Pattern, fold_pattern
from mcpgov.core.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.globs import Glob

    Watched = dict[str, list[Pattern]]

MOST_REMEMBERED = 512
OPENING = "-" + CARRYING
# What the text of a number may consist of, infinities and their like included.
NUMERIC = frozenset("0123456789+-.einftya")


class ByNames:
    """A verdict, and for each argument the patterns that its value must not match for the verdict to hold."""

    __slots__ = ("decision", "watched")

    def __init__(self, decision: Decision, watched: Watched) -> None:
        self.decision = decision
        self.watched = watched


def decide_by_names(rules: RuleSet, call: Call, today: str) -> ByNames | None:
    """`call` has the names of its arguments and no values. None: the names do not decide."""
    if call.takes_verb:
        return None
    watched: Watched = {name: [] for name in call.args or ()}
    decision: Decision | None = None
    for operation in (call.operation, *call.other_operations):
        setting = Setting(rules.reader(), today, rules.service_of(call), operation)
        verdict = _first_match(rules, call, setting, watched)
        if verdict is None:
            return None
        decision = verdict if decision is None else stricter(decision, verdict)
    assert decision is not None
    return ByNames(decision, watched)


def _first_match(rules: RuleSet, call: Call, setting: Setting, watched: Watched) -> Decision | None:
    names = {fold(name) for name in watched}
    for rule in rules.candidates(call, setting):
        matches = _matches(rule, call, setting, names, watched)
        if matches is None:
            return None
        if matches:
            return rule.decision(rules.revision)
    return rules.by_default


def _matches(rule: Rule, call: Call, setting: Setting, names: set[str], watched: Watched) -> bool | None:
    """Does a candidate match whatever the values are? Where a value decides, its patterns are added to `watched`."""
    if not rule.dynamic:
        return True
    if rule.expires and setting.today > rule.expires:
        return False
    if rule.operation and setting.operation_of(call) not in rule.operation:
        return False
    if rule.events:
        # As long as no value holds a URL, the events follow from the names.
        for value_patterns in watched.values():
            value_patterns.append(Pattern("**://**"))
        if not rule.has_events(call):
            return False
    if rule.resource:
        return False
    for path, patterns in rule.args:
        if path[0] != EVERY and fold(path[0]) not in names:
            return False
        if not rule.lenient:
            # A plain text is no absolute path, so no allow rule on paths matches it.
            return None if any(pattern.kind == TEXT for pattern in patterns) else False
        # A longer path leads to some of the values below its first name.
        for name, value_patterns in watched.items():
            if path[0] == EVERY or fold(name) == fold(path[0]):
                value_patterns += patterns
        return False
    if rule.paths and rule.lenient:
        for value_patterns in watched.values():
            value_patterns += rule.paths
        return False
    if rule.paths and all(pattern.kind != TEXT for pattern in rule.paths):
        return False
    return None if rule.paths or rule.project or rule.contains or rule.when is not None else True


class ValueCheck:
    """Checks the values of one argument: does the verdict by names hold for them?

    A repeated value costs one look-up, and the question whether the server's directories have its first name by now.
    """

    __slots__ = ("_call", "_known", "_raises", "_screen")

    def __init__(self, name: str, call: Call, screen: NameScreen | None) -> None:
        self._raises = name if may_raise(name) else ""
        self._call = call
        self._screen = screen
        self._known: dict[str, bool] = {}

    def text(self, text: str) -> bool:
        """`text` is plain: every reader takes it for the same relative name (protected_places.is_plain)."""
        screen = self._screen
        if screen is not None and not screen.absent(text):
            return False
        passes = self._known.get(text)
        if passes is None:
            passes = (screen is None or screen.meets_none(text)) and not self._raised(text)
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[text] = passes
        return passes

    def number(self, value: object) -> bool:
        """The same for a value that is neither text, list nor object."""
        screen = self._screen
        if screen is None or value is None:
            return True
        if type(value) is bool:
            return self.text("true" if value else "false")
        return type(value) is int and self.digits(str(value))

    def digits(self, text: str) -> bool:
        """The same for the text of an integer."""
        return self._screen is None or (self._screen.takes_numbers and self.text(text))

    def _raised(self, text: str) -> bool:
        call, operation = self._call, self._call.operation
        if not self._raises:
            return False
        operations: set[str] = set()
        strictest = raised_by_values(operation, {self._raises: text}, call.tool or "", call.server, operations)[0]
        return strictest != operation or not operations <= {operation, *call.other_operations}


def value_check(name: str, call: Call, patterns: list[Pattern], rules: RuleSet) -> ValueCheck | None:
    """None where no value of the argument could change the verdict by names."""
    screen = NameScreen(patterns, rules.world, rules.real_root) if patterns else None
    return ValueCheck(name, call, screen) if screen is not None or may_raise(name) else None


class NameScreen:
    """Tells whether a plain text certainly matches none of some patterns.

    A plain text has one spelling. As a path it lies below one of the server's directories, and where its first name is
    not there it leads through no link. So each path pattern is either reached by some first names only, or by texts
    that match what is left of it below a directory, or by nothing.
    """

    __slots__ = ("_absent", "_first", "_hosts", "_never_clear", "_numbers", "_paths", "_texts", "takes_numbers")

    def __init__(self, patterns: list[Pattern], world: World, real_root: Callable[[str], str]) -> None:
        self._first: set[str] = set()
        self._paths: list[tuple[str, Glob, Glob]] = []
        self._texts: list[tuple[str, Glob, Glob]] = []
        self._absent: Callable[[str], bool] | None = None
        self._never_clear = self._hosts = self._numbers = False
        for pattern in patterns:
            if pattern.kind == PATH:
                self._absent = world.absent
                for base in world.bases:
                    for root in {pattern.root, real_root(pattern.root)}:
                        self._add_path(pattern, base.rstrip("/") + "/", root)
            elif pattern.kind == TEXT:
                self._texts.append((_longest_literal(pattern.text), *pattern.at(pattern.root)))
            else:
                # A plain text has no colon; without a dot it is no host either.
                self._hosts = True
            self._numbers = self._numbers or pattern.number is not None
        self.takes_numbers = not self._numbers and all(not NUMERIC.issuperset(text) for text, _, _ in self._texts)

    def _add_path(self, pattern: Pattern, base: str, root: str) -> None:
        here, there = fold(base), fold(root.rstrip("/") + "/")
        if there.startswith(here) and there != here:
            self._first.add(there[len(here) :].partition("/")[0])
        elif here.startswith(there):
            # Below its root a pattern that covers may match in any directory.
            self._never_clear = self._never_clear or pattern.covers
            self._paths.append((base, *pattern.at(root)))

    def absent(self, text: str) -> bool:
        """Does none of the server's directories have an entry with the text's first name?"""
        return self._absent is None or self._absent(text.partition("/")[0].lower())

    def meets_none(self, text: str) -> bool:
        """Does a text that is plain and `absent` match none of the patterns?"""
        low = text.lower()
        if self._absent is not None and text[0] in OPENING:
            return False  # `-o/p`, `@/p`: the path behind the sign is no relative name
        if self._never_clear or ".." in text or low.partition("/")[0] in self._first:
            return False
        if (self._hosts and "." in text) or (self._numbers and number_of(text) is not None):
            return False
        for literal, exact, folded in self._texts:
            if literal in low and (folded.matches(low) or exact.matches(text)):
                return False
        for base, exact, folded in self._paths:
            path = normal(base + text)
            for form in (path, path + "/"):
                if exact.matches(form) or folded.matches(fold(form)):
                    return False
        return True


def _longest_literal(pattern: str) -> str:
    """The longest literal part: every folded match contains it."""
    return max((part for part in tokens(fold_pattern(pattern)) if part not in WILDCARDS), key=len, default="")
