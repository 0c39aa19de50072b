"""Wraps and unwraps the URL of an entry. Pure: what is known of the servers comes in as `KnownRemotes`.

Laws: only the URL's literal changes, and unwrap puts back the literal that was there. What was wrapped once stays so
until a person unwraps it: neither a server's later answers nor a client that writes its old text back can shed us.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcpgov import reason_codes
from mcpgov.configs.clients import Place
from mcpgov.configs.remote.url_entry import RemoteFacts
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Edit, Entry
from mcpgov.reason_codes import NONE, Reason
from mcpgov.remote_servers import (
    CREDENTIAL,
    HOST,
    NO_LOGIN,
    OAUTH,
    OPEN,
    OUR_LOGIN,
    PASSTHROUGH,
    ProbeResult,
    RemoteServer,
    url_digest,
    wrapped_url,
)

LOST = (
    "its URL leads to mcpgov, and the server's own URL is no longer known here: put it back by hand, from a backup "
    "or from `mcpgov history --show`"
)
IN_PROJECT = "remote, in a project's file, where the secret of a governed URL must not stand: not governed"
NOT_UP = "remote: governed as soon as mcpgov's service for remote servers has run (`mcpgov daemon start`)"
UNPROBED = "remote: whether it wants a login is not known yet; the daemon asks it, or `mcpgov wrap` does"


@dataclass(frozen=True, slots=True)
class KnownRemotes:
    """What is known of remote servers when a plan is made."""

    port: int = 0  # the listener's; 0: it has never run
    server: Callable[[str], RemoteServer | None] = lambda ident: None
    # The server that was wrapped at this place with this URL before, if nobody has unwrapped it.
    wrapped_before: Callable[[str, Place, str], RemoteServer | None] = lambda file, place, url: None
    probe: Callable[[str], ProbeResult | None] = lambda url: None
    signed_in: Callable[[str], bool] = lambda url: False
    new_id: Callable[[Place, str], str] = lambda place, url: ""  # the same for the same entry during a pass
    passthrough: bool = False  # the app signs in itself, through us
    same_file: Callable[[str, str], bool] = lambda one, other: one == other


@dataclass(frozen=True, slots=True)
class UrlSite:
    """Where an entry is, and its URL there."""

    text: str
    dialect: str
    entry: Entry
    facts: RemoteFacts
    transport: str
    client: str
    file: str
    project: str

    @property
    def name(self) -> str:
        return self.entry.place[-1]

    @property
    def span(self) -> tuple[int, int]:
        member = next(member for member in self.entry.members if member.key == self.facts.key)
        return member.start, member.end

    @property
    def literal(self) -> str:
        start, end = self.span
        return self.text[start:end]


def why_not(site: UrlSite, known: KnownRemotes, in_project: bool) -> Reason:
    """Why a bare URL may not be wrapped now; NONE if it may."""
    if in_project:
        return Reason(reason_codes.REMOTE_IN_PROJECT, IN_PROJECT)
    if known.port == 0:
        return Reason(reason_codes.REMOTE_NO_LISTENER, NOT_UP)
    url, facts = site.facts.url, site.facts
    before = known.wrapped_before(site.file, site.entry.place, url)
    if before or known.passthrough or facts.credential or known.signed_in(url):
        return NONE
    probe = known.probe(url)
    if probe is not None and probe.found == OPEN:
        return NONE
    if facts.oauth or (probe is not None and probe.found == OAUTH):
        return Reason(reason_codes.REMOTE_NEEDS_LOGIN, f"needs a login: `{login_command(site.name)}`")
    if probe is None:
        return Reason(reason_codes.REMOTE_UNPROBED, UNPROBED)
    if probe.found == CREDENTIAL:
        text = "wants a credential that is no OAuth login: give the entry the header that the server asks for"
        return Reason(reason_codes.REMOTE_NEEDS_CREDENTIAL, text)
    return Reason(reason_codes.REMOTE_UNREACHED, f"could not be reached to ask whether it wants a login: {probe.why}")


def login_command(name: str) -> str:
    ends = "-- " if name.startswith("-") else ""
    return f"mcpgov login {ends}{shlex.quote(name)}"


def registered(site: UrlSite, known: KnownRemotes, kept_literal: str | None) -> RemoteServer | None:
    """The server behind a URL of ours; `kept_literal`: what the entry's history knows, where the registry does not."""
    server = known.server(site.facts.ident)
    if server is not None or kept_literal is None:
        return server
    url = _value(site, kept_literal)
    return None if url is None else replace_server(site, known, site.facts.ident, url, kept_literal)


def desired(site: UrlSite, known: KnownRemotes, server: RemoteServer | None) -> RemoteServer:
    """The registration that this entry should have; `server`: the one it has."""
    if server is None:
        url = site.facts.url
        before = known.wrapped_before(site.file, site.entry.place, url)
        ident = before.id if before else known.new_id(site.entry.place, url)
        made = replace_server(site, known, ident, url, site.literal)
        return made._replace(login=before.login) if before and not made.login else made
    ours = server.place == site.entry.place and known.same_file(server.file, site.file)
    # An entry that was copied from another place gets an id of its own: the other one may be unwrapped.
    ident = server.id if ours else known.new_id(site.entry.place, server.url)
    literal = server.literal if _value(site, server.literal) == server.url else texts.quote(site.dialect, server.url)
    made = replace_server(site, known, ident, server.url, literal)
    kept = made._replace(file=server.file) if ours else made
    return kept if made.login else kept._replace(login=server.login)


def replace_server(site: UrlSite, known: KnownRemotes, ident: str, url: str, literal: str) -> RemoteServer:
    login = NO_LOGIN
    if known.signed_in(url) and not site.facts.authorization:
        login = OUR_LOGIN
    if known.passthrough:
        login = PASSTHROUGH
    return RemoteServer(
        ident, site.name, site.client, site.project, url, site.transport, login, site.file, site.entry.place, literal
    )


def governed_url(site: UrlSite, known: KnownRemotes, server: RemoteServer) -> str:
    """The URL that the entry should hold. What a person added behind a wrapped one stays."""
    if not site.facts.ident:
        return wrapped_url(known.port, server)
    parts = urlsplit(site.facts.url)
    port = known.port or parts.port
    path = parts.path.replace(site.facts.ident, server.id, 1)
    return parts._replace(netloc=f"{HOST}:{port}", path=path).geturl()


def bare_url(site: UrlSite, server: RemoteServer) -> tuple[str, str]:
    """The server's own URL, and its literal: the one that was there, unless a person has changed the wrapped one."""
    ours, theirs = urlsplit(site.facts.url), urlsplit(server.url)
    tail = ours.path[1 + len(site.facts.ident) :]
    if tail == theirs.path and not ours.query and _value(site, server.literal) == server.url:
        return server.url, server.literal
    query = "&".join(filter(None, (theirs.query, ours.query)))
    url = theirs._replace(path=tail, query=query).geturl()
    return url, texts.quote(site.dialect, url)


def quoted(site: UrlSite, url: str) -> str:
    return texts.quote(site.dialect, url)


def edit(site: UrlSite, literal: str) -> Edit:
    return (*site.span, literal)


def original_key(ident: str) -> tuple[str, ...]:
    """What stands for a command line in the history of an entry with a URL; the id itself stands nowhere."""
    return ("url", url_digest(ident))


def _value(site: UrlSite, literal: str) -> str | None:
    """The text that a literal stands for in this dialect; None if it is none there."""
    try:
        if site.dialect == texts.TOML:
            found = texts.parse(f"v = {literal}", texts.TOML)
            value = found.get("v") if isinstance(found, dict) and len(found) == 1 else None
        else:
            value = texts.parse(literal, texts.JSON)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
