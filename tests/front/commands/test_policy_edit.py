import json

import pytest

from mcpgov.front.commands.policy_edit import digest
from mcpgov.front.policy.unsaved_text import LARGEST
from tests.front.conftest import command
from tests.helpers.askers import Asker

POLICY = '# mine\ndefault = "deny"\n'
BETTER = POLICY + '\n[[rule]]\naction = "allow"\ntool = "read_*"\n'


@pytest.fixture
def path(policy):
    return policy(POLICY)


def test_the_text_is_told_with_its_digest(run, path):
    done = run("policy", "edit", "--json")
    shown = {key: done.json[key] for key in ("file", "text", "digest", "writable", "why")}
    assert shown == {
        "file": str(path),
        "text": POLICY,
        "digest": digest(POLICY.encode()),
        "writable": True,
        "why": None,
    }
    assert run("policy", "edit").out == POLICY


def test_a_text_is_checked_and_nothing_is_written(run, path):
    done = run("policy", "edit", "--check", "--json", stdin=(POLICY + "[[rule]]\naction = 'x'\n").encode())
    assert (done.status, done.json["valid"], done.json["written"]) == (3, False, False)
    [problem] = done.json["problems"]
    assert (problem["source"], problem["line"], problem["level"]) == (str(path), 4, "error")
    assert done.json["diff"][-2:] == ["+[[rule]]", "+action = 'x'"]
    done = run("policy", "edit", "--check", stdin=BETTER.encode())
    assert (done.status, "+tool = " in done.out) == (0, True)
    assert path.read_text() == POLICY
    assert [each.name for each in path.parent.iterdir()] == ["policy.toml"]


@pytest.mark.parametrize("option", ["--check", f"--digest={digest(POLICY.encode())}"])
def test_a_text_that_is_no_toml_yet_is_told_by_its_line(run, path, option):
    """As every text is for a moment while somebody types it."""
    done = run("policy", "edit", option, "--json", stdin=(POLICY + "[[rule]]\nname = \n").encode())
    assert (done.status, done.json["valid"], done.json["written"], done.json["rules"]) == (3, False, False, 0)
    [problem] = done.json["problems"]
    assert (problem["source"], problem["line"], problem["level"]) == (str(path), 4, "error")
    assert problem["message"].startswith("not valid TOML")
    assert "trial" not in done.out
    assert path.read_text() == POLICY
    deep = run("policy", "edit", option, "--json", stdin=("a = " + "[" * 5000).encode()).json["problems"]
    assert (deep[0]["source"], "trial" in deep[0]["message"]) == (str(path), False)


def test_it_is_written_if_nobody_changed_it(run, path):
    done = run("policy", "edit", "--digest", digest(POLICY.encode()), "--json", stdin=BETTER.encode())
    assert (done.status, done.json["written"], done.json["digest"]) == (0, True, digest(BETTER.encode()))
    assert (path.read_text(), path.stat().st_mode & 0o777) == (BETTER, 0o600)
    late = run("policy", "edit", "--digest", digest(POLICY.encode()), "--json", stdin=b"")
    assert (late.status, late.json["error"]["reason_code"], path.read_text()) == (1, "changed", BETTER)


def test_a_wrong_text_is_never_written(run, path):
    done = run("policy", "edit", "--digest", digest(POLICY.encode()), "--json", stdin=b"default = 1\n")
    assert (done.status, done.json["written"], path.read_text()) == (3, False, POLICY)
    for text, told in ((b"\xff", "not UTF-8"), (b"#" * (LARGEST + 1), "at most")):
        done = run("policy", "edit", "--check", stdin=text)
        assert (done.status, told in done.err) == (64, True)


def test_a_policy_that_others_may_write_or_is_json_or_not_there_is_not_edited(run, path):
    path.chmod(0o666)
    done = run("policy", "edit", "--json")
    assert (done.json["writable"], "others" in done.json["why"]) == (False, True)
    assert run("policy", "edit", "--check", stdin=b"").status != 0
    path.chmod(0o600)
    path.write_bytes(b"\xff")
    assert "is not UTF-8" in run("policy", "edit").err
    path.unlink()
    assert "there is no policy" in run("policy", "edit").err
    (path.parent / "rules.json").write_text(json.dumps({"rules": []}))
    assert run("policy", "edit", "--json").json["writable"] is False


def test_only_the_administrators_is_in_force(run, root):
    managed = root / "managed" / "policy.toml"
    managed.parent.mkdir()
    managed.write_text('default = "deny"\n')
    found = run("policy", "edit", "--json").json
    assert (found["text"], found["writable"]) == ("", False)


def test_an_unreadable_policy_is_told(run, path):
    path.unlink()
    path.mkdir()
    assert "cannot read" in run("policy", "edit").err


def test_an_app_cannot_replace_it(tmp_path, home, root, path):
    words = command(root, "policy", "edit", "--digest", digest(POLICY.encode()))
    status, _, err = Asker(tmp_path, home, "claude").ask("plain", *words)
    assert (status, "is refused" in err, path.read_text()) == (2, True, POLICY)
