"""A question as the daemon knows it, read from a proxy's link. Pure.

Laws: nothing is taken from the link unread; equal questions have equal keys, and only those; what a surface may give
is told by the question itself (which kinds of surface the rule lets answer).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import cast

from mcpgov.core.approvals.grants import ANSWER_TO, EXACT, FOLDER, PIN, TOOL, Folder
from mcpgov.core.approvals.question import APP, DESK
from mcpgov.core.approvals.resource_grants import PERMISSION, is_permission

LAYERS = ("managed", "user", "project")
WAYS = ("", "request", "result")  # how the client can be asked
LARGEST_TEXT = 4096
MOST_PLACES = 400
_TEXTS = ("number", "session", "server", "client", "project", "method", "target", "service", "operation_why",
          "asked_by", "message", "file", "layer", "revision", "tool_digest", "args_digest", "app")  # fmt: skip
_LISTS = ("operations", "ask", "masked")


class NoQuestion(ValueError):
    """What came over the link is none."""


@dataclass(frozen=True, slots=True)
class ArgumentPlace:
    """A path argument and where it leads, or a URL argument and its host."""

    at: str
    text: str
    leads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """`number`: the decision's, by which people name it; `shown`: the arguments as a person may see them."""

    number: str
    session: str
    server: str
    client: str
    project: str
    method: str
    target: str
    service: str
    operations: tuple[str, ...]
    operation_why: str
    asked_by: str
    message: str
    file: str
    line: int
    ask: tuple[str, ...]
    layer: str
    revision: str
    shown: dict[str, object]
    masked: tuple[str, ...]
    paths: tuple[ArgumentPlace, ...]
    hosts: tuple[ArgumentPlace, ...]
    complete: bool
    args: dict[str, object] | None
    folders: tuple[Folder, ...]
    tool_digest: str
    args_digest: str
    app: str

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for questions that a person would answer alike: all that is shown of them is the same."""
        who = (self.server, self.client, self.project, self.method, self.target)
        asks = (self.asked_by, self.layer, self.revision, self.ask)
        shown = json.dumps([self.shown, self.operations, self.masked, self.message, self.file], sort_keys=True)
        return (*who, *asks, self.tool_digest, self.args_digest, self.paths, self.folders, self.hosts, shown)

    @property
    def name(self) -> str:
        """What is to be done, in a word: the tool's or the prompt's name, else the method; or whose answer it is."""
        if self.is_answer:
            return f"the answer of {self.target or self.method.removeprefix(ANSWER_TO)}"
        return self.target or self.method

    @property
    def is_answer(self) -> bool:
        """Is it about what the server answered? Then a yes is for no call."""
        return self.method.startswith(ANSWER_TO)

    @property
    def is_permission(self) -> bool:
        """Does a server ask for a resource, by itself? `target` is the resource, `service` the governed server.

        Without a governed server a yes is told to whoever asks and holds for no call. `revision` is the session of the
        server's proxy, where one is known.
        """
        return is_permission(self.method)

    @property
    def permitted(self) -> str:
        """The operation that a server asks for."""
        return self.method.removeprefix(PERMISSION)

    @property
    def scopes(self) -> tuple[str, ...]:
        """What a yes may be for. A changed tool is accepted as such, not by a grant for all it may do."""
        if self.asked_by == PIN or self.is_permission:
            return (EXACT,)
        return (EXACT, *((FOLDER,) if self.folders else ()), *((TOOL,) if self.target else ()))

    def lets(self, kind: str) -> bool:
        """May surfaces of this kind, `app` or `desk`, answer?"""
        return kind in self.ask

    def as_data(self) -> dict[str, object]:
        """What question_from() reads."""
        data: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        data |= {name: list(getattr(self, name)) for name in _LISTS}
        data["paths"] = [{"at": each.at, "text": each.text, "leads": list(each.leads)} for each in self.paths]
        data["hosts"] = [{"at": each.at, "text": each.text, "host": each.leads[0]} for each in self.hosts]
        return {**data, "folders": [[list(keys), pattern] for keys, pattern in self.folders]}


def question_from(data: object) -> Question:
    """Raises NoQuestion."""
    if not isinstance(data, dict) or set(data) != {field.name for field in fields(Question)}:
        raise NoQuestion("not a question")
    texts = {name: _text(data[name], name) for name in _TEXTS}
    lists = {name: _list(data[name], name) for name in _LISTS}
    line, complete, shown, args = data["line"], data["complete"], data["shown"], data["args"]
    if not isinstance(line, int) or not isinstance(complete, bool) or not isinstance(shown, dict):
        raise NoQuestion("a field of the wrong type")
    if not (args is None or isinstance(args, dict)):
        raise NoQuestion("`args` of the wrong type")
    if texts["layer"] not in LAYERS or texts["app"] not in WAYS or not set(lists["ask"]) <= {APP, DESK}:
        raise NoQuestion("a field with an unknown value")
    if not all(texts[name] for name in ("number", "session", "server", "method", "asked_by", "args_digest")):
        raise NoQuestion("a field that is empty")
    paths, hosts = _places(data["paths"], "leads"), _places(data["hosts"], "host")
    rest = {"line": line, "complete": complete, "shown": shown, "args": args, "paths": paths, "hosts": hosts}
    return Question(**texts, **lists, **rest, folders=_folders(data["folders"]))  # type: ignore[arg-type]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or len(value) > LARGEST_TEXT:
        raise NoQuestion(f"`{name}` is {'too long' if isinstance(value, str) else 'no text'}")
    return value


def _list(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise NoQuestion(f"`{name}` is no list")
    return tuple(_text(item, name) for item in value)


def _places(value: object, key: str) -> tuple[ArgumentPlace, ...]:
    if not isinstance(value, list) or len(value) > MOST_PLACES:
        raise NoQuestion("places that are no list")
    out: list[ArgumentPlace] = []
    for item in value:
        if not isinstance(item, dict):
            raise NoQuestion("a place that is none")
        found = item.get(key)
        leads = (_text(found, key),) if key == "host" else _list(found, key)
        out.append(ArgumentPlace(_text(item.get("at"), "at"), _text(item.get("text", ""), "text"), leads))
    return tuple(out)


def _folders(value: object) -> tuple[Folder, ...]:
    out: list[Folder] = []
    for item in cast("list[object]", value) if isinstance(value, list) else [None]:
        if not isinstance(item, list) or len(item) != 2:
            raise NoQuestion("folders that are none")
        out.append((_list(item[0], "folders"), _text(item[1], "folders")))
    return tuple(out)
