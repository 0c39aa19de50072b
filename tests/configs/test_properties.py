"""Laws of every config text, on random layouts: blanks, tabs, line ends, marks, comments, escapes, odd numbers.

MCPGOV_EXAMPLES raises the number of examples.
"""

import json
import os
import random
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import JSON, JSONC, TOML

EXAMPLES = settings(max_examples=int(os.environ.get("MCPGOV_EXAMPLES", "300")), deadline=None)
PATTERNS = [("mcpServers", "*"), ("projects", "*", "mcpServers", "*")]
BLANKS = ["", "", "", " ", "  ", "\t", "\n", "\n  ", "\r\n", "\r\n\t", "\n\n    "]
COMMENTS = ["// c\n", "//, }\r\n", "/* c */", "/**/", '/* " , ] */', '// "\n', "/* a\n * b\n **/", "//\n"]
STRINGS = ['"x"', '""', '"é😀"', '"\\u00e9"', '"\\ud83d"', '"//x"', '"/*"', '"*/ ,}"', '"\\"\\\\"', '"\\/"', '"# {["']
NUMBERS = ["0", "-0", "1", "1.0", "-0.0", "1e3", "1E+400", "12345678901234567890", "0.1e-7"]
WORDS = ["null", "true", "false"]
NAMES = ["a", "b", "c d", "é", "*", "\\u0066", "g\\\\", "/p/q"]
FIELDS = ["command", "args", "env", "type", "url", "x"]


class Writer:
    """JSON text by dice; `noted` adds comments and trailing commas."""

    def __init__(self, seed, noted):
        self.dice = random.Random(seed)
        self.noted = noted
        self.plain = self.dice.random() < 0.3  # a text as a client writes it

    def gap(self):
        if self.plain:
            return ""
        choices = BLANKS + (COMMENTS if self.noted and self.dice.random() < 0.3 else [])
        return "".join(self.dice.choice(choices) for _ in range(self.dice.randint(0, 2)))

    def list(self, opening, items, closing):
        inner = ",".join(f"{self.gap()}{item}{self.gap()}" for item in items)
        comma = f",{self.gap()}" if self.noted and items and self.dice.random() < 0.3 else ""
        return f"{opening}{inner or self.gap()}{comma}{closing}"

    def object(self, pairs):
        return self.list("{", [f'"{key}"{self.gap()}:{self.gap()}{value}' for key, value in pairs], "}")

    def value(self, depth=2):
        kind = self.dice.random()
        if not depth or kind < 0.6:
            return self.dice.choice(STRINGS + NUMBERS + WORDS)
        items = [self.value(depth - 1) for _ in range(self.dice.randint(0, 3))]
        if kind < 0.8:
            return self.list("[", items, "]")
        return self.object([(self.dice.choice(NAMES[:3]), item) for item in items])  # keys may stand twice here

    def some(self, names, least=0):
        return self.dice.sample(names, self.dice.randint(least, 3))

    def odd(self):
        """Something where an object is usual."""
        return self.value(0) if self.dice.random() < 0.5 else self.list("[", [self.value()], "]")

    def entry(self):
        return (
            self.object([(key, self.value()) for key in self.some(FIELDS)]) if self.dice.random() < 0.9 else self.odd()
        )

    def servers(self):
        return (
            self.object([(name, self.entry()) for name in self.some(NAMES)]) if self.dice.random() < 0.9 else self.odd()
        )

    def project(self):
        pairs = [("history", self.value()), ("mcpServers", self.servers()), ("history", self.value())]
        return self.object(self.dice.sample(pairs, self.dice.randint(0, 3)))

    def text(self):
        projects = [(name, self.project()) for name in self.some(NAMES)]
        pairs = [
            ("other", self.value()), ("other", self.value()),
            ("mcpServers", self.servers()), ("projects", self.object(projects)),
        ]  # fmt: skip
        body = self.object(self.dice.sample(pairs, self.dice.randint(0, 4)))
        mark = "\ufeff" if self.dice.random() < 0.1 else ""
        if self.plain and not self.noted:
            # Duplicates are lost here: this is the layout of JSON.stringify.
            return json.dumps(
                json.loads(body.replace("1E+400", "1")), indent=self.dice.choice([None, 2, 4, "\t"]), ensure_ascii=True
            )
        return f"{mark}{self.gap()}{body}{self.gap()}"


def cases():
    return st.tuples(st.integers(0, 2**64), st.sampled_from([JSON, JSONC])).map(
        lambda case: (Writer(case[0], case[1] == JSONC).text(), case[1])
    )


def places(value):
    """The entries by another way: plain loading."""
    held = value.get("mcpServers")
    found = {("mcpServers", name): entry for name, entry in held.items()} if isinstance(held, dict) else {}
    for path, project in value.get("projects", {}).items():
        held = project.get("mcpServers")
        for name, entry in held.items() if isinstance(held, dict) else ():
            found[("projects", path, "mcpServers", name)] = entry
    return found


@EXAMPLES
@given(cases())
def test_spans_hold_the_text_of_the_values(case):
    text, dialect = case
    found = texts.find(text, dialect, PATTERNS)
    assert {entry.place: entry.value for entry in found} == places(texts.parse(text, dialect))
    assert [entry.start for entry in found] == sorted(entry.start for entry in found)
    for entry in found:
        for start, end, value in [
            (entry.start, entry.end, entry.value),
            *((member.start, member.end, member.value) for member in entry.members),
        ]:
            assert texts.only_difference(texts.parse(text[start:end], dialect), value, [])
        for member in entry.members:
            assert texts.parse(f"[{text[member.key_start : member.start].rpartition(':')[0] or 0}]", JSONC)
        assert texts.members(text, dialect, entry.start, entry.end) == entry.members


@EXAMPLES
@given(cases(), st.sampled_from(STRINGS + NUMBERS + WORDS))
def test_a_splice_changes_what_it_names_and_nothing_else(case, raw):
    text, dialect = case
    found = texts.find(text, dialect, PATTERNS)
    edits, intended = [], {}
    for entry in found:
        for member in entry.members[:1]:
            edits.append((member.start, member.end, raw))
            intended[entry.place] = {**entry.value, member.key: json.loads(raw)}
    new = texts.splice(text, edits)
    texts.verify(text, new, dialect, PATTERNS, intended, found)
    texts.verify(new, text, dialect, PATTERNS, {place: places(texts.parse(text, dialect))[place] for place in intended})
    assert texts.only_difference(texts.parse(text, dialect), texts.parse(new, dialect), list(intended))


@EXAMPLES
@given(cases(), st.sampled_from(["1", '["a", "b"]', '{\n "k": 1}']))
def test_a_member_put_in_and_taken_out_leaves_the_text_as_it_was(case, raw):
    text, dialect = case
    for entry in texts.find(text, dialect, PATTERNS):
        for member in entry.members:
            new = texts.splice(text, [texts.insert_after(text, dialect, entry, member.key, "new é", raw)])
            changed = next(other for other in texts.find(new, dialect, PATTERNS) if other.place == entry.place)
            keys = [held.key for held in entry.members]
            keys.insert(keys.index(member.key) + 1, "new é")
            assert list(changed.value) == keys
            texts.verify(text, new, dialect, PATTERNS, {entry.place: {**entry.value, "new é": json.loads(raw)}})
            assert texts.splice(new, [texts.remove(new, dialect, changed, "new é")]) == text


@EXAMPLES
@given(cases())
def test_any_member_can_be_taken_out_and_no_comment_goes_with_it(case):
    text, dialect = case
    for entry in texts.find(text, dialect, PATTERNS):
        for member in entry.members:
            new = texts.splice(text, [texts.remove(text, dialect, entry, member.key)])
            left = {key: value for key, value in entry.value.items() if key != member.key}
            texts.verify(text, new, dialect, PATTERNS, {entry.place: left})


@EXAMPLES
@given(cases(), st.sampled_from([("mcpServers",), ("projects", "a", "mcpServers"), ("projects", "z", "mcpServers")]),
       st.sampled_from(["{}", '{\n  "command": "x"\n}']))  # fmt: skip
def test_an_entry_put_in_is_one_entry_more(case, container, raw):
    text, dialect = case
    try:
        edits = texts.insert_entry(text, dialect, container, "new", raw)
    except texts.InvalidText as error:
        assert str(error).endswith("is not an object")  # noqa: PT017
        return
    new = texts.splice(text, edits)
    texts.verify(text, new, dialect, PATTERNS, {(*container, "new"): json.loads(raw)})
    before, after = ([entry.place for entry in texts.find(each, dialect, PATTERNS)] for each in (text, new))
    assert sorted(after) == sorted([*before, (*container, "new")])


@EXAMPLES
@given(cases(), st.data())
def test_a_text_cut_short_is_broken_or_the_whole_text(case, data):
    text, dialect = case
    short = text[: data.draw(st.integers(0, len(text)))]
    try:
        found = texts.parse(short, dialect)
    except texts.InvalidText:
        return
    assert texts.only_difference(found, texts.parse(text, dialect), [])


TOML_HEADS = ["[m.{0}]\n{1}", "m.{0} = {{ {2} }}\n", "[m]\n{0} = {{ {2} }}\n", "{3}"]
TOML_PAIRS = [
    'command = "npx"', "cwd  =  'é'", "args = [\n  1, # é\n  2,\n]", "env.A = 1", "'x y' = \"\"\"\nq\"\"\"",
    '"é" = 1979-05-27', "t={a = 1}",
]  # fmt: skip


class TomlWriter:
    """One server in any form, other things around it."""

    def __init__(self, seed):
        dice = random.Random(seed)
        end = dice.choice(["\n", "\r\n"])
        pairs = dice.sample(TOML_PAIRS, dice.randint(1, 4))
        notes = ["", "", " # é", "\t# x = 1"]
        lines = "".join(f"{dice.choice(['', '  '])}{pair}{dice.choice(notes)}\n" for pair in pairs)
        dotted = "".join(f"m.s.{pair}{dice.choice(notes)}\n" for pair in pairs)
        server = dice.choice(TOML_HEADS).format("s", lines, ", ".join(pairs), dotted)
        before = dice.choice(["", "# é 😀\n", 'top = "é"\n'])
        after = dice.choice(["", "\n# end\n", "[other]\nx = 1\n", "\n[[list]]\n[[list]]\ny = 'é'"])
        text = before + server + after
        self.text = ("\ufeff" if dice.random() < 0.1 else "") + text.removesuffix(dice.choice(["", "\n"])).replace(
            "\n", end
        )


@EXAMPLES
@given(st.integers(0, 2**64))
def test_toml_holds_to_the_same_laws(seed):
    text, patterns = TomlWriter(seed).text, [("m", "*")]
    (entry,) = texts.find(text, TOML, patterns)
    assert entry.value == tomllib.loads(text.removeprefix("\ufeff"))["m"]["s"]
    for member in entry.members:
        if member.start == member.key_start:
            continue
        assert tomllib.loads(f"v = {text[member.start : member.end]}") == {"v": member.value}
        new = texts.splice(text, [texts.insert_after(text, TOML, entry, member.key, "new", "[1]")])
        texts.verify(text, new, TOML, patterns, {entry.place: {**entry.value, "new": [1]}})
        (changed,) = texts.find(new, TOML, patterns)
        assert texts.splice(new, [texts.remove(new, TOML, changed, "new")]) == text
    more = texts.splice(text, texts.insert_entry(text, TOML, ("m",), "new", "command = 1"))
    texts.verify(text, more, TOML, patterns, {("m", "new"): {"command": 1}})
