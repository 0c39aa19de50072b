import io
import os
import sys

import pytest

from mcpgov.configs.config_pass import FileResult
from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.errors import McpgovError, PolicyError
from mcpgov.front.context import Context
from mcpgov.front.install import install_steps
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.service import daemon_ops
from mcpgov.places import Places
from tests.helpers.homes import clients, end_daemon, tree

GOOD = 'default = "allow"\n'


@pytest.fixture
def context(root):
    made = Context(str(root))
    yield made
    end_daemon(made.places)


def mine(path, text=GOOD):
    path.write_text(text)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    ("typed", "usual", "other"),
    [("y\n", True, True), ("YES\n", True, True), ("\n", True, False), ("n\n", False, False), ("", False, False)],
)
def test_an_empty_answer_is_the_usual_one_and_an_end_of_input_is_no(monkeypatch, capsys, typed, usual, other):
    for default, expected in ((True, usual), (False, other)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        assert install_steps.agreed("so?", usual=default) is expected
        out, err = capsys.readouterr()
        assert (out, err.rstrip("\n")) == ("", f"so? [{'Y/n' if default else 'y/N'}] ")
    assert install_steps.at_terminal() is False


def test_only_what_was_not_there_is_remembered_as_made_and_not_forgotten_later(root, context):
    places = context.places
    install_steps.remember_made(places)
    made = {str(places.root / name): True for name in ("bin", "run", "state")}
    assert install_steps.read_json(places.state / install_steps.MADE) == made
    before = tree(root)
    (root / "bin").mkdir()
    (root / "run").mkdir()
    install_steps.remember_made(places)
    assert {path: about for path, about in tree(root).items() if path in before and path != str(root)} == {
        path: about for path, about in before.items() if path != str(root)
    }


def test_our_directories_are_told_deepest_first_and_never_the_home(home):
    places = Places()
    found = install_steps.own_directories(places)
    assert [len(place.parts) for place in found] == sorted((len(place.parts) for place in found), reverse=True)
    assert (home in found, home.parent in found) == (False, False)
    assert {places.config, places.state, places.runtime, places.launcher.parent} <= set(found)


def test_a_root_is_one_of_our_directories(root):
    assert install_steps.own_directories(Places(root))[-1] == root


def test_without_a_policy_there_is_nothing_to_check(context, root):
    before = tree(root)
    install_steps.check(context, InstallRequest("strict", None, False))
    assert tree(root) == before


def test_a_broken_policy_is_refused_with_its_line(context, root, policy):
    path = policy("default = 3\n")
    with pytest.raises(PolicyError, match="nothing was done, the policy cannot be used: ") as raised:
        install_steps.check(context, InstallRequest("strict", None, False))
    assert f"{path}:1: " in str(raised.value)


def test_prepare_makes_launcher_policy_and_compiled_rules_once(context, root):
    said, new = install_steps.prepare(context, InstallRequest("strict", None, False))
    assert (said, new) == (
        [f"wrote the launcher to {root}/bin/mcpgov-proxy", f"wrote the strict policy to {root}/config/policy.toml"],
        True,
    )
    assert len(list((root / "state" / "compiled").iterdir())) == 1
    assert install_steps.prepare(context, InstallRequest("audit", None, False)) == ([], False)


def test_a_policy_that_is_taken_puts_aside_every_other_one(context, root, tmp_path):
    config = root / "config"
    for name in ("policy.toml", "rules.json"):
        mine(config / name, "{}" if name.endswith("json") else "# old\n" + GOOD)
    new = mine(tmp_path / "new.toml")
    assert install_steps.policies_replaced(context, new) == [config / "policy.toml", config / "rules.json"]
    assert install_steps.prepare(context, InstallRequest("strict", new, False))[0][1:] == [
        f"the old policy is now {config}/policy.toml.old",
        f"the old policy is now {config}/rules.json.old",
        f"took {new} as your policy, {config}/policy.toml",
    ]
    assert install_steps.policies_replaced(context, new) is None


def test_an_unused_policy_that_is_the_same_already_only_gets_the_other_one_out_of_its_way(context, root, tmp_path):
    config = root / "config"
    mine(config / "policy.toml")
    rules = mine(config / "rules.json", '{"fs": {"read": "allow"}}')
    assert install_steps.policies_replaced(context, rules) == [config / "policy.toml"]
    install_steps.prepare(context, InstallRequest("strict", rules, False))
    assert sorted(path.name for path in config.iterdir()) == ["policy.toml.old", "rules.json"]
    assert rules.read_text() == '{"fs": {"read": "allow"}}'


def test_a_policy_stays_where_it_is_when_the_new_one_cannot_be_written(context, root, tmp_path, policy):
    path = policy("# old\n" + GOOD)
    new = mine(tmp_path / "new.toml")
    (root / "config" / f"policy.toml.{os.getpid()}").mkdir()
    with pytest.raises(McpgovError):
        install_steps.prepare(context, InstallRequest("strict", new, False))
    assert path.read_text() == "# old\n" + GOOD


def result(**more):
    return FileResult("cursor", "/c.json", **{"result": "changed", **more})


def test_files_are_told_with_the_names_that_changed_and_failures_with_their_hints():
    entries = tuple(EntryResult(("m", name), name, what, "") for name, what in [("a", "wrapped"), ("b", "already")])
    found = [
        result(entries=entries),
        result(result="error", reason="it is odd", code=4, hint="mend it"),
        result(code=1),
    ]
    assert install_steps.change_sentences(found, "wrapped") == ["wrapped a of Cursor (/c.json)"]
    assert install_steps.failures(found) == ["/c.json: left as it is: it is odd (mend it)", "/c.json: left as it is: "]


def test_every_file_is_wrapped_and_told(context, home):
    clients(home)
    context.ensure_launcher()
    said, results = install_steps.wrap(context)
    assert len(said) == len([found for found in results if found.result == "changed"]) == 3


def test_a_daemon_is_started_once_and_an_old_one_replaced(context):
    said, notes = install_steps.start_daemon(context, fresh=False)
    first = daemon_ops.lock_holder(context.places).pid
    assert said == [f"started the daemon (pid {first})"]
    assert notes == [], "the status says it"
    assert install_steps.start_daemon(context, fresh=False) == ([], notes)
    assert install_steps.start_daemon(context, fresh=True)[0] != []
    assert daemon_ops.lock_holder(context.places).pid != first


def test_a_daemon_of_another_version_is_replaced(context, monkeypatch):
    install_steps.start_daemon(context, fresh=False)
    first = daemon_ops.lock_holder(context.places).pid
    monkeypatch.setattr(daemon_ops, "__version__", "9.9.9")
    install_steps.start_daemon(context, fresh=False)
    assert daemon_ops.lock_holder(context.places).pid != first


def test_a_daemon_that_does_not_come_up_is_told(context, root, monkeypatch):
    monkeypatch.setattr(daemon_ops, "ANSWERS_WITHIN", 0.3)
    (root / "run" / "daemon.sock" / "x").mkdir(parents=True)
    said, notes, failed = install_steps.try_to_start_daemon(context, fresh=False)
    assert (said, notes) == ([], [])
    assert failed[0].startswith("the daemon does not answer within ")


def seen(*names, state="running", revision="r", looked=True):
    servers = [{"name": name} for name in names]
    return {"servers": servers, "policy": {"revision": revision}, "daemon": {"state": state}, "looked": looked}


STATES = (EntryState("cursor", "/c", ("m", "a"), "a", "stdio", "governed", "", ()),)


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([seen("a")], 1),
        ([seen(), seen("a", revision=""), seen("a")], 3),
        ([seen(state="stopped")], 1),
        ([seen()] * 100, 3),
    ],
)
def test_a_status_is_awaited_until_it_knows_the_servers_and_not_for_ever(looks, expected):
    moments = iter(range(0, 1000, 2))
    pauses = []
    left = iter(looks)
    install_steps.wait_for_status(lambda: next(left), [result(states=STATES)], lambda: next(moments), pauses.append)
    assert pauses == [install_steps.PAUSE] * (expected - 1)


def test_where_there_are_no_servers_a_daemon_that_has_looked_is_awaited_too():
    looks = iter([seen(looked=False), seen()])
    assert install_steps.wait_for_status(lambda: next(looks), [], lambda: 0.0, lambda _: None)["looked"]
