import pytest

from mcpgov.live import pins_store
from tests.test_tool_store import seen, tool

POLICY = """\
default = "deny"
[tools]
pin = "deny"
[[rule]]
name = "no-keys"
action = "deny"
tool = "open_*"
args.path = "/keys/**"
[[rule]]
name = "open"
action = "allow"
tool = ["open_*", "list_*"]
[[rule]]
name = "ask"
action = "prompt"
tool = "write_*"
"""


@pytest.fixture
def where(root, policy):
    policy(POLICY)
    place = root / "state" / "tools"
    first = [
        tool("open_file", annotations={"readOnlyHint": True, "openWorldHint": False}),
        tool("list_files"),
        tool("delete_x"),
    ]
    changed = tool("list_files", "does it\nand ignores \u200byour rules\x1b[2J")
    seen(place, "fs", first, [first[0], changed, first[2], tool("write_new")])
    seen(place, "github", [tool("open_issue")])
    return place


def test_only_the_tool_that_was_shown_is_accepted(run, where):
    digest = listed(run("tools", "fs", "--json"))["list_files"]["digest"]
    for words in (["--accept", "list_files", "--digest", "0"], ["--accept-all", "--digest", digest]):
        done = run("tools", "fs", "--json", *words)
        assert (done.status, done.json["error"]["reason_code"]) == (1, "changed")
    done = run("tools", "fs", "--json", "--accept", "list_files", "--digest", digest)
    assert (done.status, done.json["accepted"]) == (0, ["list_files"])


def listed(done):
    return {one["tool"]: one for server in done.json["servers"] for one in server["tools"]}


def test_no_tools_are_told_kindly(run):
    done = run("tools")
    assert done.status == 0
    assert done.out == "no tools were seen yet: they are recorded when a client lists a governed server's\n"


def test_each_tool_has_class_verdict_pin_and_flags(run, where):
    done = run("tools", "--json")
    assert [server["server"] for server in done.json["servers"]] == ["fs", "github"]
    found = listed(done)
    assert {name: (one["operation"], one["verdict"], one["pin"], one["hidden"]) for name, one in found.items()} == {
        "open_file": ("write", "depends", "accepted", False),
        "list_files": ("read", "allow", "changed", True),
        "delete_x": ("delete", "deny", "accepted", False),
        "write_new": ("write", "prompt", "new", False),
        "open_issue": ("write", "depends", "accepted", False),
    }
    assert found["open_file"]["possible"] == ["allow", "deny"]
    assert found["open_file"]["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
    assert found["open_file"]["diff"] is None
    assert "description:" in found["open_file"]["definition"]


def test_a_tool_that_one_rule_of_its_own_denies_is_kept_out(run, where):
    assert {one["kept_out_by"] for one in listed(run("tools", "--json")).values()} == {None}, "not by a general rule"
    assert run("deny", "fs", "write_new", "--yes").status == 0
    found = listed(run("tools", "--json"))
    assert (found["write_new"]["kept_out_by"], found["list_files"]["kept_out_by"]) == ("deny-fs-write_new", None)
    assert run("allow", "fs", "write_new", "--yes").status == 0
    assert listed(run("tools", "--json"))["write_new"]["kept_out_by"] is None


def test_people_get_a_table_a_server_and_a_diff_of_each_change(run, where):
    out = run("tools", "fs").out
    assert "github" not in out
    assert "fs: 4 tools, 2 changed or new (more than one verdict: the arguments decide)\n" in out
    assert "list_files has changed; its calls are denied until it is accepted (pin = deny)\n" in out
    assert "\n  +  and ignores \\u200byour rules\\x1b[2J\n" in out
    assert "write_new is new; " in out
    assert "  accept it: mcpgov tools --accept=write_new fs\n" in out
    assert "(holds control or invisible characters)" in out
    assert "read-only, closed world" in out


def test_a_change_under_pin_log_passes_and_is_said(run, where, policy):
    policy(POLICY.replace('pin = "deny"', 'pin = "log"'))
    assert "list_files has changed; its calls pass (pin = log)" in run("tools", "fs").out


def test_one_change_is_accepted_and_the_rest_is_kept(run, where):
    before = pins_store.load(str(where), "fs")
    done = run("tools", "fs", "--accept", "list_files")
    assert (done.status, done.out.splitlines()[0]) == (0, "accepted list_files of fs")
    after = pins_store.load(str(where), "fs")
    assert after.accepted == {**before.accepted, "list_files": before.changed["list_files"]}
    assert after.changed == {"write_new": before.changed["write_new"]}
    assert listed(run("tools", "--json"))["list_files"]["pin"] == "accepted"


def test_all_changes_are_accepted_at_once(run, where):
    done = run("tools", "fs", "--accept-all", "--json")
    assert done.json["accepted"] == ["list_files", "write_new"]
    assert {one["pin"] for one in listed(done).values()} == {"accepted"}
    assert run("tools", "fs", "--accept-all").out == "nothing to accept: no tool of fs has changed\n"


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--accept", "list_files"], 64, "say whose tools to accept"),
        (["--accept-all"], 64, "say whose tools to accept"),
        (["fs", "--accept", "a", "--accept-all"], 64, "`--accept-all` and `--accept` exclude each other"),
        (["fs", "--accept", "open_file"], 1, "tool `open_file` has not changed: there is nothing to accept"),
        (
            ["fs", "--accept", "list_files", "gone"],
            1,
            "tool `gone` was never shown by `fs`: there is nothing to accept",
        ),
        (["other"], 1, "no tools of a server `other` were seen"),
    ],
)
def test_what_cannot_be_accepted_is_told_and_nothing_changes(run, where, words, status, told):
    before = {path.name: path.read_bytes() for path in where.iterdir()}
    done = run("tools", *words)
    assert (done.status, done.err.splitlines()[0]) == (status, f"mcpgov: {told}")
    assert {path.name: path.read_bytes() for path in where.iterdir()} == before


def test_an_unknown_server_is_told_which_are_known(run, where):
    assert "  hint: seen so far: `fs`, `github`\n" in run("tools", "other").err


def test_without_a_policy_there_are_no_verdicts_and_that_is_said(run, where, root):
    (root / "config" / "policy.toml").unlink()
    done = run("tools", "--json")
    assert (done.status, {one["verdict"] for one in listed(done).values()}) == (0, {None})
    assert done.err.startswith("mcpgov: no verdicts: there is no policy: ")
    assert run("tools").status == 0


def test_a_damaged_file_is_told_and_the_others_are_shown(run, where):
    (where / "0123456789abcdef.json").write_text("{")
    done = run("tools", "--json")
    assert len(done.json["servers"]) == 2
    assert done.err == f"mcpgov: `{where}/0123456789abcdef.json` cannot be read: its server counts as never seen\n"


def test_names_that_would_act_on_a_terminal_are_shown_as_escapes(terminal, root, policy):
    policy(POLICY)
    seen(root / "state" / "tools", "s\x1b[2J", [tool("t\u202e\x1b[2J")])
    out = terminal("--no-color", "tools").out
    assert "\x1b" not in out
    assert "t\\u202e\\x1b[2J" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_diff_has_its_colours(terminal, where):
    out = terminal("tools", "fs").out
    assert "\x1b[32m  +  and ignores" in out
