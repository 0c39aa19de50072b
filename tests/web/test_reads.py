import time

import pytest

from mcpgov.web.reads import with_shadows
from tests.helpers.journals import Proxy
from tests.helpers.pages import page_desk
from tests.test_tool_store import seen, tool

POLICY = """\
default = "deny"

[[rule]]
name = "reads"
action = "allow"
tool = "read_*"

[[rule]]
name = "never"
action = "deny"
tool = "read_file"

[[budget]]
name = "all"
limit = 100
per = "day"
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with page_desk(tmp_path_factory.mktemp("reads") / "d", POLICY) as made:
        with made.app() as app:
            app.call("read_file", path="/srv/Needle")
            app.call("delete_file", path="/srv/b")
        seen(made.root / "state" / "tools", "files", [tool("read_file")])
        yield made


@pytest.fixture
def browser(desk):
    return desk.browser()


def test_how_things_stand(desk, browser):
    found = browser.get("status").data
    assert (found["daemon"]["state"], "command" in found) == ("running", False)
    assert browser.get("remote").data == {"remote": [], "listener": None}
    assert browser.get("grants").data == {"grants": []}


def test_the_record_is_searched(browser):
    [call, denied] = browser.get("record").data["records"]
    assert (call["type"], call["tool"], call["action"], call["rule"]) == ("call", "read_file", "allow", "reads")
    assert call["round_trip_us"] > 0
    assert (denied["tool"], denied["action"], denied["rule"]) == ("delete_file", "deny", None)

    def tools(query):
        return [item["tool"] for item in browser.get(f"record?{query}").data["records"]]

    assert tools("text=needle") == ["read_file"]
    assert tools("rule=reads") == ["read_file"]
    assert tools("rule=(default)") == ["delete_file"]
    assert tools("action=deny&server=fil*") == ["delete_file"]
    assert tools("tool=none") == []
    first = browser.get("record?limit=1").data
    assert [item["tool"] for item in first["records"]] == ["delete_file"]
    rest = browser.get(f"record?limit=1&before={first['older']}").data
    assert ([item["tool"] for item in rest["records"]], rest["older"]) == (["read_file"], None)
    assert browser.get("record?limit=0").code == "400 wrong"
    assert browser.get("record?since=--root=/x").code == "409 declined"


def test_one_decision_is_explained(browser):
    [call, _] = browser.get("record").data["records"]
    assert browser.get(f"why?decision={call['id']}").data["record"]["tool"] == "read_file"
    assert browser.get("why?decision=--help").code == "409 declined"
    assert browser.get("why?decision=a%20b").code == "400 wrong"
    assert browser.get("why").code == "400 wrong"


def test_the_policy_with_hits_and_shadows(desk, browser):
    found = browser.get("policy").data
    assert {rule["rule"]: rule["shadowed"] for rule in found["show"]["rules"]} == {"reads": False, "never": True}
    assert (found["error"], found["text"]) == (None, POLICY)
    assert browser.get("policy/text").data["text"] == POLICY
    hits = browser.get("policy/hits").data
    assert {name: each["calls"] for name, each in hits["rules"].items()} == {"reads": 1}
    assert (hits["default"]["denied"], hits["days"]) == (1, 7)


def test_a_policy_that_is_wrong_is_shown_with_its_error(tmp_path):
    with page_desk(tmp_path / "d", "default = 1\n") as desk:
        found = desk.browser().get("policy").data
        assert (found["show"], found["text"], found["writable"]) == (None, "default = 1\n", True)
        assert "unknown action" in found["error"]["message"]
        desk.policy.unlink()
        found = desk.browser().get("policy").data
        assert (found["text"], found["writable"], found["error"]["hint"]) == ("", False, "mcpgov policy init")


def test_tools_budgets_and_the_chain(browser):
    [server] = browser.get("tools").data["servers"]
    assert server["server"] == "files"
    assert {tool["pin"] for tool in server["tools"]} == {"accepted"}
    assert [each["name"] for each in browser.get("budgets").data["budgets"]] == ["all"]
    verified = browser.get("verify").data
    assert (verified["intact"], verified["found"]) == (True, 0)


def test_the_day_by_the_hour(browser):
    found = browser.get("heat").data
    [row] = found["rows"]
    assert (row["server"], found["total"]) == ("files", {"calls": 2, "denied": 1})
    assert sum(calls for calls, _ in row["cells"]) == 2
    assert found["day"] == time.strftime("%Y-%m-%d")
    assert browser.get("heat?day=2000-01-01").data["rows"] == []
    assert browser.get("heat?day=yesterday").code == "400 wrong"


def test_no_finding_is_no_trouble(browser):
    assert browser.get("privacy?days=3").data == {"days": 3, "kinds": [], "total": 0}


def test_findings_are_counted_and_their_values_nowhere(tmp_path):
    with page_desk(tmp_path / "d", POLICY) as desk:
        proxy = Proxy(desk.root / "state" / "journal")
        proxy.at = time.time()
        proxy.call("read", pii={"action": "log", "found": {"email": 2}})
        found = desk.browser().get("privacy").data
        assert found == {"days": 7, "kinds": [{"kind": "email", "server": "fs", "count": 2}], "total": 2}


def test_what_is_no_list_of_rules_stays_as_it_is():
    assert with_shadows({"rules": 1}) == {"rules": 1}
