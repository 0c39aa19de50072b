"""A large answer of the server that nobody looks into: passed on, its values never made. Pure.

Law: it is checked like any other (JSON, keys); what a rule, a list or a task would have to look at is left to others.
"""

from __future__ import annotations

from mcpgov.core import keys, large_messages
from mcpgov.core.call_records import LONGEST_NAME, passed
from mcpgov.core.effects import Record, Stderr
from mcpgov.core.envelope import envelope
from mcpgov.core.large_messages import HEAD
from mcpgov.core.methods import SERVER
from mcpgov.core.pieces import beginning
from mcpgov.core.preview import concealed
from mcpgov.core.results import carries_task
from mcpgov.core.wire import PARSE_ERROR, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.effects import Effect, Line
    from mcpgov.core.server_side import ServerSide


def unread(side: ServerSide, line: Line) -> list[Effect] | None:
    """What the line leads to; None: it has to be read as a whole."""
    try:
        message = large_messages.read(line, judged=False)
        keys.check_envelope(message)
        method, ident = envelope(message)
    except Refused as refused:
        return _bad(side, line, refused)
    request = side.asked.forwarded(ident) if method is None and ident is not None else None
    if request is None or ident is None or request.method.endswith("/list"):
        return None
    result = message.get("result")
    if not isinstance(result, dict) or (request.modern and carries_task(result)):
        return None
    return side.answer(message, ident, line, "")


def _bad(side: ServerSide, line: Line, refused: Refused) -> list[Effect]:
    """By what stands in front: an answer to an open request becomes an error; what is no JSON is only shown."""
    head = str(line[:HEAD], "utf-8", "replace")
    note = {**passed(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(line)}
    note["line"] = concealed(head, LONGEST_NAME) or head[:LONGEST_NAME]
    effects = [] if refused.code == PARSE_ERROR else side.tell_bad(refused, [beginning(head)])
    return [Record(note), *(effects or [Stderr(line)])]
