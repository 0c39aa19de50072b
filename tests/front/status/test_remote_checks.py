import pytest

from mcpgov.front.status.doctor_checks import Check
from mcpgov.front.status.remote_checks import remote
from mcpgov.places import Places
from mcpgov.remote_servers import OUR_LOGIN, RemoteServer, keep_port, keep_server, url_digest

URL = "https://user:pw@mcp.sentry.dev/mcp?key=hush"
SERVER = RemoteServer("i" * 43, "my sentry", "cursor", "", URL)


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "root")


def found(places, listener=None):
    return [(check.level, check.what, check.hint) for check in remote(places, listener)]


def test_where_nothing_is_remote_nothing_is_told(places):
    keep_port(places.remote_port, 20001)
    assert found(places) == []


def test_port_and_service_are_told_and_nothing_of_a_url(places):
    keep_server(places.remote_servers, SERVER)
    keep_port(places.remote_port, 20001)
    up = found(places, {"state": "up"})
    assert up == [
        ("ok", "1 remote server governed", ""),
        ("ok", "they are reached at port 20001 of this machine alone", ""),
        ("ok", "their service is up", ""),
    ]
    assert not any(part in str(up) for part in ("hush", "pw", SERVER.id))


@pytest.mark.parametrize(
    ("listener", "told"),
    [
        ({"state": "starting"}, ("warning", "their service is starting", "mcpgov status")),
        (
            None,
            (
                "bad",
                "their service is down, since the daemon does not run: none can be reached",
                "mcpgov daemon start",
            ),
        ),
        (
            {"state": "down", "why": "it ended with status 3"},
            ("bad", "their service is down: it ended with status 3", "mcpgov daemon logs"),
        ),
        ({"state": "not answering"}, ("bad", "their service is not answering", "mcpgov daemon logs")),
    ],
)
def test_a_service_that_is_not_up_is_told_with_what_to_type(places, listener, told):
    keep_server(places.remote_servers, SERVER)
    keep_port(places.remote_port, 20001)
    assert found(places, listener)[-1] == told


def test_a_port_that_is_missing_or_damaged_is_bad(places):
    keep_server(places.remote_servers, SERVER)
    for word in ("is missing", "cannot be read"):
        level, what, hint = found(places, {"state": "up"})[1]
        assert (level, word in what, hint) == ("bad", True, "mcpgov daemon restart")
        places.remote_port.write_text("{")


def test_a_login_that_is_gone_is_told_with_its_command(places):
    keep_server(places.remote_servers, SERVER._replace(login=OUR_LOGIN))
    keep_port(places.remote_port, 20001)
    (check,) = list(remote(places, {"state": "up"}))[3:]
    assert check == Check(
        "remote",
        "bad",
        f"the login of `my sentry` is gone from `{places.remote_tokens}`",
        "mcpgov login 'my sentry'",
        "remote-login-needed",
    )
    places.remote_tokens.mkdir(parents=True)
    (places.remote_tokens / f"{url_digest(URL)}.json").write_text("{}")
    assert len(found(places, {"state": "up"})) == 3
