"""One rule against one call. Pure: no I/O, no clock.

Law: kinds of matcher are ANDed, items of a list ORed; an allow that is not certain does not match,
a deny that might match does.
"""

from __future__ import annotations

from mcpgov.core.arguments import place_like, satisfied
from mcpgov.core.calls import GOVERNED, Call, texts
from mcpgov.core.globs import Glob
from mcpgov.core.readings import Pattern, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    class Finder(Protocol):
        def search(self, text: str) -> bool: ...

    class Hooks(Protocol):
        """What only some policies need: CEL and regular expressions, loaded on first use."""

        def when(self, source: str) -> Callable[[Call, str], str]: ...
        def pattern(self, source: str) -> Finder: ...


ALLOW, LOG, REDACT, PROMPT, DENY = "allow", "log", "redact", "prompt", "deny"
# From loosest to strictest.
STRICTNESS = (ALLOW, LOG, REDACT, PROMPT, DENY)
# A rule of these kinds matches when it might; the others only when they surely do.
LENIENT = frozenset((REDACT, PROMPT, DENY))
REGEX = "re:"


def strictest(*actions: str) -> str:
    return max(actions, key=STRICTNESS.index)


class Decision:
    """One verdict. rule None: the default spoke. kind: policy | unauthorized."""

    __slots__ = ("action", "kind", "message", "revision", "rule")

    def __init__(self, action: str, rule: str | None, kind: str, message: str, revision: str) -> None:
        self.action = action
        self.rule = rule
        self.kind = kind
        self.message = message
        self.revision = revision


class Literal:
    """A `contains` item without `re:`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def search(self, text: str) -> bool:
        return self.text in text


class Setting:
    """What a rule needs to know besides the call: readings, the day, and the call's service."""

    __slots__ = ("reader", "service", "today")

    def __init__(self, reader: Reader, today: str, service: str) -> None:
        self.reader = reader
        self.today = today
        self.service = service


def _globs(data: Mapping[str, object], key: str) -> tuple[Glob, ...]:
    return tuple(Glob(str(text)) for text in _list(data, key))


def _list(data: Mapping[str, object], key: str) -> list[str]:
    found = data.get(key) or []
    assert isinstance(found, list)
    return found


class Rule:
    """One compiled rule, made from its line of the compiled policy when it is first a candidate."""

    __slots__ = (
        "action",
        "args",
        "client",
        "contains",
        "data",
        "dynamic",
        "events",
        "expires",
        "id",
        "lenient",
        "message",
        "method",
        "operation",
        "paths",
        "project",
        "prompt",
        "resource",
        "server",
        "service",
        "tool",
        "when",
    )

    def __init__(self, data: dict[str, object], home: str, hooks: Hooks) -> None:
        self.data = data
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
        self.project = tuple(Pattern(text, home) for text in _list(data, "project"))
        self.resource = tuple(Pattern(text, home) for text in _list(data, "resource"))
        self.paths = tuple(Pattern(text, home) for text in _list(data, "paths"))
        self.operation = frozenset(_list(data, "operation"))
        self.events = frozenset(_list(data, "events"))
        found = data.get("args") or []
        assert isinstance(found, list)
        self.args = tuple((tuple(path), tuple(Pattern(text, home) for text in wanted)) for path, wanted in found)
        self.contains: tuple[Finder, ...] = tuple(_finder(text, hooks) for text in _list(data, "contains"))
        source = data.get("when")
        self.when = hooks.when(str(source)) if source else None
        # Static matchers depend on names alone, so their outcome can be remembered per name.
        self.dynamic = bool(
            self.expires
            or self.args
            or self.resource
            or self.paths
            or self.operation
            or self.events
            or self.contains
            or source
        )

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
        if self.project and not self._values(self.project, (call.project,) if call.project else (), setting):
            return "project"
        return ""

    def dynamic_mismatch(self, call: Call, setting: Setting) -> str:
        """The first matcher on values that fails, or nothing."""
        if self.expires and setting.today > self.expires:
            return "expires"
        if self.operation and call.operation not in self.operation:
            return "operation"
        if self.events and not self._events(call):
            return "event_type"
        for path, patterns in self.args:
            if call.args is None or not satisfied(call.args, path, patterns, setting.reader, self.lenient):
                return "args." + ".".join(path)
        if self.resource and not self._values(self.resource, call.uris, setting):
            return "resource"
        if self.paths and not self._values(self.paths, (*call.uris, *place_like(call.args or {})), setting):
            return "resource_path"
        if self.contains and not self._contains(call):
            return "contains"
        if self.when is not None and not self._when(self.when(call, setting.service)):
            return "when"
        return ""

    def mismatch(self, call: Call, setting: Setting) -> str:
        return self.static_mismatch(call, setting) or self.dynamic_mismatch(call, setting)

    def _values(self, patterns: tuple[Pattern, ...], values: tuple[str, ...], setting: Setting) -> bool:
        """An allow needs every value certainly inside, a deny one possibly."""
        reader = setting.reader
        if self.lenient:
            return any(reader.possible(pattern, value) for value in values for pattern in patterns)
        return bool(values) and all(
            any(reader.certain(pattern, value, uri=True) for pattern in patterns) for value in values
        )

    def _events(self, call: Call) -> bool:
        events = call.events
        return not events.isdisjoint(self.events) if self.lenient else events <= self.events

    def _contains(self, call: Call) -> bool:
        found = texts(call.params)
        return any(finder.search(text) for finder in self.contains for text in found)

    def _when(self, verdict: str) -> bool:
        # INVARIANT: an expression that fails never opens a door; one that read through null matches nothing.
        return verdict == "true" or (verdict == "error" and self.lenient)


def _any(globs: tuple[Glob, ...], text: str) -> bool:
    return any(glob.matches(text) for glob in globs)


def _finder(text: str, hooks: Hooks) -> Finder:
    return hooks.pattern(text[len(REGEX) :]) if text.startswith(REGEX) else Literal(text)
