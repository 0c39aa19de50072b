import pytest

from mcpgov.daemon.status.remote_facts import RemoteStatus, host_of, listener_counts, remote_rows
from mcpgov.remote_servers import RemoteServer, url_digest

ONE = RemoteServer("i" * 43, "sentry", "cursor", "", "https://user:pw@mcp.sentry.dev:8443/mcp?key=hush")
TWO = RemoteServer("j" * 43, "linear", "claude-code", "/p", "https://mcp.linear.app/sse")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (ONE.url, "mcp.sentry.dev:8443"),
        (TWO.url, "mcp.linear.app"),
        ("http://[::1]:80/x", "[::1]:80"),
        ("http://[::1", ""),
        ("http://h:99999/", ""),
        ("no url", ""),
    ],
)
def test_of_a_url_the_host_is_told_and_no_more(url, host):
    assert host_of(url) == host


def counted(server, **fields):
    return {"server": "?", "id_digest": url_digest(server.id), **fields}


def test_a_row_is_a_server_on_disk_with_what_its_service_counts():
    told = counted(ONE, state="up", calls=7, denied=1, errors=0, added_ms=0.4, streams=2, last_ok=1e9, why="")
    rows = remote_rows([ONE, TWO], {"remote": [told, {"id_digest": "another"}, "nonsense"]}, "up")
    assert rows == (
        RemoteStatus("linear", "claude-code", "mcp.linear.app", "unused"),
        RemoteStatus("sentry", "cursor", "mcp.sentry.dev:8443", "up", "", 7, 1, 0, 0.4, 2, 1e9),
    )
    assert not any(part in str(rows) for part in ("hush", "pw", ONE.id, TWO.id, "/p"))


def test_what_is_no_count_is_not_shown():
    told = counted(ONE, state="splendid", calls=-1, denied=True, errors="x", added_ms=float("inf"), why=7, last_ok=1e99)
    assert remote_rows([ONE], {"remote": [told]}, "up") == (
        RemoteStatus("sentry", "cursor", "mcp.sentry.dev:8443", "unused"),
    )
    assert len(remote_rows([ONE], {"remote": [counted(ONE, why="w" * 999)]}, "up")[0].why) == 200
    assert remote_rows([ONE], {"remote": "x"}, "up")[0].state == "unused"


def test_without_its_service_every_server_is_down():
    told = counted(ONE, state="up", calls=7)
    assert [row.state for row in remote_rows([ONE, TWO], {"remote": [told]}, "down")] == ["down", "down"]


def test_sessions_and_streams_of_all_together():
    assert listener_counts({"sessions": 3, "streams": 4}) == (3, 4)
    assert listener_counts({"sessions": "x"}) == (0, 0)
