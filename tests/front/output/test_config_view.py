import time
from argparse import ArgumentParser
from dataclasses import replace

import pytest

from mcpgov.configs.config_pass import BUSY, CHANGED, FAILED, UNCHANGED, FileResult
from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.result import Cell, Line

STATE = EntryState("cursor", "/f", ("mcpServers", "fs"), "fs", "stdio", "native", "not wrapped", ("npx",))
LINES = "".join(f"line {at}\n" for at in range(40))


def entry(name, result, reason=""):
    return EntryResult(("mcpServers", name), name, result, reason)


def result(kind, *entries, reason="", client="cursor", **more):
    return FileResult(client, "/f", kind, reason, entries, **more)


def texts(blocks):
    return [block.text for block in blocks]


def edit(text, old, new):
    at = text.index(old)
    return at, at + len(old), new


def choose(root, *words):
    parser = ArgumentParser()
    config_view.add_choice(parser, names="these")
    return config_view.chosen(parser.parse_args(words), Context(str(root)))[1]


def test_files_are_those_of_the_enabled_clients_or_of_the_named_ones(root, home):
    assert [source.client.name for source in choose(root)] == ["claude-desktop", "claude-code", "cursor"]
    (root / "config" / "settings.toml").write_text(f'configs = ["{home}/x.json"]\n')
    assert [source.client.name for source in choose(root)][3:] == ["other"]
    assert [source.client.name for source in choose(root, "--client", "gemini")] == ["gemini"]


def test_a_config_by_hand_is_any_file_that_is_there(root, home, monkeypatch):
    monkeypatch.chdir(home)
    for name in ("x.conf", ".mcp.json"):
        (home / name).write_text("{}")
    assert [source.file for source in choose(root, "--config", "./a/../x.conf", "--config", "~/x.conf")] == [
        home / "x.conf"
    ]
    (source,) = choose(root, "--config", ".mcp.json", "--client", "cursor")
    assert (source.client.name, source.file) == ("cursor", home / ".mcp.json")
    with pytest.raises(McpgovError, match=r"there is no file `.*/none`"):
        choose(root, "--config", "none")
    with pytest.raises(UsageError, match="one `--client` at most"):
        choose(root, "--config", ".mcp.json", "--client", "cursor", "--client", "codex")


def test_a_name_that_nobody_has_is_a_mistake_with_a_hint():
    known = replace(result(UNCHANGED), states=(STATE,))
    config_view.check_names(["fs"], [known])
    for name, results, hint in [
        ("fss", [known], "did you mean `fs`?"),
        ("zebra", [known], "mcpgov servers"),
        ("zebra", [known, result(BUSY, reason="half")], "`/f`: half"),
    ]:
        with pytest.raises(McpgovError, match=f"no client has a server `{name}`") as caught:
            config_view.check_names([name], results)
        assert caught.value.hint == hint


def test_the_json_shapes_are_those_of_the_contract():
    assert config_view.file_data(result(BUSY, entry("fs", "wrapped", "note"), reason="half")) == {
        "client": "cursor",
        "file": "/f",
        "result": "error",
        "reason": "half",
        "reason_code": "",
        "entries": [
            {"path": ["mcpServers", "fs"], "name": "fs", "result": "wrapped", "reason": "note", "reason_code": ""}
        ],
    }
    assert config_view.state_data(STATE) == {
        "client": "cursor",
        "file": "/f",
        "path": ["mcpServers", "fs"],
        "name": "fs",
        "transport": "stdio",
        "state": "native",
        "restart": False,
        "reason": "not wrapped",
        "reason_code": "",
    }


def test_the_exit_code_is_the_worst_of_the_files_that_failed():
    assert config_view.exit_code([result(CHANGED), result(UNCHANGED)]) == 0
    assert config_view.exit_code([result(BUSY, code=1), result(FAILED, code=4), result(CHANGED)]) == 4


def test_a_refusal_keeps_reason_hint_and_exit_code():
    error = config_view.refused("not added", result(FAILED, reason="read-only", code=4, hint="chmod"))
    assert (str(error), error.hint, error.exit_code, McpgovError.exit_code) == ("not added: read-only", "chmod", 4, 1)


def test_people_see_what_was_done_what_was_left_and_why():
    done = result(
        CHANGED, entry("fs", "wrapped"), entry("dock", "wrapped", "docker"), entry("web", "skipped", "remote")
    )
    left = result(UNCHANGED, entry("web", "skipped", "remote"), entry("quiet", "skipped"), client="other")
    failed = result(FAILED, reason="read-only", hint="chmod")
    view = config_view.lines([done, left, failed], dry=False, nothing="")
    assert view == [
        Line("Cursor  /f", "strong"),
        Line("fs: wrapped", "good"),
        Line("dock: wrapped (docker)", "good"),
        Line("Cursor  /f: web: left as it is: remote", "warning"),
        Line("another client  /f: web: left as it is: remote", "warning"),
        Line("Cursor  /f: left as it is: read-only", "bad"),
        Line("  hint: chmod", "faint"),
    ]
    assert config_view.lines([left], dry=False, nothing="nothing", names=["fs"]) == [Line("nothing", "good")]
    assert len(config_view.lines([left], dry=False, nothing="nothing", names=["web"])) == 1


def test_a_dry_run_says_would_and_shows_the_change():
    text = "a\nb\n"
    dry = result(CHANGED, entry("fs", "unwrapped"), before=text, edits=((2, 3, "c"),))
    assert config_view.lines([dry], dry=True, nothing="") == [
        Line("Cursor  /f", "strong"),
        Line("fs: would be unwrapped", ""),
        Line("@@ line 1 @@", "faint"),
        Line(" a", ""),
        Line("-b", "deny"),
        Line("+c", "allow"),
    ]


def test_a_diff_joins_what_is_near_and_parts_what_is_far():
    edits = [edit(LINES, "line 2\n", "X\n"), edit(LINES, "line 5", "Y\nZ"), edit(LINES, "line 39", "END")]
    assert texts(config_view.diff(LINES, edits)) == [
        *("@@ line 1 @@", " line 0", " line 1", "-line 2", "+X", " line 3", " line 4", "-line 5", "+Y", "+Z"),
        *(" line 6", " line 7", " line 8"),
        *("@@ line 37 @@", " line 36", " line 37", " line 38", "-line 39", "+END"),
    ]


def test_a_diff_shows_line_ends_of_any_kind_and_texts_without_one():
    assert texts(config_view.diff("a\r\nb\r\nc", [(3, 4, "X\r\nY")])) == [
        *("@@ line 1 @@", " a", "-b", "+X", "+Y", " c"),
    ]
    assert texts(config_view.diff("a", [(0, 1, "b")])) == ["@@ line 1 @@", "-a", "+b"]
    assert texts(config_view.diff("a b", [(0, 1, "x"), (2, 3, "y")])) == ["@@ line 1 @@", "-a b", "+x y"]


def test_of_a_very_long_line_the_part_that_changes_is_shown():
    text = "first\n" + "x" * 5000 + "OLD" + "y" * 5000 + "\nlast " + "z" * 500
    shown = texts(config_view.diff(text, [edit(text, "OLD", "NEW")]))
    lead, tail = "…" + "x" * config_view.REACH, "y" * config_view.REACH + "…"
    assert shown[-2:] == [f"-{lead}OLD{tail}", f"+{lead}NEW{tail}"]
    assert (shown[0], len(shown)) == ("@@ line 2 @@", 3)
    shown = texts(config_view.diff("OLD\n" + "z" * 900 + "\n", [(0, 3, "NEW")]))
    assert shown[-1] == " " + "z" * (config_view.WIDEST - 40) + " … " + "z" * 20


def test_a_diff_of_a_large_file_looks_at_the_changes_alone():
    block = '  {\n    "history": [\n' + '      "short",\n' * 200 + "    ]\n  },\n"
    text = "HERE\n" + block * 2000 + "THERE\n"
    began = time.process_time()
    shown = texts(config_view.diff(text, [edit(text, "HERE", "A"), edit(text, "THERE", "B")]))
    assert time.process_time() - began < 3
    assert [line for line in shown if line[0] in "-+"] == ["-HERE", "+A", "-THERE", "+B"]
    assert shown[-6:-2] == [f"@@ line {2 + 2000 * 204 - 3} @@", '       "short",', "     ]", "   },"]


def test_a_choice_without_names_is_one_of_files():
    parser = ArgumentParser()
    config_view.add_choice(parser)
    assert vars(parser.parse_args([])) == {"client": [], "config": []}


def test_states_have_their_colours():
    assert config_view.state_cell("governed") == Cell("governed", "allow")
    assert config_view.state_cell("disabled") == Cell("disabled", "faint")


def test_work_is_done_again_where_another_program_was_writing_and_what_is_done_is_not_waited_for():
    told = {
        "still": [result(UNCHANGED)],
        "done": [result(CHANGED, reason="first")],
        "busy": [result(BUSY), result(CHANGED, reason="second"), result(UNCHANGED)],
        "always": [result(BUSY), result(BUSY), result(BUSY, reason="last")],
        "broke": [result(BUSY), result(FAILED, reason="broke")],
    }
    waited = []
    found = config_view.settled([iter(rows).__next__ for rows in told.values()], waited.append, (0.05, 0.5))
    assert [(one.result, one.reason) for one in found] == [
        (UNCHANGED, ""),
        (CHANGED, "first"),
        (CHANGED, "second"),
        (BUSY, "last"),
        (FAILED, "broke"),
    ]
    assert waited == [0.05, 0.5]
    for kind in (UNCHANGED, CHANGED, FAILED):
        assert config_view.settled([iter([result(kind)]).__next__], waited.append) == [result(kind)]
    assert waited == [0.05, 0.5]


def test_who_has_no_policy_is_told_when_something_changed(root, policy):
    context = Context(str(root))
    assert config_view.policy_notes(context, [result(UNCHANGED)]) == []
    assert config_view.policy_notes(context, [result(CHANGED)]) == [config_view.NO_POLICY]
    policy('default = "deny"\n')
    assert config_view.policy_notes(Context(str(root)), [result(CHANGED)]) == []
