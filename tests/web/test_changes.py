import pytest

from mcpgov.web.changes import digest_of
from tests.helpers.pages import page_desk
from tests.test_tool_store import seen, tool

POLICY = """\
default = "deny"

[[rule]]
name = "rest"
action = "allow"
tool = "read_*"
"""


@pytest.fixture
def desk(tmp_path):
    with page_desk(tmp_path / "d", POLICY) as made:
        yield made


@pytest.fixture
def browser(desk):
    return desk.browser()


def test_a_verdict_is_changed_by_the_rule_that_was_shown(desk, browser):
    asked = {"server": "files", "tool": "write_file", "action": "allow"}
    shown = browser.post("verdict/preview", asked).data
    assert (shown["rule"], shown["written"]) == ("allow-files-write_file", False)
    assert desk.policy.read_text() == POLICY
    assert browser.post("verdict", {**asked, "text": "another"}).code == "409 changed"
    done = browser.post("verdict", {**asked, "text": shown["text"]}).data
    assert done["written"] is True
    assert shown["text"] in desk.policy.read_text()
    again = browser.post("verdict/preview", asked).data
    assert "pass already" in again["why"]


def test_a_verdict_for_a_whole_class(desk, browser):
    asked = {"server": "files", "class": "delete", "action": "allow"}
    shown = browser.post("verdict/preview", asked).data
    assert 'operation = "delete"' in shown["text"]
    assert browser.post("verdict", {**asked, "text": shown["text"]}).data["written"] is True
    explained = browser.post("explain", {"server": "files", "tool": "delete_it", "args": {"a": 1}}).data
    assert (explained["action"], explained["rule"]) == ("allow", "allow-files-delete")
    for wrong in ({**asked, "class": "fly"}, {**asked, "action": "burn"}, {"server": "x", "action": "deny"}):
        assert browser.post("verdict/preview", wrong).code == "400 wrong"


def test_names_that_look_like_options_are_names(desk, browser):
    shown = browser.post("verdict/preview", {"server": "--yes", "tool": "--help", "action": "allow"}).data
    assert 'server = "--yes"' in shown["text"]
    assert desk.policy.read_text() == POLICY


def test_a_changed_tool_is_accepted_if_it_is_the_one_that_was_shown(desk, browser):
    place = desk.root / "state" / "tools"
    seen(place, "files", [tool("read_file")], [tool("read_file", "does more")])
    [changed] = browser.get("tools").data["servers"][0]["tools"]
    assert (changed["pin"], bool(changed["diff"])) == ("changed", True)
    asked = {"server": "files", "tool": changed["tool"], "digest": "0" * 64}
    assert browser.post("accept", asked).code == "409 changed"
    done = browser.post("accept", {**asked, "digest": changed["digest"]}).data
    assert done == {"accepted": [changed["tool"]]}
    assert browser.post("accept", {**asked, "digest": changed["digest"]}).code == "409 declined"


def test_one_thing_is_explained_at_a_time(browser):
    found = browser.post("explain", {"server": "files", "resource": "file:///etc/passwd"}).data
    assert (found["action"], found["operation"]) == ("deny", "read")
    assert browser.post("explain", {"server": "files", "prompt": "p"}).data["action"] == "deny"
    for wrong in (
        {"server": "x"},
        {"server": "x", "tool": "a", "prompt": "b"},
        {"server": "x", "tool": "a", "args": []},
    ):
        assert browser.post("explain", wrong).code == "400 wrong"


def test_a_text_that_is_not_saved_is_judged_and_left_alone(desk, browser):
    asked = {"server": "files", "tool": "read_file"}
    text = 'default = "deny"\n[[rule]]\nname = "mine"\naction = "log"\ntool = "*"\n'
    before = browser.post("explain", asked).data
    found = browser.post("explain", {**asked, "text": text}).data
    assert (found["action"], found["rule"], found["source"]) == ("log", "mine", str(desk.policy))
    assert found["revision"] != before["revision"]
    broken = browser.post("explain", {**asked, "text": "default = "})
    assert (broken.code, str(desk.policy) in broken.json["error"]["message"]) == ("409 declined", True)
    assert browser.post("explain", {**asked, "text": "x" * (512 * 1024 + 1)}).code == "400 wrong"
    assert browser.post("explain", asked).data == before
    assert desk.policy.read_text() == POLICY


def test_the_lock_from_the_page(desk, browser):
    assert browser.post("lock", {"why": "lunch"}).data["locked"] is True
    assert browser.get("status").data["locked"] is True
    assert browser.post("unlock", {}).data["locked"] is False


def test_wrong_bodies_are_refused_by_their_field(browser):
    for name, body, field in (
        ("approve", {"number": 5}, "number"),
        ("approve", {"number": "a", "term": "ever"}, "term"),
        ("approve", {"number": "a", "term": "time", "seconds": 5}, "seconds"),
        ("approve", {"number": "a", "term": "always"}, "rule"),
        ("revoke", {"grants": "all"}, "grants"),
        ("policy/save", {"text": "", "digest": "-"}, "digest"),
    ):
        found = browser.post(name, body)
        assert (found.code, f"`{field}`" in found.json["error"]["message"]) == ("400 wrong", True)


def test_a_digest_is_of_the_bytes():
    assert digest_of("a")[:8] == "ca978112"
