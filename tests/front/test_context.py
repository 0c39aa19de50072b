import os
import signal

import pytest

from mcpgov.configs.entry import EntryForm
from mcpgov.configs.files.entry_history import EntryHistory
from mcpgov.core.rules.call import call_of
from mcpgov.errors import PolicyError, UnsafeFileError
from mcpgov.front.context import Context

DENY_X = '[[rule]]\nname = "no-x"\naction = "deny"\ntool = "x"\n'
ALLOW = '[[rule]]\nname = "yes"\naction = "allow"\ntool = "*"\n'


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
    return path


def tool(name, project=""):
    return call_of("tools/call", {"name": name}, "s", "", project)


def verdict(context, call):
    decision = context.rules().decide(call)
    return decision.action, decision.rule


def test_the_policy_is_the_argument_else_the_setting_else_the_file_in_the_config_directory(root, home, monkeypatch):
    assert Context(str(root)).policy_path(None) == root / "config" / "policy.toml"
    assert Context(str(root)).policy_path("~/mine.toml") == home / "mine.toml"
    write(root / "config" / "settings.toml", 'policy = "team.toml"\n')
    assert Context(str(root)).policy_path(None) == root / "config" / "team.toml"
    monkeypatch.setenv("MCPGOV_POLICY", "~/env.toml")
    assert Context(str(root)).policy_path(None) == home / "env.toml"


def test_managed_rules_come_first(root, policy):
    policy(ALLOW)
    write(root / "managed" / "policy.toml", DENY_X)
    context = Context(str(root))
    assert verdict(context, tool("x")) == ("deny", "no-x")
    assert verdict(context, tool("y")) == ("allow", "yes")


def test_a_managed_policy_is_enough(root):
    write(root / "managed" / "policy.toml", ALLOW)
    assert verdict(Context(str(root)), tool("x")) == ("allow", "yes")


def test_a_managed_policy_that_is_a_broken_link_is_not_taken_for_absent(root, policy):
    policy(ALLOW)
    (root / "managed").mkdir()
    (root / "managed" / "policy.toml").symlink_to(root / "nowhere")
    with pytest.raises(PolicyError, match=r"cannot read `.*managed/policy.toml`: no such file"):
        Context(str(root)).rules()


def test_a_user_policy_that_is_a_broken_link_is_not_taken_for_absent(root):
    write(root / "managed" / "policy.toml", ALLOW)
    (root / "config" / "policy.toml").symlink_to(root / "nowhere")
    with pytest.raises(PolicyError, match=r"cannot read `.*config/policy.toml`: no such file"):
        Context(str(root)).rules()


def test_a_managed_policy_that_cannot_be_asked_about_stops_everything(root, policy):
    policy(ALLOW)
    (root / "managed").symlink_to("managed")
    with pytest.raises(PolicyError, match=r"cannot read `.*managed/policy.toml`: too many levels"):
        Context(str(root)).rules()


def test_no_policy_at_all_says_how_to_get_one(root):
    with pytest.raises(PolicyError) as caught:
        Context(str(root)).rules()
    assert str(caught.value) == f"there is no policy: `{root}/config/policy.toml` does not exist"
    assert caught.value.hint == "mcpgov policy init"


def test_a_policy_others_can_write_is_refused(root, policy):
    policy(ALLOW).chmod(0o666)
    with pytest.raises(UnsafeFileError, match="can be written by everybody"):
        Context(str(root)).rules()


def test_a_project_policy_narrows_and_never_widens(root, policy, tmp_path):
    policy(ALLOW)
    project = tmp_path / "project"
    write(project / ".mcpgov.toml", DENY_X)
    context = Context(str(root))
    assert verdict(context, tool("x", str(project))) == ("deny", "no-x")
    assert verdict(context, tool("y", str(project))) == ("allow", "yes")
    assert verdict(context, tool("x", str(tmp_path))) == ("allow", "yes")


def test_our_own_places_and_the_policy_in_use_cannot_be_written_by_a_call(root, home, policy, tmp_path):
    policy(ALLOW)
    outside = write(tmp_path / "team.toml", ALLOW)
    rules = Context(str(root)).rules(str(outside))
    guarded = [
        root / "config" / "policy.toml",
        root / "state" / "anything",
        root / "bin" / "mcpgov-proxy",
        root / "managed" / "policy.toml",
        home / ".config/systemd/user/mcpgov.service",
        home / ".claude.json",
        outside,
    ]
    calls = [call_of("tools/call", {"name": "write_file", "arguments": {"path": str(path)}}, "fs") for path in guarded]
    assert {rules.decide(call).rule for call in calls} == {"mcpgov:protect"}
    other = call_of("tools/call", {"name": "write_file", "arguments": {"path": str(home / "notes.txt")}}, "fs")
    assert rules.decide(other).rule == "yes"


def test_a_policy_inside_the_config_directory_is_not_listed_twice(root):
    context = Context(str(root))
    listed = context.protected(context.policy_path(None))
    assert len(listed) == len(set(listed))
    assert os.fspath(root / "config") in listed


def test_a_config_in_an_unusual_place_is_protected_once_a_server_was_found_in_it(root, home, policy):
    policy(ALLOW)
    moved = home / "elsewhere" / ".claude.json"
    EntryHistory(root / "state").look(0.0, "claude-code", str(moved), {("mcpServers", "a"): EntryForm("json", "{}")})
    assert str(moved) in Context(str(root)).protected(root / "config" / "policy.toml")


def test_colours_are_what_the_settings_say_and_automatic_where_they_say_nothing_that_can_be_used(root):
    assert Context(str(root)).color == "auto"
    write(root / "config" / "settings.toml", 'color = "never"')
    assert Context(str(root)).color == "never"
    write(root / "config" / "settings.toml", 'color = "never"\nclients = 5')
    assert Context(str(root)).color == "auto"


# --- what somebody plants among our own files holds up no command and breaks none

PLANTED = {
    "pipe": os.mkfifo,
    "directory": os.mkdir,
    "device": lambda path: os.symlink("/dev/zero", path),
    "deep": lambda path: path.write_text("[" * 200_000),
    "odd": lambda path: path.write_text('{"a": {"b": [1]}, "entries": [1], "x": null}'),
}
READERS = ["status", "doctor", "audit show", "audit verify", "why a-1", "tools", "history", "restore x", "daemon logs"]
FILES = [
    "config/settings.toml", "config/policy.toml", "state/compiled/current-0.1.0.json", "state/history/log.jsonl",
    "state/history/now.json", "state/journal/2026-11-16.jsonl", "state/heads/2026-11-16.jsonl", "state/tools/x.json",
    "state/daemon/entries.json", "state/log/daemon.jsonl", "state/backups/made.json", "run/daemon.lock",
    "bin/mcpgov-proxy",
]  # fmt: skip


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("file", FILES)
def test_what_is_planted_among_our_files_is_told_or_passed_over(run, root, file, plant):
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    plant(path)

    def late(_number, _frame):
        raise AssertionError(f"`{words}` hangs at {file}")

    before = signal.signal(signal.SIGALRM, late)
    try:
        for words in READERS:
            signal.alarm(10)
            done = run(*words.split())  # a traceback would be raised here
            assert done.status in (0, 1, 3, 4), words
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
