"""Questions, answers from racing surfaces, cancels, deaths and the clocks, in any order.

Laws: each request gets exactly one answer; nothing that no person approved is forwarded; no grant outlives its bound.
The proxy's side is played here with the real matcher (core.grants), against a policy and tools that change.
MCPGOV_EXAMPLES raises the number of examples.
"""

import os
import random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcpgov.core.approvals.grants import Attempt, grant_of, refusal
from mcpgov.core.decision import ALLOW, DENY, PROMPT, Decision
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.world import World, no_links
from mcpgov.daemon.approvals.choices import NO, SURFACES, YES_ONCE, Choice
from mcpgov.daemon.approvals.effects import Answer, GrantEnded, GrantMade, OfferQuestion, RecordEntry, WithdrawQuestion
from mcpgov.daemon.approvals.flood import QuestionLimits
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.lifecycle import Brought, Lifecycle
from tests.helpers.questions import question

SESSIONS, TOOLS, ARGS = ("s1", "s2"), ("delete_a", "delete_b"), ("a1", "a2")
CHOICES = [
    NO, NO, YES_ONCE, YES_ONCE, Choice(True, "session"), Choice(True, "session", "tool"),
    Choice(True, "time", "tool", 60.0), Choice(True, "time", "exact", 120.0), Choice(True, "always", "tool"),
]  # fmt: skip
WAIT = 25.0


class Approvals(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.life = Lifecycle(Grants(), QuestionLimits(open=3, a_minute=1000))
        self.mono, self.wall, self.count = 100.0, 5000.0, 0
        self.definitions = dict.fromkeys(TOOLS, "d1")
        self.verdict = PROMPT
        self.calls = {}  # number -> the question of every call
        self.waiting = set()  # their clients wait
        self.parked = {}  # asked inside the result: number -> call
        self.answered = {}  # number -> how many answers
        self.approved = []  # (session, numbers, tool, args, definition, choice, wall, mono): what people said yes to
        self.surfaces = {}  # question -> the surfaces that show it
        self.kept = {}
        self.begun = {}  # grant -> when it was made, on the clock that is never set

    @property
    def now(self):
        return Now(self.mono, self.wall)

    # --- the proxy's side

    def perform(self, effects, answers=""):
        """In order, as the daemon would; a record stands before every answer. `answers`: the surface that did."""
        recorded = False
        for effect in effects:
            if isinstance(effect, RecordEntry):
                recorded = True
                if effect.entry["action"] in ("question answered", "question answered late"):
                    self.surfaces.get(effect.entry["question"], set()).discard(answers)
            elif isinstance(effect, Answer):
                assert recorded
                self.settle(effect)
            elif isinstance(effect, OfferQuestion):
                self.surfaces.setdefault(effect.question.number, set()).update(effect.surfaces)
            elif isinstance(effect, WithdrawQuestion):
                self.surfaces[effect.question.number] -= set(effect.surfaces)
            elif isinstance(effect, GrantMade):
                self.kept[effect.grant.id] = effect.grant
                self.begun[effect.grant.id] = self.mono
            elif isinstance(effect, GrantEnded):
                del self.kept[effect.grant.id]

    def settle(self, answer):
        number = answer.number
        assert number in self.waiting, "an answer to a call that does not wait"
        self.waiting.discard(number)
        self.answered[number] = self.answered.get(number, 0) + 1
        assert self.answered[number] == 1
        if answer.verdict == DENY:
            assert answer.grant is None
            assert answer.text
            return
        asked = self.calls[number]
        grant = grant_of(answer.grant.as_data())
        call = call_of("tools/call", {"name": asked.target}, asked.server)
        decision = Decision(self.verdict, "ask-deletes", "policy", "", "r")
        tried = Attempt(call, decision, "user", asked.session, self.definitions[asked.target], asked.args_digest)
        why = refusal(grant, tried, lambda: Reader(World(no_links)), self.wall)
        if why:
            self.perform(self.life.granting.refused(number, why))
            return
        assert self.was_approved(asked), "nobody approved this call"
        assert self.verdict == PROMPT
        self.perform(self.life.granting.dispatched(number))

    def was_approved(self, asked):
        for session, numbers, tool, args, definition, choice, wall, mono in self.approved:
            same = tool == asked.target and definition == self.definitions[tool]
            if choice.scope == "exact" or choice.term in ("once", "always"):
                same = same and args == asked.args_digest
            if choice.term == "session":
                same = same and (asked.session in session or asked.number in numbers)
            if choice.term == "time":
                same = same and self.wall < wall + choice.seconds and self.mono < mono + choice.seconds
            if choice.term in ("once", "always"):
                same = same and self.wall < wall + 600
            if same:
                return True
        return False

    def make(self, session, tool, args, app):
        self.count += 1
        number = f"{session}-{self.count}"
        digest = self.definitions[tool]
        made = question(number=number, session=session, target=tool, args_digest=args, tool_digest=digest, app=app)
        self.calls[number] = made
        self.waiting.add(number)
        return made

    # --- events

    @rule(
        session=st.sampled_from(SESSIONS), tool=st.sampled_from(TOOLS), args=st.sampled_from(ARGS),
        app=st.sampled_from(("", "request", "result")),
        desk=st.sampled_from(((), ("desktop",), ("desktop", "terminal"))),
    )  # fmt: skip
    def ask(self, session, tool, args, app, desk):
        made = self.make(session, tool, args, app)
        effects = self.life.ask(made, WAIT, desk, self.now)
        self.perform(effects)
        offered = any(isinstance(effect, OfferQuestion) and "app" in effect.surfaces for effect in effects)
        if app == "result" and offered and made.number in self.waiting:
            self.waiting.discard(made.number)  # the result that asks is its answer
            self.answered[made.number] = 1
            self.parked[made.number] = made
            self.life.parked(made.number)

    @precondition(lambda self: self.parked)
    @rule(data=st.data(), choice=st.sampled_from((NO, YES_ONCE, Choice(True, "session"))), other=st.booleans())
    def retry(self, data, choice, other):
        """The client repeats a request with what the person chose; a lying one with other arguments."""
        number = data.draw(st.sampled_from(sorted(self.parked)))
        first = self.parked[number]
        args = "a2" if other else first.args_digest
        made = self.make(first.session, first.target, args, "result")
        held = self.life.find(number)
        takes = held is not None and held.question.key == made.key and choice.yes
        if takes and held.state in ("offered", "expired"):
            twins = [each for each in self.life.open_questions if each.question.key == made.key]
            self.approve(choice, twins[0] if twins else held, made.number)
        self.perform(self.life.ask(made, WAIT, ("terminal",), self.now, Brought(number, choice)), "app")

    def approve(self, choice, held, number):
        """The session that was answered for, and the equal calls of others, which pass this once."""
        asked = held.question
        said = ({number.rpartition("-")[0]}, set(held.waiters), asked.target, asked.args_digest, asked.tool_digest)
        self.approved.append((*said, choice, self.wall, self.mono))

    @precondition(lambda self: self.calls)
    @rule(data=st.data(), choice=st.sampled_from(CHOICES), surface=st.sampled_from(sorted(SURFACES)))
    def answer(self, data, choice, surface):
        """Any surface, also one that was never asked or comes second, to any call that ever was."""
        number = data.draw(st.sampled_from(sorted(self.calls)))
        held = self.life.find(number)
        if held is not None and choice.yes:
            twins = [each for each in self.life.open_questions if each.question.key == held.question.key]
            self.approve(choice, twins[0] if twins else held, number)
        before = len(self.approved)
        why, effects = self.life.answer(number, choice, surface, "", self.now)
        if why:
            assert all(isinstance(effect, RecordEntry) for effect in effects)
            if held is not None and choice.yes:
                del self.approved[before - 1]
        self.perform(effects, surface)

    @precondition(lambda self: self.life.open_questions)
    @rule(data=st.data(), choice=st.sampled_from([choice for choice in CHOICES if choice.yes]))
    def yes_at_the_desk(self, data, choice):
        held = data.draw(st.sampled_from(self.life.open_questions))
        self.approve(choice, held, held.question.number)
        why, effects = self.life.answer(held.question.number, choice, "terminal", "", self.now)
        assert not why
        self.perform(effects, "terminal")

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def cancel(self, data):
        number = data.draw(st.sampled_from(sorted(self.waiting)))
        self.waiting.discard(number)
        self.perform(self.life.cancel(number, "cancelled", self.now))

    @rule(session=st.sampled_from(SESSIONS))
    def die(self, session):
        self.waiting = {number for number in self.waiting if self.calls[number].session != session}
        self.parked = {number: made for number, made in self.parked.items() if made.session != session}
        self.perform(self.life.session_gone(session, "the client is gone", self.now))
        assert all(grant.session != session for grant in self.life.granting.grants if grant.term == "session")

    @rule(seconds=st.sampled_from((1.0, 10.0, 25.0, 61.0, 300.0, 700.0)), slept=st.sampled_from((0.0, 0.0, 3600.0)))
    def time_passes(self, seconds, slept):
        self.mono += seconds
        self.wall += seconds + slept
        self.perform(self.life.tick(self.now))
        assert all(self.now.mono - waiter.since.mono < WAIT for held in self.life.open_questions
                   for waiter in held.waiters.values())  # fmt: skip

    @rule(seconds=st.sampled_from((3.0, 30.0, 50.0, 5000.0)))
    def clock_is_set_back(self, seconds):
        self.wall -= seconds

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def clock_is_set_to_when_a_grant_was_made(self, data):
        """The day never ends for whoever can set the clock; the other clock does not go with it."""
        self.wall = self.kept[data.draw(st.sampled_from(sorted(self.kept)))].made

    @rule(tool=st.sampled_from(TOOLS))
    def tool_changes(self, tool):
        self.definitions[tool] = "d2" if self.definitions[tool] == "d1" else "d1"

    @rule(verdict=st.sampled_from((PROMPT, PROMPT, DENY, ALLOW)))
    def policy_changes(self, verdict):
        self.verdict = verdict

    @precondition(lambda self: self.life.open_questions)
    @rule(data=st.data(), surface=st.sampled_from(("app", "desktop", "terminal")))
    def surface_fails(self, data, surface):
        number = data.draw(st.sampled_from([held.question.number for held in self.life.open_questions]))
        self.surfaces[number].discard(surface)
        self.perform(self.life.surface_failed(number, surface, self.now))

    @rule()
    def revoke(self):
        self.perform(self.life.granting.revoke(""))
        self.approved = [said for said in self.approved if said[5].term in ("once", "always")]
        assert len(self.life.granting.grants) == 0

    @rule()
    def upgrade(self):
        """The daemon ends and another begins, with the grants that were kept."""
        self.perform(self.life.close("mcpgov is being upgraded", self.now))
        assert not self.waiting
        assert all(not shown for shown in self.surfaces.values())
        self.life = Lifecycle(Grants(self.kept.values()), QuestionLimits(open=3, a_minute=1000))
        self.begun.clear()  # what is left of them is told by the time of day alone

    # --- at any moment

    @invariant()
    def every_waiting_call_hangs_on_an_open_question(self):
        held = {waiter.number for each in self.life.open_questions for waiter in each.present}
        assert held == self.waiting

    @invariant()
    def what_is_kept_is_what_holds(self):
        assert set(self.kept) == {grant.id for grant in self.life.granting.grants}

    @invariant()
    def no_grant_is_found_past_its_bound(self):
        for ident, grant in self.kept.items():
            over = self.mono - self.begun.get(ident, self.mono) >= grant.until - grant.made
            if over or self.wall >= grant.until:
                like = question(
                    target=grant.target, tool_digest=grant.tool_digest, args_digest=grant.args_digest or "a1"
                )
                found = self.life.granting.grants.find(like, grant.session, self.now)
                assert found is None or found.id != ident

    @invariant()
    def only_open_questions_are_shown(self):
        shown = {number for number, surfaces in self.surfaces.items() if surfaces}
        assert shown <= {held.question.number for held in self.life.open_questions}


TestApprovals = Approvals.TestCase
EXAMPLES = int(os.environ.get("MCPGOV_EXAMPLES", "200"))
TestApprovals.settings = settings(max_examples=EXAMPLES, stateful_step_count=40, deadline=None)


def test_of_a_thousand_races_each_has_one_answer_and_one_effect():
    """Every surface, a cancel, the deadline and the client's death, in every order that the dice give."""
    dice = random.Random(12)
    for race in range(1000):
        life = Lifecycle(Grants())
        asked = question(app="request")
        desk = ("desktop", "terminal", "page")
        effects = life.ask(asked, WAIT, desk, Now(0.0, 0.0))
        events = [("answer", surface, dice.choice((NO, YES_ONCE))) for surface in (*desk, "app", "command")]
        events += [("cancel", "", NO), ("tick", "", NO), ("gone", "", NO)]
        dice.shuffle(events)
        shown, counted = {"app", *desk}, []
        for what, surface, choice in events[: dice.randrange(1, len(events) + 1)]:
            now = Now(WAIT if what == "tick" else 1.0, 1.0)
            if what == "answer":
                why, effects = life.answer(asked.number, choice, surface, "", now)
                counted += [] if why else [choice]
                shown -= set() if why else {surface}
            elif what == "tick":
                effects = life.tick(now)
            else:
                end = life.cancel if what == "cancel" else life.session_gone
                effects = end(asked.number if what == "cancel" else asked.session, what, now)
            answers = [effect for effect in effects if isinstance(effect, Answer)]
            for effect in effects:
                shown -= set(effect.surfaces) if isinstance(effect, WithdrawQuestion) else set()
            if answers:
                assert len(answers) == 1, race
                assert what in ("answer", "tick")
                events.append(answers[0])
        given = [event for event in events if isinstance(event, Answer)]
        assert len(given) <= 1, race
        assert not given or given[0].verdict == DENY or counted[0].yes
        assert not shown or life.open_questions
