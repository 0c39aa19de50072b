"""Which protected place a call would change, in many spellings; and the ordinary work that must pass."""

import pytest

from mcpgov.core.readings import Overwork
from tests.helpers import protection as calls


@pytest.mark.parametrize(("tool", "args"), calls.OTHERS)
def test_a_call_that_may_change_what_governs_it_is_stopped_in_any_spelling(tool, args):
    assert calls.touched(tool, args)


@pytest.mark.parametrize(("tool", "args"), calls.ORDINARY)
def test_ordinary_work_passes(tool, args):
    assert calls.touched(tool, args) == ""


def test_more_than_can_be_told_apart_is_stopped():
    with pytest.raises(Overwork):
        calls.touched("copy_files", {"what": [f"/a/{at}" for at in range(2000)]})
    assert calls.touched("set_flags", {"flags": "a=b " * 5000})


def test_many_rows_beside_a_path_are_ordinary():
    many = [f"r{at}" for at in range(30_000)]
    assert calls.touched("insert_rows", {"database_path": "/proj/x.db", "rows": many}) == ""
    assert calls.touched("insert_rows", {"directory": "~", "rows": [*many, ".claude.json"]})


def test_many_directories_are_not_put_together_with_each_other():
    args = {"files": [f"/proj/{at}" for at in range(20)], "name": "x"}
    assert calls.touched("write_files", args) == ""
    assert calls.touched("write_files", {**args, "name": ".mcp.json"})


def test_a_place_named_in_three_parts_is_read_freely():
    parts = {"root": "~", "dir": ".config", "file": "mcpgov/policy.toml"}
    assert calls.touched("read_file", parts) == ""
    assert calls.touched("write_file", parts)
