import os
import shlex
import stat

import pytest

from mcpgov.daemon.file_modes import unsafe, unsafe_rules
from mcpgov.daemon.status.model import Unsafe
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, keep_server


@pytest.fixture
def places(tmp_path):
    found = Places(tmp_path / "root")
    for place in (found.config, found.state, found.journal, found.runtime):
        place.mkdir(parents=True)
        place.chmod(0o700)
    found.policy_file().write_text("")
    found.policy_file().chmod(0o600)
    return found


def write(path: str) -> Unsafe:
    return Unsafe(path, f"others may write to `{path}`", f"chmod go-w {path}", True)


def use(path: str) -> Unsafe:
    return Unsafe(path, f"others may use `{path}`", f"chmod go= {path}")


def test_what_is_ours_alone_is_not_told(places):
    assert list(unsafe(places)) == []
    assert list(unsafe(Places(places.root / "nowhere"))) == []


@pytest.mark.parametrize("mode", [0o602, 0o622, 0o666, 0o777])
def test_a_policy_that_everybody_may_write_is_told_and_one_that_others_only_read_is_not(places, mode):
    policy = places.policy_file()
    policy.chmod(mode)
    assert list(unsafe(places)) == [write(str(policy))]
    policy.chmod(0o644)
    assert list(unsafe(places)) == []


def test_the_owners_own_group_is_the_owner_and_another_group_is_not(places):
    policy = places.policy_file()
    policy.chmod(0o660)
    assert list(unsafe(places)) == []
    if os.geteuid() == 0:
        os.chown(policy, -1, 4321)
        assert list(unsafe(places)) == [write(str(policy))]
        os.chown(policy, 54321, -1)  # nobody that the machine knows
        told = f"`{policy}` belongs to another user"
        assert list(unsafe(places)) == [Unsafe(str(policy), told, f"sudo chown 0 {policy}", True)]


def test_the_directory_a_policy_can_be_replaced_in_counts_wherever_it_lies(places, tmp_path):
    shared = tmp_path / "it's shared"
    shared.mkdir()
    shared.chmod(0o777)
    policy = shared / "team.toml"
    policy.write_text("")
    policy.chmod(0o600)
    name = str(shared)
    told = Unsafe(name, f"others may write to `{name}`", f"chmod go-w {shlex.quote(name)}", True)
    assert list(unsafe_rules(places, str(policy))) == [told]
    shared.chmod(0o777 | stat.S_ISVTX)
    assert list(unsafe_rules(places, str(policy))) == [], "nobody else can replace it there"


def test_the_journal_is_nobody_elses_to_read(places):
    places.journal.chmod(0o750)
    (places.journal / "2026-11-16.jsonl").write_text("")
    (places.journal / "2026-11-16.jsonl").chmod(0o640)
    found = list(unsafe(places))
    assert found == [use(str(places.journal)), use(f"{places.journal}/2026-11-16.jsonl")]
    assert list(unsafe_rules(places)) == [], "no business of the rules"


def test_an_account_without_a_name_has_no_group_of_its_own(places, monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    places.policy_file().chmod(0o660)
    assert list(unsafe(places)) == [write(str(places.policy_file()))]


def test_what_holds_secrets_of_remote_servers_is_told_ours_and_the_clients(places, tmp_path):
    config = tmp_path / "it's.json"
    config.write_text("{}")
    config.chmod(0o600)
    keep_server(places.remote_servers, RemoteServer("i" * 43, "sentry", "cursor", "", "https://h/", file=str(config)))
    keep_server(places.remote_servers, RemoteServer("j" * 43, "gone", "cursor", "", "https://h/", file="/no/file"))
    token = places.remote_tokens / "d.json"
    token.parent.mkdir(mode=0o700)
    token.write_text("{}")
    token.chmod(0o600)
    assert list(unsafe(places)) == []
    for path in (token, places.remote_tokens, places.remote_servers / f"{'i' * 43}.json", places.remote_servers.parent):
        before = stat.S_IMODE(path.stat().st_mode)
        path.chmod(before | 0o040)
        assert list(unsafe(places)) == [use(str(path))]
        path.chmod(before)
    config.chmod(0o644)
    told = f"others may read `{config}`, which holds the secret of a remote server"
    assert list(unsafe(places)) == [Unsafe(str(config), told, f"chmod go= {shlex.quote(str(config))}")]
