"""A transport without a wire: any number of sessions in this process, all on one `Live`."""

import json
import os
import select
from pathlib import Path
from typing import Any

from mcpgov.core.json.values import dumps
from mcpgov.core.session.effects import Forward, Record, SavePins
from mcpgov.core.session.session import Who
from mcpgov.front.install.launcher import home_of
from mcpgov.live.journal_writer import Journal
from mcpgov.live.policy_in_force import ServerWorld
from mcpgov.live.refresh import SessionRefresh
from mcpgov.live.shared import Live
from mcpgov.places import Places
from mcpgov.settings import Settings


class Transport:
    """`compiles`: the command lines of the children that compiled so far."""

    def __init__(self, root: Path) -> None:
        self.root = root
        where = home_of(Places(root), Settings())
        self._compiles = root / "compiles"
        count = f"open({str(self._compiles)!r}, 'a').write(repr(__import__('sys').argv[1:]) + '\\n'); "
        self.live = Live({**where, "compile": count + where["compile"]})
        self.place = ServerWorld(where["home"])
        self.sessions: list[Governed] = []

    @property
    def compiles(self) -> list[str]:
        return self._compiles.read_text("utf-8").splitlines() if self._compiles.exists() else []

    def open(self, server: str, project: str = "") -> "Governed":
        made = Governed(self, server, project, f"s{len(self.sessions):04}")
        self.sessions.append(made)
        return made

    def wait_for_compilers(self) -> None:
        """What a loop does between messages."""
        policies = self.live.policies
        while policies.working:
            ready = select.poll()
            for source in policies.working:
                assert source.child is not None
                ready.register(source.child.fd, select.POLLIN)
            assert ready.poll(20_000), "a compiler does not end"
            for source in policies.working:
                policies.advance(source)

    def close(self) -> None:
        for one in self.sessions:
            one.in_force.close()
        self.live.close()


class Governed:
    """One session. `said`: what a person would read on standard error."""

    def __init__(self, transport: Transport, server: str, project: str, name: str) -> None:
        self.transport = transport
        who = Who(server, "client", project, name)
        names = {"session": name, "client": "client", "server": server, **({"project": project} if project else {})}
        self.journal = Journal("", names, file=transport.live.journal_file())
        self.said: list[str] = []
        options = {"server": server, **({"project": project} if project else {})}
        live = transport.live
        self.in_force = SessionRefresh(options, live.where, [], who, self._note, self.said.append, self.journal.watched,
                               live=live, place=transport.place)  # fmt: skip
        self._id = 0

    def _note(self, note: dict[str, object]) -> None:
        assert self.journal.write([dumps(note)[1:-1]])

    def call(self, tool: str, **args: object) -> bool:
        """True: the call goes on to the server."""
        self._id += 1
        params = {"name": tool, "arguments": args}
        line = json.dumps({"jsonrpc": "2.0", "id": self._id, "method": "tools/call", "params": params}).encode()
        self.in_force.refresh()
        while self.in_force.policies.busy:
            self.transport.wait_for_compilers()
            self.in_force.refresh()
        passed = self._perform(self.in_force.session.from_client(line))
        if passed:
            answer = json.dumps({"jsonrpc": "2.0", "id": self._id, "result": {}}).encode()
            self._perform(self.in_force.session.from_server(answer))
            self.in_force.answered = True
        return passed

    def list_tools(self, *tools: dict[str, Any]) -> None:
        """The server lists its tools, and what is new of them is saved."""
        self._id += 1
        asked = {"jsonrpc": "2.0", "id": self._id, "method": "tools/list", "params": {}}
        self.in_force.refresh()
        self._perform(self.in_force.session.from_client(json.dumps(asked).encode()))
        answer = {"jsonrpc": "2.0", "id": self._id, "result": {"tools": tools}}
        self._perform(self.in_force.session.from_server(json.dumps(answer).encode()))

    def _perform(self, effects: list[Any]) -> bool:
        """True: something went to the server."""
        passed = False
        for effect in effects:
            if isinstance(effect, Record):
                note = effect.note
                assert self.journal.write([note if isinstance(note, str) else dumps(note)[1:-1]])
            elif isinstance(effect, SavePins):
                self.in_force.save_pins()
            passed = passed or isinstance(effect, Forward)
        return passed


def descriptors() -> int:
    return len(os.listdir("/dev/fd"))
