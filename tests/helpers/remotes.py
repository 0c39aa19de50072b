"""What is known of remote servers, played: a table of registrations, and one answer of every probe."""

from mcpgov.configs.remote.url_wrap import KnownRemotes
from mcpgov.remote_servers import OPEN, ProbeResult

PORT = 23456


def ident_for(name):
    """An id that a test can write down."""
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name)
    return (plain + "-" * 43)[:43]


class Remotes:
    """`servers`: what has been registered so far, by id."""

    def __init__(self, found=OPEN, *, port=PORT, signed_in=(), passthrough=False, why=""):
        self.servers, self._ids = {}, {}
        self.found, self.port, self.signed_in, self.passthrough, self.why = found, port, signed_in, passthrough, why

    def known(self):
        def before(file, place, url):
            rows = self.servers.values()
            return next((row for row in rows if (row.file, row.place, row.url) == (file, place, url)), None)

        probe = None if self.found is None else ProbeResult(self.found, 0.0, self.why)
        return KnownRemotes(
            self.port, self.servers.get, before, lambda url: probe, lambda url: url in self.signed_in,
            lambda place, url: self._ident(place), self.passthrough,
        )  # fmt: skip

    def _ident(self, place):
        first = ident_for("/".join(place))
        own = first if self._ids.get(first, place) == place else ident_for(f"{place!a}".encode().hex()[-43:])
        self._ids[own] = place
        return own

    def took(self, plan):
        """As a pass does once the file is written."""
        self.servers |= {server.id: server for server in plan.keep}
        for ident in plan.forget:
            self.servers.pop(ident, None)
