"""The rows of `[signals]`: the first that matches decides."""

from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Setting
from mcpgov.core.world import World, no_links
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.signals.rows import SignalRow, row_for

USUAL = {
    "results": "log",
    "descriptions": "off",
    "packs": ["terminal"],
    "threshold": 0.6,
    "match": {},
    "name": "signals",
}


def test_the_first_row_that_matches_decides_and_the_last_matches_everything():
    special = {**USUAL, "name": "web", "results": "prompt", "match": {"server": ["web"], "tool": ["fetch*"]}}
    rows = [SignalRow(data, "/home/u", LazyHooks()) for data in (special, USUAL)]
    setting = Setting(Reader(World(no_links)), "", "")
    found = [
        row_for(rows, call_of("tools/call", {"name": tool}, server), setting)
        for server, tool in (("web", "fetch_page"), ("web", "search"), ("fs", "fetch_page"))
    ]
    assert [row.name for row in found] == ["web", "signals", "signals"]
    assert (found[0].results, found[0].packs, found[0].threshold) == ("prompt", {"terminal"}, 0.6)
