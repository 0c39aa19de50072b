"""One rule against one call. Pure: no I/O, no clock.

Law: kinds of matcher are ANDed, items of a list ORed; an allow that is not certain does not match,
a deny that might match does.
"""

from __future__ import annotations

from mcpgov.core.decision import LENIENT, REDACT, Decision
from mcpgov.core.rules.arguments import EVERY, loose_texts, satisfied
from mcpgov.core.rules.call import GOVERNED, Call, texts
from mcpgov.core.rules.globs import Glob
from mcpgov.core.rules.path_matching import MANY, Reader
from mcpgov.core.rules.spellings import fold
from mcpgov.core.rules.value_patterns import Pattern, Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from mcpgov.core.decision import Finder
    from mcpgov.core.session.guard import Guards
    from mcpgov.core.world import World

    class Hooks(Protocol):
        """What only some policies need: CEL and regular expressions, loaded on first use."""

        def when(self, source: str) -> Callable[[Call, str, str], str]: ...
        def pattern(self, source: str) -> Finder: ...
        def guards(self, names: list[str], heads: list[dict[str, object]], world: World) -> Guards: ...


REGEX = "re:"
FILE_OPERATIONS = frozenset(("read", "write", "delete"))


class Literal:
    """A `contains` item without `re:`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def search(self, text: str) -> bool:
        return self.text in text

    def spans(self, text: str) -> list[tuple[int, int]]:
        out: list[tuple[int, int]] = []
        at = text.find(self.text)
        while at >= 0:
            out.append((at, at + len(self.text)))
            at = text.find(self.text, at + len(self.text))
        return out


class Setting:
    """What a rule needs besides the call: the reader of its values, the day, and the call's service."""

    __slots__ = ("message", "operation", "reader", "service", "texts", "today", "used_operation")

    def __init__(self, reader: Reader, today: str, service: str, operation: str = "", message: object = None) -> None:
        self.reader = reader
        self.today = today
        self.service = service
        self.operation = operation
        self.used_operation = False
        # The text `contains` searches, where that is not the request itself but its answer.
        self.message = message
        self.texts: list[str] | None = None  # of that message, once a rule has asked

    def operation_of(self, call: Call) -> str:
        """The operation that the call is judged as; notes that a rule has used it."""
        self.used_operation = True
        return self.operation or call.operation

    def is_file_tool(self, call: Call) -> bool:
        """Is the tool known to work on files only, so that no shell reads the call's values?"""
        return FILE_OPERATIONS.issuperset((self.operation_of(call), *call.other_operations))


def _globs(data: Mapping[str, object], key: str) -> tuple[Glob, ...]:
    return tuple(Glob(str(text)) for text in _list(data, key))


def _list(data: Mapping[str, object], key: str) -> list[str]:
    values = data.get(key) or []
    assert isinstance(values, list)
    return values


class Rule:
    """One compiled rule, made from its line of the compiled policy when it is first a candidate."""

    __slots__ = (
        "_decision", "action", "args", "client", "contains", "data", "dynamic", "events", "expires", "id", "lenient",
        "message", "method", "only_operation", "operation", "paths", "project", "prompt", "required_argument",
        "resource", "server", "service", "tool", "when",
    )  # fmt: skip

    def __init__(self, data: dict[str, object], home: str, hooks: Hooks) -> None:
        self.data = data
        self._decision: Decision | None = None
        self.id = str(data["id"])
        self.action = str(data["action"])
        self.lenient = self.action in LENIENT
        self.message = str(data.get("message") or data.get("description") or "")
        self.expires = str(data.get("expires") or "")
        self.method = _globs(data, "method")
        self.tool = _globs(data, "tool")
        self.prompt = _globs(data, "prompt")
        self.server = _globs(data, "server")
        self.client = _globs(data, "client")
        self.service = _globs(data, "service")
        self.operation = frozenset(_list(data, "operation"))
        self.events = frozenset(_list(data, "events"))
        self._read_value_matchers(data, home, hooks)

    def _read_value_matchers(self, data: dict[str, object], home: str, hooks: Hooks) -> None:
        """What the rule asks of a call's values, and not of its names."""
        self.project = tuple(Pattern(text, home) for text in _list(data, "project"))
        covers = bool(data.get("covers"))
        self.resource = Patterns(Pattern(text, home, covers) for text in _list(data, "resource"))
        self.paths = Patterns(Pattern(text, home) for text in _list(data, "paths"))
        args = data.get("args") or []
        assert isinstance(args, list)
        self.args = tuple(
            (tuple(path), Patterns(Pattern(text, home, covers) for text in texts)) for path, texts in args
        )
        # A call without this argument cannot match: a cheap check before the costly one.
        self.required_argument = fold(self.args[0][0][0]) if self.args and self.args[0][0][0] != EVERY else ""
        self.contains: tuple[Finder, ...] = tuple(
            hooks.pattern(text[len(REGEX) :]) if text.startswith(REGEX) else Literal(text)
            for text in _list(data, "contains")
        )
        source = data.get("when")
        self.when = hooks.when(str(source)) if source else None
        # The rule asks for nothing of the values but the operation.
        on_values = (self.expires, self.project, self.args, self.resource, self.paths, self.events, self.contains)
        self.only_operation = not (source or any(on_values))
        # Static matchers depend on names alone, so their outcome is cached per name.
        self.dynamic = bool(self.operation) or not self.only_operation

    def static_mismatch(self, call: Call, setting: Setting) -> str:
        """The first name matcher that fails, or nothing."""
        if self.method:
            if not _any(self.method, call.method):
                return "method"
        elif call.method not in GOVERNED:
            return "method"
        if self.tool and (call.tool is None or not _any(self.tool, call.tool)):
            return "tool"
        if self.prompt and (call.prompt is None or not _any(self.prompt, call.prompt)):
            return "prompt"
        if self.server and not _any(self.server, call.server):
            return "server"
        if self.client and not _any(self.client, call.client):
            return "client"
        if self.service and not _any(self.service, setting.service):
            return "service"
        return ""

    def dynamic_mismatch(self, call: Call, setting: Setting) -> str:
        """The first matcher on values that fails, or nothing."""
        if self.expires and setting.today > self.expires:
            return "expires"
        if self.project and not self._values(self.project, (call.project,) if call.project else (), setting):
            return "project"
        if self.operation and setting.operation_of(call) not in self.operation:
            return "operation"
        if self.events and not self.has_events(call):
            return "event_type"
        for path, patterns in self.args:
            if call.args is None or not satisfied(
                call.args, path, patterns, setting.reader, self.lenient, lambda: setting.is_file_tool(call)
            ):
                return "args." + ".".join(path)
        if self.resource and not self._values(self.resource, call.uris, setting):
            return "resource"
        if self.paths and not self._has_path(call, setting):
            return "resource_path"
        if self.contains and not self.finds(call, setting):
            return "contains"
        if self.when is not None and not self._when(self.when(call, setting.service, setting.operation_of(call))):
            return "when"
        return ""

    def mismatch(self, call: Call, setting: Setting) -> str:
        return self.static_mismatch(call, setting) or self.dynamic_mismatch(call, setting)

    def _has_path(self, call: Call, setting: Setting) -> bool:
        """Does the call hold one of `paths`? Any string of it may name a path, whatever it looks like."""
        strings = loose_texts(list((call.args or {}).values()))
        if strings is None:
            return self.lenient
        return self._values(self.paths, (*call.uris, *strings), setting)

    def _values(self, patterns: tuple[Pattern, ...], values: tuple[str, ...], setting: Setting) -> bool:
        """An allow needs every value certainly inside, a deny one possibly."""
        reader = setting.reader
        if self.lenient:
            return reader.any_possible(patterns, values)
        return bool(values) and all(
            any(reader.certain(pattern, value, uri=True) for pattern in patterns) for value in values
        )

    def has_events(self, call: Call) -> bool:
        events = call.events
        return not events.isdisjoint(self.events) if self.lenient else events <= self.events

    def finds(self, call: Call, setting: Setting) -> bool:
        """Does some text of the message contain what the rule's `contains` names?"""
        if setting.texts is None:
            strings = texts(call.params if setting.message is None else setting.message)
            # Many texts are also joined for one search, with a NUL between them.
            setting.texts = [*strings, "\0".join(strings)] if len(strings) > MANY else strings
            setting.reader.spend(len(strings))
        return any(_is_in_some(finder, setting.texts, setting.reader) for finder in self.contains)

    def decision(self, revision: str) -> Decision:
        """The verdict of this rule; the same object each time."""
        if self._decision is None or self._decision.revision != revision:
            cuts = self.contains if self.action == REDACT else ()
            self._decision = Decision(self.action, self.id, "policy", self.message, revision, cuts)
        return self._decision

    def _when(self, verdict: str) -> bool:
        # INVARIANT: an expression that fails never makes an allow match; one that read through null matches nothing.
        return verdict == "true" or (verdict == "error" and self.lenient)


def _any(globs: tuple[Glob, ...], text: str) -> bool:
    return any(glob.matches(text) for glob in globs)


def _is_in_some(finder: Finder, strings: list[str], reader: Reader) -> bool:
    if len(strings) > MANY and isinstance(finder, Literal) and "\0" not in finder.text:
        strings = strings[-1:]
    elif len(strings) > MANY:
        strings = strings[:-1]
    regex_weight = 0 if isinstance(finder, Literal) else 6
    for text in strings:
        reader.spend(1 + (len(text) >> 12 - regex_weight))
        if finder.search(text):
            return True
    return False
