"""The starter policies are sound, and do what they say."""

import pytest

from mcpgov.policy.starter import PROFILES, starter
from tests.helpers.policies import policy

TOOLS = ["get_x", "write_x", "delete_x", "run_command", "grant_access", "frobnicate"]


def verdicts(tmp_path, profile):
    rules = policy(tmp_path, starter(profile))
    assert rules.said == []
    asked = [rules.call(tool)[0] for tool in TOOLS]
    asked += [rules.read("a:b")[0], rules.ask("prompts/get", {"name": "p"})[0]]
    return asked + [rules.ask(method, {})[0] for method in ("sampling/createMessage", "elicitation/create")]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("audit", ["log"] * 10),
        ("balanced", ["allow", "allow", "prompt", "prompt", "prompt", "prompt", "allow", "allow", "prompt", "prompt"]),
        ("strict", ["allow", "deny", "deny", "deny", "deny", "deny", "allow", "allow", "deny", "deny"]),
    ],
)
def test_a_profile_decides_as_it_promises(tmp_path, profile, expected):
    assert verdicts(tmp_path, profile) == expected


def test_no_profile_is_untested():
    assert set(PROFILES) == {"audit", "balanced", "strict"}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_rule_in_the_comment_works_when_uncommented(tmp_path, profile):
    lines = starter(profile).splitlines()
    start = lines.index("# [[rule]]")
    example = [line.removeprefix("# ") for line in lines[start : start + 6]]
    rules = policy(tmp_path, "\n".join(example))
    assert rules.call("read_file", {"any": {"deep": "~/notes/private/x"}}) == ("deny", "no-private-notes")
    assert rules.call("read_file", {"path": "~/notes"}) == ("deny", "no-private-notes")


SECRETS = [
    *(".ssh/id_ed25519", ".aws/credentials", ".gnupg/x", ".kube/config", ".config/gcloud/x.db", ".azure/x", ".netrc"),
    *(".docker/config.json", ".npmrc", ".pypirc", ".git-credentials", ".config/gh/hosts.yml", ".config/hub", ".ssh"),
    *(".mozilla/firefox/x/logins.json", ".config/google-chrome/Default/Cookies", ".config/chromium/x"),
]


@pytest.mark.parametrize("file", SECRETS)
def test_keys_and_browser_profiles_are_held_back(tmp_path, file):
    for profile in ("balanced", "strict"):
        rules = policy(tmp_path, starter(profile))
        for path in (f"~/{file}", f"/home/u/{file}", f"/home/u/x/../{file}"):
            assert rules.call("read_file", {"path": path})[0] == "deny"
    assert policy(tmp_path, starter("audit")).call("read_file", {"path": f"/home/u/{file}/x"[:-2]})[0] == "log"


def test_env_files_are_asked_about_and_examples_are_free(tmp_path):
    rules = policy(tmp_path, starter("balanced"))
    assert rules.call("read_file", {"path": "/proj/.env"}) == ("prompt", "env-files")
    assert rules.call("write_file", {"path": "/proj/a/.env.local"}) == ("prompt", "env-files")
    for name in (".env.example", ".envrc", "env", ".env.test"):
        assert rules.call("write_file", {"path": f"/proj/{name}"})[0] == "allow"
    assert policy(tmp_path, starter("strict")).call("read_file", {"path": "/proj/.env"}) == ("deny", "env-files")


def test_keys_are_held_back_as_resources_too(tmp_path):
    for profile in ("balanced", "strict"):
        rules = policy(tmp_path, starter(profile))
        assert rules.read("file:///home/u/.ssh/id_rsa") == ("deny", "keys-as-resources")
        assert rules.read("file:///proj/readme.md")[0] == "allow"


@pytest.mark.parametrize("tool", ["copy_directory", "create_archive", "zip_files", "backup", "copyTree", "upload_dir"])
def test_a_tool_that_takes_a_directory_along_is_asked_about_the_keys_in_it(tmp_path, tool):
    rules = policy(tmp_path, starter("balanced"))
    for path in ("~", "/home/u", "/home", "/", "~/.config"):
        assert rules.call(tool, {"source": path, "name": "x"}) == ("prompt", "keys-inside")
    assert rules.call(tool, {"source": "/home/u/proj", "name": "x"})[1] != "keys-inside"


@pytest.mark.parametrize("profile", ["balanced", "strict"])
def test_looking_into_the_home_and_searching_a_project_stay_free(tmp_path, profile):
    rules = policy(tmp_path, starter(profile))
    for tool, args in (
        ("list_directory", {"path": "~"}),
        ("list_directory", {"path": "/home/u"}),
        ("search_files", {"path": "/home/u/proj", "pattern": "*.py"}),
        ("search_files", {"path": "/home/u", "pattern": "x"}),
        ("get_file_info", {"path": "/home/u"}),
        ("read_file", {"path": "/home/u/.bashrc"}),
    ):
        assert rules.call(tool, args)[0] == "allow"
