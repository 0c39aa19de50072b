"""What a line leads to, for whoever performs it. Pure.

Law: the effects of one line are performed in order, and a `Record` is written before what stands behind it goes out.
Each class says what is to be done where its record cannot be written.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.tool_list import Pins

    Line = bytes | bytearray
    Note = dict[str, object]


class Effect:
    """Effects are told apart by their type; equal ones have equal parts."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._parts()!r}"

    def _parts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


class Record(Effect):
    """A line of the journal: a table, or the text of one without its braces.

    Not written: every `Forward` and `Reply` of the same batch says itself what becomes of it.
    """

    __slots__ = ("note",)

    def __init__(self, note: Note | str) -> None:
        self.note = note


class Forward(Effect):
    """A line for the server.

    Its record is not written: where `request` is the id of a governed request of the client, that request is denied
    (`Session.unrecorded`); anything else is sent all the same.
    """

    __slots__ = ("line", "request")

    def __init__(self, line: Line, request: str | int | None = None) -> None:
        self.line = line
        self.request = request


class Reply(Effect):
    """A line for the client.

    Its record is not written: where `request` is the id of a governed request of the server, that request is denied
    (`Session.unrecorded`); where `instead` is given, that is sent in its place (nothing, if it is empty);
    anything else is sent all the same.
    """

    __slots__ = ("instead", "line", "request")

    def __init__(self, line: Line, request: str | int | None = None, instead: bytes | None = None) -> None:
        self.line = line
        self.request = request
        self.instead = instead


class Ask(Effect):
    """A person is to be asked about a request that is held; `Session.resume(number, …)` continues it.

    `sender`: whose request it is. `call` has server, client, project, method, tool, operation and arguments;
    `decision` has the rule's id, its message and the policy's revision.

    Its record is not written: nobody is asked, and the request is resumed with a denial.
    """

    __slots__ = ("brought", "call", "continues", "decision", "number", "sender")

    def __init__(
        self,
        number: str,
        sender: str,
        call: Call,
        decision: Decision,
        brought: tuple[str, str] | None = None,
        continues: str = "",
    ) -> None:
        """`brought`: number and word of the answer that a repeated request carries (app_approval.Taken).

        `continues`: the number of an approved call, which the server answered by asking something back.
        """
        self.number = number
        self.sender = sender
        self.call = call
        self.decision = decision
        self.brought = brought
        self.continues = continues


class Withdraw(Effect):
    """The question of this number needs no answer any more. Its record is not written: it is withdrawn all the same."""

    __slots__ = ("number", "reason")

    def __init__(self, number: str, reason: str) -> None:
        self.number = number
        self.reason = reason


class AppAnswer(Effect):
    """What the app said to our question: one of app_approval.WORDS, or "" and why that is no answer."""

    __slots__ = ("number", "why", "word")

    def __init__(self, number: str, word: str, why: str = "") -> None:
        self.number = number
        self.word = word
        self.why = why


class Parked(Effect):
    """The held request of this number was answered by asking inside its result: it waits no more, its retry will."""

    __slots__ = ("number",)

    def __init__(self, number: str) -> None:
        self.number = number


class Dispatched(Effect):
    """What became of a yes: the request was sent, or was not (`why`)."""

    __slots__ = ("number", "why")

    def __init__(self, number: str, why: str = "") -> None:
        self.number = number
        self.why = why


class SavePins(Effect):
    """The tools that were seen go to disk, whether or not the record is written."""

    __slots__ = ("pins",)

    def __init__(self, pins: Pins) -> None:
        self.pins = pins


class Stderr(Effect):
    """Bytes of the server that are no message: shown to the person, whether or not the record is written."""

    __slots__ = ("data",)

    def __init__(self, data: Line) -> None:
        self.data = data


def filled(effects: list[Effect], line: Line, text: str) -> list[Effect]:
    """Effects with the bytes of a line that was released (`wire.release_buffer`), if it goes out at all."""
    for effect in effects:
        if isinstance(effect, (Forward, Reply)) and effect.line is line:
            effect.line = text.encode()  # UTF-8 has one way to write a text
    return effects
