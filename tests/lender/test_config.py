"""The engine of the settings: passwords, extras, what is wrong."""

import sys

import pytest

from mcpgov.lender import config
from mcpgov.lender.config import HOUR, lender_config
from mcpgov.lender.engine_requests import EngineError
from mcpgov.lender.redis_engine import RedisEngine
from mcpgov.settings import Settings


@pytest.fixture
def file(tmp_path):
    found = tmp_path / "settings.toml"
    found.write_text("")
    found.chmod(0o600)
    return found


def made(file, url="redis://127.0.0.1:1/0", **more):
    return lender_config(Settings(ledger=url, **more), file)


def test_without_an_engine_nothing_is_shared(file):
    assert lender_config(Settings(), file) is None


def test_it_knows_namespace_and_lease(file):
    found = made(file, ledger_namespace="team-a", ledger_lease=2)
    assert (found.namespace, found.lease, found.address.engine) == ("team-a", 2 * HOUR, "redis")
    engine = found.connect("me")
    assert isinstance(engine, RedisEngine)
    engine.close()


def test_a_password_that_others_may_read_is_not_used(file):
    found = made(file, "redis://:hush@127.0.0.1:1/0")
    found.connect("me").close()
    file.chmod(0o640)
    with pytest.raises(EngineError, match="others may read the password") as caught:
        found.connect("me")
    assert (caught.value.hint, caught.value.lasting) == (f"chmod 600 {file}", True)
    file.unlink()
    found.connect("me").close()


def test_a_password_from_a_file_of_its_own(file, tmp_path):
    secret = tmp_path / "password"
    found = made(file, ledger_password_file=secret)
    with pytest.raises(EngineError, match="does not exist"):
        found.connect("me")
    secret.write_text("hush\n")
    secret.chmod(0o644)
    with pytest.raises(EngineError, match="others may read"):
        found.connect("me")
    secret.chmod(0o600)
    assert config.read_password(secret) == "hush"
    found.connect("me").close()
    secret.write_text("one\ntwo")
    with pytest.raises(EngineError, match="must hold one line"):
        found.connect("me")
    secret.write_bytes(b"\xff")
    with pytest.raises(EngineError, match="cannot be read"):
        found.connect("me")


@pytest.mark.parametrize(
    ("url", "library", "extra"),
    [("redis://h", "redis", "mcpgov[redis]"), ("postgresql://h/x", "psycopg", "mcpgov[postgres]")],
)
def test_an_extra_that_is_not_installed_is_told_with_what_to_type(file, monkeypatch, url, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    for name in ("redis_engine", "postgres_engine"):
        monkeypatch.delitem(sys.modules, f"mcpgov.lender.{name}", raising=False)
    with pytest.raises(EngineError, match="is not installed") as caught:
        made(file, url).connect("me")
    assert (caught.value.hint, caught.value.lasting) == (f"pip install '{extra}'", True)


def test_a_place_that_cannot_be_looked_at_is_told(tmp_path):
    with pytest.raises(EngineError, match="cannot read"):
        config.check_private(tmp_path / ("x" * 300))
