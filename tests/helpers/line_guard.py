"""A guard that reads lines, for tests of the session: what it finds is the word SECRET."""

from mcpgov.core.decision import Decision
from mcpgov.core.session.guard import Guards, LineGuard, Screened
from mcpgov.core.session.session import Policy
from tests.helpers.compiled import FakeHooks, ruleset
from tests.helpers.playbook import ALLOW_ALL, Playbook

SECRET, MARK = "SECRET", "[mark]"


class WordGuard(LineGuard):
    """`mode`: log, cut, deny, or fail. Reads as `mode` says at the moment it is asked."""

    def __init__(self, mode="cut"):
        self.mode = mode
        self.read = []

    def is_clean(self, line, memory):
        if self.mode == "fail":
            raise ZeroDivisionError
        return SECRET.encode() not in line

    def screen(self, sender, call, text, memory):
        self.read.append((sender, call.method, call.tool))
        if self.mode == "fail":
            raise ZeroDivisionError
        if SECRET not in text:
            return None
        shown = text.replace(SECRET, MARK)
        data = {"found": ["word"], "where": "params" if sender == "client" else "results"}
        decision = Decision("deny", "words", "pii", "a word", "", data=data) if self.mode == "deny" else None
        return Screened(text, shown if self.mode == "cut" else text, shown, decision, {"pii": self.mode})

    def hidden(self, text, memory):
        if self.mode == "fail":
            raise ZeroDivisionError
        return text.replace(SECRET, MARK)


class WordHooks(FakeHooks):
    def __init__(self, *guards):
        self.made = guards

    def guards(self, names, heads, world):
        return Guards(list(self.made))


def words_policy(*guards, rules=(ALLOW_ALL,), needs=(), **head):
    return Policy(ruleset(*rules, hooks=WordHooks(*guards), needs=["words", *needs], **head))


def under_words(mode="cut", rules=(ALLOW_ALL,), asks=False, needs=(), **head):
    """A conversation whose lines are read, and the guard that reads them."""
    guard = WordGuard(mode)
    talk = Playbook(none=True, asks=asks)
    talk.session.policy = words_policy(guard, rules=rules, needs=needs, **head)
    return talk, guard
