"""A large answer of the server that nobody looks into: passed on, its values never made. Pure.

Law: it is checked like any other (JSON, keys); what a rule, a list or a task would have to look at is left to others.
"""

from __future__ import annotations

from mcpgov.core import keys, large_messages
from mcpgov.core.conversation import LONGEST_NAME, METHOD, MODERN, NOTE, STDERR, envelope
from mcpgov.core.large_messages import HEAD
from mcpgov.core.methods import SERVER
from mcpgov.core.pieces import beginning
from mcpgov.core.preview import concealed
from mcpgov.core.results import carries_task
from mcpgov.core.wire import PARSE_ERROR, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.conversation import Effect, Line
    from mcpgov.core.returns import Returns


def unread(session: Returns, line: Line) -> list[Effect] | None:
    """What the line leads to; None: it has to be read as a whole."""
    try:
        message = large_messages.read(line, judged=False)
        keys.check_envelope(message)
        method, ident = envelope(message)
    except Refused as refused:
        return _told_bad(session, line, refused)
    opened = session._from_client.get(ident) if method is None and ident is not None else None
    if opened is None or ident is None or opened[METHOD].endswith("/list"):
        return None
    result = message.get("result")
    if not isinstance(result, dict) or (opened[MODERN] and carries_task(result)):
        return None
    return session._server_answer(message, ident, line, "")


def _told_bad(session: Returns, line: Line, refused: Refused) -> list[Effect]:
    """By what stands in front: an answer to an open request becomes an error; what is no JSON is only shown."""
    head = str(line[:HEAD], "utf-8", "replace")
    note = {**session._plain_note(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(line)}
    note["line"] = concealed(head, LONGEST_NAME) or head[:LONGEST_NAME]
    told = [] if refused.code == PARSE_ERROR else session._told_bad(refused, [beginning(head)])
    return [(NOTE, note, None), *(told or [(STDERR, line, None)])]
