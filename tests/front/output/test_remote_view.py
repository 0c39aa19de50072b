from dataclasses import asdict

from mcpgov.daemon.status.remote_facts import RemoteListener, RemoteStatus
from mcpgov.front.output.grid import columns, plain
from mcpgov.front.output.remote_view import remote_rows

CLIENTS = [{"client": "cursor", "title": "Cursor"}]


def shown(*rows, listener=None, room=None):
    listener = listener or RemoteListener("up", "", 20001, 4, 3)
    data = {"clients": CLIENTS, "remote": [asdict(row) for row in rows], "listener": asdict(listener)}
    return [plain(row) for row in remote_rows(data, room)]


def test_each_server_has_a_row_with_where_it_leads_and_how_it_does():
    assert shown(
        RemoteStatus("linear", "zed", "mcp.linear.app", "unused"),
        RemoteStatus("sentry", "cursor", "mcp.sentry.dev", "up", "", 1204, 3, 0, 0.44, 2, 1.0),
        RemoteStatus("old", "cursor", "old.example", "login", calls=1, denied=0, added_ms=12.0, streams=0),
    ) == [
        "server  client  upstream                       calls  denied    added  streams",
        "sentry  Cursor  mcp.sentry.dev  up             1,204       3   0.4 ms        2",
        "old     Cursor  old.example     needs a login      1       0  12.0 ms        0",
        "linear  zed     mcp.linear.app  not used yet",
        "service up · port 20001 · 4 sessions · 3 open streams",
    ]


def test_without_remote_servers_there_is_nothing():
    assert remote_rows({"clients": CLIENTS}, 80) == []


def test_a_service_that_is_down_is_told_and_texts_of_others_are_harmless():
    rows = shown(RemoteStatus("\x1b[2Jx", "c", "h\u202e", "odd"), listener=RemoteListener("down"))
    assert rows[-1] == "service down"
    assert not any(char in "".join(rows) for char in ("\x1b", "\u202e"))


def test_a_narrow_screen_is_not_overrun_and_many_servers_are_cut_off():
    rows = [RemoteStatus(f"server-{at}", "cursor", "mcp.a-long-name.example", "up", "", at) for at in range(12)]
    found = shown(*rows, room=50)
    assert max(map(columns, found[:-1])) <= 50
    assert found[-2] == "and 4 more: mcpgov status --json"
    assert len(shown(*rows)) == 14
