"""Every fast path against the slow one: random policies, random lines, a warm session beside a cold one.

The warm session knows the shapes and the forms of earlier lines; the cold one takes the long way for each line, and
forgets what it has learned every few lines. Verdict, record and forwarded bytes must be the same.
MCPGOV_LINES: how many lines are compared (100,000 where CI is set).
"""

import json
import os
import random

import pytest

from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.core.session import fast_lines
from mcpgov.core.session.effects import Forward, Record, Reply
from mcpgov.core.session.session import Policy, Session, Who
from mcpgov.core.session.tool_list import Pins, ToolList
from mcpgov.core.world import World
from tests.helpers.compiled import FakeHooks, compiled_text
from tests.helpers.counting_guard import Counter, CountingHooks
from tests.helpers.playbook import digest, performed
from tests.helpers.playbook import told as triples

LINES = int(os.environ.get("MCPGOV_LINES", "100000" if os.environ.get("CI") else "8000"))
PARTS = 8
IN_A_ROW = 250  # lines that one policy judges
COLD_FOR = 20
HOME = "/home/u"
CWD = "/home/u/work"
PROTECTED = [f"{HOME}/.claude.json", f"{HOME}/.config/mcpgov", f"{HOME}/.local/state/mcpgov", f"{CWD}/guarded"]

TOOLS = ["echo", "read_file", "write_file", "delete_item", "search_issues", "get_x", "list_y", "run_it", "update_z",
         "send_mail", "manage_item", "move_file", "query", "tøøl", "screenshot"]  # fmt: skip
ARGUMENTS = ["path", "text", "query", "content", "limit", "id", "message", "command", "action", "sql", "dir", "name",
             "value", "file", "output_path", "opts", "Path"]  # fmt: skip
WORDS = [
    "hello", "a b", "p7 /home/user/projects/file.txt", "notes.txt", "src/main.py", "x.env", ".env", "a/.env", "A/.ENV",
    "secret", "guarded", "guarded/x", "GUARDED/x", "link", "link/x", "link/../x", "../.claude.json", "~/.ssh/id",
    "/home/u/.ssh/id", "/home/u/work/a.txt", "/home/u/.claude.json", "/etc/passwd", "/srv/data/x", "/srv/link/x",
    "file:///etc/passwd", "https://example.com/a?b=1", "open: label", "x=1", "--output=/home/u/.claude.json",
    "50%", "%2e%2e/x", "$HOME/.ssh/id", "a\\b", "a\nb", "tab\tb", "quote\"d", "é", "snow ☃", "\u2028", "sk-abcdefgh",
    "ghp_123456789012345678901234567890123456", "password: hunter2", "x" * 130, "DROP TABLE x", "select 1", "delete",
    "get", "rm -rf /", "5", "100", "true", "", " edge ", "-x", "a -b", "{\"a\": 1}", "[1]", "{\"path\": \"/etc/x\"}",
    "*.py", "gu*", "work", "keys/a", "KEYS/a", "Bearer abcdefgh", "mcp.json", "sub/.mcp.json", ".mcp.json", "a..b",
]  # fmt: skip
PATTERNS = ["~/.ssh/**", "**/.env", "/etc/**", "/home/**", "/srv/link/**", f"{CWD}/keys/**", "*secret*", "100", "h*",
            "/home/u/**/x", "**", "https://example.com/**", "x=*", "true", "a b", "5*", f"{CWD}/link/**",
            "~/.ssh"]  # fmt: skip
LINKS = {
    f"{CWD}/link": "/etc", "/srv/link": "/home/u/work/deep", "/keys": f"{CWD}/k", f"{CWD}/src": None,
    f"{CWD}/notes.txt": None,
}  # fmt: skip


# Words and patterns that meet: where a word leads depends on links, on case and on the server's directory.
MEETING = [
    (
        [f"{CWD}/keys/**", "/keys/**", f"{CWD}/k"],
        ["keys/a", "KEYS/a", "keys", "k/a", "k", "key", "a/../keys/x", "x/keys"],
    ),
    (["/home/**", "/home/u/**/x"], ["x", "a/x", "y", "a/X/", "a/./x", "b"]),
    (["/home/u/**/x"], ["x", "a/x", "y", "a/X/", "a/./x", "b"]),
    ([f"{CWD}/a/*/c", f"{CWD}/out"], ["a", "a/b", "a/b/c", "a/b/d", "out", "out/x", "ou", "b"]),
    (["~/.ssh/**", "/etc/**"], ["hello", "hello/id", "plain7", "plain7/x", "link/x", "a/../../.ssh/id", "other"]),
    (["*.env", "**/id_*"], ["a.env", "A.ENV", "b/id_rsa", "x.envy", "id_x", "n"]),
]


class Dice(random.Random):
    def __init__(self, seed):
        super().__init__(seed)
        patterns, words = self.choice(MEETING) if self.random() < 0.5 else (PATTERNS, WORDS)
        self.patterns = patterns if self.random() < 0.8 else PATTERNS
        self.words = words if self.random() < 0.8 else WORDS

    def rule(self):
        action = self.choice(["allow", "allow", "deny", "deny", "deny", "log", "prompt"])
        made = {"action": action}
        if self.random() < 0.5:
            made["tool"] = [self.choice(["**", "*", "read_*", "*_item", "echo", "get_x", *TOOLS])]
        if self.random() < 0.3:
            kinds = ["read", "write", "delete", "execute", "admin", "unknown"]
            made["operation"] = self.sample(kinds, self.randint(1, 4))
        if self.random() < 0.4:
            names = ["*", "path", "text", "query", "Path", "limit", "opts.a", "opts.*"]
            path = self.choice(names).split(".")
            made["args"] = [[path, self.sample(self.patterns, self.randint(1, min(3, len(self.patterns))))]]
            made["covers"] = self.random() < 0.2
        if self.random() < 0.08:
            made["paths"] = self.sample(self.patterns, min(2, len(self.patterns)))
        if self.random() < 0.08:
            made["events"] = [self.choice(["file_read", "file_write", "network_request", "other"])]
        if self.random() < 0.08:
            made["expires"] = self.choice(["2026-01-01", "2027-01-01"])
        if self.random() < 0.05:
            made["service"] = [self.choice(["fs", "other", "*"])]
        if self.random() < 0.04:
            made["when"] = self.choice(["true", "false", "error"])
        if self.random() < 0.03:
            made["project"] = [self.choice(["/home/u/**", "/x/**"])]
        return made if len(made) > 1 else {**made, "tool": ["**"]}

    def head(self, counts):
        needs = ["counter"] if counts else []
        made = {"default": self.choice(["allow", "deny", "deny", "log", "prompt"]), "needs": needs}
        if self.random() < 0.7:
            made["protect"] = PROTECTED
        if self.random() < 0.1:
            made["audit"] = self.choice(["full", "none"])
        if self.random() < 0.2:
            made["deny_as"] = "error"
        return made

    def value(self, depth=0):
        kind = self.random()
        if kind < 0.45:
            return self.choice(self.words)
        if kind < 0.83:
            return self.choice(["plain", "words", "text"]) + str(self.randrange(50))
        if kind < 0.9:
            return self.choice([0, 1, 5, 100, 101, -1, 2**53 + 1, 1.5, 100.0])
        if kind < 0.94 or depth > 1:
            return self.choice([True, False, None])
        if kind < 0.97:
            return [self.value(depth + 1) for _ in range(self.randint(0, 3))]
        return {self.choice([*ARGUMENTS, "a", "b"]): self.value(depth + 1) for _ in range(self.randint(0, 3))}

    def message(self, template, ident):
        tool, names, meta = template
        args = {name: self.value() for name in names}
        params = {"name": tool, "arguments": args}
        if meta:
            params["_meta"] = {"progressToken": self.choice([ident, "p", 3])}
        return {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}

    def line(self, template, ident):
        separators = (",", ":") if self.random() < 0.9 else self.choice([(", ", ": "), (",", ": "), (" ,", " : ")])
        ascii_only = self.random() < 0.7
        text = json.dumps(self.message(template, ident), separators=separators, ensure_ascii=ascii_only)
        if self.random() < 0.02:
            text = text.replace('"name"', self.choice(['"n\\u0061me"', '"Name"', '"name":"echo","name"']), 1)
        if self.random() < 0.01:
            text = text[: self.randrange(len(text))] + self.choice(['"', "}", "\\", " ", ",", ":", "é"]) + text
        return text.encode("utf-8", "surrogatepass")


class ShortWay(Session):
    """A session that reads many lines at once, as far as they are plain, and counts those that took the fast path."""

    went_quick = counted_quick = 0

    def batch(self, lines, sender):
        """The effects of each of some lines that came together."""
        quick, judge = (
            (self.quick_calls, self.from_client) if sender == "client" else (self.quick_answers, self.from_server)
        )
        try:
            text = b"".join(line + b"\n" for line in lines).decode()
        except UnicodeDecodeError:
            text = "\n"
        notes = []
        end = quick(text, notes)
        of_lines = []
        for note in notes:  # what a guard says stands behind the record of its line
            if '"dir":"proxy"' in note:
                of_lines[-1].append(Record(note))
            else:
                of_lines.append([Record(note)])
        count = text.count("\n", 0, end)
        assert count == len(of_lines)
        self.went_quick += count
        self.counted_quick += len(notes) - count
        sent = map(Forward, lines, self.latest(count)) if sender == "client" else map(Reply, lines)
        out = [performed(self, [*noted, line]) for noted, line in zip(of_lines, sent, strict=False)]
        return out + [performed(self, judge(line)) for line in lines[count:]]


class LongWay(Session):
    """A session without fast paths."""

    def __init__(self, *how):
        super().__init__(*how)
        self.quick_call = self.quick_answer = lambda line: None


class Case:
    """One policy, one machine, two sessions."""

    def __init__(self, dice, counts):
        self.dice = dice
        self.links = dict(LINKS)
        rules = [dice.rule() for _ in range(dice.randint(0, 5))]
        if dice.patterns is not PATTERNS and dice.random() < 0.7:
            covers = dice.random() < 0.3
            rules = [{"action": "deny", "args": [[["*"], dice.patterns]], "covers": covers}, *rules[:2]]
        rest = {"action": dice.choice(["allow", "log"]), "tool": ["**"]}
        self.text = compiled_text([*rules, rest] if dice.random() < 0.6 or counts else rules, **dice.head(counts))
        narrow = [{**dice.rule(), "action": "deny"} for _ in range(dice.randint(1, 2))]
        self.narrow = compiled_text(narrow, default="allow") if dice.random() < 0.15 else None
        self.guards = {ShortWay: Counter(), LongWay: Counter()}
        self.seq = 0
        self.today = "2026-06-01"
        self.warm = self.session(ShortWay)
        self.cold = self.session(LongWay)

    def session(self, kind):
        world = World(self.readlink, CWD, HOME, {"HOME": HOME}, None, self.absent, ())
        project = RuleSet(self.narrow, world, FakeHooks()) if self.narrow is not None else None
        in_force = Policy(RuleSet(self.text, world, CountingHooks(self.guards[kind])), project)
        now = iter(range(0, 10**12, 1000))
        made = kind(Who("fs", "cursor", "/home/u/p", "s"), in_force, ToolList(Pins(), "log"), digest, lambda: next(now))
        made.state.seq = self.seq
        made.today = self.today
        return made

    def readlink(self, path):
        if path in self.links:
            return self.links[path]
        known = any(name.startswith(path + "/") for name in (*self.links, *PROTECTED, f"{CWD}/x"))
        return None if known else ""

    def absent(self, name):
        entries = {path[len(CWD) + 1 :].partition("/")[0] for path in (*self.links, *PROTECTED) if path.startswith(CWD)}
        return name not in {entry.lower() for entry in entries}

    def step(self, lines, idents):
        """Some lines that come together, and their answers likewise."""
        self.compare(lines, "client")
        self.compare([self.answer(ident) for ident in idents], "server")
        self.seq = self.warm.state.seq
        warm, cold = self.warm.state, self.cold.state
        assert (cold.seq, cold.denied, cold.errors) == (self.seq, warm.denied, warm.errors)

    def answer(self, ident):
        text = self.dice.choice(["ok", "done", "ok", "done\nwith it", "é", "x: y"])
        body = {"content": [{"type": "text", "text": f"{text} {ident}"}], "isError": self.dice.random() < 0.2}
        return json.dumps({"jsonrpc": "2.0", "id": ident, "result": body}, separators=(",", ":")).encode()

    def compare(self, lines, sender):
        judge = self.cold.from_client if sender == "client" else self.cold.from_server
        wanted = [told(performed(self.cold, judge(data))) for data in lines]
        found = [told(effects) for effects in self.warm.batch(lines, sender)]
        assert found == wanted, (lines, self.text, self.narrow)

    def change(self):
        """The world moves on: links come and go, days pass, the cold session is made anew."""
        if self.dice.random() < 0.3:
            name = self.dice.choice([f"{CWD}/hello", f"{CWD}/plain7", f"{CWD}/keys", "/home/u/.ssh", "/srv/link"])
            if name in self.links:
                del self.links[name]
            else:
                self.links[name] = self.dice.choice(["/etc", "/home/u/.ssh", f"{HOME}/.config", None])
        if self.dice.random() < 0.1:
            self.today = self.dice.choice(["2025-06-01", "2026-06-01", "2027-06-01"])
        denied, errors = self.warm.state.denied, self.warm.state.errors
        self.warm.today = self.today
        self.warm.forget_links()
        self.cold = self.session(LongWay)
        self.cold.state.denied, self.cold.state.errors = denied, errors


def told(effects):
    """Effects with notes as values, without how long things took."""
    out = []
    for kind, value, ident in triples(effects):
        if kind == "note":
            note = json.loads(f"{{{value}}}") if isinstance(value, str) else json.loads(json.dumps(value))
            value = {key: item for key, item in note.items() if key not in ("us", "round_trip_us")}
        out.append((kind, value, ident))
    return out


@pytest.mark.parametrize("part", range(PARTS))
def test_fast_and_slow_paths_agree(part, monkeypatch):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 8)
    quick = counted = 0
    for seed in range(part, LINES // IN_A_ROW, PARTS):
        dice = Dice(seed)
        case = Case(dice, counts=seed // PARTS % 2 == 1)
        templates = [
            (dice.choice(TOOLS), dice.sample(ARGUMENTS, dice.randint(0, 3)), dice.random() < 0.1) for _ in range(4)
        ]
        at = 0
        while at < IN_A_ROW:
            together = dice.choice([1, 1, 1, 2, 5])
            idents = [number if dice.random() < 0.95 else f"i{number}" for number in range(at + 1, at + 1 + together)]
            case.step([dice.line(dice.choice(templates), ident) for ident in idents], idents)
            at += together
            if at % COLD_FOR < together:
                case.change()
        quick, counted = quick + case.warm.went_quick, counted + case.warm.counted_quick
    assert quick > LINES // PARTS // 20, "the fast paths were hardly tried"
    assert counted or LINES < 50_000, "no call was counted on them"
