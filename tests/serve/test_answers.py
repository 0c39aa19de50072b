import asyncio

import pytest

from mcpgov.daemon.serve.serve_requests import ReportAnswer, ReportRequest, ResourceAnswer, ResourceRequest
from mcpgov.daemon_client import DaemonGone
from mcpgov.front.install.launcher import home_of
from mcpgov.places import Places
from mcpgov.serve.answers import CallingParty, ToolAnswers, ToolFailed
from mcpgov.serve.arguments import WrongArguments
from mcpgov.serve.current_policy import CurrentPolicy
from mcpgov.settings import Settings
from tests.helpers.policies import write
from tests.helpers.serving import POLICY

ME = CallingParty("stdio", "fs", "cursor", "")
PERMIT = {"resource": "/srv/a", "operation": "write", "justification": "j", "timeout_seconds": 20}


class Daemon:
    """The daemon as the test has it."""

    def __init__(self):
        self.asked, self.answer = [], ResourceAnswer(True, "session", 5.0, True)

    async def ask(self, request, timeout=0.0):
        self.asked.append((request, timeout))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Asked:
    def __init__(self, base, reveal="matching", policy=POLICY, here=""):
        write(base, policy, "config/policy.toml")
        self.daemon, self.base = Daemon(), base
        self.policy = CurrentPolicy(home_of(Places(base), Settings()), here)
        self.answers = ToolAnswers(self.policy, self.daemon, lambda: reveal)

    def check(self, action, target, caller=ME):
        given = {"action_type": action, "target": target, "description": "d"}
        return asyncio.run(self.answers.check_intent(given, caller))

    def permit(self, **change):
        return asyncio.run(self.answers.request_permission({**PERMIT, **change}, ME))

    def ask_policy(self, **given):
        return asyncio.run(self.answers.get_policy(given, ME))


@pytest.fixture
def asked(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Asked(tmp_path)


def test_an_intent_that_a_rule_asks_about_is_not_allowed_and_told_what_to_call(asked):
    found = asked.check("file_write", "/srv/a")
    assert (found["allowed"], found["policy_rule"]) == (False, "prompt")
    assert found["suggestions"][0].startswith("Call requestPermission")
    assert found == asked.check("file_write", "/srv/a")
    assert asked.daemon.asked == []


def test_nothing_of_a_request_that_acts_is_in_an_answer(asked):
    found = asked.check("other", "\x1b]0;x\x07\u202e\n")
    assert found["explanation"].isprintable()
    assert r"\x1b]0;x\x07\u202e\x0a" in found["explanation"]


def test_a_lock_denies_every_intent_and_every_permission(asked):
    (asked.base / "state").mkdir(exist_ok=True)
    (asked.base / "state" / "lock.json").write_text("{}")
    found = asked.check("file_read", "/srv/a")
    assert (found["allowed"], "mcpgov is locked" in found["explanation"]) == (False, True)
    assert asked.permit()[0]["granted"] is False
    assert asked.ask_policy()["rules"][0]["action"] == "block"


def test_protected_places_are_critical_whatever_the_rules_say(asked):
    found = asked.check("file_write", str(asked.base / "config" / "policy.toml"))
    assert (found["allowed"], found["risk_level"], found["policy_rule"]) == (False, "Critical", "block")
    assert "Only a person changes what mcpgov protects" in found["suggestions"][0]


def test_a_person_is_asked_only_about_what_a_rule_asks(asked):
    assert asked.permit(operation="read") == (
        {"granted": True, "scope": "policy", "expires_at": None}, "the policy allows it already",
    )  # fmt: skip
    denied, why = asked.permit(resource=str(asked.base / "home" / ".ssh" / "x"))
    assert (denied["granted"], denied["scope"], "SSH key access" in why) == (False, "none", True)
    assert asked.permit(operation="execute", resource="make")[1].startswith("no rule allows it: nobody is asked")
    protected, _ = asked.permit(resource=str(asked.base / "config" / "policy.toml"))
    assert protected["granted"] is False
    assert asked.daemon.asked == []
    with pytest.raises(WrongArguments, match="wildcards"):
        asked.permit(resource="/srv/*")


def test_a_persons_answer_is_told_in_the_fields_that_clients_know(asked):
    assert asked.permit() == ({"granted": True, "scope": "session", "expires_at": None}, "calls of fs pass by it")
    assert asked.daemon.asked[0] == (ResourceRequest("/srv/a", "write", "j", 20.0), 50.0)
    asked.daemon.answer = ResourceAnswer(True, "once", 1_800_000_000.0, False)
    assert asked.permit() == (
        {"granted": True, "scope": "once", "expires_at": "2027-01-15T08:00:00Z"}, "it holds for no call",
    )  # fmt: skip
    asked.daemon.answer = ResourceAnswer(False, why="refused by the user")
    assert asked.permit() == ({"granted": False, "scope": "none", "expires_at": None}, "refused by the user")
    asked.daemon.answer = DaemonGone("the daemon is not running", hint="mcpgov daemon start")
    with pytest.raises(ToolFailed, match="Ask the user to run: mcpgov daemon start"):
        asked.permit()


def test_a_report_goes_to_the_daemon_and_its_id_comes_back(asked):
    asked.daemon.answer = ReportAnswer("id")
    given = {"description": "d", "action_type": "other", "target": "t", "result": "partial", "details": {"a": 1}}
    caller = CallingParty("token ci", token="T")
    assert asyncio.run(asked.answers.report_action(given, caller)) == {"recorded": True, "event_id": "id"}
    assert asked.daemon.asked[0][0] == ReportRequest("d", "other", "t", "partial", {"a": 1}, "T")


def test_by_default_only_the_verdict_on_the_query_is_told(asked):
    assert asked.ask_policy() == {"rules": [], "default_action": "block"}
    by_resource = asked.ask_policy(resource=str(asked.base / "home" / ".ssh" / "x"))
    assert by_resource["rules"][0]["message"] == "SSH key access is not allowed"
    assert asked.ask_policy(tool_name="write_file")["rules"][0]["action"] == "prompt"
    assert asked.ask_policy(tool_name="run_command")["rules"] == []
    assert asked.ask_policy(action_type="shell_execute")["rules"] == []
    assert asked.ask_policy(resource="https://x.example")["rules"][0]["action"] == "prompt"
    with pytest.raises(WrongArguments, match="control characters"):
        asked.ask_policy(tool_name="x\x1b")


def test_the_setting_tells_more(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    summary, whole = Asked(tmp_path, "summary"), Asked(tmp_path, "all")
    assert [rule["name"] for rule in summary.ask_policy()["rules"]] == ["rule_1", "rule_2", "rule_3"]
    assert [rule["name"] for rule in whole.ask_policy()["rules"]] == ["keys", "asks", "reads"]
    assert whole.check("file_read", "/srv/a")["explanation"].endswith("(rule reads)")


def test_a_policy_that_a_project_narrows_is_asked_too(asked):
    write(asked.base / "p", '[[rule]]\naction = "deny"\noperation = "read"\nmessage = "not here"\n', ".mcpgov.toml")
    there = CallingParty("stdio", project=str(asked.base / "p"))
    found = asyncio.run(asked.answers.get_policy({"tool_name": "read_file"}, there))
    assert found["rules"][0]["message"] == "not here"
    assert asked.check("file_read", "/srv/a", there)["allowed"] is False


def test_what_only_the_app_may_ask_is_asked_by_nobody_else(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    asked = Asked(tmp_path, policy='[[rule]]\naction = "prompt"\nask = ["app"]\noperation = "write"\n')
    assert asked.permit()[1] == "the rule lets only the app itself ask: nobody is asked"
    assert asked.daemon.asked == []


DELETES = """
default = "deny"
[[rule]]
name = "deletes"
action = "prompt"
operation = "delete"
[[rule]]
name = "reads"
action = "allow"
operation = "read"
[[rule]]
name = "logged"
action = "log"
operation = "write"
"""


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"tool_name": "read_file", "action_type": "file_delete"}, "prompt"),
        ({"tool_name": "read_file", "action_type": "file_delete", "resource": "/srv/a"}, "prompt"),
        ({"tool_name": "delete_file", "action_type": "file_read"}, "prompt"),
        ({"tool_name": "read_file", "action_type": "file_read"}, "allow"),
        ({"tool_name": "read_file", "action_type": "resource_access", "resource": "/srv/a"}, "allow"),
        ({"tool_name": "read_file", "action_type": "shell_execute"}, None),
        ({"tool_name": "read_file"}, "allow"),
    ],
)
def test_a_tool_and_an_action_both_count(tmp_path, given, action):
    rules = Asked(tmp_path, policy=DELETES).ask_policy(**given)["rules"]
    assert [rule["action"] for rule in rules] == ([action] if action else [])


def test_what_a_rule_logs_is_told_as_that(tmp_path):
    found = Asked(tmp_path, policy=DELETES).check("file_write", "/srv/a")
    assert (found["allowed"], found["policy_rule"]) == (True, "log")


KEYS = """
default = "allow"
[[rule]]
name = "keys"
action = "deny"
args."*" = "~/.ssh/**"
"""


@pytest.mark.parametrize("action", ["file_read", "file_write", "file_delete", "resource_access"])
@pytest.mark.parametrize("target", [".ssh/id_rsa", "id_rsa", "./a", "../a", "~root/x", ""])
def test_a_relative_path_is_refused_where_nobody_knows_from_where(tmp_path, action, target):
    found = Asked(tmp_path, policy=KEYS).check(action, target)
    assert (found["allowed"], found["policy_rule"]) == (False, "block")
    assert found["suggestions"][0].startswith("Name the whole path")


def test_a_relative_path_is_judged_where_its_beginning_is_known(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    known = Asked(tmp_path, policy=KEYS, here=str(home))
    assert not known.check("file_read", ".ssh/id_rsa")["allowed"]
    assert known.check("file_read", "a")["allowed"]
    assert known.ask_policy(tool_name="read_file", resource="a")["rules"] == []
    nowhere = Asked(tmp_path, policy=KEYS)
    assert [nowhere.check(*asked)["allowed"] for asked in (("other", "a"), ("shell_execute", "ls a"))] == [True, True]
    assert [nowhere.check("file_read", path)["allowed"] for path in ("/srv/a", "~/a", "https://x.example/a")] == [
        True
    ] * 3
    assert nowhere.ask_policy(resource="a")["default_action"] == "allow"


def test_the_path_of_a_file_uri_has_the_risk_and_the_advice_of_the_path(tmp_path):
    asked = Asked(tmp_path, policy='default = "deny"')
    path = asked.check("file_read", "/home/u/.ssh/id_rsa")
    for uri in ("file:///home/u/.ssh/id_rsa", "FILE://localhost/home/u/.ssh/id_rsa", "file:/home/u/%2essh/id_rsa"):
        for action in ("file_read", "resource_access"):
            found = asked.check(action, uri)
            assert (found["risk_level"], found["suggestions"]) == ("High", path["suggestions"])


@pytest.mark.parametrize(
    ("action", "target", "asks"),
    [
        ("file_write", "/srv/a", True),
        ("file_write", "file:///srv/a", True),
        ("file_write", "/srv/*", False),
        ("file_delete", "~/a", False),
        ("network_request", "https://x.example/a", True),
        ("network_request", "x.example", False),
        ("shell_execute", "ls", True),
        ("shell_execute", "ls $HOME", False),
        ("other", "x", False),
    ],
)
def test_a_permission_is_suggested_only_where_one_can_be_had(tmp_path, action, target, asks):
    found = Asked(tmp_path, policy='default = "prompt"').check(action, target)
    assert found["policy_rule"] == "prompt"
    assert found["suggestions"][0].startswith("Call requestPermission") is asks
