"""Records as a file, for the browser to keep: what `audit export` gives, with the filters of the page."""

from __future__ import annotations

import time
from collections.abc import Mapping

from mcpgov.loopback.listener import HttpReply
from mcpgov.web import parameters
from mcpgov.web.access.request_rules import NO_STORE, SECURITY_HEADERS
from mcpgov.web.commands import PageCommands, parsed
from mcpgov.web.reads import SLOW, PageReads

FORMATS = {"jsonl": "application/x-ndjson; charset=utf-8", "csv": "text/csv; charset=utf-8"}


class Exports:
    def __init__(self, commands: PageCommands, reads: PageReads) -> None:
        self._commands, self._reads = commands, reads

    async def send(self, query: Mapping[str, object], reply: HttpReply) -> None:
        kind = parameters.choice(query, "format", tuple(FORMATS), "jsonl")
        options = self._reads.filters(query)
        words = ("audit", "export", "--json", f"--format={kind}", *options)
        status, out = await self._commands.output(*words, seconds=SLOW)
        if status:
            parsed(words, status, out)
        name = f"mcpgov-{time.strftime('%Y%m%d-%H%M%S')}.{kind}"
        shown = ("Content-Disposition", f'attachment; filename="{name}"')
        await reply.whole(200, [("Content-Type", FORMATS[kind]), shown, NO_STORE, *SECURITY_HEADERS], out)
