"""One client-server conversation as a state machine: a line in, effects out. Pure: no I/O, no clock.

Laws:
- No request reaches the server unless the policy in force let exactly the forwarded value pass.
- Each request gets exactly one answer: the server's, or ours.
- The note on a call stands before its forward in the effects; whoever performs them keeps that order.
- Whatever cannot be read, or fails on the way, is refused and answered; the conversation goes on.
"""

from __future__ import annotations

from mcpgov.core import answers, wire
from mcpgov.core.calls import Call, call_of
from mcpgov.core.globs import Glob
from mcpgov.core.listing import Listing
from mcpgov.core.methods import CLIENT, GOVERNED, NEVER_DENIED, NOTIFICATIONS, SERVER, may_send
from mcpgov.core.preview import MOST_ITEMS, is_secret_name, looks_open, preview
from mcpgov.core.rules import ALLOW, DENY, PROMPT, REDACT, Decision
from mcpgov.core.ruleset import RuleSet, stricter
from mcpgov.core.values import BLANK, dumps, quote
from mcpgov.core.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    Line = bytes | bytearray
    Note = dict[str, object]
    Effect = tuple[str, object, object]
    Open = tuple[str, str | None, str, int, bool, Call | None]

TO_SERVER, TO_CLIENT, NOTE, STDERR, PINS = "server", "client", "note", "stderr", "pins"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
STOPPED = (DENY, PROMPT)
MOST_OPEN = 100_000
MOST_SHAPES = 512
ANSWER = frozenset(("jsonrpc", "id", "result"))


class Who:
    """Whose conversation this is."""

    __slots__ = ("client", "project", "server", "session")

    def __init__(self, server: str, client: str, project: str, session: str) -> None:
        self.server = server
        self.client = client
        self.project = project
        self.session = session


class Policy:
    """The rules in force: the user's, and the project's if it has some."""

    __slots__ = ("audit", "known_methods", "project", "rules", "watches_answers")

    def __init__(self, rules: RuleSet, project: RuleSet | None = None) -> None:
        self.rules = rules
        self.project = project
        if project is not None:
            project.adopt_names(rules)
        head = rules.head
        self.audit = str(head.get("audit") or "redacted")
        allow = head.get("methods_allow") or ()
        assert isinstance(allow, (list, tuple))
        self.known_methods = tuple(Glob(text) for text in allow)
        needs = [*_needs(rules), *(_needs(project) if project is not None else ())]
        self.watches_answers = "contains" in needs

    def decide(self, call: Call, today: str) -> Decision:
        first = self.rules.decide(call, today)
        return first if self.project is None else stricter(first, self.project.decide(call, today))

    def judge_answer(self, call: Call, answer: object, today: str) -> Decision | None:
        first = self.rules.judge_answer(call, answer, today)
        second = self.project.judge_answer(call, answer, today) if self.project is not None else None
        return stricter(first, second) if first is not None and second is not None else first or second

    def could_pass(self, call: Call) -> bool:
        return self.rules.could_pass(call) and (self.project is None or self.project.could_pass(call))

    def forget_links(self) -> None:
        self.rules.forget_links()
        if self.project is not None:
            self.project.forget_links()

    def names(self, method: str) -> bool:
        """Does `methods.allow` let an unknown method pass?"""
        return any(glob.matches(method) for glob in self.known_methods)

    def deny_as(self, server: str) -> str:
        own = self.rules.head.get("server_deny_as")
        return str((own.get(server) if isinstance(own, dict) else None) or self.rules.head.get("deny_as") or "result")


def _needs(rules: RuleSet) -> list[str]:
    found = rules.head.get("needs") or []
    assert isinstance(found, list)
    return found


class Shape:
    """What is the same for calls of one tool with the same arguments' names; unusable where names do not decide."""

    __slots__ = ("harmless", "noted", "usable")

    def __init__(self, policy: Policy | None, tool: str, names: tuple[str, ...], who: Who, listing: Listing) -> None:
        self.noted = ""
        self.harmless = looks_open
        self.usable = False
        if policy is None or policy.watches_answers or policy.audit != "redacted" or policy.project is not None:
            return
        if len({name.casefold() for name in names}) != len(names):
            return
        if listing.holds(tool) or len(names) > MOST_ITEMS or any(is_secret_name(name) for name in names):
            return
        call = Call(
            "tools/call", {"name": tool}, who.server, who.client, who.project, None, listing.annotations.get(tool)
        )
        call.tool, call.args = tool, dict.fromkeys(names)
        decision = policy.rules.decision_by_name(call)
        if decision is not None and decision.action == ALLOW:
            self.noted = f'"method":"tools/call","tool":{quote(tool)},{note_part(decision)}'
            self.harmless = policy.rules.harmless
            self.usable = True


# A request that was forwarded and not yet answered; a tuple, because every call makes one.
METHOD: Final = 0
TOOL: Final = 1
NUMBER: Final = 2
START: Final = 3
MODERN: Final = 4
CALL: Final = 5


class Session:
    """The state of one conversation. `policy` may be replaced between two lines."""

    def __init__(
        self,
        who: Who,
        policy: Policy | None,
        listing: Listing,
        digest_text: Callable[[str], str],
        clock: Callable[[], int],
    ) -> None:
        self.who = who
        self.policy = policy
        self.listing = listing
        self.today = ""
        self._digest_text = digest_text
        self._clock = clock  # nanoseconds, monotonic; only for how long things took
        self._seq = 0
        self._from_client: dict[str | int, Open] = {}
        self._from_server: dict[str | int, Open] = {}
        self._shapes: dict[tuple[str, ...], Shape] = {}
        self._tasks: dict[str, Call] = {}
        self._refused_states: set[str] = set()
        self._refused_keys: set[str] = set()

    # --- client to server

    def from_client(self, line: Line) -> list[Effect]:
        """One line without its LF."""
        start = self._clock()
        try:
            text = wire.decode(line)
            plain = wire.simple_call(text)
            if plain is not None:
                passed = self._simple_call(*plain, line, start)
                if passed is not None:
                    return passed
            if not text.strip(BLANK):
                return []
            message = wire.read(line, text, judged=True)
            wire.check_keys(message)
            return self._client_message(message, line, text, start)
        except Refused as refused:
            return self._refuse(refused, CLIENT)

    def _simple_call(
        self, ident: str | int, tool: str, args: dict[str, object], line: Line, start: int
    ) -> list[Effect] | None:
        """A plain `tools/call` that is allowed, the usual case, with nothing asked twice. None: take the long way."""
        shape = self._shapes.get((tool, *args))
        if shape is None:
            shape = self._shape((tool, *args))
        if not shape.usable or ident in self._from_client or len(self._from_client) >= MOST_OPEN:
            return None
        for value in args.values():
            if type(value) is str:
                if not shape.harmless(value):
                    return None
            elif isinstance(value, (dict, list)):
                return None
        self._seq += 1
        number = f"{self.who.session}-{self._seq}"
        shown = dumps(args)
        note = (
            f'"dir":"client","decision":"{number}",{shape.noted},'
            f'"digest":"{self._digest_text(shown)}","args":{shown},"us":{(self._clock() - start) // 1000}}}'
        )
        self._from_client[ident] = ("tools/call", tool, number, start, False, None)
        return [(NOTE, note, None), (TO_SERVER, line, ident)]

    def _shape(self, key: tuple[str, ...]) -> Shape:
        """What names alone say of such calls, worked out once; an empty shape where they do not say enough."""
        tool, names = key[0], key[1:]
        if len(self._shapes) >= MOST_SHAPES:
            self._shapes.clear()
        made = self._shapes[key] = Shape(self.policy, tool, names, self.who, self.listing)
        return made

    def forget_shapes(self) -> None:
        """The policy, the pins or the annotations are others now."""
        self._shapes.clear()

    def _client_message(self, message: dict[str, object], line: Line, text: str, start: int) -> list[Effect]:
        method, ident = envelope(message)
        if method is None:
            return self._answer_of(message, ident, line, text, self._from_server, TO_SERVER)
        params = message.get("params")
        if params is not None and not isinstance(params, dict):
            raise Refused(wire.INVALID_PARAMS, "`params` must be an object", ident, answer=ident is not None)
        if ident is None:
            return self._client_notification(method, line, text)
        if ident in self._from_client:
            raise Refused(wire.INVALID_REQUEST, "the id is in use by an open request")
        if len(self._from_client) >= MOST_OPEN:
            raise Refused(wire.INVALID_REQUEST, "too many open requests", ident)
        if not may_send(CLIENT, method) and not (self.policy is not None and self.policy.names(method)):
            raise Refused(wire.METHOD_NOT_FOUND, f"method `{method[:100]}` is not known", ident)
        return self._client_request(method, ident, params or {}, message, line, text, start)

    def _client_request(
        self, method: str, ident: str | int, params: dict[str, object], message: dict[str, object], line: Line,
        text: str, start: int,
    ) -> list[Effect]:  # fmt: skip
        who = self.who
        tool = params.get("name")
        hints = self.listing.annotations.get(tool) if isinstance(tool, str) else None
        try:
            call = call_of(method, params, who.server, who.client, who.project, ident, hints)
        except ValueError as error:
            raise Refused(wire.INVALID_PARAMS, str(error), ident) from None
        if call.args and not wire.check_argument_keys(call.args):
            raise Refused(wire.INVALID_PARAMS, "keys that differ in case only", ident)
        modern = is_modern(params)
        decision = self._decide(call)
        if decision is not None and call.tool is not None and self.listing.holds(call.tool):
            held = Decision(DENY, None, "pin", "", decision.revision)
            decision = stricter(decision, held) if decision.action in STOPPED else held
        if decision is not None and self._answers_refused(params):
            decision = Decision(
                DENY, decision.rule, "policy", "it answers a request that was denied", decision.revision
            )
        number = self._number()
        note = self._note(CLIENT, method, call, ident, decision, number, start)
        if decision is not None and decision.action in STOPPED:
            return [(NOTE, note, None), (TO_CLIENT, self._denied(call, ident, decision, number, modern), None)]
        if method == "tools/list" and "cursor" not in params:
            self.listing.begin()
            self.forget_shapes()
        watched = self.policy is not None and (self.policy.watches_answers or "task" in params)
        kept = self._kept(call) if watched or method.startswith("tasks/") else None
        self._from_client[ident] = (method, call.tool, number, start, modern, kept)
        if decision is not None and decision.action == REDACT:
            body = wire.dump(_cut(message, decision)).encode("ascii")
        else:
            body = wire.outgoing(line, text)  # type: ignore[assignment]
        governed = ident if method in GOVERNED else None
        return [(NOTE, note, None), (TO_SERVER, body, governed)]

    def _decide(self, call: Call) -> Decision | None:
        """The verdict; None for methods that pass unless a rule names them and none does."""
        if call.method in NEVER_DENIED:
            return None
        if self.policy is None:
            return Decision(DENY, None, "unauthorized", "no policy is in force", "")
        decision = self.policy.decide(call, self.today)
        if call.method not in GOVERNED and decision.rule is None:
            return None
        return decision

    def _kept(self, call: Call) -> Call:
        """The call an answer belongs to: a task's result is judged as the result of the call that made it."""
        task = call.params.get("taskId")
        return self._tasks.get(task, call) if isinstance(task, str) else call

    def _answers_refused(self, params: dict[str, object]) -> bool:
        """Does a retry bring answers to an input request that we denied?"""
        responses = params.get("inputResponses")
        if responses is None or not (self._refused_states or self._refused_keys):
            return False
        state = params.get("requestState")
        if isinstance(state, str):
            return state in self._refused_states
        return isinstance(responses, dict) and not self._refused_keys.isdisjoint(responses)

    def _client_notification(self, method: str, line: Line, text: str) -> list[Effect]:
        # A call without an id cannot be answered; it is not forwarded either.
        note = self._plain_note(CLIENT, method)
        if not method.startswith(NOTIFICATIONS):
            return [(NOTE, {**note, "action": "dropped", "why": "not a notification"}, None)]
        return [(NOTE, note, None), (TO_SERVER, wire.outgoing(line, text), None)]

    # --- server to client

    def from_server(self, line: Line) -> list[Effect]:
        """One line without its LF."""
        start = self._clock()
        try:
            text = wire.decode(line)
            plain = wire.simple_answer(text)
            if plain is not None:
                passed = self._simple_answer(*plain, line)
                if passed is not None:
                    return passed
            if not text.strip(BLANK):
                return []
            message = wire.read(line, text, judged=False)
            return self._server_message(message, line, text, start)
        except Refused as refused:
            return self._bad_from_server(refused, line)

    def _server_message(self, message: dict[str, object], line: Line, text: str, start: int) -> list[Effect]:
        method, ident = envelope(message)
        if method is None:
            return self._answer_of(message, ident, line, text, self._from_client, TO_CLIENT)
        params = message.get("params")
        if params is not None and not isinstance(params, dict):
            raise Refused(wire.INVALID_PARAMS, "`params` must be an object", ident, answer=ident is not None)
        if ident is None:
            return self._server_notification(method, params or {}, line, text)
        if not may_send(SERVER, method) and not (self.policy is not None and self.policy.names(method)):
            note = {**self._plain_note(SERVER, method), "action": "refused", "why": "unknown method"}
            answer = wire.error(ident, wire.METHOD_NOT_FOUND, f"method `{method[:100]}` is not known")
            return [(NOTE, note, None), (TO_SERVER, answer, None)]
        if ident in self._from_server:
            note = {**self._plain_note(SERVER, method), "action": "dropped", "why": "the id is in use"}
            return [(NOTE, note, None)]
        return self._server_request(method, ident, params or {}, message, line, text, start)

    def _server_request(
        self, method: str, ident: str | int, params: dict[str, object], message: dict[str, object], line: Line,
        text: str, start: int,
    ) -> list[Effect]:  # fmt: skip
        call = Call(method, params, self.who.server, self.who.client, self.who.project, ident)
        decision = self._decide(call)
        number = self._number()
        note = self._note(SERVER, method, call, ident, decision, number, start)
        if decision is not None and decision.action in STOPPED:
            return [(NOTE, note, None), (TO_SERVER, answers.as_error(ident, decision, number), None)]
        self._from_server[ident] = (method, None, number, start, False, None)
        if decision is not None and decision.action == REDACT:
            body: object = wire.dump(_cut(message, decision)).encode("ascii")
        else:
            body = wire.outgoing(line, text)
        return [(NOTE, note, None), (TO_CLIENT, body, None)]

    def _server_notification(self, method: str, params: dict[str, object], line: Line, text: str) -> list[Effect]:
        note = self._plain_note(SERVER, method)
        if not method.startswith(NOTIFICATIONS):
            return [(NOTE, {**note, "action": "dropped", "why": "not a notification"}, None)]
        if method == "notifications/resources/updated" and isinstance(params.get("uri"), str):
            call = call_of("resources/read", params, self.who.server, self.who.client, self.who.project)
            decision = self._decide(call)
            if decision is not None and decision.action in STOPPED:
                return [(NOTE, {**note, "action": "dropped", "rule": decision.rule, "why": "denied URI"}, None)]
        return [(NOTE, note, None), (TO_CLIENT, wire.outgoing(line, text), None)]

    def _bad_from_server(self, refused: Refused, line: Line) -> list[Effect]:
        """What cannot be used: plainly an answer to an open request, or only something to show."""
        idents = [refused.ident] if refused.ident is not None else batch_ids(line)
        note = {**self._plain_note(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(line)}
        effects: list[Effect] = [(NOTE, note, None)]
        for ident in idents:
            if isinstance(ident, (str, int)) and self._from_client.pop(ident, None) is not None:
                answer = wire.error(ident, wire.INTERNAL_ERROR, f"invalid response from server: {refused.why}")
                effects.append((TO_CLIENT, answer, None))
        if refused.code == wire.PARSE_ERROR and len(effects) == 1:
            effects.append((STDERR, line, None))
        return effects

    # --- answers, both ways

    def _simple_answer(self, ident: str | int, failed: bool, line: Line) -> list[Effect] | None:
        """The result of a plain `tools/call`, the usual case. None: take the long way."""
        opened = self._from_client.get(ident)
        if opened is None or opened[METHOD] != "tools/call" or opened[MODERN] or opened[CALL] is not None:
            return None
        del self._from_client[ident]
        error = ',"error":true' if failed else ""
        note = (
            f'"dir":"server","method":"tools/call","action":"answered","decision":"{opened[NUMBER]}",'
            f'"tool":{quote(opened[TOOL] or "")},"round_trip_us":{(self._clock() - opened[START]) // 1000}{error}}}'
        )
        return [(NOTE, note, None), (TO_CLIENT, line, None)]

    def _answer_of(
        self, message: dict[str, object], ident: str | int | None, line: Line, text: str, book: dict[str | int, Open],
        to: str,
    ) -> list[Effect]:  # fmt: skip
        sender = SERVER if to == TO_CLIENT else CLIENT
        opened = book.pop(ident, None) if ident is not None else None
        if opened is None or ident is None:
            note = {**self._plain_note(sender, ""), "action": "dropped", "why": "answers no open request"}
            return [(NOTE, note, None)]
        note = self._answer_note(sender, opened, message)
        if to == TO_CLIENT and "result" in message:
            changed = self._result(opened, ident, message, line, text, note)
            if changed is not None:
                return changed
        return [(NOTE, note, None), (to, wire.outgoing(line, text), None)]

    def _result(
        self, opened: Open, ident: str | int, message: dict[str, object], line: Line, text: str, note: Note
    ) -> list[Effect] | None:
        """What a result needs beyond being passed on; None: nothing."""
        result = message["result"]
        if not isinstance(result, dict):
            return None
        if opened[MODERN] and "inputRequests" in result:
            stopped = self._input_requests(opened, ident, result, note)
            if stopped is not None:
                return stopped
        if opened[CALL] is not None:
            task = result.get("task")
            if isinstance(task, dict) and isinstance(task.get("taskId"), str):
                self._tasks[task["taskId"]] = opened[CALL]
            judged = self._judged(opened, ident, message, note)
            if judged is not None:
                return judged
        if opened[METHOD] == "tools/list" and isinstance(result.get("tools"), list):
            return self._tools(result, text, line, note)
        if opened[METHOD].endswith("/list"):
            note["count"] = sum(len(value) for value in result.values() if isinstance(value, list))
        return None

    def _input_requests(
        self, opened: Open, ident: str | int, result: dict[str, object], note: Note
    ) -> list[Effect] | None:
        """Sampling and elicitation that travel inside a result are judged like requests of their own."""
        requests = result["inputRequests"]
        requests = requests if isinstance(requests, dict) else {"": None}
        for request in requests.values():
            method = request.get("method") if isinstance(request, dict) else None
            params = request.get("params") if isinstance(request, dict) else None
            if not isinstance(method, str) or not may_send(SERVER, method):
                decision: Decision | None = Decision(DENY, None, "policy", "an unknown input request", "")
            else:
                inner = Call(method, params if isinstance(params, dict) else {}, self.who.server, self.who.client)
                inner.project = self.who.project
                decision = self._decide(inner)
            if decision is not None and decision.action in STOPPED:
                self._refused_keys.update(requests)
                state = result.get("requestState")
                if isinstance(state, str):
                    self._refused_states.add(state)
                note.update(action=decision.action, rule=decision.rule, why=f"input request `{method}`")
                answer = self._denial(opened[METHOD], opened[TOOL], ident, decision, opened[NUMBER], opened[MODERN])
                return [(NOTE, note, None), (TO_CLIENT, answer, None)]
        return None

    def _judged(self, opened: Open, ident: str | int, message: dict[str, object], note: Note) -> list[Effect] | None:
        """Rules with `contains` look at answers too."""
        if self.policy is None or opened[CALL] is None or not self.policy.watches_answers:
            return None
        decision = self.policy.judge_answer(opened[CALL], message["result"], self.today)
        if decision is None:
            return None
        note.update(action=decision.action, rule=decision.rule)
        if decision.action in STOPPED:
            answer = self._denial(opened[METHOD], opened[TOOL], ident, decision, opened[NUMBER], opened[MODERN])
            return [(NOTE, note, None), (TO_CLIENT, answer, None)]
        if decision.action == REDACT:
            body = {**message, "result": _cut(message["result"], decision)}
            return [(NOTE, note, None), (TO_CLIENT, wire.dump(body).encode("ascii"), None)]
        return None

    def _tools(self, result: dict[str, object], text: str, line: Line, note: Note) -> list[Effect]:
        tools = result["tools"]
        assert isinstance(tools, list)
        last = not result.get("nextCursor")
        changed, flagged = self.listing.page(tools, last, self._digest)
        self.forget_shapes()
        gone = [at for at, tool in enumerate(tools) if self._leaves_out(tool)]
        note["count"] = len(tools)
        note.update({key: value for key, value in (("changed", changed), ("flagged", flagged)) if value})
        if gone:
            note["hidden"] = len(gone)
        body = wire.outgoing(line, text)
        if gone:
            body = wire.without_items(text, ("result", "tools"), frozenset(gone)).encode("utf-8")
            body = wire.outgoing(body, str(body, "utf-8"))
        return [(NOTE, note, None), (PINS, self.listing.pins, None), (TO_CLIENT, body, None)]

    def _leaves_out(self, tool: object) -> bool:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            return False
        if self.listing.holds(name):
            return True
        if self.policy is None or not self.policy.rules.head.get("hide_denied", True):
            return False
        call = Call("tools/call", {"name": name}, self.who.server, self.who.client, self.who.project)
        call.annotations = self.listing.annotations.get(name)
        call.tool, call.args = name, {}
        return not self.policy.could_pass(call)

    # --- ends and failures

    def server_gone(self, why: str) -> list[Effect]:
        """Every open request gets its answer."""
        effects: list[Effect] = []
        for ident, opened in self._from_client.items():
            note = {
                **self._plain_note(SERVER, opened[METHOD]),
                "action": "failed",
                "why": why,
                "decision": opened[NUMBER],
            }
            effects += [(NOTE, note, None), (TO_CLIENT, wire.error(ident, wire.INTERNAL_ERROR, why), None)]
        self._from_client.clear()
        return effects

    def unrecorded(self, ident: str | int) -> bytes | None:
        """The record of a governed call could not be written: it is denied. What to tell the client."""
        opened = self._from_client.pop(ident, None)
        if opened is None:
            return None
        decision = Decision(DENY, None, "policy", answers.UNRECORDED, "")
        return self._denial(opened[METHOD], opened[TOOL], ident, decision, opened[NUMBER], opened[MODERN])

    def too_long(self, sender: str, size: int) -> list[Effect]:
        """A line over the limit was thrown away unread."""
        note = {**self._plain_note(sender, ""), "action": "refused", "why": "the line is too long", "bytes": size}
        if sender == CLIENT:
            answer = wire.error(None, wire.INVALID_REQUEST, "the line is too long")
            return [(NOTE, note, None), (TO_CLIENT, answer, None)]
        return [(NOTE, note, None), *self.server_gone("the server sent a line that is too long")]

    def _refuse(self, refused: Refused, sender: str) -> list[Effect]:
        note = {**self._plain_note(sender, ""), "action": "refused", "why": refused.why, "code": refused.code}
        effects: list[Effect] = [(NOTE, note, None)]
        if refused.answer:
            effects.append((TO_CLIENT, wire.error(refused.ident, refused.code, refused.why), None))
        return effects

    # --- small things

    def _digest(self, value: object) -> str:
        """A fingerprint of a value, whatever the order of its keys."""
        return self._digest_text(dumps(value))

    def _number(self) -> str:
        self._seq += 1
        return f"{self.who.session}-{self._seq}"

    def _denied(self, call: Call, ident: str | int, decision: Decision, number: str, modern: bool) -> bytes:
        return self._denial(call.method, call.tool, ident, decision, number, modern)

    def _denial(
        self, method: str, tool: str | None, ident: str | int, decision: Decision, number: str, modern: bool
    ) -> bytes:
        wanted = self.policy.deny_as(self.who.server) if self.policy is not None else "result"
        if method == "tools/call" and wanted == "result":
            return answers.as_result(ident, tool or "", decision, number, modern)
        return answers.as_error(ident, decision, number)

    def _plain_note(self, sender: str, method: str) -> Note:
        return {"dir": sender, "method": method[:200], "action": "passed"}

    def _note(
        self, sender: str, method: str, call: Call, ident: object, decision: Decision | None, number: str, start: int
    ) -> Note:
        note: Note = {"dir": sender, "method": method[:200], "action": "passed", "decision": number}
        if call.tool is not None:
            note["tool"] = call.tool[:200]
        if call.prompt is not None:
            note["prompt"] = call.prompt[:200]
        if call.uris:
            note["uris"] = [uri[:500] for uri in call.uris[:20]]
        if decision is not None:
            note["action"] = decision.action
            note["rule"] = decision.rule
            note["kind"] = decision.kind
            note["revision"] = decision.revision
        audit = self.policy.audit if self.policy is not None else "redacted"
        subject = call.args if call.args is not None else call.params if sender == SERVER else None
        if subject and audit != "none":
            note["digest"] = self._digest(subject)
            if audit == "full":
                note["args"] = subject
            else:
                masked: list[str] = []
                note["args"] = preview(subject, masked)
                if masked:
                    note["masked"] = masked
        note["us"] = (self._clock() - start) // 1000
        return note

    def _answer_note(self, sender: str, opened: Open, message: dict[str, object]) -> Note:
        note: Note = {"dir": sender, "method": opened[METHOD], "action": "answered", "decision": opened[NUMBER]}
        if opened[TOOL] is not None:
            note["tool"] = opened[TOOL]
        note["round_trip_us"] = (self._clock() - opened[START]) // 1000
        result = message.get("result")
        if "error" in message or (isinstance(result, dict) and result.get("isError") is True):
            note["error"] = True
        return note

    @property
    def open_requests(self) -> int:
        return len(self._from_client)


def _cut(value: object, decision: Decision) -> object:
    from mcpgov.core.redact import cut

    return cut(value, decision.cuts)


def note_part(decision: Decision) -> str:
    """What a record says of a verdict, the same for every call."""
    rule = quote(decision.rule) if decision.rule is not None else "null"
    return f'"action":"{decision.action}","rule":{rule},"kind":"{decision.kind}","revision":"{decision.revision}"'


def envelope(message: dict[str, object]) -> tuple[str | None, str | int | None]:
    """(method, id): a request has both, a notification only the method, an answer only the id. Raises Refused."""
    ident = message.get("id")
    usable = ident if isinstance(ident, (str, int)) and not isinstance(ident, bool) else None
    if message.get("jsonrpc") != "2.0":
        raise Refused(wire.INVALID_REQUEST, '`jsonrpc` must be "2.0"', usable)
    if "id" in message and usable is None:
        raise Refused(wire.INVALID_REQUEST, "`id` must be a string or an integer")
    answers_something = "result" in message or "error" in message
    if "method" in message:
        method = message["method"]
        if answers_something:
            raise Refused(wire.INVALID_REQUEST, "both a request and an answer", usable)
        if not isinstance(method, str):
            raise Refused(wire.INVALID_REQUEST, "`method` must be a string", usable)
        return method, usable
    if "result" in message and "error" in message:
        raise Refused(wire.INVALID_REQUEST, "both a result and an error", usable)
    if not answers_something or usable is None:
        raise Refused(wire.INVALID_REQUEST, "neither a request nor an answer", usable)
    return None, usable


def is_modern(params: dict[str, object]) -> bool:
    """The stateless revision says so in every request."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and VERSION_KEY in meta


def batch_ids(line: Line) -> list[object]:
    """The ids in a batch from the server, where they are plain."""
    try:
        return [wire.plain_id(item) for item in wire.items(wire.decode(line))]
    except Refused:
        return []
