"""What a key tells of the value behind it."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.screening import key_context
from mcpgov.guards.screening.key_context import KeyContext

DETECTOR = Detector()


@pytest.mark.parametrize(
    ("key", "value", "kinds"),
    [("ssn", "219098765", ["ssn"]), ("phone", "4155550132", ["phone"]), ("size", "4155550132", []),
     ("", "4155550132", []), ("phone", "41555", []), ("phone", "4" * 60, [])],
)  # fmt: skip
def test_digits_are_what_their_key_says(key, value, kinds):
    found = KeyContext(DETECTOR).find(key, value)
    assert [(one.kind, value[one.start : one.end]) for one in found] == [(kind, value) for kind in kinds]


def test_a_key_is_asked_about_once(monkeypatch):
    context, asked = KeyContext(DETECTOR), []
    monkeypatch.setattr(KeyContext, "_behind", lambda self, key, value: asked.append(value) or [])
    assert not context.explains("row")
    assert not context.explains("row")
    assert asked == list(key_context.DIGITS)


def test_only_so_many_keys_are_kept(monkeypatch):
    monkeypatch.setattr(key_context, "MOST_NAMES", 1)
    context = KeyContext(DETECTOR)
    assert [context.explains(key) for key in ("ssn", "phone", "size", "phone")] == [True, True, False, True]
    assert list(context._known) == ["ssn"]
