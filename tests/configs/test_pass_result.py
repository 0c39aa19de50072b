from pathlib import Path

import pytest

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.files.store import FileChanged, LockHeld
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.pass_result import BUSY, FAILED, UNCHANGED, FileResult, as_result
from mcpgov.configs.text.splice import DuplicateKey, InvalidText, UnintendedChange
from mcpgov.errors import McpgovError

SOURCE = ConfigSource(BY_NAME["cursor"], Path("/f"))


def failing(error):
    def work():
        raise error

    return as_result(SOURCE, work)


@pytest.mark.parametrize(
    ("error", "result", "reason", "code", "hint", "reason_code"),
    [
        (InvalidText("half"), BUSY, "not readable at the moment: half", 1, "", "unreadable"),
        (DuplicateKey("twice"), FAILED, "twice", 4, "", "ambiguous"),
        (McpgovError("no", hint="do"), FAILED, "no", 1, "do", "failed"),
        (LockHeld("busy", hint="later"), BUSY, "busy", 1, "later", "locked"),
        (UnintendedChange("more"), FAILED, "nothing was written: more", 4, "", "unintended-change"),
        (OSError(28, "No space left on device"), FAILED, "no space left on device: `/f`", 1, "", "system-error"),
        (OSError(13, "Permission denied", "/g"), FAILED, "permission denied: `/g`", 1, "", "system-error"),
        (ZeroDivisionError("by zero"), FAILED, "not understood (ZeroDivisionError: by zero)", 1, "", "not-understood"),
    ],
)
def test_every_way_to_fail_is_a_result_that_tells(error, result, reason, code, hint, reason_code):
    assert failing(error) == FileResult("cursor", "/f", result, reason, code=code, hint=hint, reason_code=reason_code)


def test_a_file_that_moved_is_tried_again_a_few_times():
    done, tries = FileResult("cursor", "/f", UNCHANGED), []

    def work():
        tries.append(1)
        if len(tries) < 3:
            raise FileChanged("gone")
        return done

    assert (as_result(SOURCE, work), len(tries)) == (done, 3)
    assert failing(FileChanged("gone")) == FileResult(
        "cursor", "/f", BUSY, "gone", code=1, reason_code="changed-meanwhile"
    )
