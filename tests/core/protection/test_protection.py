"""Built-in protection: what governs cannot be changed through what it governs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.audit import audit_preview as previews
from mcpgov.core.protection.protection import Protection
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import MANY, Reader
from tests.helpers import protection as calls
from tests.helpers.compiled import world

CONFIG, CLIENT = "/home/u/.config/mcpgov", "/home/u/.claude.json"
LINKS = {"/tmp/link": "/home/u/.config", "/home/u/.claude.json": "/dots/claude.json"}


def touched(tool, env=None, cwd="/work", **args):
    here = world(LINKS, cwd=cwd, env=env)
    call = call_of("tools/call", {"name": tool, "arguments": args})
    return Protection([CONFIG, CLIENT], here).touched(call, Reader(here))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"path": f"{CONFIG}/policy.toml"}),
        ("write_file", {"path": CONFIG}),
        ("write_file", {"path": CONFIG.upper() + "/POLICY.toml"}),
        ("write_file", {"path": "~/.config/mcpgov/x"}),
        ("write_file", {"path": "/tmp/link/mcpgov/x"}),
        ("write_file", {"path": "file:///home/u/%2econfig/mcpgov/x"}),
        ("write_file", {"path": "/dots/claude.json"}),
        ("edit_file", {"edits": [{"file": CLIENT}]}),
        ("write_files", {"files": {CLIENT: "{}"}}),
        ("move_file", {"source": "/a", "destination": CLIENT}),
        ("move_file", {"source": "/home/u/.config", "destination": "/b"}),
        ("delete_directory", {"path": "/home/u"}),
        ("delete_directory", {"path": "/"}),
        ("run_command", {"command": f"rm -rf {CONFIG}"}),
        ("run_command", {"command": "echo x >~/.claude.json"}),
        ("run_command", {"command": "sh -c 'rm \"$HOME/.claude.json\"'"}),
        ("run_command", {"command": ["tee", CLIENT]}),
        ("xyzzy", {"what": CLIENT}),
        ("browser_take_screenshot", {"filename": CLIENT}),
        ("rename_directory", {"old_name": "~/.config", "new_name": "x"}),
        ("delete_directory", {"root": "/home/u/.config"}),
        ("delete", {"name": "/home/u"}),
        ("run_command", {"command": "rm -rf ~/.config"}),
        ("run_command", {"command": 'echo x > "$HOME"/.claude.json'}),
        ("run_command", {"command": "wget -O/home/u/.claude.json x"}),
        ("run_command", {"command": "rm ~/.conf*/mcpgov/*"}),
        ("run_command", {"command": "rm ~/.claude.js?n"}),
        ("run_command", {"command": "rm /home/u/.claude.[j]son"}),
        ("run_command", {"command": "x " + " ".join(f"w{at}" for at in range(5000)) + " y"}),
        ("write_file", {"path": "/proj/.mcpgov.toml"}),
        ("write_file", {"spec": json.dumps({"path": CLIENT})}),
    ],
)
def test_a_call_that_would_change_a_protected_place_is_stopped(tool, args):
    assert touched(tool, env={"HOME": "/home/u"}, **args)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_file", {"path": f"{CONFIG}/policy.toml"}),
        ("write_file", {"path": "/home/u/.config/other"}),
        ("write_file", {"path": "/home/u/.config/mcpgov2/x"}),
        ("write_file", {"path": "/x", "content": f"the file {CLIENT} is ours"}),
        ("write_file", {"path": "/home/u"}),
        ("delete_file", {"path": "/home/u/other"}),
        ("delete_branch", {"repo_path": "/home/u", "branch": "x"}),
        ("delete_note", {"title": "home"}),
        ("run_command", {"command": "ls /home/u"}),
        ("run_command", {"command": "rm /home/u/x* -v"}),
        ("delete_file", {"path": "/home/u/other", "cwd": "/home/u"}),
        ("write_file", {}),
    ],
)
def test_what_changes_nothing_of_ours_passes(tool, args):
    assert touched(tool, **args) == ""


def passes(tool, absent=True, cwd="/work", **args):
    here = world(LINKS, cwd=cwd)
    here.absent = lambda name: absent
    call = call_of("tools/call", {"name": tool, "arguments": args})
    return Protection([CONFIG, CLIENT], here).passes(call)


def test_plain_text_that_names_no_file_passes_at_once():
    assert passes("write_note", text="hello world", count=5, on=True, nothing=None)
    assert passes("write_note")
    here = world()
    here.absent = lambda name: True
    guard, call = Protection([CONFIG], here), call_of("tools/call", {"name": "note", "arguments": {"text": "x"}})
    assert [guard.passes(call), guard.passes(call)] == [True, True]


@pytest.mark.parametrize(
    "text", ["", "/x", ".x", "a..b", "~x", "a$b", "a%b", "a\\b", "a:b", "é", "a\tb", "[1]", "'a'", "a ", "x" * 5000]
)
def test_text_that_somebody_might_read_otherwise_is_looked_at(text):
    assert not passes("write_note", text=text)


def test_text_that_may_name_a_file_is_looked_at():
    assert not passes("write_note", absent=False, text="hello")
    assert not passes("write_note", text=["hello"])
    assert not passes("write_note", cwd="/home/u", text=".claude.json")
    assert not passes("write_note", cwd=CONFIG, text="hello")


def test_what_may_run_a_command_line_is_looked_at():
    assert not passes("run_command", command="hello")
    assert not passes("note", command="hello")
    assert not passes("run_shell", text="hello")


def test_names_remembered_are_bounded():
    here = world()
    here.absent = lambda name: True
    guard = Protection([CONFIG], here)
    for at in range(600):
        assert guard.passes(call_of("tools/call", {"name": f"note_{at}", "arguments": {"text": "x"}}))
        assert guard.touched(call_of("tools/call", {"name": f"read_{at}", "arguments": {"path": CONFIG}}), None) == ""
        assert guard.touched(call_of("tools/call", {"name": f"read_{at}", "arguments": {"path": CONFIG}}), None) == ""
    assert max(len(guard._executes), len(guard._reads)) <= 512


def test_below_the_home_the_first_name_of_a_protected_place_is_looked_at():
    here = world(cwd="/home/u")
    here.absent = lambda name: True
    guard = Protection(["/home/u/data/config"], here)
    for plain in (guard.harmless, guard.leads_nowhere):
        assert not plain("data/config")
        assert plain("other/config")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/a",
        "a ",
        "x" * 121,
        "a:b",
        "a%",
        "$a",
        "a~",
        "a..b",
        "ghp_1",
        "a=b",
        "x sk-abcdefghijkl",
        "a Bearer abcd1234",
    ],
)
def test_what_may_lead_somewhere_or_is_not_to_be_shown_is_not_harmless(text):
    here = world()
    here.absent = lambda name: True
    for plain in ("plain", "a-b_c.txt", "Back to A", "k_b in a sentence"):
        assert Protection([CONFIG], here).harmless(plain)
    assert not Protection([CONFIG], here).harmless(text)


PARTS = [*previews.PREFIXES, "token", "pass", "--", "=", ":", " ", "/", ",", "abcdefghijkl", "1234", "x", "B", "?", "&"]


@given(st.one_of(st.lists(st.sampled_from(PARTS), max_size=6).map("".join), st.text(st.characters(codec="ascii"))))
def test_a_harmless_text_is_one_that_a_record_shows_as_it_is(text):
    here = world()
    here.absent = lambda name: True
    if Protection([CONFIG], here).harmless(text) or previews.needs_no_mask(text):
        masked = []
        assert (previews.preview(text, masked), masked) == (text, [])


def test_a_relative_path_is_taken_from_the_servers_directory():
    assert touched("write_file", cwd=CONFIG, path="policy.toml") == f"{CONFIG}/policy.toml"


def test_a_long_text_is_looked_at_only_where_it_may_be_a_place():
    assert touched("write_file", path="/x", content="word " * 10_000) == ""
    assert touched("write_file", path=CLIENT + "/." * 10_000)


def test_arguments_nobody_can_read_are_stopped():
    assert touched("write_file", path="[" * 100_000)
    assert touched("write_file", env={"X": "$X$X$X$X$X$X$X$X"}, path="$X")


def test_arguments_that_cannot_be_told_apart_are_no_ancestors_by_themselves():
    assert touched("move_file", env={"X": "/q"}, path=5, source="$X") == ""


NAMES = [
    "read",
    "write",
    "copy",
    "move",
    "delete",
    "link",
    "run",
    "note",
    "file",
    "path",
    "name",
    "directory",
    "output",
    "text",
    "type",
    "command",
    "to",
    "x",
]
VALUES = [
    *("src", "data", "opencode.json", "opencode", "json", "x/opencode.json", "x/.mcp.json", "a b", "-o opencode.json"),
    *("x -o .mcp.json", "--output=.mcp.json", "*.json", "data/config", "Data", "rm data", "library", "a=b", "new/x.py"),
]


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("_".join),
    st.dictionaries(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=2).map("_".join),
        st.one_of(st.sampled_from(VALUES), st.text(st.characters(codec="ascii"), max_size=12), st.integers()),
        max_size=3,
    ),
    st.sampled_from(["/proj", "/home/u", "/", ""]),
)
def test_what_the_quick_answers_let_pass_the_thorough_one_does_not_stop(tool, args, cwd):
    around = world(cwd=cwd, env={"HOME": "/home/u"})
    around.absent = lambda name: name not in ("src", "data")
    guard = Protection([*calls.PLACES, "/home/u/data/config", "/home/u/library/x"], around)
    call = call_of("tools/call", {"name": tool, "arguments": args})
    texts = [value for value in args.values() if isinstance(value, str)]
    if guard.passes(call) or (guard.passes_by_name(call) and all(map(guard.harmless, texts))):
        assert guard.touched(call, Reader(around)) == ""


def test_one_name_among_many_texts_is_found():
    many = [f"name {at}" for at in range(2 * MANY)]
    assert touched("write_rows", items=many) == ""
    assert touched("write_rows", items=[*many, "~/.claude.json"]) == touched("write_rows", items="~/.claude.json") != ""
    assert touched("write_rows", cwd="/home/u", items=[*many, ".claude.json"]) != ""


def test_what_is_fetched_from_elsewhere_may_be_kept_in_the_place_beside_it():
    assert calls.touched("get_file", {"url": "https://x/y", "path": "~/.claude.json"})
    assert calls.touched("get_file", {"path": "~/.claude.json"}) == ""


def test_the_ends_of_project_files_are_known():
    assert Protection(["*/tool.json"], world()).project_files == ("/tool.json", "/.mcpgov.toml")


# --- secrets: not even read

STATE = "/home/u/.local/state/mcpgov"
SECRET = f"{STATE}/remote"
SECRET_LINKS = {
    "/tmp/link": STATE,
    "/work/near": f"{SECRET}/tokens",
    "/tmp/own": "/proc/self/root",
    "/tmp/loop": "/tmp/loop",
}


def read_of(tool, args, guarded=(CONFIG, STATE), secrets=(SECRET,), cwd="/work"):
    here = world(SECRET_LINKS, cwd=cwd)
    guard, call = Protection([*guarded], here, [*secrets]), call_of("tools/call", {"name": tool, "arguments": args})
    found = guard.touched(call, Reader(here))
    assert not (guard.passes(call) and found)
    return found


@pytest.mark.parametrize("paths", [(CONFIG, STATE), ()])  # with the protection switched off as well
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_file", {"path": f"{SECRET}/port.json"}),
        ("read_file", {"path": f"{SECRET}/tokens/d.json"}),
        ("read_file", {"path": "/tmp/link/remote/tokens/d.json"}),
        ("read_file", {"path": "/home/u/.LOCAL/state/mcpgov/Remote/tokens/d.json"}),
        ("read_file", {"path": "/home/u/.local/state/x/../mcpgov/remote/port.json"}),
        ("read_file", {"path": "~/.local/state/mcpgov/remote/port.json"}),
        ("read_file", {"path": "near/d.json"}),
        ("read_text_file", {"path": f"file://{SECRET}/port.json"}),
        ("read_file", {"path": "/home/u/.local//state/./mcpgov/remote/port.json"}),
        ("read_file", {"path": f"/proc/self/root{SECRET}/port.json"}),
        ("read_file", {"path": f"/tmp/own{SECRET}/port.json"}),
        ("read_file", {"path": f"{STATE}/rem*/port.json"}),
        ("read_file", {"path": f"{SECRET}/port.json", "encoding": "utf-8"}),
        ("read_file", {"directory": STATE, "name": "remote/port.json"}),
        ("read_multiple_files", {"paths": ["/work/a", f"{SECRET}/port.json"]}),
        ("list_directory", {"path": SECRET}),
        ("search_files", {"path": f"{SECRET}/tokens", "pattern": "access"}),
        ("write_file", {"path": f"{SECRET}/port.json", "content": "x"}),
        ("delete_directory", {"path": SECRET}),
        ("run_command", {"command": f"cat {SECRET}/tokens/*.json"}),
    ],
)
def test_no_tool_reads_a_secret_whatever_the_policy_says(tool, args, paths):
    assert read_of(tool, args, paths)


@pytest.mark.parametrize("paths", [(CONFIG, STATE), ()])
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("read_file", {"path": f"{STATE}/journal/2026-01-01.jsonl"}),
        ("read_file", {"path": "/home/u/remote/tokens/d.json"}),
        ("read_file", {"path": "/work/.mcpgov.toml"}),
        ("read_file", {"path": "/tmp/loop/x"}),
        ("read_file", {"path": "remote/port.json"}),
        ("list_directory", {"path": "/home/u"}),
        ("search_code", {"query": "state/mcpgov/remote"}),
        ("get_issue", {"number": 7}),
        ("fetch", {"url": "https://example.com/.local/state/mcpgov/remote"}),
    ],
)
def test_what_is_no_secret_is_read_as_before(tool, args, paths):
    assert read_of(tool, args, paths) == ""


def test_without_secrets_a_tool_that_only_reads_reads_everything():
    assert read_of("read_file", {"path": f"{SECRET}/port.json"}, secrets=()) == ""


def test_a_uri_leads_to_a_secret_or_does_not():
    here = world(SECRET_LINKS)
    guard = Protection([STATE], here, [SECRET])
    uris = ("https://example.com/x", f"file://{SECRET}/port.json")
    assert guard.secret_in(uris, Reader(here)) == f"{SECRET}/port.json"
    assert guard.secret_in(uris[:1], Reader(here)) == ""
    assert Protection([STATE], here).secret_in(uris, Reader(here)) == ""


def test_with_secrets_alone_a_projects_own_policy_is_not_protected():
    assert read_of("write_file", {"path": "/work/.mcpgov.toml", "content": "x"}, ()) == ""
    assert read_of("write_file", {"path": "/work/.mcpgov.toml", "content": "x"})
