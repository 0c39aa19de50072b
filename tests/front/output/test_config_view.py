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


def entry(name, result, reason=""):
    return EntryResult(("mcpServers", name), name, result, reason)


def result(kind, *entries, reason="", client="cursor", **more):
    return FileResult(client, "/f", kind, reason, entries, **more)


def choose(root, *words):
    parser = ArgumentParser()
    config_view.add_choice(parser, names="these")
    return config_view.chosen_sources(parser.parse_args(words), Context(str(root)))[1]


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
        "upstream": "",
        "state": "native",
        "restart": False,
        "reason": "not wrapped",
        "reason_code": "",
    }


def test_the_exit_code_is_the_worst_of_the_files_that_failed():
    assert config_view.exit_code([result(CHANGED), result(UNCHANGED)]) == 0
    assert config_view.exit_code([result(BUSY, code=1), result(FAILED, code=4), result(CHANGED)]) == 4


def test_a_refusal_keeps_reason_hint_and_exit_code():
    error = config_view.refusal("not added", result(FAILED, reason="read-only", code=4, hint="chmod"))
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
    found = config_view.with_retries([iter(rows).__next__ for rows in told.values()], waited.append, (0.05, 0.5))
    assert [(one.result, one.reason) for one in found] == [
        (UNCHANGED, ""),
        (CHANGED, "first"),
        (CHANGED, "second"),
        (BUSY, "last"),
        (FAILED, "broke"),
    ]
    assert waited == [0.05, 0.5]
    for kind in (UNCHANGED, CHANGED, FAILED):
        assert config_view.with_retries([iter([result(kind)]).__next__], waited.append) == [result(kind)]
    assert waited == [0.05, 0.5]


def test_who_has_no_policy_is_told_when_something_changed(root, policy):
    context = Context(str(root))
    assert config_view.policy_notes(context, [result(UNCHANGED)]) == []
    assert config_view.policy_notes(context, [result(CHANGED)]) == [config_view.NO_POLICY]
    policy('default = "deny"\n')
    assert config_view.policy_notes(Context(str(root)), [result(CHANGED)]) == []
