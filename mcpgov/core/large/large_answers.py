"""A large answer of the server that no rule reads: passed on without building its values. Pure.

Law: it is checked like any other (JSON, keys); an answer that a rule, a list or a task has to read is not handled here.
"""

from __future__ import annotations

from mcpgov.core.audit.audit_preview import concealed
from mcpgov.core.json import lookalikes
from mcpgov.core.json.json_spans import beginning
from mcpgov.core.large import large_messages
from mcpgov.core.large.large_messages import HEAD
from mcpgov.core.messages.envelope import envelope
from mcpgov.core.messages.methods import SERVER
from mcpgov.core.messages.wire import PARSE_ERROR, Refused
from mcpgov.core.session.call_records import LONGEST_NAME, passed
from mcpgov.core.session.effects import Record, Stderr
from mcpgov.core.session.results import carries_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.effects import Effect, Line
    from mcpgov.core.session.server_side import ServerSide


def unread(side: ServerSide, line: Line) -> list[Effect] | None:
    """The effects of the line; None: it has to be read as a whole."""
    try:
        message = large_messages.read(line, judged=False)
        lookalikes.check_envelope(message)
        method, ident = envelope(message)
    except Refused as refused:
        return _bad(side, line, refused)
    request = side.asked.forwarded(ident) if method is None and ident is not None else None
    if request is None or ident is None or request.method.endswith("/list"):
        return None
    if request.task is not None and side.state.open_tasks:  # guards of a policy that was before wait for it
        return None
    result = message.get("result")
    if not isinstance(result, dict) or (request.modern and carries_task(result)):
        return None
    return side.answer(message, ident, line, "")


def _bad(side: ServerSide, line: Line, refused: Refused) -> list[Effect]:
    """By the beginning of the line: an answer to an open request becomes an error; other lines go to stderr."""
    head = str(line[:HEAD], "utf-8", "replace")
    note = {**passed(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(line)}
    shown = side.judge.hidden(head) if side.state.dirty else head
    note["line"] = concealed(shown, LONGEST_NAME) or shown[:LONGEST_NAME]
    effects = [] if refused.code == PARSE_ERROR else side.tell_bad(refused, [beginning(head)])
    return [Record(note), *(effects or [Stderr(line)])]
