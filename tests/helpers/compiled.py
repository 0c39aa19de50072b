"""Small compiled policies and worlds for tests of core, without the policy room."""

import json

from mcpgov.core.rules.ruleset import MIDDLE, OPENING, RuleSet
from mcpgov.core.world import World


class NoHooks:
    """For policies that need no guard."""

    def when(self, source):
        raise AssertionError("no expression expected")

    def pattern(self, source):
        raise AssertionError("no pattern expected")


class FakeHooks:
    """`when` answers what its source says; a pattern finds its own text backwards, to tell it from a literal."""

    def when(self, source):
        return lambda call, service, operation: source

    def pattern(self, source):
        class Backwards:
            def search(self, text):
                return source[::-1] in text

        return Backwards()


def world(links=None, cwd="/work", home="/home/u", env=None):
    """A file system that consists of links only."""
    return World((links or {}).get, cwd, home, env or {}, {"bob": "/home/bob"}.get)


def compiled_text(rules, default="deny", **head):
    """What policy.build would write, with an index that offers every rule."""
    lines = [json.dumps({"id": f"r{at + 1}", "file": "f", "line": at + 1, **rule}) for at, rule in enumerate(rules)]
    offsets, at = [], 0
    for line in lines:
        offsets.append(at)
        at += len(line) + 2
    index = {
        "exact": {},
        "prefix": {},
        "prefix_sizes": [],
        "suffix": {},
        "suffix_sizes": [],
        "inner": {},
        "wild": [],
        "untooled": offsets,
    }
    full = {"revision": "rev", "default": default, "index": index, **head}
    body = ",\n".join(lines) + ("\n" if lines else "")
    return f"{OPENING}{json.dumps(full)}{MIDDLE}{body}]}}\n"


def ruleset(*rules, links=None, cwd="/work", env=None, hooks=None, **head):
    return RuleSet(compiled_text(rules, **head), world(links, cwd, env=env), hooks or NoHooks())
