import json
import signal
import subprocess
import sys

import pytest

from mcpgov.places import Places
from mcpgov.remote_servers import url_digest
from tests.helpers.oauth_server import oauth_server
from tests.helpers.signing_in import login_home


@pytest.fixture
def server():
    with oauth_server() as made:
        yield made


@pytest.fixture
def here(home, root, server):
    made = login_home(home, root, with_keyring=False)
    assert made.run("login", server.url).returncode == 0
    return made


def token(here, server, *words):
    done = here.run("login", "token", "--url-digest", url_digest(server.url), *words)
    assert (done.stderr, done.stdout.count("\n")) == ("", 1)
    return done.returncode, json.loads(done.stdout)


def test_it_is_one_line_with_token_and_end(here, server):
    status, answer = token(here, server)
    assert (status, [*answer]) == (0, ["access_token", "expires_at", "token_type"])
    assert server.valid(answer["access_token"])
    assert answer["token_type"] == "Bearer"


def test_a_login_that_has_ended_is_told_with_what_to_type(here, server, root):
    place = next(Places(root).remote_tokens.glob("*.secret"))
    place.write_text(json.dumps({**json.loads(place.read_text()), "expires_at": 1.0, "obtained_at": 1.0}))
    server.end_grants()
    status, answer = token(here, server)
    assert (status, answer["error"], answer["hint"]) == (1, "login_required", f"mcpgov login {server.url}")
    assert answer["message"].endswith("invalid_grant: this grant has ended")
    assert token(here, server, "--refresh")[1]["error"] == "login_required"


def test_an_outage_is_no_reason_to_sign_in_again(here, server, root):
    place = next(Places(root).remote_tokens.glob("*.secret"))
    place.write_text(json.dumps({**json.loads(place.read_text()), "expires_at": 1.0, "obtained_at": 1.0}))
    server.knobs.token_status = 503
    assert token(here, server)[1] == {
        "error": "unreached", "message": "the authorization server does not renew the login: HTTP 503", "hint": ""
    }  # fmt: skip


def test_a_signal_to_end_does_not_lose_a_token_that_is_being_renewed(here, server, root):
    place = next(Places(root).remote_tokens.glob("*.secret"))
    before = json.loads(place.read_text())
    place.write_text(json.dumps({**before, "expires_at": 1.0, "obtained_at": 1.0}))
    server.asked.clear()
    server.answers.clear()
    with here.start("login", "token", "--url-digest", url_digest(server.url)) as process:
        assert server.asked.wait(20)
        process.terminate()
        server.answers.set()
        assert process.wait(20) == -signal.SIGTERM
    after = json.loads(place.read_text())
    assert after["refresh_token"] != before["refresh_token"]
    assert server.refreshes[after["refresh_token"]]["used"] is False


def test_scopes_that_are_missing_are_asked_for_at_the_next_login(here, server):
    status, answer = token(here, server, "--insufficient-scope", "write more")
    assert (status, answer["error"], answer["hint"]) == (1, "insufficient_scope", f"mcpgov login {server.url}")
    assert here.run("login", server.url).returncode == 0
    assert server.authorizations[-1]["scope"] == "read write more"


def test_an_unknown_digest_is_no_login(run):
    done = run("login", "token", "--url-digest", "0" * 32)
    assert (done.status, json.loads(done.out)["error"], json.loads(done.out)["hint"]) == (
        1, "login_required", "mcpgov login NAME"
    )  # fmt: skip


@pytest.mark.parametrize("words", [["token", "--url-digest", "../x"], ["other", "--url-digest", "0" * 32]])
def test_a_wrong_digest_is_a_wrong_command_line(run, words):
    assert run("login", *words).status == 64


def test_a_token_that_holds_is_told_without_loading_the_sdk(here, server):
    code = (
        "import sys; from mcpgov.front.main import main; "
        f"main({here.argv('login', 'token', '--url-digest', url_digest(server.url))[1:]!r}); "
        "sys.exit('mcp' in sys.modules or 'httpx2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], env=here.env, timeout=30, capture_output=True).returncode == 0
