"""One message read for private data: what passes of it, what records may show, whether it is denied. Loaded with the
first line that the gate holds back.

Laws: a value that was found reaches no record, error or question. What is restored for a server came from that server,
and is judged by the rules as what the server will get.
"""

from __future__ import annotations

from mcpgov.core.decision import ALLOW, DENY, Decision
from mcpgov.core.json.values import parse
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CANCELLED, CLIENT, NEVER_DENIED, SERVER, may_send
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.guard import Screened, told
from mcpgov.errors import McpgovError
from mcpgov.guards.people import PEOPLE
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.search.escapes import as_meant
from mcpgov.guards.privacy.search.findings import apart, with_kinds
from mcpgov.guards.screening.leaves import Roles
from mcpgov.guards.screening.placeholders import Placeholders, tokens_in
from mcpgov.guards.screening.rewrite import Findings, Rewriter
from mcpgov.guards.screening.rows import OFF, PARAMS, REDACT, RESULTS, PrivacyLayer, Treatment, layers_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.rules.call import Call
    from mcpgov.core.world import World
    from mcpgov.guards.privacy.search.findings import Finding
    from mcpgov.guards.screening.names import NameFinder

NAME = "privacy"
# Without these nothing would work any more, and a list of tools is the server's program: they are cut, never denied.
SOFTENED = frozenset((*NEVER_DENIED, "tools/list", CANCELLED, "notifications/initialized"))
DIRECTIONS = {CLIENT: PARAMS, SERVER: RESULTS}
WHERE = {PARAMS: "the parameters", RESULTS: "the result"}


class MessageReader:
    """By the `[privacy]` of all policies in force."""

    def __init__(
        self, layers: list[PrivacyLayer], detector: Detector, world: World, people: NameFinder | None = None
    ) -> None:
        self._layers = layers
        self._detector = detector
        self._people = people
        self._world = world
        said = [layer.restore for layer in layers]
        self._restore = True in said and False not in said

    def screen(self, sender: str, call: Call, text: str, memory: dict[str, object]) -> Screened | None:
        direction = DIRECTIONS[sender]
        asks = _names_method(text)
        softened = call.method in SOFTENED
        treatment = Treatment(self._layers, call, direction, self._world, softened=softened)
        rewriter = Rewriter(
            self._detector, treatment, _known(memory), sender, restore=self._restore, softened=softened,
            people=self._people,
        )  # fmt: skip
        if self._people is not None:
            self._people.begin()
        try:
            passes, shown = rewriter.run(text, Roles(sender, call.method, asks=asks))
        except McpgovError as problem:  # no answer about names
            return Screened(text, text, "", Decision(DENY, None, "policy", str(problem), ""), {})
        found = rewriter.findings
        if not found.found and passes == text:
            return None
        return Screened(text, passes, shown, _denial(found, direction), _note(found))

    def hidden(self, text: str) -> str:
        spots = self._detector.find(text) if len(text) > 3 or self._detector.patterns else []
        if self._people is not None:
            self._people.begin()
            spots = apart([*spots, *self._people.find_all([text]).get(0, ())])
        tokens = list(tokens_in(text)) if spots else []
        return with_kinds(text, [one for one in spots if self._is_hidden(text, one, tokens)])

    def _is_hidden(self, text: str, one: Finding, tokens: list[tuple[int, int]]) -> bool:
        """Neither a placeholder, whole or in part, nor a value that all policies allow."""
        value = as_meant(text[one.start : one.end])
        taken = any(start < one.end and one.start < end for start, end in tokens)
        return not taken and not all(layer.allows(value) for layer in self._layers)

    def explain(self, call: Call) -> list[dict[str, object]]:
        """What is done to this call, and what would be done to its answer."""
        sender, answering = _sides(call)
        screened = self._screened(call)
        rows: list[dict[str, object]] = []
        if screened is not None:
            rows.append(_verdict(screened, DIRECTIONS[sender]))
        answers = DIRECTIONS[answering]
        treatment = Treatment(self._layers, call, answers, self._world)
        by_step: dict[tuple[str, str], list[str]] = {}
        people = [kind for kind in PEOPLE if any(kind in layer.kinds for layer in self._layers)]
        for kind in sorted(self._detector.kinds) + people + [name for name, _ in self._detector.patterns]:
            by_step.setdefault(treatment.of(kind, ""), []).append(kind)
        for (mode, rule), kinds in by_step.items():
            if mode != OFF:
                # The call itself passes; what will be done is for its answer.
                why = f"in {answers}, {mode}: {', '.join(kinds)}"
                rows.append({"guard": NAME, "name": rule, "verdict": ALLOW, "why": why})
        return rows

    def _screened(self, call: Call) -> Screened | None:
        sender, _ = _sides(call)
        return self.screen(sender, call, wire.dump({"method": call.method, "params": call.params}), {})

    def judged(self, call: Call) -> Call:
        screened = self._screened(call)
        if screened is None or screened.decision is not None:
            return call
        passes = parse(screened.text)
        assert isinstance(passes, dict)
        return call_of(call.method, passes["params"], call.server, call.client, call.project, call.ident)

    def explain_answer(self, call: Call, result: object) -> tuple[list[dict[str, object]], object]:
        _, answering = _sides(call)
        screened = self.screen(answering, call, wire.dump({"id": 0, "result": result}), {})
        if screened is None:
            return [], result
        passes = parse(screened.text)
        assert isinstance(passes, dict)
        return [_verdict(screened, DIRECTIONS[answering])], passes["result"]


def _sides(call: Call) -> tuple[str, str]:
    """Who sends such a request, and who answers it; what both may send is the client's."""
    from_server = may_send(SERVER, call.method) and not may_send(CLIENT, call.method)
    return (SERVER, CLIENT) if from_server else (CLIENT, SERVER)


def _verdict(screened: Screened, direction: str) -> dict[str, object]:
    """What was found in a message and what is done to it, for people."""
    found = screened.note.get("pii")
    if not isinstance(found, dict):  # what is not understood is denied
        assert screened.decision is not None
        return told(NAME, NAME, screened.decision)
    counts = ", ".join(f"{kind} ({count})" for kind, count in found["found"].items())
    row = {"guard": NAME, "name": found.get("rule") or NAME, "verdict": found["action"]}
    row |= {"why": f"in {WHERE[direction]}: {counts}", "found": list(found["found"])}
    denial = screened.decision
    return row if denial is None else {**row, **(denial.data or {}), "kind": denial.kind}  # `found`: what it denies


def _known(memory: dict[str, object]) -> Placeholders:
    known = memory.get(NAME)
    if not isinstance(known, Placeholders):
        known = memory[NAME] = Placeholders()
    return known


def _names_method(text: str) -> bool:
    """Is the message no answer? Its own key is told from one further in, where the beginning does not show it."""
    from mcpgov.core.json.json_spans import beginning, outline

    names = beginning(text)[1]
    if names.isdisjoint(("method", "result", "error")):
        names = outline(text)[1]
    return "method" in names


def _denial(found: Findings, direction: str) -> Decision | None:
    if not found.denied:
        return None
    kinds = list(dict.fromkeys(kind for kind, _ in found.denied))
    message = f"private data in {WHERE[direction]}: {', '.join(kinds)}"
    return Decision(DENY, found.denied[0][1], "pii", message, "", data={"found": kinds, "where": direction})


def _note(found: Findings) -> dict[str, object]:
    action = DENY if found.denied else REDACT if found.cut else "log"
    said: dict[str, object] = {"action": action, "found": found.found}
    if found.rules:
        said["rule"] = (found.denied[0][1] if found.denied else found.rules[0]) or None
    if found.restored:
        said["restored"] = found.restored
    return {"pii": said}


def reader_of(heads: list[dict[str, object]], world: World) -> MessageReader:
    """`heads`: of the policies in force; each has the `[privacy]` of its files."""
    from mcpgov.guards.hooks import LazyHooks

    layers, patterns = layers_of(heads, world.home, LazyHooks())
    kinds = frozenset(kind for layer in layers for kind in layer.kinds)
    wanted = {kind: text for kind, text in patterns.items() if kind in kinds}
    people = None
    if chosen := kinds.intersection(PEOPLE):
        from mcpgov.guards.screening.names import name_finder

        commands = [command for head in heads if isinstance(command := head.get("privacy_people"), list)]
        people = name_finder(commands[0] if commands else [], chosen)
    return MessageReader(layers, Detector(kinds, (), wanted), world, people)
