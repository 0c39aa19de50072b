"""What the parts of a session share: who speaks, by which rules, and what was counted. Pure: no I/O, no clock."""

from __future__ import annotations

from mcpgov.core.rules.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.approvals.held_answers import HeldAnswer
    from mcpgov.core.messages.input_requests import Retries
    from mcpgov.core.messages.tasks import OpenTasks
    from mcpgov.core.session.effects import Note
    from mcpgov.core.session.fast_lines import FastLines
    from mcpgov.core.session.guard import Screened
    from mcpgov.core.session.open_requests import OpenRequest
    from mcpgov.core.session.session_policy import Policy, Who
    from mcpgov.core.session.tool_list import ToolList

RESERVED = "mcpgov-approval-"  # the ids of our own requests to the client begin so
LOCKED = "locked"  # the kind of every denial while a person has locked everything (`mcpgov lock`)
BROKEN_OFF = "the conversation ended before this was judged"


class BrokenOff(KeyboardInterrupt):
    """The conversation is over while a line is judged. Raised into it by whoever hears the end (a signal's handler)."""


class State:
    """One session's state; its parts read and write it, each line at a time."""

    def __init__(
        self,
        who: Who,
        policy: Policy | None,
        tool_list: ToolList,
        digest_text: Callable[[str], str],
        clock: Callable[[], int],
        fingerprint: Callable[[str], str],
    ) -> None:
        self.who = who
        self.policy = policy
        self.tool_list = tool_list
        self.today = ""
        self.digest_text = digest_text
        self.fingerprint = fingerprint
        self.clock = clock  # nanoseconds, monotonic; only for how long things took
        self.seq = 0  # requests that were numbered, whoever sent them
        self.others = 0  # of these: the server's requests, and those that no verdict was asked for
        self.denied = 0  # requests that were answered by us
        self.errors = 0  # answers of the server that tell of a failure
        self.modern = False  # the client speaks the stateless revision
        self.version = ""  # of the handshake, as the server has settled it
        self.capabilities: object = None  # of the client, as its handshake tells them
        self.own_requests: dict[str, str] = {}  # our questions in the app: numbers by the ids sent
        self.continued: dict[str, str] = {}  # approved calls, by the state their server asked back with
        self.parked: set[str] = set()  # the numbers of requests that we ended by asking inside their results
        self.kept_answers: dict[str, tuple[OpenRequest, HeldAnswer]] = {}  # by question: answers asked about so
        self.locked = False
        self.tasks: dict[str, Call] = {}  # by task id: the calls that made them
        self.open_tasks: OpenTasks | None = None  # of which guards have not heard the end, from the first one on
        self.retries: Retries | None = None  # from the first input request on
        self.fast_lines: list[FastLines] = []  # of every lane of the conversation
        self.guard_notes: list[tuple[Call, Note]] = []  # what guards have to say for the record, of which call
        self.on_roots: Callable[[tuple[str, ...]], None] | None = None
        self.memory: dict[str, object] = {}  # what guards that read lines keep of the conversation, by their names
        self.dirty = False  # the line that is judged now is one that such a guard has to read
        self.screened: Screened | None = None  # what it has made of that line

    @property
    def calls(self) -> int:
        """The client's requests that got a verdict."""
        return self.seq - self.others

    @property
    def next_number(self) -> str:
        """What `number` will say next."""
        return f"{self.who.session}-{self.seq + 1}"

    def number(self) -> str:
        """The decision id of the next request."""
        self.seq += 1
        return f"{self.who.session}-{self.seq}"

    def call_of(self, method: str, tool: str | None) -> Call:
        """A call of which only the names are known."""
        who = self.who
        call = Call(method, {} if tool is None else {"name": tool}, who.server, who.client, who.project)
        if tool is not None:
            call.tool, call.args, call.annotations = tool, {}, self.tool_list.annotations.get(tool)
        return call
