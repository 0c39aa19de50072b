import json
import os

import pytest

from mcpgov.front.commands import policy_compile
from mcpgov.policy_cache import cache_name, signature

ALLOW = '[[rule]]\naction = "allow"\ntool = "*"\n'


@pytest.fixture
def target(root):
    return root / "state" / "compiled" / cache_name("")


def inputs(target):
    return {path: tuple(state) for path, *state in json.loads(target.read_text())["head"]["inputs"]}


def test_the_compiled_policy_knows_the_state_of_its_files(run, policy, target):
    path = policy(ALLOW)
    done = run("policy", "compile", "--json")
    assert (done.status, done.json["file"]) == (0, str(target))
    found = inputs(target)
    assert next(iter(found)) == str(path)
    assert [(name, *state) for name, state in found.items()] == list(signature(list(found)))
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.parent.stat().st_mode & 0o777 == 0o700


def test_a_broken_policy_leaves_the_last_good_file(run, policy, target):
    policy(ALLOW)
    run("policy", "compile")
    before = target.read_bytes()
    policy("broken = = ")
    done = run("policy", "compile")
    assert (done.status, target.read_bytes()) == (3, before)
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def test_a_disk_that_is_full_leaves_the_last_good_file(run, policy, target, monkeypatch):
    policy(ALLOW)
    run("policy", "compile")
    before = target.read_bytes()
    policy(ALLOW + "# more\n")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(policy_compile.os, "replace", full)
    done = run("policy", "compile")
    assert (done.status, target.read_bytes()) == (1, before)
    assert "no space left" in done.err
    assert [path.name for path in target.parent.iterdir()] == [target.name]


@pytest.mark.parametrize(
    ("pattern", "made", "watched"),
    [
        ("rules.d/*.toml", [], ["rules.d"]),
        ("rules.d/*.toml", ["rules.d"], ["rules.d"]),
        ("*/x.toml", ["a", "b"], ["", "a", "b"]),
        ("*/*.toml", ["a", "b"], ["", "a", "b"]),
        ("deep/**/*.toml", ["deep/a/b"], ["deep", "deep/a", "deep/a/b"]),
    ],
)
def test_directories_in_which_an_include_may_find_more_are_watched(run, policy, target, pattern, made, watched):
    path = policy(f'include = ["{pattern}"]\n' + ALLOW)
    for name in made:
        (path.parent / name).mkdir(parents=True)
    assert run("policy", "compile").status == 0
    known = {os.path.normpath(name) for name in inputs(target)}
    assert {os.path.normpath(path.parent / name) for name in watched} <= known


def test_an_include_that_changes_while_it_is_read_is_compiled_again(run, policy, target, monkeypatch):
    path = policy('include = ["more.toml"]\n' + ALLOW)
    more = path.with_name("more.toml")
    more.write_text('[[rule]]\naction = "deny"\ntool = "old"\n')
    more.chmod(0o600)
    real = policy_compile._files
    times = []

    def files(compiled):
        found = real(compiled)
        times.append(1)
        if len(times) == 1:
            more.write_text('[[rule]]\naction = "deny"\ntool = "new"\n')
        return found

    monkeypatch.setattr(policy_compile, "_files", files)
    assert run("policy", "compile").status == 0
    text = target.read_text()
    assert ('"new"' in text, '"old"' in text) == (True, False)
    assert inputs(target)[str(more)] == signature([str(more)])[0][1:]


def test_a_project_policy_is_compiled_by_its_directory(run, root, tmp_path):
    file = tmp_path / ".mcpgov.toml"
    file.write_text('[[rule]]\naction = "deny"\ntool = "t"\n')
    assert run("policy", "compile", "--narrow", tmp_path).status == 0
    assert list(inputs(root / "state" / "compiled" / cache_name(str(file)))) == [str(file)]


def test_a_policy_from_the_environment_is_not_taken_for_the_one_in_use(run, policy, target, tmp_path, monkeypatch):
    policy(ALLOW)
    other = tmp_path / "other.toml"
    other.write_text(ALLOW)
    other.chmod(0o600)
    monkeypatch.setenv("MCPGOV_POLICY", str(other))
    assert run("policy", "compile").status == 0
    assert not target.exists()
