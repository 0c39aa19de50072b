"""A journal with calls that were held: what the proxy and the daemon write of them."""

from pathlib import Path

from mcpgov.daemon.approvals import records
from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from tests.helpers.journals import Proxy
from tests.helpers.questions import question


class HeldCalls:
    """One proxy of the server `github`, and the daemon beside it; both think it is `proxy.at`."""

    def __init__(self, journal: Path, at: float) -> None:
        self.proxy = Proxy(journal, "4f1d0c92ab37", "github", "claude-code")
        self.proxy.at = at
        self._daemon = DaemonJournal(str(journal), lambda: self.proxy.at)

    def note(self, event: str, number: str, waits: str = "", **more: object) -> None:
        """The daemon's; `waits`: the question that the call waits with, if it is another's."""
        asked = question(number=waits or number, session=number.rpartition("-")[0], target=more.pop("tool", "delete_x"))
        assert self._daemon.write(records.entry(event, asked, number, **more))
        self.proxy.at += 1

    def ask(self, args: dict[str, object] | None = None, tool: str = "delete_x", rule: str = "ask-deletes") -> str:
        number = self.proxy.call(
            tool, action="prompt", rule=rule, args=args if args is not None else {"path": "/srv/a/x"}
        )
        self.note(records.ASKED, number, tool=tool)
        self.note(records.OFFERED, number, tool=tool, surfaces=["app", "desktop"], wait=25)
        return number

    def answer(self, number: str, choice: Choice = YES_ONCE, event: str = records.ANSWERED, **more: object) -> None:
        said = {"surface": "command", "who": "pid 7", "after_ms": 3200, **records.choice_fields(choice)}
        self.note(event, number, **{**said, **more})

    def resume(self, number: str, tool: str = "delete_x") -> None:
        told = {"dir": "client", "method": "tools/call", "decision": number, "tool": tool}
        assert self.proxy.write({**told, "action": "resumed", "grant": number, "waited_us": 3_300_000})
        self.note(records.DISPATCHED, number, tool=tool)
        assert self.proxy.write({**told, "dir": "server", "action": "answered", "round_trip_us": 1500})

    def deny(self, number: str, answer: str, why: str, tool: str = "delete_x") -> None:
        told = {"dir": "client", "method": "tools/call", "decision": number, "tool": tool}
        assert self.proxy.write({**told, "action": "deny", "rule": "ask-deletes", "answer": answer, "why": why})

    def allowed(self, args: dict[str, object] | None = None, tool: str = "delete_x") -> str:
        number = self.ask(args, tool)
        self.answer(number, tool=tool)
        self.resume(number, tool)
        return number

    def refused(self, args: dict[str, object] | None = None, tool: str = "delete_x") -> str:
        number = self.ask(args, tool)
        self.answer(number, NO, tool=tool)
        self.deny(number, "refused", "no", tool)
        return number

    def answer_held(self, tool: str = "read_page") -> tuple[str, str]:
        """A call that passed, and the question about its answer, which got a yes."""
        call = self.proxy.call(tool, action="allow", rule="reads", args={})
        number = f"{call.rpartition('-')[0]}-{int(call.rpartition('-')[2]) + 1}"
        told = {"dir": "server", "method": "tools/call", "decision": number, "answer_to": call, "tool": tool}
        assert self.proxy.write({**told, "action": "prompt", "rule": "odd", "kind": "policy", "revision": "rev"})
        self.note(records.ASKED, number, tool=tool)
        self.answer(number, tool=tool)
        assert self.proxy.write({**told, "action": "resumed", "grant": number, "waited_us": 3_300_000})
        return call, number
