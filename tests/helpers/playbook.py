"""Conversations as plays: `talk >> client(message) << Forward(message)` feeds a line and expects its effects.

Whatever is fed, the play checks the laws of a session: a note stands before each forward, nothing that goes out could
be split by a line reader, and no request of the client is answered twice.
"""

import hashlib
import json
from collections import Counter

from mcpgov.core.approvals.asking import question_about
from mcpgov.core.approvals.grants import grant_of
from mcpgov.core.approvals.held_requests import NOBODY_TO_ASK, allowed
from mcpgov.core.session import effects as effect_types
from mcpgov.core.session.session import Policy, Session, Who
from mcpgov.core.session.tool_list import Pins, ToolList
from tests.helpers.compiled import FakeHooks, ruleset

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
META = {VERSION_KEY: "2026-07-28"}
NOTHING = ()
YES = object()
NOW = 1_000_000.0
NO_GRANT = {
    "id": "g", "server": "fs", "method": "", "target": "", "tool_digest": "", "asked_by": "", "layer": "user",
    "scope": "exact", "args_digest": "x", "term": "once", "session": "s", "decision": "", "surface": "command",
    "folders": [], "made": NOW, "until": NOW + 60,
}  # fmt: skip
TO_SERVER, TO_CLIENT, STDERR, ASK, WITHDRAW, APP = "server", "client", "stderr", "ask", "withdraw", "app"


def client(message):
    return ("client", message if isinstance(message, bytes) else line(message))


def server(message):
    return ("server", message if isinstance(message, bytes) else line(message))


def line(message):
    return json.dumps(message, separators=(",", ":")).encode()


def Forward(message):
    return (TO_SERVER, message)


def Reply(message):
    return (TO_CLIENT, message)


def Show(data):
    return (STDERR, data)


def Ask(number):
    return (ASK, number)


def Withdraw(number, reason):
    return (WITHDRAW, number, reason)


def request(ident, method, **params):
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}


def call(ident, tool="read", meta=None, **args):
    extra = {} if meta is None else {"_meta": meta}
    return request(ident, "tools/call", name=tool, arguments=args, **extra)


def notification(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(ident, **body):
    return {"jsonrpc": "2.0", "id": ident, "result": body}


def error(ident, code, message, **data):
    body = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": ident, "error": {**body, "data": data} if data else body}


def policy(*rules, hooks=None, **head):
    """A compiled policy; what needs a look at answers is told in its head, as the compiler tells it."""
    needs = ["contains"] if any("contains" in rule for rule in rules) else []
    return ruleset(*rules, hooks=hooks or FakeHooks(), **{"needs": needs, **head})


ALLOW_ALL = {"action": "allow", "method": ["**"]}


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class Playbook:
    """One session. Times go up by a microsecond a look, so notes are whole values too.

    `asks`: what `Ask` brings is kept for the test to resume; else nobody can be asked, as in the proxy.
    """

    def __init__(
        self, *rules, narrow=None, pins=None, pin="log", who=("fs", "cursor", ""), none=False, asks=False, **head
    ):
        project = policy(*narrow, default="allow") if narrow is not None else None
        in_force = None if none else Policy(policy(*rules, **head), project)
        self._now = 0
        self.session = Session(Who(*who, "s"), in_force, ToolList(pins or Pins(), pin), digest, self._clock)
        self.effects = []
        self.questions = [] if asks else None
        self.notes = []
        self.saved = 0
        self.parked, self.dispatched = [], []  # what is told to the daemon
        self.asked = Counter()
        self.answered = Counter()

    def _clock(self):
        self._now += 1000
        return self._now

    def __rshift__(self, event):
        kind, data = event
        if kind == "client":
            self._expect_answer(data)
        effects = self.session.from_client(data) if kind == "client" else self.session.from_server(data)
        return self.take(effects)

    def take(self, effects, noted=False):
        self.effects = []
        effects = list(effects)
        while effects:
            effect = effects.pop(0)
            match effect:
                case effect_types.Record():
                    noted = True
                    note = effect.note
                    self.notes.append(json.loads(f"{{{note}}}") if isinstance(note, str) else note)
                    json.dumps(self.notes[-1], allow_nan=False)
                case effect_types.SavePins():
                    self.saved += 1
                case effect_types.Withdraw():
                    self.effects.append((WITHDRAW, effect.number, effect.reason))
                case effect_types.AppAnswer():
                    self.effects.append((APP, effect.number, effect.word))
                case effect_types.Parked():
                    self.parked.append(effect.number)
                case effect_types.Dispatched():
                    self.dispatched.append((effect.number, effect.why))
                case _:
                    assert noted, "a note stands before whatever it is about"
                    if not isinstance(effect, effect_types.Ask):
                        self.effects.append(self._told(effect))
                    elif self.questions is None:
                        effects[:0] = self.session.resume(effect.number, NOBODY_TO_ASK)
                    else:
                        self.questions.append(effect)
                        self.effects.append((ASK, effect.number))
        return self

    def _told(self, effect):
        match effect:
            case effect_types.Stderr():
                return (STDERR, effect.data)
            case effect_types.Forward():
                return (TO_SERVER, self._read(TO_SERVER, bytes(effect.line)))
        return (TO_CLIENT, self._read(TO_CLIENT, bytes(effect.line)))

    def from_client(self, data):
        """The effects of a line as they are, told as (kind, value, what there is to do if it cannot be recorded)."""
        return told(performed(self.session, self.session.from_client(data)))

    def from_server(self, data):
        return told(performed(self.session, self.session.from_server(data)))

    def resume(self, number, resolution):
        """Where nobody can be asked, the record of the request itself says so. `YES`: for exactly what was asked."""
        if resolution is YES:
            resolution = allowed(self.grant(number), NOW)
        return self.take(self.session.resume(number, resolution), noted=resolution is NOBODY_TO_ASK)

    def grant(self, number, **other):
        """A grant for exactly the call of a question, as the daemon would make it."""
        found = [asked for asked in self.questions if asked.number == number]
        if not found:
            return grant_of({**NO_GRANT, **other})
        asked, _ = question_about(self.session.state, found[-1])
        same = {name: asked[name] for name in ("server", "method", "target", "tool_digest", "asked_by", "layer")}
        return grant_of({**NO_GRANT, **same, "args_digest": asked["args_digest"], "decision": number, **other})

    def _read(self, kind, data):
        data = data.removesuffix(b"\n")
        text = data.decode("utf-8")
        assert text.splitlines() == [text], "one line to every reader"
        message = json.loads(text, object_pairs_hook=unique, parse_int=number)
        if kind == TO_CLIENT and "method" not in message and message.get("id") is not None:
            ident = (type(message["id"]), message["id"])
            self.answered[ident] += 1
            assert self.answered[ident] <= self.asked[ident], f"{message['id']!r} was answered twice"
        return message

    def _expect_answer(self, data):
        """Every id that some reader could find in a line may be answered once."""
        text = data.decode("utf-8", "replace")
        for part in text.split('"id"')[1:]:
            try:
                value = json.JSONDecoder().raw_decode(part.lstrip(" \t\r:"))[0]
            except (ValueError, RecursionError):
                continue
            if isinstance(value, (str, int)):
                self.asked[(type(value), value)] += 1

    def __lshift__(self, expected):
        wanted = [expected] if expected and isinstance(expected[0], str) else list(expected)
        assert self.effects == wanted
        return self

    @property
    def note(self):
        """The last note without what times say."""
        return {key: value for key, value in self.notes[-1].items() if key not in ("us", "round_trip_us")}

    @property
    def reply(self):
        """The only effect's message."""
        ((_, message),) = self.effects
        return message


def performed(session, effects):
    """Effects as the proxy performs them: nobody can be asked."""
    out = []
    for effect in effects:
        asks = isinstance(effect, effect_types.Ask)
        out += session.resume(effect.number, NOBODY_TO_ASK) if asks else [effect]
    return out


def told(effects):
    """Effects as triples: (kind, value, what there is to do if it cannot be recorded)."""
    out = []
    for effect in effects:
        match effect:
            case effect_types.Record():
                out.append(("note", effect.note, None))
            case effect_types.Forward():
                out.append((TO_SERVER, effect.line, effect.request))
            case effect_types.Reply():
                out.append((TO_CLIENT, effect.line, effect.request if effect.instead is None else effect.instead))
            case effect_types.SavePins():
                out.append(("pins", effect.pins, None))
            case effect_types.Stderr():
                out.append((STDERR, effect.data, None))
            case _:
                raise AssertionError(effect)
    return out


def number(text):
    return int(text) if len(text) <= 4300 else text


def unique(pairs):
    found = dict(pairs)
    assert len(found) == len(pairs), "no key twice"
    return found
