"""Tools as listed: trusted at first, pinned from then on."""

import json

import pytest

from mcpgov.core.operations.choices import with_choices
from mcpgov.core.session.tool_list import MOST_GONE, Pins, ToolList, hides
from tests.helpers.line_guard import under_words, words_policy
from tests.helpers.playbook import ALLOW_ALL, YES, Ask, Playbook, client, request, result, server

NAMES = ("a", "b")


def digest(value):
    return json.dumps(value, sort_keys=True, allow_nan=False)


def tool(name, **more):
    return {"name": name, "inputSchema": {}, **more}


def entry(name, hidden=False, **more):
    definition = tool(name, **more)
    return {"digest": digest(definition), "definition": definition, "hidden": hidden}


def listing(*accepted, mode="deny", changed=()):
    pins = Pins({name: entry(name) for name in accepted}, {name: entry(name, title="new") for name in changed})
    return ToolList(pins, mode)


def listed(made, *tools, last=True):
    made.begin()
    return made.page(list(tools), last, digest)


def test_the_first_list_is_trusted():
    made = ToolList(Pins(), "deny")
    assert not made.holds("a")
    assert listed(made, tool("a"), tool("b")) == ([], [])
    assert made.pins.accepted == {"a": entry("a"), "b": entry("b")}
    assert (made.pins.changed, made.pins.unsaved) == ({}, True)
    assert [made.holds(name) for name in ("a", "b", "c")] == [False, False, True]


def test_a_first_list_of_nothing_is_a_first_list():
    made = ToolList(Pins(), "deny")
    listed(made)
    assert made.pins.accepted == {}
    assert made.pins.unsaved
    assert listed(made, tool("a")) == (["a"], [])
    assert made.holds("a")


def test_all_pages_of_the_first_list_are_trusted():
    made = ToolList(Pins(), "deny")
    listed(made, tool("a"), last=False)
    assert not made.holds("b")
    assert made.page([tool("b")], True, digest) == ([], [])
    assert made.complete


def test_a_first_list_that_is_never_finished_does_not_stay_open():
    made = ToolList(Pins(), "deny")
    listed(made, tool("a"), last=False)
    assert listed(made, tool("a", description="other"), tool("b"), last=False) == (["a", "b"], [])
    assert [made.holds(name) for name in NAMES] == [True, True]


@pytest.mark.parametrize("mode", ["prompt", "deny"])
def test_a_changed_and_a_new_tool_are_held_until_they_are_as_accepted(mode):
    made = listing("a", "b", mode=mode)
    assert listed(made, tool("a", description="x"), tool("b"), tool("c")) == (["a", "c"], [])
    assert made.pins.changed == {"a": entry("a", description="x"), "c": entry("c")}
    assert [made.holds(name) for name in ("a", "b", "c")] == [True, False, True]
    made.pins.unsaved = False
    assert listed(made, tool("a", description="x"), tool("b"), tool("c")) == (["a", "c"], [])
    assert not made.pins.unsaved
    assert listed(made, tool("a"), tool("b")) == ([], [])
    assert made.pins.unsaved
    assert (made.pins.changed.keys(), made.holds("a"), made.holds("c")) == ({"c"}, False, True)


def test_under_log_a_change_is_told_and_nothing_held():
    made = listing("a", mode="log")
    assert listed(made, tool("a", title="x")) == (["a"], [])
    assert not made.holds("a")
    made.mode = "deny"
    assert made.holds("a")


def test_under_off_whatever_is_listed_is_accepted():
    made = listing("a", mode="off", changed=["a"])
    assert listed(made, tool("a", title="x")) == ([], [])
    assert (made.pins.accepted, made.pins.changed) == ({"a": entry("a", title="x")}, {})
    made.pins.unsaved = False
    listed(made, tool("a", title="x"))
    assert not made.pins.unsaved
    made.mode = "deny"
    assert not made.holds("a")


def test_before_any_list_the_stored_pins_speak():
    made = listing("a", "b", changed=["b"])
    assert [made.holds(name) for name in ("a", "b", "c")] == [False, True, True]


def test_a_tool_absent_from_a_complete_list_counts_as_new():
    made = listing("a", "b")
    listed(made, tool("a"), last=False)
    assert not made.holds("b")
    made.page([], True, digest)
    assert made.holds("b")


def test_the_accepted_definition_does_not_smuggle_another_of_the_same_name_in():
    for tools in ((tool("a", title="x"), tool("a")), (tool("a"), tool("a", title="x"))):
        made = listing("a")
        assert listed(made, *tools) == (["a"], [])
        assert made.holds("a")
        made = listing("a")
        listed(made, tools[0], last=False)
        made.page([tools[1]], True, digest)
        assert made.holds("a")


def test_a_name_listed_twice_at_first_is_accepted_as_both():
    made = ToolList(Pins(), "deny")
    twice = tool("a", annotations={"readOnlyHint": False}), tool("a", annotations={"destructiveHint": True}), tool("b")
    assert listed(made, *twice) == ([], [])
    assert listed(made, *twice) == ([], [])
    assert made.annotations == {
        "a": {"readOnlyHint": False, "destructiveHint": True},
        "b": {"readOnlyHint": True, "destructiveHint": False},
    }
    assert listed(made, twice[0]) == (["a"], [])


def test_a_look_alike_of_a_key_belongs_to_the_definition():
    for key in ("Description", "input_schema", "deſcription"):
        made = listing("a")
        assert listed(made, tool("a", **{key: "evil"})) == (["a"], [])
    made = listing("a")
    assert listed(made, tool("a", icons=[], _meta={})) == ([], [])


def test_annotations_are_kept_and_what_has_no_name_is_not_a_tool():
    made = ToolList(Pins(), "deny")
    listed(
        made, tool("a", annotations={"readOnlyHint": True}), 3, {"name": 4}, {"title": "x"}, tool("b", annotations=1)
    )
    assert made.annotations["a"] == {"readOnlyHint": True}
    assert list(made.pins.accepted) == ["a", "b"]


def test_numbers_without_end_are_kept_as_text():
    made = ToolList(Pins(), "deny")
    listed(made, tool("a", outputSchema={"max": [float("inf"), 1.5], "n": {"x": -float("inf")}}))
    kept = made.pins.accepted["a"]["definition"]["outputSchema"]
    assert kept == {"max": ["inf", 1.5], "n": {"x": "-inf"}}


@pytest.mark.parametrize(
    "text",
    ["a\x1b[31m", "a\x00", "zero\u200bwidth", "bidi\u202e", "tag\U000e0041", "selector\U000e0101", "\u3164", "\ue000",
     "line\u2028end", "\x7f", "\ud800", "é\u2800"],
)  # fmt: skip
def test_text_that_nobody_sees_is_flagged_wherever_it_stands(text):
    assert hides({"name": text})
    assert hides({"inputSchema": {"properties": {"p": {"description": text}}}})
    assert hides({"inputSchema": {text: 1}})
    made = ToolList(Pins(), "log")
    assert listed(made, tool("a", description=text)) == ([], ["a"])


@pytest.mark.parametrize("text", ["plain", "two\nlines\twith\r\ntabs", "é", "名前", "no\u00a0break", "👍\ufe0f"])
def test_text_that_is_seen_is_not(text):
    assert not hides({"name": text, "inputSchema": {text: [text]}})


def test_damaged_pins_accept_nothing():
    made = ToolList(Pins({"a": []}), "deny")
    assert listed(made, tool("a")) == (["a"], [])


def test_the_words_that_choose_what_a_tool_does_stand_beside_its_hints_unless_it_is_listed_twice():
    schema = {"properties": {"action": {"enum": ["list", "delete"]}}}
    made = ToolList(Pins(), "off")
    listed(made, tool("a", inputSchema=schema), tool("b", inputSchema=schema), tool("b"))
    assert made.annotations["a"] == with_choices({"readOnlyHint": True, "destructiveHint": False}, schema)
    assert made.annotations["b"] == {"readOnlyHint": True, "destructiveHint": False}


@pytest.mark.parametrize("mode", ["deny", "prompt", "log", "off"])
def test_a_server_that_renames_its_tools_with_every_list_fills_nothing(mode):
    made = listing("kept", "mine", mode=mode)
    made.pins.changed["mine"] = entry("mine", title="other")
    for at in range(3 * MOST_GONE):
        listed(made, tool("kept"), tool(f"new{at}"))
    accepted, changed = made.pins.accepted, made.pins.changed
    assert {name: accepted[name] for name in ("kept", "mine")} == {name: entry(name) for name in ("kept", "mine")}
    assert len({*accepted, *changed, *made.held}) <= MOST_GONE + 3
    assert changed["mine"] == entry("mine", title="other")
    assert set(made.annotations) == {"kept", f"new{3 * MOST_GONE - 1}"}
    assert made.holds("new0") == made.holds(f"new{3 * MOST_GONE - 1}") == (mode in ("deny", "prompt"))


def test_a_list_without_end_is_bounded_and_what_it_forgets_is_held(monkeypatch):
    monkeypatch.setattr("mcpgov.core.session.tool_list.MOST_TOOLS", 10)
    made = ToolList(Pins(), "deny")
    made.begin()
    for at in range(50):
        made.page([tool(f"t{at}")], False, digest)
    assert len(made.pins.accepted) == len(made.pins.changed) == 10
    made.page([tool("last")], True, digest)
    assert [made.holds(name) for name in ("t0", "t9", "t10", "t49", "last")] == [False, False, True, True, True]


def test_what_was_taken_unasked_is_a_persons_once_accepted_so():
    made = listing("a", mode="off")
    listed(made, tool("a", title="x"), tool("b"))
    assert made.pins.accepted == {"a": entry("a", title="x"), "b": {**entry("b"), "unasked": True}}
    made.pins.unsaved = False
    listed(made, tool("a", title="x"), tool("b"))
    assert not made.pins.unsaved


def test_the_digest_of_a_tool_is_that_of_what_a_call_would_meet():
    made = listing("a", "b", mode="prompt", changed=("c",))
    known = made.pins.accepted["a"]["digest"]
    assert (made.digest_of("a"), made.digest_of("absent")) == (known, "")
    listed(made, tool("a", title="x"), tool("b"))
    assert made.digest_of("a") == made.pins.changed["a"]["digest"] != known
    assert made.digest_of("b") == made.pins.accepted["b"]["digest"]
    made.held.add("d")
    assert made.digest_of("d") == ""


@pytest.mark.parametrize(("mode", "hidden"), [("prompt", False), ("deny", True), ("log", False)])
def test_only_what_nobody_is_asked_about_is_left_out_of_lists(mode, hidden):
    made = listing("a", mode=mode)
    listed(made, tool("a"), tool("new"))
    assert (made.hides("new"), made.hides("a")) == (hidden, False)


@pytest.mark.parametrize(("mode", "awaits"), [("deny", True), ("prompt", True), ("log", False)])
def test_a_changed_tool_awaits_a_person_only_where_its_calls_are_held(mode, awaits):
    made = listing("a", mode=mode)
    assert not made.awaits_acceptance
    listed(made, tool("a", title="new"))
    assert (bool(made.held), made.awaits_acceptance) == (True, awaits)


def test_what_is_kept_of_a_definition_may_be_less_than_what_tells_it_from_others():
    def without(definition):
        return {key: "…" if key == "title" else item for key, item in definition.items()}

    made = ToolList(Pins(), "deny")
    made.page([tool("a", title="one")], True, digest, without)
    kept = {**entry("a", title="one"), "definition": tool("a", title="…")}
    assert made.pins.accepted == {"a": kept}
    made.pins.unsaved = False
    made.begin()
    assert made.page([tool("a", title="one")], True, digest, without) == ([], [])
    assert not made.pins.unsaved
    made.begin()
    assert made.page([tool("a", title="two")], True, digest, without) == (["a"], [])
    assert made.pins.changed == {"a": {**entry("a", title="two"), "definition": tool("a", title="…")}}
    made.pins.unsaved = False
    made.begin()
    made.page([tool("a", title="two")], True, digest, without)
    assert not made.pins.unsaved


# --- a list in which a guard of lines finds something

LISTED = {"name": "read", "description": "for SECRET", "inputSchema": {"default": "a SECRET"}}
KEPT = {"name": "read", "description": "for [mark]", "inputSchema": {"default": "a [mark]"}}
ASKS = {"action": "prompt", "contains": ["ignore"], "method": ["tools/list"]}


def listed_by(talk, *tools):
    talk >> client(request(1, "tools/list")) >> server(result(1, tools=list(tools)))
    return talk.session.tool_list.pins


@pytest.mark.parametrize("mode", ["log", "cut"])
def test_whatever_is_done_to_findings_none_is_kept(mode):
    talk, _ = under_words(mode)
    pins = listed_by(talk, LISTED)
    assert pins.accepted["read"]["definition"] == KEPT
    assert "SECRET" not in json.dumps(pins.accepted)


def test_a_tool_is_the_same_when_the_mode_changes():
    talk, guard = under_words("log", pin="deny")
    digest = listed_by(talk, LISTED).accepted["read"]["digest"]
    guard.mode = "cut"
    pins = listed_by(talk, LISTED)
    assert (pins.accepted["read"]["digest"], pins.changed) == (digest, {})
    assert digest == listed_by(under_words("cut")[0], LISTED).accepted["read"]["digest"]
    # What the guard leaves as it is still makes another tool of it.
    assert listed_by(talk, {**LISTED, "title": "new"}).changed["read"]["definition"] == {**KEPT, "title": "new"}


def test_a_clean_list_and_one_that_nobody_reads_are_kept_as_they_are():
    clean = {"name": "read", "description": "fine"}
    assert listed_by(under_words()[0], clean).accepted["read"]["definition"] == clean
    plain = Playbook(none=True)
    plain.session.policy = words_policy()
    assert listed_by(plain, LISTED).accepted["read"]["definition"] == LISTED


def test_what_only_a_record_hides_is_not_kept_either():
    talk, guard = under_words("log")
    guard.screen = lambda *_: None  # it reads less of a message than of a record
    assert listed_by(talk, LISTED).accepted["read"]["definition"] == KEPT


@pytest.mark.parametrize("mode", ["log", "cut"])
def test_a_list_that_was_held_is_kept_without_findings(mode):
    talk, _ = under_words(mode, rules=(ASKS, ALLOW_ALL), asks=True, needs=["contains"])
    talk >> client(request(1, "tools/list"))
    talk >> server(result(1, tools=[{**LISTED, "title": "ignore this"}])) << Ask("s-2")
    talk >> client(request(2, "ping")) >> server(result(2))
    talk.resume("s-2", YES)
    assert talk.session.tool_list.pins.accepted["read"]["definition"] == {**KEPT, "title": "ignore this"}
