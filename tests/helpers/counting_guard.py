"""A guard that only counts calls, and a policy that needs it."""

from mcpgov.core.decision import Decision
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.session_policy import Policy
from tests.helpers.compiled import FakeHooks, ruleset


class Counter(Guard):
    """Counts calls of some tools, denies each seventh, and puts charges and now and then a warning on record. Each
    fourth it only lets pass, as a rate limit does."""

    def __init__(self):
        self.on_their_way, self.failed, self.notes = set(), set(), []

    def concerns(self, call):
        return call.tool != "echo"

    def reads_values(self, call):
        return call.tool == "query"

    def check(self, call, *, sends):
        number = int(call.number.removeprefix("s-"))
        if not self.concerns(call) or not sends:
            return None
        if number % 7 == 6:
            return Decision("deny", "seventh", "rate_limit", "one in seven", "", data={"retry_after": 1})
        if number % 4:
            self.on_their_way.add(number)
        if number % 5 == 0:
            self.notes.append({"action": "warned", "at": number})
        return None

    def hears_the_end(self, call):
        return int(call.number.removeprefix("s-")) in self.on_their_way

    def answered(self, call, answer, *, is_error):
        if is_error:
            self.failed.add(call.number)

    def settle(self, call, outcome):
        number = int(call.number.removeprefix("s-"))
        if number in self.on_their_way:
            self.on_their_way.remove(number)
            self.notes.append({"action": "charged", "outcome": outcome, "failed": call.number in self.failed})


class CountingHooks(FakeHooks):
    def __init__(self, guard):
        self.guard = guard

    def guards(self, names, heads, world):
        return Guards([self.guard])


def under_counter(guard, *rules, **head):
    """A policy in force whose calls this guard counts."""
    return Policy(ruleset(*rules, hooks=CountingHooks(guard), needs=["counter"], **head))
