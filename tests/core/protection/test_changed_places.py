"""Which protected place a call would change, in many spellings; and the ordinary work that must pass."""

import pytest

from mcpgov.core.decision import StepLimitExceeded
from tests.helpers import more_calls
from tests.helpers import protection as calls

KNOWN = "/home/u/work/p"


@pytest.mark.parametrize(("tool", "args"), [*calls.OTHERS, *more_calls.STOPPED])
def test_a_call_that_may_change_what_governs_it_is_stopped_in_any_spelling(tool, args):
    assert calls.touched(tool, args)


@pytest.mark.parametrize(("tool", "args"), [*calls.ORDINARY, *more_calls.ORDINARY])
def test_ordinary_work_passes(tool, args):
    assert calls.touched(tool, args) == ""


def test_more_than_can_be_told_apart_is_stopped():
    with pytest.raises(StepLimitExceeded):
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


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("delete_file", {"root": KNOWN, "path": "a"}),
        ("delete_branch", {"directory": KNOWN, "branch": "x"}),
        ("rename_symbol", {"root": KNOWN, "old": "a", "new": "b"}),
        ("replace_all", {"path": KNOWN, "old": "a", "new": "b"}),
        ("git_clean", {"path": KNOWN}),
        ("extract_archive", {"archive": "/tmp/a.zip", "destination": KNOWN}),
        ("download_file", {"url": "https://x/a.zip", "directory": KNOWN}),
        calls.sh(f"cd {KNOWN} && rm -rf dist && npm i"),
        calls.sh(f"chmod -R u+w {KNOWN}"),
        calls.sh(f"mv /tmp/a {KNOWN}/"),
        calls.sh(f"find {KNOWN} -name '*.pyc' -delete"),
    ],
)
def test_work_in_a_project_with_servers_of_its_own_passes(tool, args):
    assert calls.touched(tool, args, [*calls.PLACES, f"{KNOWN}/.mcp.json"]) == ""


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("move_file", {"source": KNOWN, "destination": "/tmp/x"}),
        ("delete_directory", {"path": KNOWN}),
        ("create_symlink", {"target": KNOWN, "link": "/tmp/x"}),
        calls.sh(f"rm -rf {KNOWN}"),
        calls.sh(f"mv {KNOWN} x"),
        calls.sh(f"ln -s {KNOWN} x"),
    ],
)
def test_the_directory_of_a_known_project_is_not_taken_away(tool, args):
    assert calls.touched(tool, args, [*calls.PLACES, f"{KNOWN}/.mcp.json"])


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("tar", {"args": ["-xf", "/tmp/a.tar", "-C", "/home/u/.claude"]}),
        ("run_tar", {"args": "-xf /tmp/a.tar -C /home/u/.claude"}),
        ("cp", {"args": ["-r", "/tmp/.claude", "/home/u"]}),
        ("git", {"args": ["-C", "/home/u/.claude", "clean", "-fd"]}),
        ("find", {"options": ["/home/u/.claude", "-delete"]}),
    ],
)
def test_a_tool_named_after_a_program_is_judged_by_its_command_line(tool, args):
    assert calls.touched(tool, args)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("find", {"args": ["/home/u/.claude", "-name", "x"]}),
        ("tar", {"args": ["-cf", "/tmp/a.tar", "/proj"]}),
        ("git", {"args": ["-C", "/proj", "status"]}),
    ],
)
def test_a_programs_harmless_command_line_passes(tool, args):
    assert calls.touched(tool, args) == ""
