"""Find, splice, verify: what was not meant to change has not changed."""

import json
import tomllib

import pytest

from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import GONE, JSON, JSONC, TOML, DuplicateKey, InvalidText, UnintendedChange

SERVERS = [("mcpServers", "*"), ("projects", "*", "mcpServers", "*")]
PLAIN = """{
  "numStartups": 1.0,
  "mcpServers": {
    "a": {
      "command": "npx",
      "env": {}
    }
  },
  "projects": {"/é": {"history": ["x"], "mcpServers": {"a": {"command": "y", "args": ["1", "2"]}}}}
}"""
NOTED = PLAIN.replace('"env": {}', '"env": {}, // none').replace('["1", "2"]', '["1", /* , */ "2",]')
CODEX = """\
model = "é" # 😀
[mcp_servers.a] # one
command = "npx" # two
[mcp_servers.a.env]
A = "1"
[mcp_servers.b]
command = "y"
args = ["1", "2"]
"""
CODEX_SERVERS = [("mcp_servers", "*")]


@pytest.mark.parametrize(("text", "dialect"), [(PLAIN, JSON), (PLAIN, JSONC), (NOTED, JSONC)])
def test_entries_of_all_patterns_come_in_text_order(text, dialect):
    found = texts.find(text, dialect, SERVERS)
    assert [(entry.place, entry.value) for entry in found] == [
        (("mcpServers", "a"), {"command": "npx", "env": {}}),
        (("projects", "/é", "mcpServers", "a"), {"command": "y", "args": ["1", "2"]}),
    ]
    args = found[1].members[1]
    assert [text[a:b] for a, b in texts.elements(text, dialect, args.start, args.end)] == ['"1"', '"2"']
    assert texts.elements(text, dialect, found[1].start, found[1].end) == ()
    assert texts.members(text, dialect, found[1].start, found[1].end) == found[1].members
    assert texts.members(text, dialect, args.start, args.end) == ()
    assert texts.keys(text, dialect, ("projects",)) == ["/é"]
    assert texts.keys(text, dialect, ("projects", "/é", "history")) == []


def test_toml_is_asked_the_same_way():
    found = texts.find(CODEX, TOML, CODEX_SERVERS)
    assert [(entry.place[1], entry.value) for entry in found] == list(tomllib.loads(CODEX)["mcp_servers"].items())
    args = found[1].members[1]
    assert [CODEX[a:b] for a, b in texts.elements(CODEX, TOML, args.start, args.end)] == ['"1"', '"2"']
    assert texts.members(CODEX, TOML, args.start, args.end) == ()
    assert texts.keys(CODEX, TOML, ("mcp_servers",)) == ["a", "b"]
    assert texts.keys(CODEX, TOML, ("nothing",)) == []


def test_the_whole_value_is_read_by_dialect():
    assert texts.parse(PLAIN, JSON) == json.loads(PLAIN)
    assert texts.parse(NOTED, JSONC) == json.loads(PLAIN)
    assert texts.parse(CODEX, TOML) == tomllib.loads(CODEX)
    with pytest.raises(InvalidText):
        texts.parse(NOTED, JSON)


def test_members_of_an_object_stand_once():
    with pytest.raises(DuplicateKey):
        texts.members('{"a": {"b": 1, "b": 2}}', JSON, 6, 22)


def test_the_comma_behind_an_element_is_found_by_dialect():
    assert texts.comma("[1 /* , */, 2]", JSONC, 2) == 10
    assert texts.comma("a = [1 # ,\n, 2]", TOML, 6) == 11
    assert texts.comma("[1 // ,\n]", JSONC, 2) is None


def test_literals_read_back_in_their_dialect():
    text = 'é😀"\\\n\x00\x7f\t\x9b\u2028'
    assert json.loads(texts.quote(JSON, text)) == text
    assert tomllib.loads(f"a = {texts.quote(TOML, text)}") == {"a": text}
    assert texts.quote(JSONC, "\ud800") == '"\\ud800"'
    with pytest.raises(ValueError, match="half a character"):
        texts.quote(TOML, "a\udfff")


WRAPS = [(PLAIN, JSON, SERVERS), (NOTED, JSONC, SERVERS), (CODEX, TOML, CODEX_SERVERS)]


def wrapped(text, dialect, patterns):
    """Every command replaced and followed by a new member; the new text and what was meant."""
    edits, intended = [], {}
    for entry in texts.find(text, dialect, patterns):
        command = entry.members[0]
        edits.append((command.start, command.end, texts.quote(dialect, "/ours")))
        edits.append(texts.insert_after(text, dialect, entry, "command", "more", "[1]"))
        intended[entry.place] = {**entry.value, "command": "/ours", "more": [1]}
    return texts.splice(text, edits), intended


@pytest.mark.parametrize(("text", "dialect", "patterns"), WRAPS)
def test_an_intended_change_is_verified_and_taken_back_to_the_last_character(text, dialect, patterns):
    new, intended = wrapped(text, dialect, patterns)
    texts.verify(text, new, dialect, patterns, intended)
    texts.verify(text, new, dialect, patterns, intended, texts.find(text, dialect, patterns))
    back = []
    for was, entry in zip(texts.find(text, dialect, patterns), texts.find(new, dialect, patterns), strict=True):
        old = was.members[0]
        back.append((entry.members[0].start, entry.members[0].end, text[old.start : old.end]))
        back.append(texts.remove(new, dialect, entry.members, "more"))
    assert texts.splice(new, back) == text


@pytest.mark.parametrize(("text", "dialect", "patterns"), WRAPS)
def test_any_other_character_that_changed_is_noticed(text, dialect, patterns):
    new, intended = wrapped(text, dialect, patterns)
    for odd in (new + "\n", new.replace("é", "e"), new.replace("\n", "\n ", 1)):
        with pytest.raises((UnintendedChange, InvalidText)):
            texts.verify(text, odd, dialect, patterns, intended)
    for place in intended:
        with pytest.raises(UnintendedChange, match="did not become what was meant"):
            texts.verify(text, new, dialect, patterns, {**intended, place: {"command": "/ours"}})
        fewer = {key: value for key, value in intended.items() if key != place}
        with pytest.raises(UnintendedChange, match="more than the intended"):
            texts.verify(text, new, dialect, patterns, fewer)


def test_texts_are_compared_beyond_the_first_step():
    text = f'{{"x": "{"a" * 3_000_000}", "mcpServers": {{}}}}'
    texts.verify(text, text, JSON, SERVERS, {})
    with pytest.raises(UnintendedChange):
        texts.verify(text, text.replace('a"', 'b"'), JSON, SERVERS, {})


@pytest.mark.parametrize("dialect", [JSON, JSONC])
@pytest.mark.parametrize(
    "container", [("mcpServers",), ("projects", "/é", "mcpServers"), ("projects", "/n", "mcpServers")]
)
def test_a_new_entry_is_verified_and_so_is_its_going(dialect, container):
    text, place = (PLAIN if dialect == JSON else NOTED), (*container, "new")
    new = texts.splice(text, texts.insert_entry(text, dialect, container, "new", '{"command": "z"}'))
    texts.verify(text, new, dialect, SERVERS, {place: {"command": "z"}})
    texts.verify(new, text, dialect, SERVERS, {place: GONE})
    for one, other, meant in [
        (text, new, {}),
        (new, text, {}),
        (text, new, {place: {"command": 1}}),
        (text, new, {place: GONE}),
        (text, new.replace("1.0", "1"), {place: {"command": "z"}}),
        (text, new.replace('"x"', '"w"'), {place: {"command": "z"}}),
        (text, new.replace('"numStartups": 1.0,', ""), {place: {"command": "z"}}),
    ]:
        with pytest.raises(UnintendedChange):
            texts.verify(one, other, dialect, SERVERS, meant)


def test_a_container_is_not_made_of_something_else_unnoticed():
    with pytest.raises(UnintendedChange):
        texts.verify('{"mcpServers": null}', '{"mcpServers": {"a": 1}}', JSON, SERVERS, {("mcpServers", "a"): 1})


def test_entries_within_entries_are_verified_too():
    patterns = [("mcp", "*"), ("mcp", "servers", "*")]
    text = '{"mcp": {"servers": {"a": {"command": "x"}}}}'
    new = texts.splice(text, texts.insert_entry(text, JSON, ("mcp", "servers"), "b", "{}"))
    texts.verify(text, new, JSON, patterns, {("mcp", "servers", "b"): {}})
    changed = text.replace('"x"', '"y"')
    texts.verify(text, changed, JSON, patterns, {("mcp", "servers", "a"): {"command": "y"}})


def test_a_new_table_is_verified_and_so_is_its_going():
    place = ("mcp_servers", "new")
    new = texts.splice(CODEX, texts.insert_entry(CODEX, TOML, ("mcp_servers",), "new", 'command = "z"'))
    texts.verify(CODEX, new, TOML, CODEX_SERVERS, {place: {"command": "z"}})
    texts.verify(new, CODEX, TOML, CODEX_SERVERS, {place: GONE})
    with pytest.raises(UnintendedChange):
        texts.verify(CODEX, new.replace('"é"', '"e"'), TOML, CODEX_SERVERS, {place: {"command": "z"}})


@pytest.mark.parametrize(
    ("before", "after", "allowed", "same"),
    [
        ({"a": 1, "b": [1, {"c": None}]}, {"a": 1, "b": [1, {"c": None}]}, [], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [("a",)], True),
        ({"a": 1}, {"a": 1.0}, [], False),
        ({"a": 1}, {"a": True}, [], False),
        ({"a": 0.0}, {"a": -0.0}, [], False),
        ({"a": float("nan")}, {"a": float("nan")}, [], True),
        ({"a": [1, 2]}, {"a": [1]}, [], False),
        ({"a": [1, 2]}, {"a": [2, 1]}, [], False),
        ({"a": "x"}, {"a": "y"}, [], False),
        ({"a": "x"}, {"a": "y"}, [("a",)], True),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, [("a", "x")], True),
        ({"a": {"x": 1, "y": 1}}, {"a": {"x": 2, "y": 2}}, [("a", "x")], False),
        ({}, {"a": {"x": 2}}, [("a", "x")], True),
        ({}, {"a": {"x": 2, "y": 2}}, [("a", "x")], False),
        ({}, {"a": 1}, [("a", "x")], False),
        ({"a": 1}, {}, [], False),
        ({"a": 1}, {}, [("a",)], True),
        (1, 2, [()], True),
    ],
)
def test_only_the_allowed_places_may_differ(before, after, allowed, same):
    assert texts.only_difference(before, after, allowed) is same


def test_two_names_of_one_moment_are_a_difference():
    one, other = (tomllib.loads(f"a = 1979-05-27T{hour}") for hour in ("12:00:00Z", "13:00:00+01:00"))
    assert one == other
    assert not texts.only_difference(one, other, [])


def test_a_deep_value_is_compared_without_recursion():
    one, other = [], []
    for _ in range(100_000):
        one, other = [one], [other]
    assert texts.only_difference(one, other, [])
