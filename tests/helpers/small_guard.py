"""A guard for tests, registered by its row in `hooks.GUARDS`: so many calls, as the policy's head says."""

from mcpgov.core.decision import DENY, Decision
from mcpgov.core.session.guard import Guard


class Quota(Guard):
    def __init__(self, most):
        self.left = most

    def check(self, call, *, sends):
        self.left -= 1
        return Decision(DENY, "quota", "policy", "the quota is used up", "") if self.left < 0 else None


def make(heads, world):
    return Quota(min(head["quota"] for head in heads))
