"""The address of the engine: what it is, what people see of it, which engine it names."""

import pytest

from mcpgov.ledger_address import POSTGRES, REDIS, masked_address, parse_address


@pytest.mark.parametrize(
    ("text", "engine", "masked", "secret"),
    [
        ("redis://db.example:6379/1", REDIS, "redis://db.example:6379/1", False),
        ("rediss://me:hush@db.example/0", REDIS, "rediss://me:***@db.example/0", True),
        ("redis://:hush@db.example", REDIS, "redis://:***@db.example", True),
        ("redis://me@db.example", REDIS, "redis://me@db.example", False),
        ("unix:///run/redis.sock?db=1&password=hush", REDIS, "unix:///run/redis.sock?db=1&password=***", True),
        (
            "postgresql://me:hush@h:5432/x?sslmode=require",
            POSTGRES,
            "postgresql://me:***@h:5432/x?sslmode=require",
            True,
        ),
        ("postgres:///x?host=/run/pg&user=me", POSTGRES, "postgres:///x?host=/run/pg&user=me", False),
    ],
)
def test_people_see_it_without_its_password(text, engine, masked, secret):
    found = parse_address(text)
    assert (found.engine, found.masked, found.has_password) == (engine, masked, secret)
    assert "hush" not in masked_address(text)


def test_the_same_engine_by_another_user_or_scheme_is_the_same_and_another_namespace_is_not():
    names = {
        parse_address(text).store
        for text in (
            "redis://h:1/0",
            "rediss://me:hush@h:1/0",
            "valkey://h:1/0",
            "valkeys://h:1/0",
            "redis://h:1/0?x=1",
        )
    }
    assert len(names) == 1
    others = [parse_address("redis://h:1/0", "team").store, parse_address("redis://h:1/1").store]
    others += [parse_address("unix:///s?db=1").store, parse_address("unix:///s?db=2").store]
    assert len(names.union(others)) == 5


def test_valkey_and_postgres_are_other_words():
    assert parse_address("valkeys://h/0").url == "rediss://h/0"
    assert parse_address("postgres://h/x").url == "postgresql://h/x"


def test_a_password_from_elsewhere_is_put_in():
    assert parse_address("redis://h:1/0").with_password("a/b@c") == "redis://:a%2Fb%40c@h:1/0"
    assert parse_address("postgresql://me:old@h/x").with_password("new") == "postgresql://me:new@h/x"


@pytest.mark.parametrize(
    "text", ["mysql://me:hush@h/x", "redis://", "hush", "redis://h:port-hush/0", "redis://[hush/0"]
)
def test_what_is_no_address_is_refused_without_being_told(text):
    with pytest.raises(ValueError, match="it ") as caught:
        parse_address(text)
    assert "hush" not in str(caught.value)
    assert masked_address(text) == "***"
