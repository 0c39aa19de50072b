"""Policies written to files, compiled as the commands compile them, and asked about calls."""

import textwrap

from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.core.world import World
from mcpgov.guards.hooks import LazyHooks
from mcpgov.policy.build import build, build_project, read_layer

TODAY = "2026-06-15"


def write(folder, text, name="policy.toml"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), "utf-8")
    path.chmod(0o600)
    return path


def world(links=None, cwd="/work", home="/home/u", env=None):
    return World((links or {}).get, cwd, home, env or {})


class Policy:
    """A compiled policy. `call` and `ask` answer (action, rule); `said` lists problems as `file:line: text`."""

    def __init__(self, compiled, links=None, cwd="/work", env=None):
        self.compiled = compiled
        self.rules = RuleSet(compiled.text, world(links, cwd, env=env), LazyHooks())
        self.head = self.rules.head

    def ask(self, method, params=None, server="fs", client="", project="", today=TODAY, annotations=None):
        call = call_of(method, params, server, client, project, annotations=annotations)
        found = self.rules.decide(call, today)
        return found.action, found.rule

    def call(self, tool, args=None, **where):
        return self.ask("tools/call", {"name": tool, "arguments": args or {}}, **where)

    def read(self, uri, **where):
        return self.ask("resources/read", {"uri": uri}, **where)

    @property
    def said(self):
        return [said(problem) for problem in self.compiled.problems]

    @property
    def errors(self):
        return [said(problem) for problem in self.compiled.errors]

    @property
    def hints(self):
        return [problem.hint for problem in self.compiled.problems]

    @property
    def ids(self):
        return [draft.id for draft in self.compiled.drafts]


def said(problem):
    return f"{problem.file.rpartition('/')[2]}:{problem.line}: {problem.message}"


def policy(folder, text, name="policy.toml", managed=None, protect=(), **world_of):
    """The user's policy, below a managed one if there is one."""
    layers = [read_layer(write(folder, managed, "managed/policy.toml"), prefix="managed:")] if managed else []
    layers.append(read_layer(write(folder, text, name)))
    return Policy(build(layers, protect), **world_of)


def project(folder, text):
    return Policy(build_project(write(folder, text, ".mcpgov.toml")))
