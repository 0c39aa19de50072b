"""What a plan does to the entries that name a URL, and what must be registered for it. Pure.

INVARIANT: a server is registered before the file that names its id is written, and forgotten after the file without it.
"""

from __future__ import annotations

from dataclasses import replace

from mcpgov import reason_codes
from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.entry import EntryFacts, Original
from mcpgov.configs.plan import LOOK, Task
from mcpgov.configs.remote import url_wrap
from mcpgov.configs.remote.masked_url import masked_url
from mcpgov.configs.remote.url_wrap import UrlSite
from mcpgov.configs.text.splice import Edit, Entry
from mcpgov.configs.wrap import ConfigText
from mcpgov.reason_codes import NONE, Reason
from mcpgov.remote_servers import RemoteServer, wrapped_url

SECRET_IN_PROJECT = Reason(
    reason_codes.REMOTE_IN_PROJECT, "governed, and so a secret stands in a project's file: unwrap it there"
)
OLD_PORT = Reason(reason_codes.REMOTE_OLD_PORT, "wrapped for another port, name or client: `mcpgov sync` corrects it")


class UrlEntries:
    """The URL entries of one text. `shown`: edits that show the text as it would be without our URLs."""

    def __init__(self, task: Task, doc: ConfigText) -> None:
        self.task, self.doc = task, doc
        self.keep: list[RemoteServer] = []
        self.forget: list[str] = []
        self.shown: list[Edit] = []
        self.holds_secret = False

    def site(self, entry: Entry, facts: EntryFacts, project: str) -> UrlSite:
        assert facts.remote is not None, "an entry with a URL"
        task = self.task
        return UrlSite(
            self.doc.text, self.doc.dialect, entry, facts.remote, facts.transport, task.client.name, task.file, project
        )

    def server(self, site: UrlSite) -> RemoteServer | None:
        """The server behind a URL of ours; None for a bare URL, and for one that nobody knows."""
        if not site.facts.ident:
            return None
        task = self.task
        original = task.original(task.file, site.entry.place, url_wrap.original_key(site.facts.ident))
        return url_wrap.registered(site, task.remotes, original.before if original else None)

    def checked(self, site: UrlSite, facts: EntryFacts) -> EntryFacts:
        """The facts; broken if the URL is ours and nobody knows where it leads."""
        if not site.facts.ident:
            return replace(facts, upstream=masked_url(site.facts.url))
        server = self.server(site)
        if server is None:
            self.holds_secret = True
            return replace(facts, broken=url_wrap.LOST)
        self.shown.append(url_wrap.edit(site, url_wrap.bare_url(site, server)[1]))
        return replace(facts, upstream=masked_url(server.url))

    def why_native(self, site: UrlSite, limits: ClientLimits) -> Reason:
        server = self.server(site)
        url = server.url if server else site.facts.url
        shape = url_wrap.desired(site, self.task.remotes, server)
        reason = limits.why_not_url(url, wrapped_url(self.task.remotes.port, shape))
        if server is not None:
            return reason or (SECRET_IN_PROJECT if self.task.in_project else NONE)
        return reason or url_wrap.why_not(site, self.task.remotes, self.task.in_project)

    def is_current(self, site: UrlSite) -> bool:
        """Is a wrapped URL as it should be? The registration is corrected without a change of the file."""
        server, known = self.server(site), self.task.remotes
        wanted = url_wrap.desired(site, known, server)
        if url_wrap.governed_url(site, known, wanted) != site.facts.url:
            return False
        self.holds_secret = True
        if self.task.goal != LOOK and known.server(wanted.id) != wanted:
            self.keep.append(wanted)
        return True

    def wrap(self, site: UrlSite, text: str) -> tuple[list[Edit], str, Original]:
        """The edits, the new URL, and what must be stored first; `text`: the entry without our part."""
        known, task = self.task.remotes, self.task
        server = url_wrap.desired(site, known, self.server(site))
        url = url_wrap.governed_url(site, known, server)
        self.keep.append(server)
        self.holds_secret = True
        key = url_wrap.original_key(server.id)
        original = Original(
            task.client.name, task.file, site.entry.place, task.launcher, key, server.literal, text
        )  # fmt: skip
        return [url_wrap.edit(site, url_wrap.quoted(site, url))], url, original

    def unwrap(self, site: UrlSite) -> tuple[list[Edit], str]:
        server = self.server(site)
        assert server is not None, "an unknown one is broken"
        if server.place == site.entry.place and self.task.remotes.same_file(server.file, self.task.file):
            self.forget.append(server.id)
        url, literal = url_wrap.bare_url(site, server)
        return [url_wrap.edit(site, literal)], url

    def left(self, site: UrlSite) -> None:
        """The entry is left as it is."""
        self.holds_secret = self.holds_secret or bool(site.facts.ident)

    def bare(self, site: UrlSite) -> list[Edit]:
        """The edits that take our URL out, for the entry's history."""
        server = self.server(site)
        return [] if server is None else [url_wrap.edit(site, url_wrap.bare_url(site, server)[1])]
