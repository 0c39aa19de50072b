import os
import pwd

import pytest

from mcpgov.daemon.callers import own_installation
from mcpgov.places import Places, usual_directories


@pytest.fixture
def homes(tmp_path, monkeypatch):
    """The account's home, and a scratch one that the environment names."""
    own, scratch = tmp_path.resolve() / "own", tmp_path.resolve() / "scratch"
    for place in (own, scratch):
        place.mkdir()
    monkeypatch.setattr(own_installation, "account_home", lambda: str(own))
    monkeypatch.setenv("HOME", str(scratch))
    return own, scratch


def test_the_account_is_the_one_of_the_user_database_whatever_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert own_installation.account_home() == os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir)


def test_a_user_who_is_in_no_database_has_the_home_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000_000)
    assert own_installation.account_home() == str(tmp_path.resolve())


def test_what_is_apart_in_everything_is_a_scratch_installation(homes, tmp_path):
    assert not own_installation.is_own(Places(tmp_path / "root"), [homes[1] / ".cursor" / "mcp.json"])


def test_the_accounts_home_in_the_environment_makes_it_its_own_whatever_the_root(homes, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(homes[0]))
    assert own_installation.is_own(Places(tmp_path / "root"))
    assert own_installation.is_own(Places(tmp_path / "root"), home=str(homes[0]))
    link = tmp_path / "link"
    link.symlink_to(homes[0])
    assert own_installation.is_own(Places(tmp_path / "root"), home=str(link))


@pytest.mark.parametrize("place", ["config", "state", "run", "bin"])
def test_a_place_that_leads_into_the_accounts_makes_it_its_own(homes, tmp_path, place):
    theirs = os.path.realpath(usual_directories(str(homes[0]))[-1])
    os.makedirs(theirs)
    root = tmp_path / "root"
    root.mkdir()
    (root / place).symlink_to(theirs)
    assert own_installation.is_own(Places(root))


def test_a_file_of_the_accounts_makes_it_its_own_also_through_a_link(homes, tmp_path):
    own, scratch = homes
    (own / ".claude.json").write_text("{}")
    (scratch / ".claude.json").symlink_to(own / ".claude.json")
    for file in (own / ".claude.json", scratch / ".claude.json", own / "deep" / "x.json"):
        assert own_installation.is_own(Places(tmp_path / "root"), [file])


def test_a_launcher_that_was_written_for_the_account_makes_it_its_own(homes, tmp_path):
    places = Places(tmp_path / "root")
    places.launcher.parent.mkdir(parents=True)
    places.launcher.write_text(f"main(sys.argv[1:], {{'home': {str(homes[0])!r}}})")
    assert own_installation.is_own(places)
    places.launcher.write_text(f"main(sys.argv[1:], {{'home': {str(homes[1])!r}}})")
    assert not own_installation.is_own(places)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("{'home': '/a b'}", "/a b"), ("{'home': \"/it's\"}", "/it's"), ("{}", ""), ("{'home': '\\\\x'}", "\\x")],
)
def test_the_home_that_a_launcher_was_written_for_is_read_from_it(tmp_path, text, expected):
    places = Places(tmp_path)
    assert own_installation.installed_home(places) == ""
    places.launcher.parent.mkdir(parents=True)
    places.launcher.write_text(f"main(sys.argv[1:], {text})")
    assert own_installation.installed_home(places) == expected
