"""A planned action as calls that rules can judge. Pure.

Laws: an action has no tool, so it is read as each tool that usually does such a thing, with the target under each name
that the rules themselves read such a value by, flat and nested apart; what it does is told by its type alone. A target
that may be read in several ways is judged in each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mcpgov.core.operations.words import words
from mcpgov.core.rules.arguments import EVERY
from mcpgov.core.rules.call import Call, call_of
from mcpgov.serve.tools import FILE_DELETE, FILE_READ, FILE_WRITE, NETWORK, OTHER, RESOURCE, SHELL


class ActionKind(NamedTuple):
    """`also`: operations that it may turn out to be as well; `tools`: usual names; `argument`: the target's usual name.

    `label`: how answers call it.
    """

    label: str
    operation: str
    also: tuple[str, ...]
    argument: str
    tools: tuple[str, ...]


KINDS = {
    FILE_READ: ActionKind(
        "FileRead", "read", (), "path",
        ("file_read", "read_file", "read_text_file", "filesystem_read", "fs_read", "get_file"),
    ),
    FILE_WRITE: ActionKind(
        "FileWrite", "write", (), "path",
        ("file_write", "write_file", "edit_file", "filesystem_write", "fs_write", "create_file", "save_file"),
    ),
    FILE_DELETE: ActionKind(
        "FileDelete", "delete", (), "path",
        ("file_delete", "delete_file", "remove_file", "filesystem_delete", "fs_delete", "unlink_file"),
    ),
    SHELL: ActionKind(
        "ShellExecute", "execute", (), "command",
        ("shell_execute", "execute_command", "exec_command", "run_command", "run_shell_command", "shell", "bash"),
    ),
    # Whether a request only fetches or also sends is not told: it is judged as both.
    NETWORK: ActionKind(
        "NetworkRequest", "write", ("read",), "url",
        ("network_request", "http_request", "fetch", "fetch_url", "web_fetch", "get_url", "connect"),
    ),
    RESOURCE: ActionKind("ResourceAccess", "read", (), "uri", ()),
    OTHER: ActionKind("Other", "unknown", (), "target", ("other",)),
}  # fmt: skip
# Words of arguments' names that say what is in them.
_COMMANDS = frozenset(("command", "cmd", "commands", "script", "code", "shell", "sql", "query", "statement"))
_ADDRESSES = frozenset(("url", "uri", "urls", "uris", "href", "link", "endpoint", "host", "hostname", "domain"))
FILE_ACTIONS = (FILE_READ, FILE_WRITE, FILE_DELETE)
MOST_ARGUMENTS = 64


class Intent(Call):
    """One reading of a planned action."""

    __slots__ = ("action",)

    def __init__(self, action: str, method: str, params: dict[str, object], who: tuple[str, str, str]) -> None:
        super().__init__(method, params, *who)
        self.action = action

    def _find_operation(self) -> tuple[str, str, tuple[str, ...]]:
        kind = KINDS[self.action]
        return kind.operation, f"action type `{self.action}`", kind.also

    @property
    def takes_verb(self) -> bool:
        return False

    def without_target(self) -> Intent:
        """The same where nothing is said of what it is done to."""
        if self.args is not None:
            self.args = {}
            self.params = {**self.params, "arguments": self.args}
        return self

    @property
    def events(self) -> frozenset[str]:
        target = self.uris[0] if self.uris else next(iter((self.args or {}).values()), "")
        goes_out = isinstance(target, str) and "://" in target and not target.startswith("file:")
        return frozenset((self.action, NETWORK) if goes_out and self.action in FILE_ACTIONS else (self.action,))


def intents(
    action: str, target: str, who: tuple[str, str, str], names: Iterable[tuple[str, ...]], tools: Iterable[str] = ()
) -> list[Intent]:
    """The calls that one reading of the target stands for. `who`: server, client, project; `names`: in the rules.

    `tools`: only these of the usual tools.
    """
    if action == RESOURCE:
        read = Intent(action, "resources/read", {"uri": target}, who)
        read.uris = (target,)
        return [read]
    variants = arguments_for(action, target, names)
    out = []
    for tool in tools or KINDS[action].tools:
        for args in variants:
            call = Intent(action, "tools/call", {"name": tool, "arguments": args}, who)
            call.tool, call.args = tool, args
            out.append(call)
    return out


def call_for(tool: str, resource: str, who: tuple[str, str, str]) -> Call:
    """A call of a named tool; the resource stands where a path stands, and a URL where a URL does."""
    args = {"path": resource, "url": resource} if "://" in resource else {"path": resource} if resource else {}
    return call_of("tools/call", {"name": tool, "arguments": args}, *who)


def readings(action: str, target: str) -> tuple[str, ...]:
    """The texts that the target may mean; each has to pass."""
    if action == NETWORK and "://" not in target:
        return target, f"https://{target}", f"http://{target}"
    if action == RESOURCE and target.startswith("/"):
        return target, f"file://{target}"
    return (target,)


def arguments_for(action: str, target: str, names: Iterable[tuple[str, ...]]) -> list[dict[str, object]]:
    """The target under its usual name, and under those of the rules that may hold such a value.

    Once flat, as most tools have it, and once with the nested names too, where rules have such: an object is no text
    that an allow on every argument could hold for.
    """
    fitting = [keys for keys in list(names)[:MOST_ARGUMENTS] if EVERY not in keys and _may_hold(action, keys[-1])]
    flat: dict[str, object] = dict.fromkeys(
        [KINDS[action].argument, *(keys[0] for keys in fitting if not keys[1:])], target
    )
    if not (nested := [keys for keys in fitting if keys[1:]]):
        return [flat]
    deep: dict[str, object] = {}
    for keys in nested:
        _put(deep, keys, target)
    return [flat, {**flat, **deep}]


def _may_hold(action: str, name: str) -> bool:
    found = set(words(name))
    if action == OTHER:
        return True
    is_command, is_address = not _COMMANDS.isdisjoint(found), not _ADDRESSES.isdisjoint(found)
    if action == SHELL:
        return is_command
    return is_address if action == NETWORK else not is_command and not is_address


def _put(args: dict[str, object], keys: tuple[str, ...], target: str) -> None:
    """Nested as the rule names it; where another name is in the way, the first one stays."""
    at: dict[str, object] = args
    for key in keys[:-1]:
        inner = at.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        at = inner
    at.setdefault(keys[-1], target)


def argument_names(rules: Iterable[Mapping[str, object]]) -> tuple[tuple[str, ...], ...]:
    """The names that compiled rules read values by, each once."""
    found: dict[tuple[str, ...], None] = {}
    for data in rules:
        args = data.get("args")
        for path, _ in args if isinstance(args, list) else ():
            found[tuple(path)] = None
    return tuple(found)
