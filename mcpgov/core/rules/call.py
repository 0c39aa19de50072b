"""A message as the rules see it. Pure.

Law: everything of a request that carries an action or data is in its Call; a request of the wrong shape has none.
"""

from __future__ import annotations

from mcpgov.core.operations.choices import CHOICES
from mcpgov.core.operations.words import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpgov.core.session.guard import Screened

# These methods always get a decision; where no rule matches, the default decides.
GOVERNED = word_set("""
    tools/call resources/read resources/subscribe subscriptions/listen prompts/get sampling/createMessage
    elicitation/create
""")
# Methods that have an operation: a service map speaks for them. Sampling and elicitation are asked by the
# server, not done to it, so no `"*" = "allow"` of a service opens them.
OPERATED = ("tools/call", "resources/read", "resources/subscribe", "subscriptions/listen", "prompts/get")
RESOURCE_METHODS = ("resources/read", "resources/subscribe", "resources/unsubscribe")

EVENTS = {"read": "file_read", "write": "file_write", "delete": "file_delete", "execute": "shell_execute"}


MOST_REMEMBERED = 512
_Class = tuple[str, str, str, "tuple[str, ...] | None"]
_known: dict[tuple[object, ...], _Class] = {}


def _classified(tool: str, names: tuple[str, ...], annotations: Mapping[str, object] | None, server: str) -> _Class:
    """(operation by the tool's name, with the arguments' names, why, subject of a tool whose verb is an argument).

    Cached: a session calls the same few tools.
    """
    hints = annotations or {}
    changes, destroys = hints.get("readOnlyHint") is False, hints.get("destructiveHint") is True
    choices = hints.get(CHOICES)
    key = (tool, server, changes, destroys, choices if isinstance(choices, tuple) else None, *names)
    classes = _known.get(key)
    if classes is None:
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        from mcpgov.core.operations.classify import classify, subject

        known_hints: dict[str, object] = {"readOnlyHint": not changes, "destructiveHint": destroys, CHOICES: choices}
        bare = classify(tool, (), known_hints, server)[0]
        named, why = classify(tool, names, known_hints, server)
        classes = _known[key] = (bare, named, why, subject(tool, names, known_hints, server))
    return classes


class Call:
    """One request to be judged. `args` is None where the method has no arguments."""

    __slots__ = (
        "_operation", "annotations", "args", "asked", "client", "ident", "method", "notes", "number", "params",
        "project", "prompt", "screened", "server", "session", "shown", "tool", "uris",
    )  # fmt: skip

    def __init__(
        self,
        method: str,
        params: dict[str, object],
        server: str = "",
        client: str = "",
        project: str = "",
        ident: object = None,
        annotations: Mapping[str, object] | None = None,
    ) -> None:
        self.method = method
        self.params = params
        self.server = server
        self.client = client
        self.project = project
        self.ident = ident
        self.annotations = annotations
        self.tool: str | None = None
        self.prompt: str | None = None
        self.args: dict[str, object] | None = None
        self.uris: tuple[str, ...] = ()
        self.session = ""  # of the conversation, where a guard may ask for it
        self.asked = False  # is a person asked, or was one, about it or its answer
        self.number = ""  # of its decision, as soon as it has one
        self.notes: list[tuple[Call, dict[str, object]]] | None = None  # of its conversation: what guards say of calls
        self.screened: Screened | None = None  # what a guard that reads lines made of its line
        self.shown: Call | None = None  # how records and questions show it, where that is not as it is
        self._operation: tuple[str, str, tuple[str, ...]] | None = None

    def annotate(self, annotations: Mapping[str, object] | None) -> None:
        """Replace the tool's annotations; the operation is worked out anew."""
        self.annotations, self._operation = annotations, None

    @property
    def operation(self) -> str:
        """read | write | delete | execute | admin | unknown; empty where the method has none."""
        return self._found()[0]

    @property
    def operation_why(self) -> str:
        return self._found()[1]

    @property
    def other_operations(self) -> tuple[str, ...]:
        """Further operations of a call whose arguments or values raised what its name says: it is judged as each.

        A policy may deny `delete` and allow `execute`: a stray `command` must not turn one into the other.
        """
        return self._found()[2]

    @property
    def possible_operations(self) -> tuple[str, ...]:
        """The operations a listed tool may turn out to have: several where its verb is an argument."""
        if self.tool is not None:
            from mcpgov.core.operations.classify import choosable_operations, chosen_operation

            args = self.args or {}
            thing = _classified(self.tool, tuple(args), self.annotations, self.server)[3]
            if thing is not None and chosen_operation(thing, args, self.annotations) is None:
                return choosable_operations(thing, self.annotations)
        return (self.operation,)

    def take_operation(self, other: Call) -> None:
        """Take over the operation of the large call that this call is a part of."""
        self._operation = other._found()

    def _found(self) -> tuple[str, str, tuple[str, ...]]:
        if self._operation is None:
            self._operation = self._find_operation()
        return self._operation

    def _find_operation(self) -> tuple[str, str, tuple[str, ...]]:
        if self.tool is None:
            return ("read", f"method `{self.method}`", ()) if self.method in OPERATED else ("", "", ())
        from mcpgov.core.operations.classify import chosen_operation, raised_by_annotations, raised_by_values

        args = self.args or {}
        bare, named, why, thing = _classified(self.tool, tuple(args), self.annotations, self.server)
        if thing is not None and (chosen := chosen_operation(thing, args, self.annotations)) is not None:
            named, why = raised_by_annotations(*chosen, self.annotations)
            bare = named
        operations = {bare, named}
        stricter, raised_why = raised_by_values(named, args, self.tool, self.server, operations)
        return stricter, raised_why or why, tuple(sorted(operations - {stricter}))

    @property
    def takes_verb(self) -> bool:
        """Does the value of an argument choose what the tool does?"""
        return self.tool is not None and (
            _classified(self.tool, tuple(self.args or ()), self.annotations, self.server)[3] is not None
        )

    @property
    def events(self) -> frozenset[str]:
        """The call's event types, as the named-rules dialect calls them."""
        events: set[str] = set()
        if self.tool is not None:
            events.update(EVENTS.get(operation, "") for operation in (self.operation, *self.other_operations))
            if any("://" in text and not text.startswith("file:") for text in texts(self.args)):
                events.add("network_request")
        if self.method.startswith("resources/") or self.uris:
            events.add("resource_access")
        events.discard("")
        return frozenset(events or ("other",))


def call_of(
    method: str,
    params: object,
    server: str = "",
    client: str = "",
    project: str = "",
    ident: object = None,
    annotations: Mapping[str, object] | None = None,
) -> Call:
    """The Call of a request. Raises ValueError for parameters of the wrong shape."""
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise ValueError("`params` must be an object")
    call = Call(method, params, server, client, project, ident, annotations)
    if method == "tools/call":
        call.tool, call.args = _name(params), _object(params, "arguments")
    elif method == "prompts/get":
        call.prompt, call.args = _name(params), _object(params, "arguments")
    elif method in RESOURCE_METHODS:
        call.uris = (_text(params, "uri"),)
    elif method == "subscriptions/listen":
        call.uris = _subscriptions(params)
    elif method == "completion/complete":
        _completion(call, params)
    return call


def _text(params: dict[str, object], key: str) -> str:
    value = params.get(key)
    if not isinstance(value, str):
        raise ValueError(f"`{key}` must be a string")
    return value


def _name(params: dict[str, object]) -> str:
    """A tool's or prompt's name. Control characters are refused: readers cut or join names there differently."""
    name = _text(params, "name")
    if not name.isprintable():
        from mcpgov.core.rules.spellings import has_control

        if has_control(name):
            raise ValueError("`name` must be free of control characters")
    return name


def _object(params: dict[str, object], key: str) -> dict[str, object]:
    value = params.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"`{key}` must be an object")
    return value


def _subscriptions(params: dict[str, object]) -> tuple[str, ...]:
    uris = _object(params, "notifications").get("resourceSubscriptions")
    if uris is None:
        return ()
    if not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
        raise ValueError("`resourceSubscriptions` must be a list of strings")
    return tuple(uris)


def _completion(call: Call, params: dict[str, object]) -> None:
    """`ref` names a prompt or a resource template."""
    ref = params.get("ref")
    if not isinstance(ref, dict):
        raise ValueError("`ref` must be an object")
    if isinstance(ref.get("uri"), str):
        call.uris = (ref["uri"],)
    if isinstance(ref.get("name"), str):
        call.prompt = ref["name"]


def texts(value: object) -> list[str]:
    """All strings of a value, keys included. A stack instead of recursion: the sender chooses the depth."""
    out: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            out.append(node)
        elif isinstance(node, dict):
            out += node
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return out
