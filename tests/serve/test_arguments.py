import pytest

from mcpgov.serve.arguments import WrongArguments, checked, escaped, escaped_and_cut
from mcpgov.serve.tools import BY_NAME

INTENT = {"description": "d", "action_type": "file_read", "target": "/a"}
PERMIT = {"resource": "/a", "operation": "read", "justification": "j"}


def test_arguments_come_back_as_the_schema_has_them():
    assert checked(BY_NAME["checkIntent"], INTENT) == INTENT
    assert checked(BY_NAME["requestPermission"], PERMIT) == {**PERMIT, "timeout_seconds": 30}
    assert checked(BY_NAME["getPolicy"], None) == {}
    assert checked(BY_NAME["requestPermission"], {**PERMIT, "timeout_seconds": 45.0})["timeout_seconds"] == 45
    told = {"description": "d", "action_type": "other", "target": "t", "result": "partial"}
    details = {**told, "details": {"a": [1, 2.5, -(10**300), None]}}
    assert checked(BY_NAME["reportAction"], details) == details


@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        ("checkIntent", {}, "`description` is missing"),
        ("checkIntent", {**INTENT, "caller": "github"}, "`caller` is no argument of checkIntent"),
        ("checkIntent", {**INTENT, "\x1b[2J": 1}, r"`\x1b[2J` is no argument"),
        ("checkIntent", {**INTENT, "target": 5}, "`target` should be a text"),
        ("checkIntent", {**INTENT, "action_type": "sudo"}, "should be one of file_read"),
        ("checkIntent", {**INTENT, "description": "x" * 10_000_000}, "longer than 4096"),
        ("checkIntent", {**INTENT, "target": "\ud800"}, "half a character"),
        ("getPolicy", {"tool_name": "x" * 300}, "longer than 256"),
        ("requestPermission", {**PERMIT, "timeout_seconds": "30"}, "should be a whole number"),
        ("requestPermission", {**PERMIT, "timeout_seconds": True}, "should be a whole number"),
        ("requestPermission", {**PERMIT, "timeout_seconds": 0}, "from 1 to 300"),
        ("requestPermission", {**PERMIT, "timeout_seconds": 301}, "from 1 to 300"),
        ("requestPermission", {**PERMIT, "timeout_seconds": 30.5}, "should be a whole number"),
        ("requestPermission", {**PERMIT, "timeout_seconds": float("inf")}, "should be a whole number"),
        ("requestPermission", {**PERMIT, "timeout_seconds": float("nan")}, "should be a whole number"),
        ("reportAction", {**INTENT, "result": "success", "details": []}, "should be an object"),
        ("reportAction", {**INTENT, "result": "success", "details": {"n": float("inf")}}, "`details` holds a number"),
        ("reportAction", {**INTENT, "result": "success", "details": {"n": [{"m": float("nan")}]}}, "holds a number"),
        ("reportAction", {**INTENT, "result": "success", "details": {"n": 10**5000}}, "holds a number"),
    ],
)
def test_what_the_schema_does_not_say_is_refused_in_words(tool, given, why):
    with pytest.raises(WrongArguments) as caught:
        checked(BY_NAME[tool], given)
    assert why in str(caught.value)
    assert str(caught.value).isprintable()


def test_no_character_that_acts_or_hides_stays():
    assert escaped("a/ü b") == "a/ü b"
    assert escaped("\x1b[31m\u202e\U000e0041\n") == r"\x1b[31m\u202e\U000e0041\x0a"
    assert escaped_and_cut("x" * 1000).startswith("x" * 300 + "…(+580 characters)")
