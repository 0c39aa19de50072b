import pytest

from mcpgov.serve import verdicts
from mcpgov.serve.verdicts import IntentJudge, decide
from tests.helpers.policies import TODAY, policy

NOBODY = ("", "", "")
SEED = """
    [[rule]]
    name = "shell"
    action = "deny"
    tool = "shell_execute"
    [[rule]]
    name = "etc"
    action = "prompt"
    tool = "filesystem_*"
    args.path = "/etc/**"
    [[rule]]
    name = "projects"
    action = "allow"
    tool = "filesystem_read"
    args.path = "/home/u/projects/**"
    [[rule]]
    name = "rest"
    action = "deny"
    tool = "*"
"""


@pytest.fixture
def judged(tmp_path):
    def judged(text, action, target, who=NOBODY, **world):
        judge = IntentJudge(policy(tmp_path, text, **world).rules)
        found = judge.decide(action, target, who, TODAY)
        assert judge.decide(action, target, who, TODAY).rule == found.rule
        return found.action, found.rule

    return judged


def test_rules_on_tools_speak_of_actions_that_such_tools_do(judged):
    assert judged(SEED, "shell_execute", "ls") == ("deny", "shell")
    assert judged(SEED, "file_read", "/etc/passwd") == ("prompt", "etc")
    assert judged(SEED, "file_read", "/home/u/projects/a") == ("allow", "projects")
    assert judged(SEED, "file_read", "/home/u/projects/../.ssh/id_rsa") == ("deny", "rest")
    assert judged(SEED, "file_write", "/home/u/projects/a") == ("deny", "rest")
    assert judged(SEED, "other", "x") == ("deny", "rest")
    assert judged(SEED, "resource_access", "file:///a") == ("deny", None)


def test_rules_on_events_paths_operations_and_services_hold(judged):
    named = """
        default = "allow"
        [rules.net]
        action = "block"
        match.event_type = ["connect"]
        [rules.keys]
        action = "block"
        match.resource_path = ["/home/u/.ssh/**"]
        [services.files]
        delete = "deny"
        write = "prompt"
    """
    assert judged(named, "network_request", "https://x.example") == ("deny", "net")
    assert judged(named, "file_read", "~/.ssh/id_rsa") == ("deny", "keys")
    assert judged(named, "resource_access", "/home/u/.ssh/id_rsa") == ("deny", "keys")
    assert judged(named, "file_read", "/srv/a", links={"/srv/a": "/home/u/.ssh/id_rsa"}) == ("deny", "keys")
    assert judged(named, "file_read", "/srv/a") == ("allow", None)
    assert judged(named, "file_delete", "/srv/a", ("files", "", ""))[0] == "deny"
    assert judged(named, "file_write", "/srv/a", ("files", "", ""))[0] == "prompt"
    assert judged(named, "file_write", "/srv/a", ("other", "", "")) == ("allow", None)


def test_every_reading_of_the_target_has_to_pass(judged):
    hosts = """
        default = "allow"
        [[rule]]
        name = "evil"
        action = "deny"
        args.address = "https://evil.example/**"
        [[rule]]
        name = "evil url"
        action = "deny"
        args.url = "https://evil.example/**"
    """
    for target in ("https://evil.example/x", "evil.example/x", "https://EVIL.example:443/x"):
        assert judged(hosts, "network_request", target) == ("deny", "evil url")
    assert judged(hosts, "network_request", "good.example") == ("allow", None)


def test_a_network_request_is_judged_as_reading_and_as_writing(judged):
    by_operation = """
        [services."*"]
        read = "allow"
        write = "prompt"
    """
    assert judged(by_operation, "network_request", "https://x.example")[0] == "prompt"
    assert judged(by_operation, "file_read", "/a")[0] == "allow"


def test_what_cannot_be_decided_is_denied_before_every_rule(judged):
    many = 'default = "allow"\n' + "".join(
        f'[[rule]]\nname = "r{at}"\naction = "deny"\nargs."*" = "**a**b**c{at}"\n' for at in range(40)
    )
    action, rule = judged(many, "file_read", "ab" * 3_000_000)
    assert (action, rule) == ("deny", None)


def test_without_a_policy_everything_is_denied_and_a_project_only_narrows(tmp_path):
    nothing = decide(None, "file_read", "/a", NOBODY, TODAY)
    assert (nothing.action, nothing.message) == ("deny", verdicts.NO_POLICY)
    wide = IntentJudge(policy(tmp_path / "w", 'default = "allow"\n').rules)
    narrow = IntentJudge(policy(tmp_path / "n", SEED).rules)
    assert decide((wide,), "file_read", "/a", NOBODY, TODAY).action == "allow"
    assert decide((wide, narrow), "file_read", "/a", NOBODY, TODAY).rule == "rest"


def test_private_data_that_no_call_may_have_is_denied_whatever_the_rules_allow(judged):
    private = 'default = "allow"\n[privacy]\nparams = "{}"\n'
    mail = "/srv/ada@mail.example"
    assert judged(private.format("deny"), "file_read", mail) == ("deny", "privacy")
    assert judged(private.format("deny"), "file_read", "/srv/a") == ("allow", None)
    assert judged(private.format("redact"), "file_read", mail) == ("allow", None)
    assert judged(private.format("redact"), "resource_access", "https://x.example/ada@mail.example") == (
        "deny",
        "privacy",
    )
    assert judged(private.replace("allow", "deny").format("deny"), "file_read", mail) == ("deny", None)


def test_many_callers_do_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "MOST_CALLERS", 2)
    judge = IntentJudge(policy(tmp_path, SEED).rules)
    for name in "abcd":
        assert judge.decide("file_read", "/etc/a", (name, "", ""), TODAY).rule == "etc"
    assert len(judge._tools) <= 2


def test_a_permission_answers_what_the_user_s_own_rules_ask_at_the_desk(tmp_path):
    mine = 'default = "prompt"\n[[rule]]\nname = "app"\naction = "prompt"\nask = ["app"]\noperation = "write"\n'
    mine += '[[rule]]\nname = "desk"\naction = "prompt"\noperation = "delete"\n'
    boss = '[[rule]]\nname = "boss"\naction = "prompt"\noperation = "execute"\n'
    judge = IntentJudge(policy(tmp_path, mine, managed=boss).rules)

    def why(action):
        return verdicts.why_unanswerable((judge,), judge.decide(action, "/a", NOBODY, TODAY))

    assert why("file_delete") == ""
    assert why("file_read") == ""
    assert why("file_write") == "the rule lets only the app itself ask"
    assert why("shell_execute") == "the administrator's policy asks about each call itself"
    strict = IntentJudge(policy(tmp_path / "b", 'default = "allow"\n', managed='default = "prompt"\n').rules)
    found = strict.decide("file_read", "/a", NOBODY, TODAY)
    assert verdicts.why_unanswerable((judge, strict), found) == "the administrator's policy asks about each call itself"
    assert verdicts.why_unanswerable(None, found) == ""


def test_a_nested_name_in_one_rule_spoils_no_other_and_still_denies(judged):
    nested = """
        [[rule]]
        name = "inner"
        action = "deny"
        args.options.filename = "/srv/secret/**"
        [[rule]]
        name = "srv"
        action = "allow"
        args."*" = "/srv/**"
    """
    assert judged(nested, "file_read", "/srv/a") == ("allow", "srv")
    assert judged(nested, "file_read", "/srv/secret/a") == ("deny", "inner")
    assert judged(nested, "file_read", "/etc/a") == ("deny", None)


def test_a_rule_that_logs_says_so(judged):
    logs = """
        [[rule]]
        name = "logged"
        action = "log"
        operation = "read"
    """
    assert judged(logs, "file_read", "/srv/a") == ("log", "logged")


def test_a_named_tool_gets_the_stricter_verdict_of_its_name_and_the_action(tmp_path):
    text = """
        default = "allow"
        [[rule]]
        name = "deletes"
        action = "prompt"
        operation = "delete"
        [[rule]]
        name = "etc"
        action = "deny"
        args.path = "/etc/**"
    """
    judge = IntentJudge(policy(tmp_path, text).rules)

    def said(action, resource):
        return judge.decide_tool("read_file", action, resource, NOBODY, TODAY).action

    assert (said("", ""), said("", "/etc/x"), said("", "https://a/etc")) == ("allow", "deny", "allow")
    assert (said("file_delete", ""), said("file_read", "")) == ("prompt", "allow")
    assert (said("file_delete", "/srv/a"), said("file_delete", "/etc/a")) == ("prompt", "deny")
