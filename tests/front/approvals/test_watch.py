"""The loop itself is driven through a terminal in tests/front/commands/test_approvals.py."""

import pytest

from mcpgov.front.approvals.watch import _pressed, _wrapped
from mcpgov.front.output.grid import plain
from mcpgov.front.result import Line


@pytest.mark.parametrize(
    ("raw", "keys"),
    [(b"y", "y"), (b"jk", "jk"), (b"\x1b[A", "k"), (b"\x1b[B\x1bOB", "jj"), (b"\x1by", ""), (b"\x1b[3~", ""),
     (b"yes to all of it", ""), (b"\xff", "\ufffd")],
)  # fmt: skip
def test_what_is_pasted_or_sent_by_special_keys_means_nothing(raw, keys):
    assert _pressed(raw) == keys


def test_a_long_line_of_a_rule_keeps_its_indent_and_loses_nothing():
    rows = [plain(row) for row in _wrapped(Line("  when = '" + "x" * 60 + "'"), 40)]
    assert all(row.startswith("  ") for row in rows)
    assert "".join(row.strip() for row in rows).count("x") == 60
