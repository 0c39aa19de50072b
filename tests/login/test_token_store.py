import json
import stat
import threading

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.null import Keyring as ForgetsAll

from mcpgov.errors import McpgovError
from mcpgov.login import markers, token_store
from mcpgov.login.markers import LoginMarker
from mcpgov.login.oauth_rules import STORE, LoginError
from mcpgov.login.stored_login import StoredLogin, text_of
from mcpgov.login.token_store import FILE, KEYRING, secret_path
from mcpgov.places import Places
from mcpgov.remote_servers import url_digest

LOGIN = StoredLogin("https://x/mcp", {"client_id": "c"}, {}, {}, {}, "at-1", "rt-1", obtained_at=1.0)
DIGEST = url_digest(LOGIN.url)


class Breaks(KeyringBackend):
    """Says what it was given, as some libraries do."""

    priority = 9

    def get_password(self, service, username):
        raise RuntimeError("locked")

    def set_password(self, service, username, password):
        raise RuntimeError(f"cannot store {password}")

    delete_password = get_password


def mark(directory, where):
    marker = LoginMarker(LOGIN.url, "x", "", (), "c", where, 1.0)
    markers.keep_marker(directory, DIGEST, marker)


def test_the_keyring_has_the_token_and_no_file_does(tmp_path, ring):
    assert token_store.keep(tmp_path, DIGEST, LOGIN).kind == KEYRING
    assert token_store.load(tmp_path, DIGEST) == LOGIN
    assert ring.get_password("mcpgov", DIGEST) == text_of(LOGIN)
    assert [*tmp_path.glob("*.secret")] == []


def test_without_a_keyring_the_token_is_in_a_private_file_and_that_is_said(tmp_path):
    place = token_store.keep(tmp_path / "t", DIGEST, LOGIN)
    assert place == (FILE, str(tmp_path / "t"), "no system keyring answers here")
    assert token_store.token_place(tmp_path / "t") == place
    path = secret_path(tmp_path / "t", DIGEST)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    assert token_store.load(tmp_path / "t", DIGEST) == LOGIN


@pytest.mark.parametrize("backend", [ForgetsAll, Breaks])
def test_what_a_keyring_does_not_keep_goes_into_the_file_and_no_error_says_it(tmp_path, backend):
    keyring.set_keyring(backend())
    place = token_store.keep(tmp_path, DIGEST, LOGIN)
    assert (place.kind, "at-1" in place.why) == (FILE, False)
    assert token_store.load(tmp_path, DIGEST) == LOGIN


def test_a_keyring_that_forgets_what_it_took_is_found_out(tmp_path, ring):
    ring.set_password = lambda *_: None
    assert token_store.keep(tmp_path, DIGEST, LOGIN).why == "the system's keyring does not keep what it is given"
    assert token_store.load(tmp_path, DIGEST) == LOGIN


def test_a_keyring_that_comes_back_takes_the_token_over_and_the_file_goes(tmp_path, ring):
    keyring.set_keyring(Breaks())
    token_store.keep(tmp_path, DIGEST, LOGIN)
    keyring.set_keyring(ring)
    new = LOGIN._replace(access_token="at-2", obtained_at=2.0)
    assert token_store.keep(tmp_path, DIGEST, new).kind == KEYRING
    assert not secret_path(tmp_path, DIGEST).exists()


def test_after_a_crash_between_the_two_the_later_token_counts(tmp_path, ring):
    new = LOGIN._replace(access_token="at-2", obtained_at=2.0)
    for in_ring, in_file in ((LOGIN, new), (new, LOGIN)):
        ring.set_password("mcpgov", DIGEST, text_of(in_ring))
        secret_path(tmp_path, DIGEST).write_text(text_of(in_file))
        assert token_store.load(tmp_path, DIGEST) == new


def test_a_keyring_that_does_not_answer_is_an_error_where_the_token_is_in_it(tmp_path):
    keyring.set_keyring(Breaks())
    assert token_store.load(tmp_path, DIGEST) is None
    mark(tmp_path, KEYRING)
    with pytest.raises(LoginError) as caught:
        token_store.load(tmp_path, DIGEST)
    assert (caught.value.reason_code, str(caught.value)) == (STORE, "the system's keyring failed: RuntimeError")
    with pytest.raises(LoginError):
        token_store.forget(tmp_path, DIGEST)
    assert markers.load_marker(tmp_path, DIGEST) is not None


def test_a_keyring_that_hangs_is_given_up_on(tmp_path, ring, monkeypatch):
    never = threading.Event()
    with pytest.raises(LoginError, match="no answer"):
        token_store._within(never.wait, 0.05)
    never.set()


def test_damaged_secrets_are_none(tmp_path, ring):
    ring.set_password("mcpgov", DIGEST, "{")
    secret_path(tmp_path, DIGEST).write_bytes(b"\xff")
    assert token_store.load(tmp_path, DIGEST) is None


def test_what_is_forgotten_is_in_no_place(tmp_path, ring):
    token_store.keep(tmp_path, DIGEST, LOGIN)
    mark(tmp_path, KEYRING)
    secret_path(tmp_path, DIGEST).write_text(text_of(LOGIN))
    token_store.forget(tmp_path, DIGEST)
    assert (ring._all(), [*tmp_path.glob(f"{DIGEST}*")]) == ({}, [])
    token_store.forget(tmp_path, DIGEST)


def test_a_keyring_that_keeps_what_it_should_delete_is_an_error(tmp_path, ring):
    token_store.keep(tmp_path, DIGEST, LOGIN)
    mark(tmp_path, KEYRING)
    ring.delete_password = lambda *_: None
    with pytest.raises(McpgovError, match="PasswordDeleteError"):
        token_store.forget(tmp_path, DIGEST)


def test_an_uninstall_takes_every_token_out_also_one_without_a_marker(tmp_path, ring):
    places = Places(tmp_path)
    directory = places.remote_tokens
    directory.mkdir(parents=True)
    token_store.keep(directory, DIGEST, LOGIN)
    mark(directory, KEYRING)
    other = url_digest("https://y")
    (directory / f"{other}.lock").touch()  # it was killed between the token's and the marker's writing
    ring.set_password("mcpgov", other, text_of(LOGIN))
    ring.set_password("other", "somebody", "theirs")
    assert token_store.forget_all(places) == ["removed the token of 1 login from the system's keyring"]
    assert json.loads(ring.path.read_text()) == {"other somebody": "theirs"}
    assert [*directory.iterdir()] == []
    assert token_store.forget_all(places) == []
