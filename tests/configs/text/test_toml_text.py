"""Every form in which TOML can say a server is found, with all of its pieces."""

import time

import pytest

from mcpgov.configs.text import toml_text
from mcpgov.configs.text.spans import InvalidText, raw
from mcpgov.configs.text.toml_text import comma, elements, find, members, parse

SERVERS = [("mcp_servers", "*")]


def shape(text, patterns=SERVERS):
    """Entries as (name, members as written, main text, all text)."""
    return [
        (
            ".".join(entry.place),
            [(member.key, text[member.start : member.end]) for member in entry.members],
            text[entry.start : entry.end],
            raw(text, entry),
        )
        for entry in find(text, patterns)
    ]


def test_a_table_and_its_sub_tables_are_one_entry():
    text = """\
model = "é😀" # é

[mcp_servers.a] # é
command = "npx" # 😀
# about args
args = ["x", # y
  "z"]
[mcp_servers.b]
[mcp_servers.a.env]
A = "1"
[[mcp_servers.a.list]]
q = 1
[[mcp_servers.a.list]]
"""
    main = '[mcp_servers.a] # é\ncommand = "npx" # 😀\n# about args\nargs = ["x", # y\n  "z"]'
    assert shape(text) == [
        (
            "mcp_servers.a",
            [
                ("command", '"npx"'),
                ("args", '["x", # y\n  "z"]'),
                ("env", '[mcp_servers.a.env]\nA = "1"'),
                ("list", "[[mcp_servers.a.list]]\nq = 1"),
            ],
            main,
            f'{main}\n[mcp_servers.a.env]\nA = "1"\n[[mcp_servers.a.list]]\nq = 1\n[[mcp_servers.a.list]]',
        ),
        ("mcp_servers.b", [], "[mcp_servers.b]", "[mcp_servers.b]"),
    ]
    assert [entry.value for entry in find(text, SERVERS)] == list(parse(text)["mcp_servers"].values())


def test_a_member_that_is_spread_out_starts_at_its_key():
    text = "[mcp_servers.a]\nenv.A = 1\nenv.B = 2\nc = 3\n"
    (entry,) = find(text, SERVERS)
    assert [(member.key, member.key_start == member.start, member.value) for member in entry.members] == [
        ("env", True, {"A": 1, "B": 2}),
        ("c", False, 3),
    ]


FORMS = [
    ('mcp_servers = { a = { command = "x", env.A = 1 } }\n', '{ command = "x", env.A = 1 }', ["command", "env"]),
    ('mcp_servers.a = { command = "x" } # c\n', '{ command = "x" }', ["command"]),
    ('[mcp_servers]\na = { command = "x" }\n', '{ command = "x" }', ["command"]),
    ('mcp_servers.a.command = "x" # c\nmcp_servers . "a" . args = []\nz = 1\n',
     'mcp_servers.a.command = "x" # c\nmcp_servers . "a" . args = []', ["command", "args"]),
    ('mcp_servers = { z.q = 1, a.command = "x", a.args = [] }\n', 'a.command = "x", a.args = []', ["command", "args"]),
    ('[mcp_servers]\na.command = "x"\nb.command = "y"\na.args = []\r\n', 'a.command = "x"', ["command", "args"]),
    ("[mcp_servers.a.env]\nA = 1", "[mcp_servers.a.env]\nA = 1", ["env"]),
    ("[mcp_servers.a.env]\n[mcp_servers.a]\nx = 1\n", "[mcp_servers.a]\nx = 1", ["env", "x"]),
    ("\ufeff[mcp_servers.a]\r\nx = nan\r\n", "[mcp_servers.a]\r\nx = nan", ["x"]),
    ("mcp_servers.a = 5\n", "5", []),
    ("[[mcp_servers.a]]\nx = 1\n[[mcp_servers.a]]\ny = 1\n", "[[mcp_servers.a]]\ny = 1", []),
    ('[mcp_servers.a]\nx = """\\   \n  b"""\n', '[mcp_servers.a]\nx = """\\   \n  b"""', ["x"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "main", "keys"), FORMS)
def test_a_server_is_found_in_every_form(text, main, keys):
    found = [entry for entry in find(text, SERVERS) if entry.place == ("mcp_servers", "a")]
    assert [(text[entry.start : entry.end], [member.key for member in entry.members]) for entry in found] == [
        (main, keys)
    ]


def test_pieces_that_stand_apart_are_all_of_the_entry():
    text = '[mcp_servers]\na.command = "x"\nb.command = "y"\na.args = []\n'
    assert [raw(text, entry) for entry in find(text, SERVERS)] == ['a.command = "x"\na.args = []', 'b.command = "y"']


@pytest.mark.parametrize("text", ["a = 1\n", "[[mcp_servers]]\na = 1\n", "mcp_servers = [{ a = 1 }]\n", "# nothing\n"])
def test_a_text_without_servers_has_no_entries(text):
    assert find(text, SERVERS) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not TOML yet: the text is empty"),
        ("\ufeff \n", "not TOML yet: the text is empty"),
        ("a = ", "not TOML: invalid value \\(at "),
        ("a = 1\na = 2\n", "not TOML: cannot overwrite a value \\(at "),
        ("a = " + "[" * 200_000, "not TOML that can be read: nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_broken(text, reason):
    with pytest.raises(InvalidText, match=reason):
        find(text, SERVERS)


def test_an_inline_table_has_members_and_an_array_elements():
    text = 'a = "é"\nx = { y = { p = 1, q.r = 2 }, z = [ 1, # é, 3\n [2], ] }\n'
    start = text.index("{ p")
    assert [(found.key, text[found.start : found.end], found.value) for found in members(text, start)] == [
        ("p", "1", 1),
        ("q", "q.r = 2", {"r": 2}),
    ]
    at = text.index("[ 1")
    assert [text[a:b] for a, b in elements(text, at)] == ["1", "[2]"]
    assert (members(text, at), members(text, 0)) == ((), ())
    assert (elements(text, start), elements(text, 0)) == ((), ())


@pytest.mark.parametrize(("text", "at"), [("1,", 1), ("1 # , ]\n ,", 9), ("1 # ,\n]", None), ("1 # ,", None)])
def test_the_comma_behind_a_value_is_never_one_of_a_comment(text, at):
    assert comma(text, 1) == at


def test_where_two_readers_of_one_text_disagree_nothing_is_edited():
    text = "[m.a]\nc = 2\n"
    for value in ({"c": 3}, {"d": 2}, {"c": 2, "d": 2}):
        collector = toml_text._Collector(text, ("m", "a"), value)
        collector.table(toml_text.tables(text)[1])
        with pytest.raises(InvalidText, match=r"`m\.a` is written in a way that cannot be followed"):
            collector.entry()


INLINE = """mcp_servers = { # all of them
  a = {
    command = "npx", # the program
    args = [
      "-y", 'x',
    ],
  }, # a
  b.command = "y",
}
"""


def test_inline_tables_over_several_lines_with_comments_and_a_last_comma():
    one, other = find(INLINE, [("mcp_servers", "*")])
    assert (one.value, other.value) == ({"command": "npx", "args": ["-y", "x"]}, {"command": "y"})
    args = one.members[1]
    assert [INLINE[start:end] for start, end in toml_text.elements(INLINE, args.start)] == ['"-y"', "'x'"]


def test_three_thousand_servers_in_any_form_are_found_in_one_pass():
    forms = ("[m.s{0}]\nc = {0}\n[m.s{0}.env]\nA = 1\n", "m.s{0}.c = {0}\nm.s{0}.env.A = 1\n",
             "m.s{0} = {{ c = {0}, env = {{ A = 1 }} }}\n")  # fmt: skip
    began = time.process_time()
    for form in forms:
        text = "".join(form.format(at) for at in range(3000))
        assert [entry.value for entry in find(text, [("m", "*")])] == [{"c": at, "env": {"A": 1}} for at in range(3000)]
    assert time.process_time() - began < 15.0


def test_places_inside_each_other_are_each_found_whole():
    text = "[a]\nb = { c = 1 }\nx.y = 2\n[a.d]\ne = 3\n"
    found = {
        entry.place: [text[start:end] for start, end in entry.pieces] for entry in find(text, [("a",), ("a", "*")])
    }
    assert found == {
        ("a",): ["[a]\nb = { c = 1 }\nx.y = 2", "[a.d]\ne = 3"],
        ("a", "b"): ["{ c = 1 }"],
        ("a", "x"): ["x.y = 2"],
        ("a", "d"): ["[a.d]\ne = 3"],
    }


def test_what_stands_where_a_table_of_servers_should_is_told():
    assert list(toml_text.faults("mcp_servers = [1]", [("mcp_servers", "*")])) == [(("mcp_servers",), "a list")]
    assert list(toml_text.faults("[mcp_servers]", [("mcp_servers", "*")])) == []
    assert list(toml_text.faults("x = 1", [("mcp_servers", "*")])) == []
