"""The question that a `prompt` verdict becomes: everything a person needs to answer it, as plain data. Pure.

Laws: secrets are masked as in the record; texts are cut in the middle, with a count; every path is told by where it
really leads and every URL by its host, also where the text itself was cut. Raw arguments go along only where nothing
of them was masked or cut: they are what an exact rule is written from.
"""

from __future__ import annotations

from mcpgov.core.approvals.grants import asked_by, canonical_text, folders_for, subject_of, target_of
from mcpgov.core.audit.audit_preview import (
    MASK,
    is_plain,
    is_secret_name,
    is_secret_of_name,
    looks_secret,
    secret_value_keys,
)
from mcpgov.core.messages.elicitation import host_of
from mcpgov.core.rules.links import ELSEWHERE, canonical
from mcpgov.core.rules.path_arguments import TooMany, is_url, path_and_url_arguments
from mcpgov.core.rules.spellings import file_paths, unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.path_matching import Reader
    from mcpgov.core.rules.rule import Rule
    from mcpgov.core.world import World

HEAD, TAIL = 300, 120  # characters of a long text that are shown, from its beginning and from its end
MOST_LOOKED_AT = 1 << 16  # characters of a text that are searched for secrets; of a longer one no end is shown
MOST_ITEMS = 100
DEEPEST = 8
LARGEST_RAW = 4096
MOST_BASES = 3
LOOP, DEPENDS, NOWHERE = "(links in a circle)", "(depends on who asks)", "(no known directory)"
APP, DESK = "app", "desk"


class Asker:
    """Who asks: one proxy's session, and what it knows of the call besides the call itself."""

    __slots__ = ("app", "layer", "number", "service", "session", "tool_digest")

    def __init__(self, number: str, session: str, layer: str, service: str, tool_digest: str, app: str) -> None:
        """`app`: how the client can be asked: "request", "result" (2026-07-28), or "" where it cannot."""
        self.number = number
        self.session = session
        self.layer = layer
        self.service = service
        self.tool_digest = tool_digest
        self.app = app


def question_of(
    call: Call, decision: Decision, rule: Rule | None, asker: Asker, reader: Reader, digest: Callable[[str], str]
) -> dict[str, object]:
    """`rule`: the one that asks, None where none does; `digest`: of a text, keyed by a secret of this machine."""
    subject = subject_of(call)
    masked: list[str] = []
    shown = shown_value(subject, masked)
    raw = canonical_text(subject) if is_whole(call) else ""
    data = rule.data if rule is not None else {}
    paths, hosts, complete = places(call, reader.world)
    return {
        "number": asker.number,
        "session": asker.session,
        "server": call.server,
        "client": call.client,
        "project": call.project,
        "method": call.method,
        "target": target_of(call),
        "service": asker.service,
        "operations": [operation for operation in (call.operation, *call.other_operations) if operation],
        "operation_why": call.operation_why,
        "asked_by": asked_by(decision),
        "message": decision.message,
        "file": str(data.get("file", "")),
        "line": data.get("line", 0),
        "ask": _surfaces(data.get("ask"), asker.layer),
        "layer": asker.layer,
        "revision": decision.revision,
        "shown": shown,
        "masked": masked,
        "paths": paths,
        "hosts": hosts,
        "complete": complete,
        "args": subject if raw and shown == subject and not masked and len(raw) <= LARGEST_RAW else None,
        "folders": [[list(keys), pattern] for keys, pattern in folders_for(call, reader)],
        "tool_digest": asker.tool_digest,
        "args_digest": digest(raw) if raw else args_digest(call, digest),
        "app": asker.app,
    }


def is_whole(call: Call) -> bool:
    """Are its arguments all there? Of a large line only a part is kept."""
    return call.args is None or type(call.args) is dict


def args_digest(call: Call, digest: Callable[[str], str]) -> str:
    """What tells the arguments of two calls apart; that of a large call is of its line."""
    if is_whole(call):
        return digest(canonical_text(subject_of(call)))
    return str(call.args.digest(digest))  # type: ignore[union-attr]  # large_messages.Arguments


def _surfaces(chosen: object, layer: str) -> list[str]:
    """Which kinds of surface may answer: as the rule says; a managed rule that says nothing keeps to the desk."""
    if isinstance(chosen, list):
        return [name for name in (APP, DESK) if name in chosen]
    return [DESK] if layer == "managed" else [APP, DESK]


def shown_value(value: object, masked: list[str], path: str = "", depth: int = 0) -> object:
    """A copy for a person; the places that were masked are added to `masked`."""
    if isinstance(value, str):
        text = masked_text(value)
        if MASK in text and text != value:
            masked.append(path)
        return text
    if isinstance(value, dict):
        return _table(value, masked, path, depth) if depth < DEEPEST else f"…({len(value)} keys)"
    if isinstance(value, list):
        return _list(value, masked, f"{path}[]", depth) if depth < DEEPEST else f"…({len(value)} items)"
    return value


def _table(value: dict[str, object], masked: list[str], path: str, depth: int) -> dict[str, object]:
    out: dict[str, object] = {}
    holders = secret_value_keys(value)
    for at, (key, item) in enumerate(value.items()):
        if at == MOST_ITEMS:
            out["…"] = f"+{len(value) - MOST_ITEMS}"
            break
        name = masked_text(key)
        here = f"{path}.{name}" if path else name
        named = (is_secret_name(key) or key in holders) and item is not None and not isinstance(item, bool)
        if named:
            masked.append(here)
        out[name] = MASK if named else shown_value(item, masked, here, depth + 1)
    return out


def _list(value: list[object], masked: list[str], path: str, depth: int) -> list[object]:
    out: list[object] = []
    for at, item in enumerate(value[:MOST_ITEMS]):
        if at and is_secret_of_name(value, at):
            masked.append(path)
            out.append(MASK)
        else:
            out.append(shown_value(item, masked, path, depth + 1))
    return out + ([f"…(+{len(value) - MOST_ITEMS})"] if len(value) > MOST_ITEMS else [])


def masked_text(text: str) -> str:
    """The text with what looks secret masked, cut in the middle."""
    if looks_secret(text):
        return MASK
    looked = text[:MOST_LOOKED_AT]
    if not is_plain(looked):
        from mcpgov.core.audit.secrets import masked

        looked = masked(looked, len(looked)) or looked
    unseen = len(text) - MOST_LOOKED_AT
    if unseen > 0:
        return f"{looked[:HEAD]}…(+{len(looked) - HEAD + unseen} characters)"
    return cut_middle(looked)


def cut_middle(text: str, head: int = HEAD, tail: int = TAIL) -> str:
    """The beginning and the end of a long text, and how much is between them."""
    between = len(text) - head - tail
    if between <= 0:
        return text
    return f"{text[:head]}…(+{between} characters)…{text[len(text) - tail :]}"


def places(call: Call, world: World) -> tuple[list[dict[str, object]], list[dict[str, object]], bool]:
    """Where every path leads and the host of every URL; False: there are more than are told."""
    try:
        paths, urls = path_and_url_arguments(call.args or {})
    except TooMany:
        return [], [], False
    for uri in call.uris:
        (urls if is_url(uri) else paths).append((("uri",), uri))
    url = call.params.get("url")
    if call.args is None and isinstance(url, str):  # a page that a server wants visited
        urls.append((("url",), url))
    told: list[dict[str, object]] = [
        {"at": ".".join(keys), "text": masked_text(text), "leads": [masked_text(place) for place in leads(text, world)]}
        for keys, text in paths
    ]
    hosts: list[dict[str, object]] = [
        {"at": ".".join(keys), "host": cut_middle(host_of(text)) or NOWHERE} for keys, text in urls
    ]
    return told, hosts, True


def leads(text: str, world: World) -> list[str]:
    """Where a path really is; a relative one from each directory that the server may take it from."""
    text = text.strip()
    if text[:5].lower() == "file:":
        text = unquote(file_paths(text)[0])
    if text == "~" or text.startswith("~/"):
        text = world.home + text[1:]
    if text.startswith("/"):
        return [_real(text, world)]
    world.locate()
    bases: Sequence[str] = world.bases[:MOST_BASES]
    return list(dict.fromkeys(_real(f"{base}/{text}", world) for base in bases)) or [NOWHERE]


def _real(path: str, world: World) -> str:
    found = canonical(path, world)
    return LOOP if found is None else DEPENDS if found == ELSEWHERE else found
