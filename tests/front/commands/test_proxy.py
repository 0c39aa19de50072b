import json
import os
import sys
from pathlib import Path

from tests.helpers.talks import said

ALLOW = '[[rule]]\naction = "allow"\ntool = "*"\n'
DENY = '[[rule]]\naction = "deny"\ntool = "t"\n'
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n'
SCRIPT = 'read -r l; printf \'{"jsonrpc":"2.0","id":1,"result":{}}\\n\'; cat >/dev/null; exit 6'


def proxy(root, *words, answers=0, **more):
    command = [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), "proxy", *map(str, words)]
    return said(command, CALL, answers, **more)


def test_it_becomes_the_proxy_with_the_servers_status(root, policy):
    policy(ALLOW)
    done = proxy(root, "--server", "s", "--", "sh", "-c", SCRIPT, answers=1)
    assert (done.returncode, json.loads(done.stdout)) == (6, {"jsonrpc": "2.0", "id": 1, "result": {}})


def test_words_behind_the_double_dash_are_the_servers(root, policy):
    policy(ALLOW)
    done = proxy(root, "--server", "s", "--", "sh", "-c", 'printf "<%s>" "$@" >&2', "sh", "--server", "--", "", "-x")
    assert done.stderr == b"<--server><--><><-x>"


def test_the_environment_arrives_as_it_was_given(root, policy):
    policy(ALLOW)
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "odd.name": "x"}
    done = proxy(root, "--server", "s", "--", "env", env=env)
    # `env` writes no messages: what it says goes to standard error.
    assert sorted(done.stderr.decode().split()) == sorted(f"{key}={value}" for key, value in env.items())


def test_a_policy_named_by_the_environment_counts_for_a_person(root, policy, tmp_path):
    policy(ALLOW)
    other = tmp_path / "other.toml"
    other.write_text(DENY)
    other.chmod(0o600)
    env = {**os.environ, "MCPGOV_POLICY": str(other)}
    done = proxy(root, "--server", "s", "--", "sh", "-c", SCRIPT, answers=1, env=env)
    assert json.loads(done.stdout)["result"]["isError"] is True


def test_a_server_name_is_needed(root):
    done = proxy(root, "--", "true")
    assert done.returncode == 64
