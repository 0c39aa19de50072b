"""Every value of a JSON text is found where it stands, whatever the layout."""

import json

import pytest

from mcpgov.configs.text import json_text
from mcpgov.configs.text.json_text import Walk, check_unique, comma, elements, members, read, value, without_comments
from mcpgov.configs.text.spans import DuplicateKey, Entry, InvalidText, Member

SERVERS = [("mcpServers", "*")]


def walked(text, patterns, comments=False, stops=None):
    def job(view):
        walk = Walk(view, stops)
        walk.run(patterns)
        return walk

    return read(text, comments, job).entries


def parsed(text, comments=False):
    return read(text, comments, value)


def test_an_entry_has_its_span_its_value_and_its_members():
    text = '{"n": 1, "mcpServers": {"a": {"command" : "x", "args": []}, "b": null}}'
    assert walked(text, SERVERS) == [
        Entry(
            ("mcpServers", "a"),
            {"command": "x", "args": []},
            (Member("command", 30, 42, 45, "x"), Member("args", 47, 55, 57, [])),
            29,
            58,
            ((29, 58),),
        ),
        Entry(("mcpServers", "b"), None, (), 65, 69, ((65, 69),)),
    ]


def test_patterns_may_reach_into_each_other():
    text = '{"mcp": {"a": {}, "servers": {"b": {"c": 1}}, "servers2": 3}, "x": {"servers": {"q": 1}}}'
    found = walked(text, [("mcp", "*"), ("mcp", "servers", "*")])
    assert [entry.place for entry in found] == [
        ("mcp", "a"), ("mcp", "servers"), ("mcp", "servers", "b"), ("mcp", "servers2"),
    ]  # fmt: skip


def test_stops_are_every_value_on_the_way():
    stops = []
    walked('{"x": 1, "mcpServers": {"a": 2}, "mcp": {"servers": {}}}', [*SERVERS, ("mcp", "*"), ("mcp", "*", "*")],
           stops=stops)  # fmt: skip
    assert stops == [
        (("x",), 6, 7),
        (("mcpServers",), 23, -1),
        (("mcpServers", "a"), 29, 30),
        (("mcp",), 40, -1),
        (("mcp", "servers"), 52, -1),
    ]


@pytest.mark.parametrize("text", ["[]", "null", " 1 ", '"x"', "{}", '{"mcpServers": []}', '{"mcpServers":{}}'])
def test_a_text_without_servers_has_no_entries(text):
    assert walked(text, SERVERS) == []


def test_a_byte_order_mark_is_blank():
    text = '\ufeff{"mcpServers": {"a": 1}}'
    assert [(entry.start, entry.end) for entry in walked(text, SERVERS)] == [(22, 23)]
    assert parsed(text) == {"mcpServers": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON: expecting value at line 1"),
        ("\n{", "not JSON: a key expected at line 2"),
        ('{"a"', "not JSON: `:` expected at line 1"),
        ('{"a":', "not JSON: expecting value at line 1"),
        ('{"a": 1', "not JSON: `,` or `}` expected at line 1"),
        ('{"a": 1,}', "not JSON: a key expected at line 1"),
        ('{"a": 1} x', "not JSON: end of text expected at line 1"),
        ('{"a": "\n"}', "not JSON: invalid control character at line 1"),
        ('{"a": 01}', "not JSON: `,` or `}` expected at line 1"),
        ('{"a": NaN}', "not JSON: `NaN` is not JSON"),
        ('{"a": -Infinity}', "not JSON: `-Infinity` is not JSON"),
        ("[" * 200_000, "not JSON that can be read: nested too deeply"),
        ('{"mcpServers": {"a": {"b": ' + "[" * 200_000, "not JSON that can be read: nested too deeply"),
        ('{"a": 1 /* c */}', "not JSON: `,` or `}` expected at line 1"),
    ],
)
def test_what_is_not_json_is_broken_and_says_where(text, reason):
    with pytest.raises(InvalidText) as caught:
        walked(text, SERVERS)
    assert str(caught.value) == reason


def test_a_number_too_long_to_read_is_broken():
    with pytest.raises(InvalidText, match=r"not JSON: .*digits"):
        parsed(f'{{"a": {"1" * 5000}}}')


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {},\n"mcpServers": {}}',
        '{"mcpServers": {},\n"mcpServer\\u0073": {}}',
    ],
)
def test_a_key_that_stands_twice_where_we_would_edit_is_refused(text):
    with pytest.raises(DuplicateKey, match="stands twice in one object, again at line 2"):
        walked(text, SERVERS)


def test_a_key_that_stands_twice_in_an_entry_is_its_own_fault():
    found = walked('{"mcpServers": {"a": {"command": 1,\n"command": 2}, "b": {}}}', SERVERS)
    twice = "`command` stands twice in one object, again at line 2"
    assert [(entry.value, entry.fault) for entry in found] == [({"command": 2}, twice), ({}, "")]


@pytest.mark.parametrize(("text", "at"), [("1,", 1), ("1 /* , */ // ,\n ,", 16), ("1 // ,", None), ("1]", None)])
def test_the_comma_behind_a_value_is_never_one_of_a_comment(text, at):
    assert comma(text, 1) == at


def test_every_object_on_the_way_is_told_and_which_of_them_hold_entries():
    walk = Walk('{"a": {"x": {"s": {"n": {}}}, "y": {}, "z": 1}}')
    walk.run([("a", "*", "s", "*")])
    assert walk.containers == [("a", "x", "s")]


def test_a_key_may_stand_twice_elsewhere():
    text = '{"x": 1, "x": 2, "mcpServers": {"a": {"env": {"A": "1", "A": "2"}}}, "y": {"z": 1, "z": 2}}'
    assert [entry.value for entry in walked(text, SERVERS)] == [{"env": {"A": "2"}}]


def test_only_one_key_can_be_asked_to_be_unique():
    text = '{"a": 1, "b": 2, "a": 3}'
    found, end = members(text, 0)
    assert ([member.key for member in found], end) == (["a", "b", "a"], len(text))
    check_unique(text, found, "b")
    with pytest.raises(DuplicateKey, match="`a`"):
        check_unique(text, found)


@pytest.mark.parametrize(
    ("text", "spans"),
    [("[]", ()), ("[ 1 , [2,3],{}]", ((2, 3), (6, 11), (12, 14))), ('["]",\n"["]', ((1, 4), (6, 9)))],
)
def test_elements_have_their_spans(text, spans):
    assert elements(text, 0) == spans


def test_an_array_without_its_comma_is_broken():
    with pytest.raises(InvalidText, match="`,` or `]` expected at line 1"):
        elements("[1 2]", 0)


JSONC = """\
// "top": {
{ /* a, } */ "a": [1, 2, /* ] */ ], // "b": ,}
  "s": "// no /* comment */ ,}", "t": "\\"//", /***/
  "e": {},
} // end"""


def test_comments_and_trailing_commas_are_blanked_in_place():
    assert json.loads(without_comments(JSONC)) == {"a": [1, 2], "s": "// no /* comment */ ,}", "t": '"//', "e": {}}
    assert len(without_comments(JSONC)) == len(JSONC)
    assert without_comments(JSONC).count("\n") == JSONC.count("\n")
    assert parsed(JSONC, comments=True) == json.loads(without_comments(JSONC))


@pytest.mark.parametrize("text", ["[,]", "{,}", "[1,,]", '{"a":,}', ",", "[1] /* open", "[1] / 2", "# [1]", "[1,]x"])
def test_what_is_not_jsonc_is_broken(text):
    with pytest.raises(InvalidText):
        parsed(text, comments=True)


def test_a_name_that_stands_twice_is_a_fault_of_that_entry():
    text = '{"mcpServers": {"a": 1,\n"\\u0061": 2, "b": {"c": 1, "c": 2}, "b": 3}}'
    found = walked(text, SERVERS)
    assert [(entry.place[-1], entry.value) for entry in found] == [("a", 1), ("b", {"c": 2})]
    assert found[0].fault == "`a` stands twice in one object, again at line 2"
    assert found[1].fault == "`c` stands twice in one object, again at line 2"


def test_what_stands_where_an_object_should_is_told():
    walk = json_text.Walk('{"mcpServers": [], "projects": {"/p": {"mcpServers": null}, "/q": 1}}')
    walk.run([*SERVERS, ("projects", "*", "mcpServers", "*")])
    assert walk.faults == [(("mcpServers",), "a list"), (("projects", "/q"), "a number")]
    top = json_text.Walk("null")
    top.run(SERVERS)
    assert top.faults == [((), "null")]
    assert json_text.kind_of({}) == "an object"
