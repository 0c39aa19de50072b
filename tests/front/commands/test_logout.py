import json

import pytest

from mcpgov import remote_servers
from mcpgov.places import Places
from mcpgov.remote_servers import OUR_LOGIN, PASSTHROUGH, RemoteServer
from tests.helpers.oauth_server import oauth_server
from tests.helpers.signing_in import login_home


@pytest.fixture
def server():
    with oauth_server() as made:
        yield made


@pytest.fixture
def config(home, server):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"lin": {"url": server.url}}}))
    return path


@pytest.fixture
def here(home, root, config):
    made = login_home(home, root, with_keyring=True)
    assert made.run("login", "lin").returncode == 0
    return made


def test_a_logout_revokes_deletes_and_forgets(here, server):
    done = here.run("logout", "lin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "signed out at lin\n", "")
    assert server.revoked == ["refresh_token", "access_token"]
    assert json.loads(here.ring.read_text()) == {}
    assert [*Places(here.root).remote_tokens.iterdir()] == []
    assert here.run("logout", "lin").stdout == "there was no login at lin\n"


def test_what_cannot_be_revoked_is_told_and_the_token_goes_all_the_same(here, server):
    server.knobs.revocation_status = 503
    done = here.run("logout", "lin", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["problems"] == [
        "the refresh token was not revoked: unsupported_token_type: no",
        "the access token was not revoked: unsupported_token_type: no",
    ]
    assert json.loads(here.ring.read_text()) == {}


def test_the_login_of_an_entry_that_is_gone_can_still_be_ended(here, server, config):
    config.write_text("{}")
    assert here.run("logout", "lin").stdout == "signed out at lin\n"


def test_entries_of_the_url_are_unwrapped_but_not_those_whose_app_signs_in(here, server, config):
    """Told by the pass over their file; what a pass does to a wrapped URL is tested with the configs."""
    directory = Places(here.root).remote_servers
    for login, file in ((OUR_LOGIN, str(config)), (PASSTHROUGH, str(config.with_name("other.json")))):
        made = RemoteServer(remote_servers.new_id(), "lin", "cursor", "", server.url, login=login, file=file)
        remote_servers.keep_server(directory, made)
    done = json.loads(here.run("logout", "lin", "--json").stdout)
    assert [file["file"] for file in done["files"]] == [str(config)]
