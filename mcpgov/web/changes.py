"""What a person does from the page: a function for each URL. Whoever comes here has a session and its token.

Laws: a rule that is written is the one that was shown; a file or tool that has changed meanwhile is left as it is; what
weakens is checked for its caller once more, by the daemon and by the command that does it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256

from mcpgov.daemon_client import DaemonClient
from mcpgov.web import parameters
from mcpgov.web.commands import PageCommands
from mcpgov.web.page_errors import PageError

Body = Mapping[str, object]
Data = dict[str, object]
Change = Callable[[Body], Awaitable[Data]]

PAGE = "page"
TERMS, SCOPES = ("once", "session", "time", "always"), ("exact", "folder", "tool")
ACTIONS = ("allow", "ask", "deny")  # each a command
CLASSES = ("read", "write", "delete", "execute", "admin", "unknown")
LONGEST_POLICY = 512 * 1024
WHOLE_TEXT = 64 * 1024


class PageChanges:
    def __init__(self, daemon: DaemonClient, commands: PageCommands) -> None:
        self._daemon, self._commands = daemon, commands

    def table(self) -> dict[str, Change]:
        return {
            "approve": self.approve,
            "deny": self.deny,
            "preview": self.preview,
            "verdict/preview": self.preview_verdict,
            "verdict": self.verdict,
            "accept": self.accept,
            "explain": self.explain,
            "policy/check": self.check_policy,
            "policy/save": self.save_policy,
            "revoke": self.revoke,
            "lock": self.lock,
            "unlock": self.unlock,
        }

    # --- questions

    async def approve(self, body: Body) -> Data:
        number = parameters.text(body, "number", most=200)
        term = parameters.choice(body, "term", TERMS, "once")
        scope = parameters.choice(body, "scope", SCOPES, "exact")
        fields: Data = {"number": number, "term": term, "scope": scope, "surface": PAGE}
        if term == "time":
            fields["seconds"] = parameters.number(body, "seconds", 60, 86_400, 900)
        written: Data = {}
        if term == "always":
            # INVARIANT: the rule is on disk before the question is answered.
            shown = parameters.text(body, "rule", most=WHOLE_TEXT)
            words = ("--rule-only", "--yes", f"--digest={digest_of(shown)}")
            written = {"written": (await self._always(number, scope, *words)).get("written")}
        return {**await self._daemon.ask("approve", fields), **written}

    async def deny(self, body: Body) -> Data:
        return await self._daemon.ask("deny", {"number": parameters.text(body, "number", most=200), "surface": PAGE})

    async def preview(self, body: Body) -> Data:
        """The rule that `always` would write."""
        number = parameters.text(body, "number", most=200)
        scope = parameters.choice(body, "scope", SCOPES, "exact")
        return await self._always(number, scope, "--dry-run")

    async def _always(self, number: str, scope: str, *words: str) -> Data:
        return (await self._commands.run("approve", "--always", f"--{scope}", *words, names=[number])).data

    # --- verdicts and tools

    async def preview_verdict(self, body: Body) -> Data:
        return await self._rule(body, "--dry-run")

    async def verdict(self, body: Body) -> Data:
        shown = parameters.text(body, "text", most=WHOLE_TEXT)
        return await self._rule(body, "--yes", f"--digest={digest_of(shown)}")

    async def _rule(self, body: Body, *words: str) -> Data:
        action = parameters.choice(body, "action", ACTIONS)
        server = parameters.text(body, "server", most=300)
        kind = parameters.text(body, "class", most=20, optional=True)
        if kind:
            parameters.choice(body, "class", CLASSES)
            words, names = (*words, f"--class={kind}"), [server, "*"]
        else:
            names = [server, parameters.text(body, "tool", most=300)]
        return (await self._commands.run(action, *words, names=names)).data

    async def accept(self, body: Body) -> Data:
        server, tool = parameters.text(body, "server", most=300), parameters.text(body, "tool", most=300)
        digest = parameters.text(body, "digest", most=200)
        words = (f"--accept={tool}", f"--digest={digest}")
        return {"accepted": (await self._commands.run("tools", *words, names=[server])).data.get("accepted")}

    # --- the policy

    async def explain(self, body: Body) -> Data:
        """As `policy explain`; the request goes in by the standard input, which no process list shows.

        `text`: a policy that is not saved, to judge by instead of the one in use.
        """
        server = parameters.text(body, "server", most=300)
        tool, prompt = (parameters.text(body, name, most=300, optional=True) for name in ("tool", "prompt"))
        uri = parameters.text(body, "resource", optional=True)
        client, project = (parameters.text(body, name, optional=True) for name in ("client", "project"))
        if [bool(tool), bool(prompt), bool(uri)].count(True) != 1:
            raise PageError("wrong", "say what to explain: one of `tool`, `prompt`, `resource`")
        method = "tools/call" if tool else "prompts/get" if prompt else "resources/read"
        params = {"uri": uri} if uri else {"name": tool or prompt, "arguments": parameters.mapping(body, "args")}
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        options = [f"--server={server}", f"--client={client}", f"--project={project}"]
        given = json.dumps(request).encode("ascii")
        if isinstance(body.get("text"), str):
            text = parameters.text(body, "text", most=LONGEST_POLICY, optional=True)
            options, given = [*options, "--policy=-"], given + b"\n" + text.encode("utf-8", "replace")
        return (await self._commands.run("policy", "explain", "--request=-", *options, given=given)).data

    async def check_policy(self, body: Body) -> Data:
        text = parameters.text(body, "text", most=LONGEST_POLICY, optional=True)
        return (await self._commands.run("policy", "edit", "--check", given=text.encode("utf-8", "replace"))).data

    async def save_policy(self, body: Body) -> Data:
        text = parameters.text(body, "text", most=LONGEST_POLICY, optional=True)
        digest = parameters.text(body, "digest", most=64)
        if not digest.isalnum():
            raise PageError("wrong", "`digest` should be the one that the policy was read with")
        done = await self._commands.run("policy", "edit", f"--digest={digest}", given=text.encode("utf-8", "replace"))
        if not done.data.get("written"):
            told = "the policy has errors: nothing was written"
            raise PageError("declined", told, more={"problems": done.data.get("problems")})
        return done.data

    # --- grants and the lock

    async def revoke(self, body: Body) -> Data:
        return await self._daemon.ask(
            "revoke", {"grants": list(parameters.texts(body, "grants")), "every": body.get("every") is True}
        )

    async def lock(self, body: Body) -> Data:
        return await self._daemon.ask("lock", {"why": parameters.text(body, "why", most=300, optional=True)})

    async def unlock(self, _body: Body) -> Data:
        return await self._daemon.ask("unlock")


def digest_of(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
