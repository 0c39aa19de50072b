"""A grant: a yes that a person gave, and the calls it holds for. Pure; proxy and daemon check with the same code.

Laws: a grant is bound to server, method, tool name and definition, to what asked (rule and layer), to arguments or
folders, and to a time; one for a resource (resource_grants.py) to server, operation, resource and time. It only ever
answers a `prompt`: the policy is judged anew first, so a deny above the rule that asked, a managed deny and built-in
protection keep their say. What cannot be told is no.
"""

from __future__ import annotations

from mcpgov.core.approvals.resource_grants import call_refusal, is_permission
from mcpgov.core.decision import PROMPT, StepLimitExceeded
from mcpgov.core.json.values import Float, dumps
from mcpgov.core.rules.arguments import satisfied
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.path_arguments import TooMany, path_and_url_arguments
from mcpgov.core.rules.value_patterns import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.path_matching import Reader

EXACT, FOLDER, TOOL = "exact", "folder", "tool"
SCOPES = (EXACT, FOLDER, TOOL)
RESOURCE = "resource"  # the scope of a grant that a server asked for; its method names the operation, its target what
ONCE, SESSION, TIME = "once", "session", "time"
TERMS = (ONCE, SESSION, TIME)
ANSWER_TO = "answer to "  # before the method, where a person is asked about what the server answered
DEFAULT, PIN = "(default)", "(pin)"  # what asked where no rule did; no rule's id begins with a bracket in our files
LATEST = 1e12  # wall seconds; later is no time, and may be no number
CLOCK_SLACK = 5.0  # seconds that a clock may have been set back since a grant was made
# Of a request's parameters: what differs from one try to the next, and means nothing to the server's answer.
_VOLATILE = frozenset(("_meta", "inputResponses", "requestState"))

_TEXTS = ("id", "server", "method", "target", "tool_digest", "asked_by", "layer", "scope", "args_digest", "term",
          "session", "decision", "surface")  # fmt: skip


class Grant:
    """`target`: tool or prompt, else ""; `folders`: keys of an argument and its pattern; `until`: wall seconds.

    `asked_by`: the rule that asked, or what did where none did; `decision`: the call it was given for.
    """

    __slots__ = ("folders", "made", "until", *_TEXTS)

    id: str
    server: str
    method: str
    target: str
    tool_digest: str
    asked_by: str
    layer: str
    scope: str
    args_digest: str
    term: str
    session: str
    decision: str
    surface: str

    def __init__(self, texts: Mapping[str, str], folders: tuple[Folder, ...], made: float, until: float) -> None:
        for name in _TEXTS:
            setattr(self, name, texts[name])
        self.folders = folders
        self.made = made
        self.until = until

    def as_data(self) -> dict[str, object]:
        data: dict[str, object] = {name: getattr(self, name) for name in _TEXTS}
        folders = [[list(keys), pattern] for keys, pattern in self.folders]
        return {**data, "folders": folders, "made": self.made, "until": self.until}


Folder = tuple[tuple[str, ...], str]


def grant_of(data: object) -> Grant:
    """A grant from JSON: a file's or a message's. Raises ValueError for anything that is none."""
    if not isinstance(data, dict) or set(data) != {*_TEXTS, "folders", "made", "until"}:
        raise ValueError("not a grant")
    if not all(isinstance(data[name], str) for name in _TEXTS):
        raise ValueError("a grant with a field of the wrong type")
    times = data["made"], data["until"]
    if not all(isinstance(time, (int, float)) and not isinstance(time, bool) and abs(time) < LATEST for time in times):
        raise ValueError("a grant without times")
    found = Grant(data, _folders(data["folders"]), float(times[0]), float(times[1]))
    if found.scope not in (*SCOPES, RESOURCE) or found.term not in TERMS:
        raise ValueError("a grant of an unknown kind")
    if (found.scope == RESOURCE) != is_permission(found.method):
        raise ValueError("a grant for a resource and for a call")
    if (found.scope == FOLDER) != bool(found.folders) or (found.scope == EXACT) != bool(found.args_digest):
        raise ValueError("a grant that says no arguments")
    if found.term == SESSION and not found.session:
        raise ValueError("a grant for no session")
    return found


def _folders(value: object) -> tuple[Folder, ...]:
    out: list[Folder] = []
    for item in value if isinstance(value, list) else [None]:
        if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], list):
            raise ValueError("a grant with odd folders")
        keys, pattern = item
        if not keys or not all(isinstance(key, str) for key in keys) or not isinstance(pattern, str):
            raise ValueError("a grant with odd folders")
        if not pattern.startswith("/") or not pattern.endswith("/**"):
            raise ValueError("a grant with odd folders")
        out.append((tuple(keys), pattern))
    return tuple(out)


class Attempt:
    """A call that is about to be dispatched: what a grant is held against."""

    __slots__ = ("args_digest", "call", "decision", "layer", "session", "tool_digest")

    def __init__(
        self, call: Call, decision: Decision, layer: str, session: str, tool_digest: str, args_digest: str
    ) -> None:
        """`decision`: the verdict of the policy in force now; `layer`: of the rule that gave it."""
        self.call = call
        self.decision = decision
        self.layer = layer
        self.session = session
        self.tool_digest = tool_digest
        self.args_digest = args_digest


def refusal(grant: Grant, attempt: Attempt, reader: Callable[[], Reader], now: float) -> str:
    """Why the grant does not hold for the call; "" where it does. `now`: wall seconds."""
    call, decision = attempt.call, attempt.decision
    if decision.action != PROMPT:
        return "the policy does not ask any more: its verdict holds"
    if not grant.made - CLOCK_SLACK <= now < grant.until:
        return "the grant has expired"
    if grant.term == SESSION and grant.session != attempt.session:
        return "the grant is another session's"
    if grant.scope == RESOURCE:
        return _resource_refusal(grant, attempt, reader)
    if (grant.server, grant.method, grant.target) != (call.server, call.method, target_of(call)):
        return "the grant is for another tool"
    if grant.tool_digest != attempt.tool_digest:
        return "the tool's definition has changed"
    if (grant.asked_by, grant.layer) != (asked_by(decision), attempt.layer):
        return "another rule asks"
    if grant.scope == EXACT:
        return "" if grant.args_digest == attempt.args_digest else "the arguments are others"
    if grant.scope == FOLDER:
        return "" if _in_folders(grant.folders, call, reader()) else "a path is not certainly inside the folder"
    return ""


def _resource_refusal(grant: Grant, attempt: Attempt, reader: Callable[[], Reader]) -> str:
    """It answers for no administrator's rule, and for no tool that has changed: nobody was asked about these."""
    if grant.server != attempt.call.server:
        return "the grant is for another server"
    if attempt.layer == "managed" or attempt.decision.kind == "pin":
        return "what asks here is not answered by a permission"
    try:
        return call_refusal(grant.method, grant.target, attempt.call, reader())
    except StepLimitExceeded:
        return "the call takes too long to judge"


def asked_by(decision: Decision) -> str:
    """What asked: a rule by its id, the pins, or the default."""
    return decision.rule if decision.rule is not None else PIN if decision.kind == "pin" else DEFAULT


def target_of(call: Call) -> str:
    return call.tool if call.tool is not None else call.prompt or ""


def subject_of(call: Call) -> dict[str, object]:
    """What a person says yes to: the arguments, or the parameters without what changes from one try to the next."""
    if call.args is not None:
        return call.args
    return {key: value for key, value in call.params.items() if key not in _VOLATILE}


def canonical_text(value: object) -> str:
    """One text for equal JSON values whatever the order of keys; numbers are equal only as they are written."""
    numbers: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack += [node[key] for key in sorted(node)]
        elif isinstance(node, list):
            stack += node
        elif isinstance(node, Float):
            numbers.append(node.text)
    return dumps([value, numbers])


def folders_for(call: Call, reader: Reader) -> tuple[Folder, ...]:
    """The folder of each path argument, as patterns that certainly hold the call; () where there are none such."""
    found = _paths(call)
    if not found:
        return ()
    out: dict[Folder, None] = {}
    for keys, text in found:
        real = (canonical(text, reader.world) or "") if text.startswith("/") else ""
        folder = real.rpartition("/")[0]  # where it really is, so that a person sees what the yes is for
        if not folder or any(sign in folder for sign in "*?"):
            return ()
        out[keys, f"{folder}/**"] = None
    folders = tuple(out)
    return folders if _in_folders(folders, call, reader) else ()


def _paths(call: Call) -> list[tuple[tuple[str, ...], str]] | None:
    try:
        return path_and_url_arguments(call.args or {})[0]
    except TooMany:
        return None


def _in_folders(folders: tuple[Folder, ...], call: Call, reader: Reader) -> bool:
    """Every argument named is certainly inside, as an allow has it, and no other argument is a path."""
    found = _paths(call)
    by_keys: dict[tuple[str, ...], list[Pattern]] = {}
    for keys, pattern in folders:
        by_keys.setdefault(keys, []).append(Pattern(pattern))
    if found is None or not {keys for keys, _ in found} <= set(by_keys):
        return False
    args = call.args or {}
    try:
        return all(satisfied(args, keys, tuple(patterns), reader, False) for keys, patterns in by_keys.items())
    except StepLimitExceeded:
        return False
