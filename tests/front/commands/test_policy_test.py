import json
from xml.etree import ElementTree

import pytest

POLICY = """\
[[rule]]
name = "no-delete"
action = "deny"
tool = "delete_*"
[[rule]]
name = "reading"
action = "allow"
tool = "read_*"
"""


def fixture(**more):
    return {"method": "tools/call", "params": {"name": "read_file"}, "server": "fs", **more}


@pytest.fixture
def write(tmp_path, policy):
    policy(POLICY)

    def put(name, value):
        path = tmp_path / "fixtures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
        return path

    return put


def test_fixtures_as_expected_give_status_0(run, write):
    one = write("a.json", fixture(expected="allow", expected_rule="reading"))
    two = write("b.json", fixture(params={"name": "delete_x"}, expected="block"))
    done = run("policy", "test", "--fixture", one, two)
    assert (done.status, done.err) == (0, "")
    assert [line.split() for line in done.out.splitlines()] == [
        ["fixture", "call", "decision", "rule"],
        ["ok", "a.json", "tools/call", "read_file", "allow", "reading"],
        ["ok", "b.json", "tools/call", "delete_x", "deny", "no-delete"],
        [],
        ["2", "passed,", "0", "failed,", "0", "only", "reported"],
    ]


def test_a_mismatch_gives_status_2_and_says_what_was_expected(run, write):
    write("a.json", [fixture(expected="deny", expected_rule="no-delete"), fixture(expected="allow")])
    done = run("policy", "test", "--fixture-dir", write("sub/b.json", fixture()).parent.parent)
    assert done.status == 2
    assert "FAILED  a.json[0] (expected deny by no-delete, got allow by reading)" in done.out
    assert done.out.endswith("\n1 passed, 1 failed, 1 only reported\n")


def test_json_has_one_object_per_fixture(run, write):
    done = run("policy", "test", "--json", "--fixture", write("a.json", fixture(expected="deny")))
    revision = done.json["revision"]
    assert done.json == {
        "version": 1, "command": "policy test", "ok": False, "passed": 0, "failed": 1, "reported": 0,
        "revision": revision,
        "fixtures": [{"name": "a.json", "action": "allow", "rule": "reading", "kind": "policy", "expected": "deny",
                      "expected_rule": None, "expected_guard": None, "guards": [], "ok": False}],
    }  # fmt: skip


def test_expect_stands_in_where_a_fixture_says_nothing(run, write):
    path = write("a.json", fixture())
    assert run("policy", "test", "--fixture", path).out.endswith("0 passed, 0 failed, 1 only reported\n")
    assert run("policy", "test", "--fixture", path, "--expect", "allow").status == 0
    assert run("policy", "test", "--fixture", path, "--expect", "deny").status == 2


def test_prompts_resources_and_sampling_can_be_fixtures(run, write):
    calls = [
        {"method": "prompts/get", "params": {"name": "p"}},
        {"method": "resources/read", "params": {"uri": "file:///x"}},
        {"method": "sampling/createMessage"},
    ]
    done = run("policy", "test", "--fixture", write("a.json", calls), "--expect", "deny")
    assert done.status == 0
    assert [line.split()[2:-3] for line in done.out.splitlines()[1:4]] == [
        ["prompts/get", "p"], ["resources/read", "file:///x"], ["sampling/createMessage"],
    ]  # fmt: skip


def test_the_junit_file_can_be_parsed_and_counts_the_failures(run, write, tmp_path):
    names = [fixture(name="ok", expected="allow"), fixture(name="\x1b<&>", expected="deny")]
    out = tmp_path / "junit.xml"
    assert run("policy", "test", "--fixture", write("a.json", names), "--junit", out).status == 2
    suite = ElementTree.parse(out).getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "2", "1")
    assert [case.get("name") for case in suite] == ["ok", "\ufffd<&>"]
    assert suite[1][0].get("message") == "expected deny, got allow by reading"


def test_a_junit_file_that_cannot_be_written_is_told(run, write, tmp_path):
    done = run("policy", "test", "--fixture", write("a.json", fixture()), "--junit", tmp_path / "no" / "x.xml")
    assert (done.status, done.err) == (1, f"mcpgov: cannot write `{tmp_path}/no/x.xml`: no such file or directory\n")


def test_an_invalid_policy_gives_status_3_before_any_fixture_is_read(run, write, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('[[rule]]\naction = "x"\ntool = "y"\n')
    bad.chmod(0o600)
    assert run("policy", "test", "--policy", bad, "--fixture", tmp_path / "none.json").status == 3


def test_fixtures_come_from_the_setting_when_none_are_named(run, write, root):
    directory = write("a.json", fixture(expected="allow")).parent
    assert run("policy", "test").err == "mcpgov: no fixtures given\n  hint: --fixture FILE … or --fixture-dir DIR\n"
    (root / "config" / "settings.toml").write_text(f'fixtures = "{directory}"\n')
    assert run("policy", "test").status == 0


@pytest.mark.parametrize(
    ("content", "status"),
    [("nonsense", 1), ('{"params": {}}', 1), ('{"method": "tools/call", "colour": 1}', 1), ("[1]", 1)],
)
def test_a_file_that_is_no_fixture_is_told_by_name(run, write, content, status):
    path = write("a.json", {})
    path.write_text(content)
    done = run("policy", "test", "--fixture", path)
    assert (done.status, done.out) == (status, "")
    assert f"`{path}`" in done.err


def test_names_that_would_act_on_a_terminal_are_shown_as_escapes(terminal, write):
    path = write("a.json", fixture(name="\x1b[2J", params={"name": "\u202eread"}, expected="allow"))
    out = terminal("--no-color", "policy", "test", "--fixture", path, width=160).out
    assert "\\x1b[2J" in out
    assert "\\u202eread" in out
    assert not set(out) & set("\x1b\u202e")


GUARDED = """\
default = "allow"
[[rule]]
name = "no-keys"
action = "deny"
tool = "read_file"
contains = "PRIVATE KEY"
[[limit]]
name = "slow"
rate = "1/hour"
[[budget]]
name = "money"
limit = 10
per = "day"
tool = "pay"
cost_from = "args.amount"
"""


def paying(amount, **more):
    return fixture(params={"name": "pay", "arguments": {"amount": amount}}, **more)


def test_fixtures_are_held_against_the_verdict_after_the_guards(run, write, policy, root):
    policy(GUARDED)
    put = [paying(9, expected="allow", expected_guard="money"), paying(9, expected="allow", expected_guard="slow"),
           paying(11, expected="deny", expected_guard="money"), paying(11, expected="deny", expected_rule="money"),
           fixture(expected="allow", expected_guard="money")]  # fmt: skip
    done = run("policy", "test", "--json", "--fixture", write("a.json", put))
    assert [each["ok"] for each in done.json["fixtures"]] == [True, True, True, True, False]
    assert done.json["fixtures"][2]["kind"] == "budget"
    shown = run("policy", "test", "--fixture", write("a.json", put)).out
    assert "expected allow by money, got allow by the default, slow" in shown
    # Each fixture is judged alone and with nothing spent, and leaves nothing behind.
    assert not (root / "state").exists() or not list((root / "state").glob("ledger*"))


def test_an_answer_is_judged_too(run, write, policy):
    policy(GUARDED)
    leaked = {"content": [{"type": "text", "text": "-----BEGIN PRIVATE KEY-----"}]}
    put = [fixture(result=leaked, expected="deny", expected_rule="no-keys"),
           fixture(result={"content": []}, expected="allow"), paying(1, result=leaked, expected="allow")]  # fmt: skip
    assert run("policy", "test", "--fixture", write("a.json", put)).status == 0


def test_private_data_of_call_and_answer_is_judged_as_a_proxy_would(run, write, policy):
    policy('default = "allow"\n[privacy]\nparams = "redact"\nresults = "deny"\n'
           '[[rule]]\nname = "no-mail"\naction = "deny"\ncontains = ["@"]\n'
           '[[privacy.rule]]\nkinds = ["email"]\nresults = "redact"\n')  # fmt: skip
    mail, number = "ada@corp-mail.org", "ssn 536-22-8741"

    def said(text):
        return {"content": [{"type": "text", "text": text}]}

    sent = fixture(params={"name": "read_file", "arguments": {"to": mail}})
    put = [{**sent, "expected": "redact", "expected_guard": "email"}, {**sent, "expected_guard": "ssn"},
           fixture(result=said(number), expected="deny", expected_guard="ssn"),
           fixture(result=said(f"{number} {mail}"), expected_guard="email"),
           fixture(result=said(mail), expected="redact", expected_guard="email"),
           fixture(result=said("42 items"), expected="allow")]  # fmt: skip
    done = run("policy", "test", "--json", "--fixture", write("a.json", put))
    assert [each["ok"] for each in done.json["fixtures"]] == [True, False, True, False, True, True]
    assert (done.json["fixtures"][2]["kind"], done.json["fixtures"][2]["rule"]) == ("pii", "privacy")
