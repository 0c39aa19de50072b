import pytest

from mcpgov.loopback.short_reply import short_reply


@pytest.mark.parametrize(
    ("code", "value", "body"), [(204, "a", b""), (200, "a\r\nb", b""), (200, "ü", b""), (200, "a", b"x" * 70_000)]
)
def test_what_is_not_a_short_reply(code, value, body):
    assert short_reply(code, [("X", value)], body) is None


def test_the_time_is_told_anew_with_every_second(monkeypatch):
    monkeypatch.setattr("mcpgov.loopback.short_reply.time.time", lambda: 0.5)
    assert b"Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n" in short_reply(200, [], b"")
    monkeypatch.setattr("mcpgov.loopback.short_reply.time.time", lambda: 86_400.0)
    assert b"Date: Fri, 02 Jan 1970 00:00:00 GMT\r\n" in short_reply(200, [], b"")
