"""New members and entries take the layout of their neighbours; taking one out leaves no trace."""

import json

import pytest

from mcpgov.configs.text.json_edit import insert_after, insert_entry, levels_to, remove
from mcpgov.configs.text.json_text import members, without_comments
from mcpgov.configs.text.spans import DuplicateKey, InvalidText, splice


def inside(text):
    return members(without_comments(text), text.index("{"))[0]


def inserted(text, key, new_key="n", raw="[1]"):
    return splice(text, [insert_after(text, inside(text), key, new_key, raw)])


def removed(text, key):
    return splice(text, [remove(text, inside(text), key)])


def added(text, container, name="n", raw="1"):
    return splice(text, insert_entry(text, without_comments(text), container, name, raw))


INSERTED = [
    ('{"a":1}', "a", '{"a":1,"n":[1]}'),
    ('{"a": 1}', "a", '{"a": 1, "n": [1]}'),
    ('{"a": 1,  "b": 2}', "a", '{"a": 1,  "n": [1],  "b": 2}'),
    ('{"a": 1,  "b": 2}', "b", '{"a": 1,  "b": 2,  "n": [1]}'),
    ('{"a": 1,"b": 2,\n"c": 3}', "b", '{"a": 1,"b": 2,"n": [1],\n"c": 3}'),
    ('{"a": 1,\n\n "b": 2}', "a", '{"a": 1, "n": [1],\n\n "b": 2}'),
    ('{\n  "a": 1\n}', "a", '{\n  "a": 1,\n  "n": [1]\n}'),
    ('{\r\n\t"a" : 1,\r\n\t"b" : 2\r\n}', "a", '{\r\n\t"a" : 1,\r\n\t"n" : [1],\r\n\t"b" : 2\r\n}'),
    ('{\n"a":\n1}', "a", '{\n"a":\n1,\n"n": [1]}'),
    ('{\n  "a": 1, // c\n}', "a", '{\n  "a": 1,\n  "n": [1], // c\n}'),
    ('{\n  "a": /* x */ 1 /* y */ , // c\n  "b": 2 }', "a",
     '{\n  "a": /* x */ 1,\n  "n": [1] /* y */ , // c\n  "b": 2 }'),
    ('{ /* x */ "a": 1, /* y */ "b": 2 }', "a", '{ /* x */ "a": 1, "n": [1], /* y */ "b": 2 }'),
    ('{"\\u0061": "é😀"}', "a", '{"\\u0061": "é😀", "n": [1]}'),
    ("{" + " " * 9000 + '"a":1}', "a", "{" + " " * 9000 + '"a":1,"n":[1]}'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key", "new"), INSERTED)
def test_a_new_member_stands_like_its_neighbours_and_goes_without_a_trace(text, key, new):
    assert inserted(text, key) == new
    assert removed(new, "n") == text


def test_a_member_is_not_put_in_twice_nor_after_one_that_is_missing():
    with pytest.raises(DuplicateKey, match="`a` is already there"):
        inserted('{"a": 1}', "a", "a")
    with pytest.raises(KeyError):
        inserted('{"a": 1}', "b")


@pytest.mark.parametrize(
    ("text", "key", "new"),
    [
        ('{\n  "a": 1,\n  "b": [\n    1\n  ],\n  "c": 3\n}', "b", '{\n  "a": 1,\n  "c": 3\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', "b", '{\n  "a": 1\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', "a", '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2,\n}', "b", '{\n  "a": 1,\n}'),
        ('{\n  "a": 1\n}', "a", "{}"),
        ('{ "a": 1, }', "a", "{}"),
        ('{ // c\n  "a": 1, }', "a", "{ // c\n   }"),
        ('{ "a": 1 /* , } */ , }', "a", "{  /* , } */  }"),
        ('{ "a": 1 // , x\n}, {"b": 1}', "a", "{  // , x\n}, {\"b\": 1}"),
        ('{ "a": 1 /* x */ } /* y */ , ', "a", "{  /* x */ } /* y */ , "),
        ('{"a": 1, // about b, c\n  "b": 2, "c": 3}', "b", '{"a": 1 // about b, c\n, "c": 3}'),
        ('{"a": 1, // about a, b\n  "b": 2}', "a", '{// about a, b\n  "b": 2}'),
        ("{" + " " * 9000 + '"a":1}', "a", "{" + " " * 9000 + "}"),
    ],
)  # fmt: skip
def test_a_member_taken_out_leaves_no_comma_and_takes_no_comment(text, key, new):
    assert removed(text, key) == new


ADDED = [
    # the container has entries
    ('{"m": {"a": 0}}', ("m",), '{"m": {"a": 0, "n": 1}}'),
    ('{\n    "m": {\n        "a": 0\n    }\n}\n', ("m",), '{\n    "m": {\n        "a": 0,\n        "n": 1\n    }\n}\n'),
    ('{\n  "m": {\n    "a": 0,\n  },\n}', ("m",), '{\n  "m": {\n    "a": 0,\n    "n": 1,\n  },\n}'),
    ('{\n  "m": {\n    "a": 0 // c, d\n  }\n}', ("m",), '{\n  "m": {\n    "a": 0, // c, d\n    "n": 1\n  }\n}'),
    ('{\r\n  "m": {\r\n    "a": 0, /* c */ // d\r\n  }\r\n}', ("m",),
     '{\r\n  "m": {\r\n    "a": 0, /* c */ // d\r\n    "n": 1,\r\n  }\r\n}'),
    ('{"m": {"a": 0 // c\n}}', ("m",), '{"m": {"a": 0, "n": 1 // c\n}}'),
    # the container is empty
    ("{}", (), '{\n  "n": 1\n}'),
    ('\ufeff{}\r\n', (), '\ufeff{\r\n  "n": 1\r\n}\r\n'),
    ('{"m": {}}', ("m",), '{"m": {"n": 1}}'),
    ('{\n\t"m": { }\n}', ("m",), '{\n\t"m": {\n\t\t"n": 1\n\t}\n}'),
    ('{\n  "m": {\n    // none, yet\n  }\n}', ("m",), '{\n  "m": {\n    // none, yet\n    "n": 1\n  }\n}'),
    ('{"m": { // none\n}}', ("m",), '{"m": { // none\n  "n": 1\n}}'),
    # the container is missing
    ("{}", ("m",), '{\n  "m": {\n    "n": 1\n  }\n}'),
    ('{"x":1}', ("m", "k"), '{"x":1,"m":{"k": {"n": 1}}}'),
    ('{\n    "x": 1\n}', ("m", "k"),
     '{\n    "x": 1,\n    "m": {\n        "k": {\n            "n": 1\n        }\n    }\n}'),
    ('{\n"x": 1,\n"m": {}\n}', ("m", "k"), '{\n"x": 1,\n"m": {\n"k": {\n"n": 1\n}\n}\n}'),
    ('{"x": 1, "x": 2, "m": {"k": {"a": 1}}, "x": 3}', ("m", "k"),
     '{"x": 1, "x": 2, "m": {"k": {"a": 1, "n": 1}}, "x": 3}'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "container", "new"), ADDED)
def test_an_entry_is_added_at_the_end_of_its_container(text, container, new):
    assert added(text, container) == new


RAW = json.dumps({"a": {"b": "x\u2028y"}}, indent=2, ensure_ascii=False)


def test_the_lines_of_an_entry_are_moved_under_its_key():
    text = '{\r\n  "m": {}\r\n}'
    lines = ["{", '  "m": {', '    "n": {', '      "a": {', '        "b": "x\u2028y"', "      }", "    }", "  }", "}"]
    new = added(text, ("m",), raw=RAW)
    assert new == "\r\n".join(lines)
    # What was cut out of a text goes back as it was.
    old = new[new.index('"n": ') + 5 : new.index("\r\n  }")]
    assert added(text, ("m",), raw=old) == new
    assert added('{"m": {}}', ("m",), raw=RAW) == f'{{"m": {{"n": {RAW}}}}}'


@pytest.mark.parametrize(
    ("text", "container", "error", "reason"),
    [
        ("[]", ("m",), InvalidText, "the text is not an object"),
        ('{"m": null}', ("m",), InvalidText, "`m` is not an object"),
        ('{"m": {"k": []}}', ("m", "k"), InvalidText, "`m.k` is not an object"),
        ('{"m": {"n": 1}}', ("m",), DuplicateKey, "`n` is already there"),
        ('{"m": {}, "m": {}}', ("m",), DuplicateKey, "`m` stands twice"),
        ('{"m": {"a": 1, "a": 2}}', ("m",), DuplicateKey, "`a` stands twice"),
        ('{"m": {}} x', ("m",), InvalidText, "end of text expected"),
    ],
)
def test_an_entry_is_not_added_where_it_cannot_stand(text, container, error, reason):
    with pytest.raises(error, match=reason):
        added(text, container)


def test_a_trail_ends_where_the_objects_end():
    text = '{"m": {"k": 3}}'
    assert [
        (level.start, level.end, [member.key for member in level.members]) for level in levels_to(text, ("m", "k"))
    ] == [
        (0, 15, ["m"]),
        (6, 14, ["k"]),
    ]
