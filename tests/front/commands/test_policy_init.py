import os
import stat

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.front.context import Context

CALLS = {
    "read": ("tools/call", {"name": "read_file"}),
    "write": ("tools/call", {"name": "write_file"}),
    "delete": ("tools/call", {"name": "delete_file"}),
    "execute": ("tools/call", {"name": "execute_command"}),
    "admin": ("tools/call", {"name": "grant_access"}),
    "unknown": ("tools/call", {"name": "frobnicate"}),
    "resource": ("resources/read", {"uri": "file:///x"}),
    "subscribe": ("resources/subscribe", {"uri": "file:///x"}),
    "listen": ("subscriptions/listen", {}),
    "prompt": ("prompts/get", {"name": "p"}),
    "sampling": ("sampling/createMessage", {}),
    "elicitation": ("elicitation/create", {}),
}
READS = ("read", "resource", "subscribe", "listen", "prompt")


def verdicts(root):
    rules = Context(str(root)).rules()
    return {name: rules.decide(call_of(method, params, "any")).action for name, (method, params) in CALLS.items()}


def test_the_calls_are_the_operations_they_are_named_after():
    for name in ("read", "write", "delete", "execute", "admin", "unknown"):
        assert call_of(*CALLS[name], "any").operation == name


def test_audit_allows_and_logs_everything(run, root):
    assert run("policy", "init", "--profile", "audit").status == 0
    assert set(verdicts(root).values()) == {"log"}


def test_balanced_allows_reading_and_writing_and_asks_for_the_rest(run, root):
    assert run("policy", "init").status == 0
    assert verdicts(root) == {name: "allow" if name in (*READS, "write") else "prompt" for name in CALLS}


def test_strict_allows_reading_only(run, root):
    assert run("policy", "init", "--profile", "strict").status == 0
    assert verdicts(root) == {name: "allow" if name in READS else "deny" for name in CALLS}


@pytest.mark.parametrize("profile", ["audit", "balanced", "strict"])
def test_a_starter_policy_has_neither_errors_nor_warnings(run, profile):
    run("policy", "init", "--profile", profile)
    assert run("policy", "check", "--json").json["problems"] == []


def test_the_file_is_private_and_its_place_is_told(run, root):
    done = run("policy", "init")
    path = root / "config" / "policy.toml"
    assert done.out == f"wrote the balanced policy to {path}\nsee it with `mcpgov policy show`\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_json_names_profile_file_and_what_was_kept(run, root):
    assert run("policy", "init", "--json", "--profile", "strict").json == {
        "version": 1, "command": "policy init", "ok": True, "profile": "strict",
        "file": f"{root}/config/policy.toml", "kept": None,
    }  # fmt: skip


def test_an_existing_policy_is_not_overwritten(run, policy):
    path = policy("# mine\n")
    done = run("policy", "init")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"mcpgov: `{path}` exists already\n  hint: see it with `mcpgov policy show`; --force ")
    assert path.read_text() == "# mine\n"


def test_force_keeps_every_old_policy_beside_the_new_one(run, policy, root):
    path = policy("# first\n")
    assert f"the old one is now {path}.old\n" in run("policy", "init", "--force").out
    assert run("policy", "init", "--force", "--json").json["kept"] == f"{path}.old.2"
    assert (root / "config" / "policy.toml.old").read_text() == "# first\n"


def test_a_link_is_never_followed(run, root, tmp_path):
    target = tmp_path / "target"
    link = root / "config" / "policy.toml"
    link.symlink_to(target)
    assert run("policy", "init").status == 1
    assert run("policy", "init", "--force").status == 0
    assert not target.exists()
    assert not link.is_symlink()
    assert os.readlink(f"{link}.old") == str(target)


def test_the_policy_can_be_written_elsewhere_or_to_stdout(run, tmp_path, root):
    other = tmp_path / "team.toml"
    done = run("policy", "init", "--output", other)
    assert done.out.endswith(f"see it with `mcpgov policy show --policy {other}`\n")
    assert run("policy", "init", "--output", "-").out == other.read_text()
    assert not (root / "config" / "policy.toml").exists()


def test_the_profile_and_the_place_come_from_the_settings(run, root):
    (root / "config" / "settings.toml").write_text('profile = "strict"\npolicy = "mine.toml"\n')
    found = run("policy", "init", "--json").json
    assert (found["profile"], found["file"]) == ("strict", f"{root}/config/mine.toml")


def test_a_rules_json_in_use_is_not_silently_put_out_of_use(run, root):
    rules, new = root / "config" / "rules.json", root / "config" / "policy.toml"
    rules.write_text("{}")
    done = run("policy", "init")
    assert (done.status, new.exists()) == (1, False)
    assert f"`mcpgov policy import {rules} --output {new}` carries its rules over" in done.err
    assert run("policy", "init", "--force").status == 0
    assert (rules.read_text(), new.exists()) == ("{}", True)


def test_a_toml_policy_is_not_written_into_a_json_file(run, tmp_path):
    done = run("policy", "init", "--output", tmp_path / "p.json")
    assert (done.status, list(tmp_path.glob("*.json"))) == (64, [])
    assert done.err.startswith("mcpgov: a starter policy is TOML, and `p.json` would be read as JSON\n")


def test_broken_settings_are_told_before_anything_is_written(run, root, tmp_path):
    (root / "config" / "settings.toml").write_text("colour = 1\n")
    assert run("policy", "init", "--profile", "audit", "--output", tmp_path / "p.toml").status == 3
    assert not (tmp_path / "p.toml").exists()


def test_an_unknown_profile_is_a_usage_error_that_names_the_known(run):
    done = run("policy", "init", "--profile", "lax")
    assert done.status == 64
    assert all(name in done.err for name in ("audit", "balanced", "strict"))
