"""Which operation a tool is: read, write, delete, execute, admin or unknown. Pure: no I/O.

Law: `read` is for tools that change nothing; a name that is not understood is `unknown`, never `read`. Arguments,
annotations and values only make the answer stricter; arguments may also tell a noun from a verb.
"""

from __future__ import annotations

from mcpgov.core.json.values import Tangled
from mcpgov.core.operations import argument_names as text
from mcpgov.core.operations.choices import CHOICES, CHOOSING
from mcpgov.core.operations.tool_names import OPERATIONS, RANK, decided, dispatched, tokens_of, trimmed
from mcpgov.core.operations.vocabulary import objects as o
from mcpgov.core.operations.vocabulary import verbs as v
from mcpgov.core.operations.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_LONGEST_NAME = 256
# Arguments in which a word that is also a noun names a format, not an action.
_FORMS = ("mode", "method", "methods")
# Arguments that choose the action; the rest of CHOOSING does so only where none of these is given.
_FIRST = frozenset(("action", "actions", "operation", "operations", "op", "verb", "subcommand", "command"))
# Words that are actions only as the value of such an argument.
_ACTIONS = dict.fromkeys(
    ["new", "on", "off", "next", "previous", "prev", "back", "up", "down", "left", "right", "in", "out"], "write"
)
_METHODS = {**text.HTTP, **dict.fromkeys(("get", "head", "options"), "read")}


def classify(
    tool: str, arguments: Iterable[str] = (), annotations: Mapping[str, object] | None = None, server: str = ""
) -> tuple[str, str]:
    """The operation and, in a few words, why. A tool whose verb is an argument is the strictest it can be."""
    if len(tool) > _LONGEST_NAME:
        return "unknown", "name too long"
    choices = _choices(annotations)
    arguments = [*arguments, *(name for name, _ in choices)]
    tails = text.tails(arguments)
    operation, why, verb = decided(tokens_of(tool), _server_words(server), tails)
    if operation == "read" and (name := _changing_argument(tails, verb)):
        operation, why = "write", f"{why} raised by argument `{name}`"
    elif operation == "write" and (name := _acting_argument(tails, verb)):
        operation, why = "execute", f"{why} raised by argument `{name}`"
    if operation == "unknown" and choices and (thing := subject(tool, arguments, None, server)) is not None:
        chosen = _strictest(thing, [(name, value) for name, values in choices for value in values])
        operation, why = chosen or (operation, why)
    return raised_by_annotations(operation, why, annotations, _is_plain_write(tool))


def _is_plain_write(tool: str) -> bool:
    """`write_file`, `edit_text`: writing over a document is writing, not deleting."""
    tokens = words(tool)
    return len(tokens) > 1 and tokens[-2] in o.PLAIN_WRITES and tokens[-1] in o.DOCUMENTS


def _choices(annotations: Mapping[str, object] | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    choices = annotations.get(CHOICES) if isinstance(annotations, dict) else None
    return choices if isinstance(choices, tuple) else ()


def _server_words(server: str) -> frozenset[str]:
    return frozenset(words(server[:_LONGEST_NAME]))


def raised_by_annotations(
    operation: str, why: str, annotations: Mapping[str, object] | None, plain: bool = False
) -> tuple[str, str]:
    # Annotations are the server's own word: they make the answer stricter, never looser.
    # `plain`: the name says that the tool writes, so `destructiveHint` adds nothing.
    if operation in ("read", "write") and isinstance(annotations, dict):
        if annotations.get("destructiveHint") is True and not (plain and operation == "write"):
            stricter = "write" if operation == "read" else "delete"
            return stricter, f"{why} raised by annotation destructiveHint"
        if operation == "read" and annotations.get("readOnlyHint") is False:
            return "write", f"{why} raised by annotation readOnlyHint"
    return operation, why


def subject(
    tool: str, arguments: Iterable[str] = (), annotations: Mapping[str, object] | None = None, server: str = ""
) -> tuple[str, ...] | None:
    """The subject of a tool whose verb is one of its arguments; None for every other tool."""
    tokens = trimmed(tokens_of(tool), _server_words(server)) if len(tool) <= _LONGEST_NAME else []
    names = [*arguments, *(name for name, _ in _choices(annotations))]
    thing = dispatched(tokens, _server_words(server), text.tails(names)) if tokens else None
    return None if thing is None else tuple(thing)


def chosen_operation(
    thing: tuple[str, ...], arguments: dict[str, object], annotations: Mapping[str, object] | None = None
) -> tuple[str, str] | None:
    """The operation, and why, of the verb chosen in a call to a tool about `thing`; None: none is chosen."""
    listed = {name for name, _ in _choices(annotations)}
    chosen: list[tuple[str, str]] = []
    for name, value in arguments.items():
        tail = (words(name[:_LONGEST_NAME]) or [""])[-1]
        if tail not in CHOOSING and not (tail == "name" and "tool" in words(name[:_LONGEST_NAME])):
            continue
        if (tail == "type" and name not in listed) or (
            tail == "command" and name not in listed and _is_command_line(value)
        ):
            continue
        if isinstance(value, str):
            chosen.append((name, value))
        elif isinstance(value, list):
            chosen += [(name, inner if isinstance(inner, str) else "") for inner in value]
        elif value is not None:
            chosen.append((name, ""))
    return _strictest(thing, chosen)


def choosable_operations(thing: tuple[str, ...], annotations: Mapping[str, object] | None) -> tuple[str, ...]:
    """The operations that a tool about `thing` may have, by the choices that its schema lists."""
    choices = [(name, value) for name, values in _choices(annotations) for value in values]
    strictest = _strictest(thing, choices)
    if strictest is None or strictest[0] == "unknown":
        return OPERATIONS
    operations = {
        raised_by_annotations(_chosen(thing, name, value.strip()), "", annotations)[0] for name, value in choices
    }
    return tuple(kind for kind in OPERATIONS[:-1] if kind in operations)


def _is_command_line(value: object) -> bool:
    """Is it a command line, and not the name of one of the tool's functions?"""
    return not isinstance(value, str) or value not in text.FUNCTIONS


def _strictest(thing: tuple[str, ...], chosen: list[tuple[str, str]]) -> tuple[str, str] | None:
    first = any((words(name) or [""])[-1] in _FIRST for name, _ in chosen)
    best: tuple[str, str] | None = None
    for name, value in chosen:
        kind = _chosen(thing, name, value.strip())
        if kind == "unknown" and first and (words(name) or [""])[-1] not in _FIRST:
            continue  # `action: create, mode: fast`
        if best is None or RANK[kind] > RANK[best[0]]:
            best = kind, f"argument `{name}` is `{value}`"
    return best


def _chosen(thing: tuple[str, ...], name: str, value: str) -> str:
    """The operation of one chosen verb, with the tool's subject as its object."""
    tokens = tokens_of(value) if len(value) <= _LONGEST_NAME else []
    if not tokens:
        return "unknown"
    if words(name)[-1] == "method" and value.lower() in _METHODS:
        return _METHODS[value.lower()]
    kind = _ACTIONS.get(value.lower()) or decided(tokens, frozenset(), {})[0]
    if len(tokens) == 1 and kind in ("read", "write", "execute"):
        other = decided([*tokens, *thing], frozenset(), {})[0]
        kind = other if other != "unknown" and (RANK[other] > RANK[kind] or kind == "execute") else kind
    return kind


def _changing_argument(tails: dict[str, None], verb: str) -> str:
    """The argument that shows that a tool with a reading name changes something; empty: none does."""
    for name in tails:
        if name in text.SAFETY_ARGS or (name[0] == ">" and (verb not in ("get", "fetch") or "file" in name.lower())):
            return name.lstrip(">")
        if (name == "actions" and verb not in o.REHEARSING) or (
            name == "action" and verb in v.NOUNISH and verb != "list"
        ):
            return name
        if name == "filepath" and verb.startswith(("take-", "capture-")):
            return name
        if name in text.FILE_ARGS and verb in ("export", "download"):
            return name
    return ""


def _acting_argument(tails: dict[str, None], verb: str) -> str:
    """The argument that shows that a tool which writes pays or runs something; empty: none does."""
    for name in tails:
        if name in text.PAYING_ARGS or (name in text.COMMAND_ARGS and verb in o.MAKING):
            return name
    return ""


def raised_by_values(
    operation: str, arguments: dict[str, object], tool: str = "", server: str = "", operations: set[str] | None = None
) -> tuple[str, str]:
    """What the values of a real call make of the tool's operation, and why ("" if they change nothing).

    Only upwards in read < write < delete < execute < admin. `unknown` stays unknown when the values only
    write, since it already takes the strictest verdict; it becomes delete, execute or admin when they say so.
    INVARIANT for callers: judge a call as both operations; a policy may deny `delete` and allow `execute`.
    `operations` collects all operations of the values, also the less strict ones.
    Recognised: SQL under keys that name SQL or a query, HTTP methods, action words, shell lines, output files, also in
    JSON inside strings; what is nested too deeply to be read makes the call `unknown`.
    Not recognised: SQL that the server puts together, encoded text, other languages.
    Every string is read whole with linear searches, so padding hides nothing.
    """
    best, why = "", ""
    try:
        for key, value in text.texts(arguments, files=operation == "write"):
            kind, reason = _from_value(key, value, tool, server)
            if operations is not None and kind:
                operations.add(kind)
                if reason.startswith("SQL"):
                    from mcpgov.core.operations.sql_effects import deletes

                    operations.update(("delete",) if deletes(value.lower()) else ())
            if kind and (not best or RANK[kind] > RANK[best]):
                best, why = kind, reason
    except Tangled:
        return ("unknown", "arguments nested too deeply") if operation in OPERATIONS[:-1] else (operation, "")
    floor = "write" if operation == "unknown" else operation
    if best and operation in RANK and RANK[best] > RANK[floor]:
        return best, why
    return operation, ""


def may_raise(name: str) -> bool:
    """Could some value of an argument of this name raise an operation?"""
    return bool(text.watched(name))


def _from_value(key: list[str], value: str, tool: str, server: str) -> tuple[str, str]:
    tail = key[-1]
    if tail in text.ACTION_KEYS or (tail in text.SHELL_KEYS and value in text.FUNCTIONS):
        return _from_action(tail, value.strip())
    if tail in text.SHELL_KEYS:
        return "execute", f"argument `{tail}` is a command"
    is_sql_key = not text.SQL_KEYS.isdisjoint(key)
    if is_sql_key or not text.QUERY_KEYS.isdisjoint(key):
        from mcpgov.core.operations import query_effects, sql_effects

        if is_sql_key and key[-1] not in text.PLAIN_KEYS:
            return sql_effects.from_sql(value.lower())
        if "cypher" in key:
            return query_effects.from_cypher(value.lower())
        name_words = (*words(tool[:_LONGEST_NAME]), *words(server[:_LONGEST_NAME].lower()))
        is_sql_server = not text.SQL_SERVERS.isdisjoint(name_words)
        return query_effects.from_query(value, surely=is_sql_server)
    if key[0] in text.OUTPUT and not text.PLACE.isdisjoint(key[1:]):
        return "write", f"argument `{'_'.join(key)}` is a file to write"
    return "", ""


def _from_action(key: str, value: str) -> tuple[str, str]:
    # A longer value is no action word: no server has a function of such a name.
    tokens = tokens_of(value) if len(value) <= _LONGEST_NAME else []
    if not tokens:
        return "", ""
    if key in _FORMS and len(tokens) == 1 and tokens[0] in v.WEAK and value.lower() not in text.HTTP:
        return "", ""  # `mode: text` names a format, not an action
    kind = text.HTTP.get(value.lower()) or decided(tokens, frozenset(), {})[0]
    return ("", "") if kind in ("read", "unknown") else (kind, f"argument `{key}` is `{value}`")
