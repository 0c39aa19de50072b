"""Random policies, requests and file systems, made of the pieces that have fooled policies before.

One number makes one case: strategies built piece by piece seldom let a pattern and a value meet.
"""

import json
import random

from hypothesis import strategies as st

from tests.helpers import reference
from tests.helpers.reference_values import Machine

ACTIONS = ["allow", "deny", "prompt", "log", "redact"]
SEGMENTS = [
    "srv", "SRV", "etc", "a", "a", "a.txt", "..", "..", ".", "", "in", "é", "e\u0301", "É", "ｓrv", "ﬁ", "…", "x y",
    "%2e%2e", "%73rv", "%2F", "b\\c", "..\\etc", "$X", "${X}", "%X%", "~", "*", "a\n", "\0", "\x07", "\ud800", "'a'",
    " ", "[]",
]  # fmt: skip
STARTS = [
    *["/srv/"] * 6, "/srv", "/", "/etc/../srv/", "/link/", "/link/../srv/", "//srv/./", "~/", "file:///srv/",
    "file:/srv/", "FILE://h/srv/", "/SRV/", "/%73rv/", "", "../srv/", "https://h/", "https://h/a/", "x:", " /srv/",
    '"/srv/', "~", "https://H./", "https:/h/", "https://h", "https://h?", "https://e#@h/", "https://u@h/",
    "https://h;", "https://h'",
]  # fmt: skip
ROOTS = ["/srv/"] * 14 + ["/", "/SRV/", "/link/", "/etc/", "~/", "file:///srv/", "https://h/", "x:", "", "/é/"]
TAILS = ["**"] * 14 + ["*", "a", "a*", "?", "*.txt", "**/a", "é", "É*", "*/..", "in/**", "*a*", "", "fi*", "e*"]
WORDS = ["5", "9007199254740992", "1.5", "1000", "true", "a", "A", "x", "**", "*", "?", "a*", "*é", "[[]*", "e*"]
NUMBERS = [
    "5",
    "5.00000000000000000001",
    "1000.0000000000000000001",
    "1.50",
    "1.5",
    "1e3",
    "1000",
    "5.0",
    "9007199254740993",
    "9007199254740992",
]
KEYS = ["path"] * 8 + ["Path", "a"]
PATHS = [["path"]] * 10 + [["*"]] * 3 + [["a"], ["path", "a"], ["path", "path"], ["a", "Path"]]
PATHS += [["path", "*"], ["*", "path"], ["a", "*", "path"]]
TOOLS = list(reference.OPERATIONS)
NAMES = {
    "tool": [*TOOLS, "*_file", "read_*", "*", "**", "r*e", "?rob*"],
    "server": ["fs", "f*", "other"],
    "prompt": ["p", "*"],
    "method": ["tools/call", "resources/*", "**", "sampling/createMessage", "x/y"],
    "operation": ["read", "write", "delete", "unknown"],
    "contains": ["a", "srv", "é", "path"],
}
KINDS = ["args"] * 12 + ["resource"] * 2 + list(NAMES)
METHODS = ["tools/call"] * 12 + ["resources/read"] * 3 + ["prompts/get", "prompts/get", "sampling/createMessage", "x/y"]
LINKS = [
    {},
    {"/link": "/srv", "/srv/in": "/etc"},
    {"/link": "srv/../etc", "/srv/in": "..", "/work/a": "/srv", "/srv/a": "b"},
    {"/link": "/data/deep", "/data/srv": "/etc", "/srv/srv": "/srv"},
    {"/srv": "/link", "/link": "/srv"},
    {"/srv": "/data/srv", "/etc": "/", "/home/u": "/srv/a"},
]
MACHINES = [Machine(links, env={"X": "srv"}) for links in LINKS]


def dumps(value):
    """JSON text that keeps numbers as they are written."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return str(value) if isinstance(value, reference.Number) else json.dumps(value)


class Dice(random.Random):
    """Everything a case consists of."""

    def some(self, make, most=2):
        return [make() for _ in range(self.randint(1, most))]

    def text(self):
        return self.choice(STARTS) + "/".join(self.choice(SEGMENTS) for _ in range(self.randint(0, 3)))

    def scalar(self):
        kind = self.randrange(10)
        if kind < 6:
            return self.text()
        if kind < 8:
            return self.choice(WORDS)
        return reference.Number(self.choice(NUMBERS)) if kind == 8 else self.choice([True, False, None])

    def value(self, depth=0):
        kind = self.randrange(12)
        if kind < 8 or depth > 2:
            return self.scalar()
        if kind < 10:
            return [self.value(depth + 1) for _ in range(self.randint(0, 3))]
        table = {self.choice(KEYS): self.value(depth + 1) for _ in range(self.randint(0, 2))}
        return table if kind == 10 else dumps(table)

    def pattern(self):
        made = self.choice(ROOTS) + self.choice(TAILS) if self.random() < 0.8 else ""
        return made or self.choice(WORDS)

    def args(self):
        found = {}
        for path in [self.choice(PATHS) for _ in range(self.choice([1, 1, 1, 1, 2]))]:
            # TOML takes a key once, and not both as a value and as a table.
            if not any(path[: len(other)] == list(other) or list(other)[: len(path)] == path for other in found):
                found[tuple(path)] = self.some(self.pattern)
        return [[list(path), wanted] for path, wanted in found.items()]

    def matcher(self, kind):
        if kind == "args":
            return self.args()
        return self.some(self.pattern if kind == "resource" else lambda: self.choice(NAMES[kind]))

    def rule(self, name="r"):
        rule = {"name": name, "action": self.choice(ACTIONS)}
        kinds = [self.choice(KINDS) for _ in range(self.choice([1, 1, 1, 2]))]
        kinds += ["contains"] if rule["action"] == "redact" else []
        rule |= {kind: self.matcher(kind) for kind in kinds}
        if self.random() < 0.1:
            rule["expires"] = self.choice(["2026-06-14", "2026-06-15", "2026-06-16"])
        return rule

    def policy(self):
        return [self.rule(f"r{at}") for at in range(self.randint(1, 3))], self.choice(
            ["deny", "allow", "log", "prompt"]
        )

    def request(self):
        """The JSON text of a request, with the server it is for."""
        method = self.choice(METHODS)
        params = {"messages": [self.text()]}
        if method == "resources/read":
            params = {"uri": self.text()}
        elif method in ("tools/call", "prompts/get"):
            args = {self.choice(KEYS): self.value() for _ in range(self.choice([0, 1, 1, 1, 1, 1, 2]))}
            params = {"name": self.choice(TOOLS if method == "tools/call" else ["p", "q"]), "arguments": args}
        return dumps({"method": method, "params": params, "server": self.choice(["fs", "fs", "other"])})

    def machine(self):
        return self.choice(MACHINES)


def dice():
    return st.integers(0, 2**64 - 1).map(Dice)
