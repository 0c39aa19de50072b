"""`mcpgov login` as people type it: child processes, an authorization server, a browser that is a script."""

import json
import os
import signal
import threading

import pytest

from mcpgov import remote_servers
from mcpgov.places import Places
from mcpgov.remote_servers import NO_LOGIN, OUR_LOGIN, RemoteServer, url_digest
from tests.helpers.oauth_server import oauth_server, visit
from tests.helpers.signing_in import login_home


@pytest.fixture
def server():
    with oauth_server() as made:
        yield made


@pytest.fixture
def here(home, root, server):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"lin": {"url": server.url}}}))
    return login_home(home, root, with_keyring=True)


def secrets_of(server):
    keys = [client["key"] for client in server.clients.values()]
    return [*server.tokens, *server.refreshes, *keys]


def texts_below(*places):
    return "".join(path.read_text(errors="replace") for place in places for path in place.rglob("*") if path.is_file())


def test_a_login_opens_the_browser_and_says_where_the_token_is(here, server):
    done = here.run("login", "lin")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == [
        "signed in at lin", "the token is in the system's keyring (file keyring FileKeyring)"
    ]  # fmt: skip
    first, second, url = done.stderr.splitlines()
    assert (first, second) == ("asking 127.0.0.1 …", "your browser opens now; if it does not, visit:")
    assert url.startswith(f"  {server.origin}/authorize?response_type=code&")
    answer = here.run("login", "token", "--url-digest", url_digest(server.url)).stdout
    assert server.valid(json.loads(answer)["access_token"])


def test_no_secret_is_in_any_file_but_the_keyring_nor_in_any_output(here, server):
    done = [here.run("login", "lin", "--json"), here.run("login", "lin"), here.run("logout", "lin", "--json")]
    assert [each.returncode for each in done] == [0, 0, 0]
    here.run("login", "lin")
    shown = "".join(each.stdout + each.stderr for each in done) + texts_below(here.root)
    assert secrets_of(server)
    assert not any(secret in shown for secret in secrets_of(server))
    assert any(token in here.ring.read_text() for token in server.refreshes)


def test_json_tells_the_login(here, server):
    done = here.run("login", "lin", "--json", "--scope", "a", "--scope", "b c")
    login = json.loads(done.stdout)["login"]
    assert (login["issuer"], login["scopes"], login["where"], login["renewable"]) == (
        server.issuer, ["a", "b", "c"], "keyring", True
    )  # fmt: skip


def test_without_a_keyring_that_is_said_plainly(home, root, server):
    here = login_home(home, root, with_keyring=False)
    done = here.run("login", server.url)
    assert done.stdout.splitlines()[1] == (
        f"the token is in a file that only you can read, below {root}/state/remote/tokens: "
        "no system keyring answers here"
    )
    (secret,) = (root / "state" / "remote" / "tokens").glob("*.secret")
    assert secret.stat().st_mode & 0o777 == 0o600


def test_no_browser_prints_the_url_and_waits_for_whoever_visits_it(here, server):
    process = here.start("login", "lin", "--no-browser", "--quiet")
    with process:
        lines = [process.stderr.readline(), process.stderr.readline()]
        assert lines[0] == "visit, within 5 minutes:\n"
        assert "you can close this window" in visit(lines[1].strip())[1]
        assert process.wait(20) == 0


def test_an_interrupted_login_leaves_nothing_behind(here, server):
    process = here.start("login", "lin", "--no-browser")
    with process:
        process.stderr.readline(), process.stderr.readline()
        url = process.stderr.readline().strip()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read() == ""
    assert not here.ring.exists()
    assert not (here.root / "state" / "remote").exists()
    with pytest.raises(OSError, match="refused"):
        visit(url)


def test_words_of_a_hostile_server_cannot_act_on_the_terminal(here, server):
    server.knobs.denied = ("access_denied", "\x1b[2Jyou are\u202e signed in\r\n")
    done = here.run("login", "lin")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1, "mcpgov: the authorization server said no: access_denied: \\x1b[2Jyou are\\u202e signed in\\x0d\\x0a"
    )  # fmt: skip


def test_a_server_without_login_is_said_to_want_none(here, server):
    server.knobs.opened, server.knobs.prm_at = ("initialize", "tools/list"), ()
    done = here.run("login", "lin")
    assert (done.returncode, done.stdout) == (0, "lin wants no login: there is nothing to sign in to\n")


def test_a_client_registered_by_hand_has_its_secret_from_a_variable(here, server):
    server.knobs.preregistered, server.knobs.registration = {"me": "s3cret"}, "none"
    done = here.run("login", "lin", "--client-id", "me", "--client-secret-env", "MINE", MINE="s3cret")
    assert done.returncode == 0
    assert "s3cret" not in done.stdout + done.stderr + texts_below(here.root)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lin", "--client-secret-env", "NOT_SET"], "`--client-secret-env` names a variable that is not set"),
        (["lin", "--client-secret-env", "HOME"], "`--client-secret-env` needs `--client-id` beside it"),
        (["lin", "--scope", "é"], "`--scope` has no scope in it"),
        (["lin", "--callback-port", "70000"], "`--callback-port` is a number below 65536"),
    ],
)
def test_wrong_options_are_told_before_anything_is_sent(here, server, words, message):
    done = here.run("login", *words)
    assert (done.returncode, done.stderr.splitlines()[0]) == (64, f"mcpgov: {message}")
    assert server.seen == []


def test_a_wrapped_entry_gets_our_token_from_now_on(here, server, root):
    directory = Places(root).remote_servers
    wrapped = RemoteServer(remote_servers.new_id(), "lin", "cursor", "", server.url, login=NO_LOGIN, file="/f")
    remote_servers.keep_server(directory, wrapped)
    assert here.run("login", "lin").returncode == 0
    assert remote_servers.load_server(directory, wrapped.id).login == OUR_LOGIN


def test_twenty_that_renew_at_once_need_no_second_login(here, server):
    here.run("login", "lin")
    server.expire()
    place = next(Places(here.root).remote_tokens.glob("*.json"))
    held = json.loads(here.ring.read_text())
    key = f"mcpgov {place.stem}"
    older = json.loads(held[key])
    older["obtained_at"] -= 100  # a token this young would not be renewed
    here.ring.write_text(json.dumps({**held, key: json.dumps(older)}))
    gate = threading.Barrier(20)
    answers = []

    def ask():
        gate.wait(10)
        done = here.run("login", "token", "--url-digest", place.stem, "--refresh")
        answers.append((done.returncode, json.loads(done.stdout)))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert [status for status, _ in answers] == [0] * 20
    assert all(server.valid(answer["access_token"]) for _, answer in answers)
    assert len(server.authorizations) == 1
    assert server.dead == set(), "no refresh token was used twice"
    # One renewal serves all that ask within ten seconds; a slow machine may take longer for twenty processes.
    assert 1 <= server.count("refresh_token") <= 5
    assert os.path.exists(place)
