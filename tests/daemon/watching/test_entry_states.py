"""What became of entries is told, shown, and kept."""

import json
import os
import stat
import time
from types import SimpleNamespace

import pytest

from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.daemon.watching.entry_states import EntryStates

FILE, PLACE = "/home/u/.claude.json", ("mcpServers", "git")
NOON = time.mktime((2026, 11, 3, 12, 0, 0, 0, 0, -1))


class Told:
    """Entries with a clock, and what they said."""

    def __init__(self, folder):
        self.now, self.said, self.folder = NOON, [], folder
        self.entries = self.again()

    def again(self):
        return EntryStates(self.folder, lambda *said, **fields: self.said.append((*said, fields)), lambda: self.now)

    def look(self, *states, wrapped=(), size=100, containers=None):
        done = tuple(EntryResult(state.place, state.name, "wrapped", "") for state in wrapped)
        kept = tuple(EntryResult(state.place, state.name, "already", "") for state in states if state not in wrapped)
        self.entries.compare(
            SimpleNamespace(file=FILE, states=states, entries=done + kept, containers=containers), size
        )


def entry(name, state="governed"):
    return EntryState("claude-code", FILE, ("mcpServers", name), name, "stdio", state, "", ("npx", name))


GIT, WEB = entry("git"), entry("web")
BARE = entry("git", "native")


@pytest.fixture
def told(tmp_path):
    return Told(tmp_path / "daemon")


def fight(told):
    for _ in range(4):
        told.now += 1
        told.look(GIT, wrapped=[GIT])


def test_an_entry_that_is_contested_is_left_told_and_shown(told):
    fight(told)
    reason = "put back 3 times within a minute"
    fields = {"name": "git", "file": FILE, "reason": reason, "until": told.now + 600}
    assert told.said == [("warning", "contested", fields)]
    assert (told.entries.leave(FILE), told.entries.retry(FILE)) == (frozenset({PLACE}), 600.0)
    [shown] = told.entries.view(FILE, (BARE,))
    assert (shown.state, shown.argv) == ("contested", BARE.argv)
    again = time.strftime("at %H:%M", time.localtime(told.now + 600))
    assert shown.reason == f"{reason}; tried again {again}"


def test_an_entry_that_stays_wrapped_is_shown_as_governed_though_it_was_contested(told):
    fight(told)
    assert told.entries.view(FILE, (GIT,)) == (GIT,)


def test_nothing_contested_nothing_to_leave(told):
    told.look(GIT, wrapped=[GIT])
    assert (told.entries.leave(FILE), told.entries.retry(FILE), told.entries.view(FILE, (BARE,))) == (
        frozenset(),
        None,
        (BARE,),
    )


def test_lost_entries_are_told_with_what_to_type_and_shown_with_their_time(told):
    told.look(GIT, WEB)
    told.look()
    reason = "all servers vanished at once"
    assert told.said == [
        ("warning", "lost", {"name": name, "file": FILE, "reason": reason, "hint": f"mcpgov restore {name}"})
        for name in ("git", "web")
    ]
    shown = told.entries.view(FILE, ())
    assert [(one.name, one.state, one.reason) for one in shown] == [
        ("git", "lost", f"at 12:00: {reason}"),
        ("web", "lost", f"at 12:00: {reason}"),
    ]
    assert told.entries.view("/other", ()) == ()


def test_an_odd_name_is_quoted_for_the_shell(told):
    told.look(entry("a b; c"), WEB)
    told.look()
    assert told.said[0][2]["hint"] == "mcpgov restore 'a b; c'"


def test_days_later_the_date_is_shown_too(told):
    told.look(GIT, WEB)
    told.look()
    told.now += 2 * 86400
    assert told.entries.view(FILE, ())[0].reason == "on 2026-11-03 at 12:00: all servers vanished at once"


def test_a_list_of_servers_that_is_gone_is_a_loss(told):
    told.look(GIT, containers=[("mcpServers",)])
    told.look(containers=[])
    assert [one.name for one in told.entries.lost(FILE)] == ["git"]


def test_a_removed_entry_is_only_logged(told):
    told.look(GIT, WEB)
    told.look(WEB)
    assert told.said == [("info", "removed", {"name": "git", "file": FILE})]
    assert told.entries.view(FILE, (WEB,)) == (WEB,)


def test_an_entry_that_is_back_is_told_and_not_shown_as_lost(told):
    told.look(GIT, WEB)
    told.look()
    told.said.clear()
    told.look(GIT, WEB)
    assert told.said == [("info", "back", {"name": name, "file": FILE}) for name in ("git", "web")]
    assert told.entries.lost(FILE) == ()
    assert told.again().lost(FILE) == ()


def test_both_memories_outlive_a_restart_and_are_private(told):
    fight(told)
    told.look(GIT, WEB)
    told.look(GIT, entry("new"))  # the other one vanished right after it came: who added this knew nothing of it
    again = told.again()
    assert again.leave(FILE) == frozenset({PLACE})
    assert again.lost(FILE) == told.entries.lost(FILE) != ()
    files = sorted(told.folder.iterdir())
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in files] == [
        ("contested.json", 0o600),
        ("lost.json", 0o600),
    ]
    assert "npx" not in "".join(path.read_text() for path in files)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"entries": 3}', '{"entries": [3]}'])
def test_a_damaged_memory_counts_as_empty(tmp_path, text):
    folder = tmp_path / "daemon"
    folder.mkdir()
    for name in ("contested.json", "lost.json"):
        (folder / name).write_text(text)
    told = Told(folder)
    assert (told.entries.leave(FILE), told.entries.lost(FILE)) == (frozenset(), ())


def test_a_memory_that_cannot_be_kept_is_told_once_and_stops_nothing(tmp_path):
    (tmp_path / "daemon").write_text("a file in the way")
    told = Told(tmp_path / "daemon")
    for _ in range(2):
        told.look(GIT, WEB)
        told.look()
    assert [said[1] for said in told.said].count("cannot keep") == 1
    assert len(told.entries.lost(FILE)) == 2


def test_what_was_kept_is_json_with_a_version(told):
    fight(told)
    kept = json.loads((told.folder / "contested.json").read_text())
    assert (kept["version"], [row["place"] for row in kept["entries"]]) == (1, [list(PLACE)])
    assert os.listdir(told.folder) == ["contested.json"]


def test_a_client_that_adds_entries_and_writes_back_what_it_knew_is_no_enemy(told):
    known = []
    for number in range(8):
        told.now += 1
        known.append(entry(f"s{number}"))
        told.look(*known, wrapped=known)
    assert (told.said, told.entries.leave(FILE)) == ([], frozenset())
