import pytest

from mcpgov.errors import McpgovError, PolicyError, SettingsError, UnsafeFileError, UsageError, nearest, reason_of


@pytest.mark.parametrize(
    ("kind", "status"),
    [(McpgovError, 1), (PolicyError, 3), (SettingsError, 3), (UnsafeFileError, 4), (UsageError, 64)],
)
def test_every_kind_of_error_has_its_exit_status(kind, status):
    error = kind("what happened", hint="what to type")
    assert (error.exit_code, str(error), error.hint) == (status, "what happened", "what to type")
    assert isinstance(error, McpgovError)


def test_a_hint_is_not_needed():
    assert McpgovError("x").hint == ""


def test_a_system_error_is_told_in_lower_case():
    assert reason_of(OSError(28, "No space left on device")) == "no space left on device"
    assert reason_of(OSError("Odd")) == "odd"


def test_a_mistyped_word_finds_the_nearest_known_one():
    assert nearest("staus", ["status", "servers"]) == "status"
    assert nearest("zzz", ["status", "servers"]) == ""
