"""What a person is asked about an answer of the server: what the rule found in it, and the rest of it. Pure.

Laws: an answer is shown as arguments are, secrets masked and texts cut in the middle; what the rule found comes first,
with a little around it. A yes for an answer is for no call, and a yes for a call is for no answer: the methods differ.
"""

from __future__ import annotations

from mcpgov.core.approvals.grants import ANSWER_TO
from mcpgov.core.approvals.question import MOST_LOOKED_AT, cut_middle, masked_whole, shown_value
from mcpgov.core.audit.audit_preview import is_secret_name, is_secret_of_name, secret_value_keys
from mcpgov.core.json.values import dumps
from mcpgov.core.messages import wire
from mcpgov.core.rules.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcpgov.core.decision import Finder

MOST_FOUND = 3  # passages
AROUND = 60  # characters on either side of what was found
MOST_SHOWN = 32 * 1024  # characters of an answer; more is cut to one text
LONG_HEAD, LONG_TAIL = 4000, 1000


def answer_call(call: Call, text: str) -> Call:
    """The answer to a call, as what a grant is for: its value, and whose it is. `text`: the line of the server."""
    message = wire.read(text, judged=False)
    body: dict[str, object] = {key: message[key] for key in ("result", "error") if key in message}
    made = Call(f"{ANSWER_TO}{call.method}", body, call.server, call.client, call.project)
    made.tool, made.prompt = call.tool, call.prompt
    return made


def shown_answer(body: dict[str, object], finders: Sequence[Finder], masked: list[str]) -> dict[str, object]:
    """For a person; the places that were masked are added to `masked`."""
    found = found_in(body, finders)
    shown: dict[str, object] = {key: shown_value(item, masked, key) for key, item in body.items()}
    if len(dumps(shown)) > MOST_SHOWN:
        shown = {key: cut_middle(dumps(item), LONG_HEAD, LONG_TAIL) for key, item in shown.items()}
    return {"found": found, **shown} if found else shown


def found_in(body: object, finders: Sequence[Finder]) -> list[str]:
    """The first passages that the rule asks about; what is masked is not shown by this either."""
    out: list[str] = []
    for text in _open_texts(body):
        clear = masked_whole(text[:MOST_LOOKED_AT])
        for start, end in sorted(span for finder in finders for span in finder.spans(clear)):
            head, tail = max(0, start - AROUND), min(len(clear), end + AROUND)
            passage = cut_middle(clear[head:tail])
            out.append(f"{'…' if head else ''}{passage}{'…' if tail < len(clear) else ''}")
            if len(out) == MOST_FOUND:
                return out
    return out


def _open_texts(value: object) -> Iterator[str]:
    """The texts of a value, without those that are masked by the names they stand under."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            hidden = secret_value_keys(node)
            stack += [item for key, item in reversed(node.items()) if not is_secret_name(key) and key not in hidden]
        elif isinstance(node, list):
            stack += [node[at] for at in reversed(range(len(node))) if not (at and is_secret_of_name(node, at))]
