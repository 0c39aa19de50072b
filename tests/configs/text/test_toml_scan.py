import random

import pytest
import tomli

from mcpgov.configs.text.spans import InvalidText
from mcpgov.configs.text.toml_scan import ARRAY, INLINE_TABLE, PLAIN, Assigned, Header, statements


def told(text):
    """The statements as texts."""

    def words(spans):
        return [text[start:end] for start, end in spans]

    def value(held):
        if held.kind == ARRAY:
            return [value(each) for each in held.elements]
        if held.kind == INLINE_TABLE:
            return {".".join(words(each.keys)): value(each.value) for each in held.pairs}
        assert held.kind == PLAIN
        return text[held.start : held.end]

    out = []
    for each in statements(text, int(text.startswith("\ufeff"))):
        out.append(words(each.keys) if isinstance(each, Header) else (words(each.keys), value(each.value)))
    return out


def test_headers_pairs_and_dotted_keys_stand_where_they_stand():
    text = '# c\n[a . "b.c".\'d\'] # c\r\nx = 1\r\n[[l]]\ny.z = "q" # = 2\n\n'
    assert told(text) == [["a", '"b.c"', "'d'"], (["x"], "1"), ["l"], (["y", "z"], '"q"')]
    first, *_ = statements(text)
    assert isinstance(first, Header)
    assert text[first.start : first.end] == "[a . \"b.c\".'d']"


@pytest.mark.parametrize(
    "value",
    [
        '"a # , ] } \\" b"', "'a\\'", '"""\n"a""b\\""""', '"""a"""""', "'''\n'a''b'''", "'''a'''''",
        '"""\\ \n#\\ \n"""',
        "1979-05-27 07:32:00", "-inf", "0x1F", "true", '""', "''", '""""""',
    ],
)  # fmt: skip
def test_every_kind_of_value_ends_where_a_parser_ends_it(value):
    for frame in ("k = {}\n", "k = {}", "k = {} # c\n", "k = [{}]\n", "k = [ {} , {} # ]\n, ]", "k = {{ x = {} }}",
                  "k = {{\n x = {} , # c\n y = {}\n}}\nz = 1"):  # fmt: skip
        text = frame.replace("{}", value).replace("{{", "{").replace("}}", "}")
        first, *_ = statements(text)
        assert isinstance(first, Assigned)
        assert tomli.loads(f"k = {text[first.value.start : first.value.end]}")["k"] == tomli.loads(text)["k"]
        assert value in str(told(text)).replace("\\\\", "\\") or "\n" in value or "'" in value


def test_nothing_and_empty_values():
    assert told("") == told("\ufeff # c\n") == []
    assert told("a = []\nb = {}\nc = [ # x\n]\nd = {\n}") == [(["a"], []), (["b"], {}), (["c"], []), (["d"], {})]


@pytest.mark.parametrize("text", ["= 1", "a 1", "a = ", 'a = ["1" 2]', 'a = {b = "1" c = 2}', 'a = "x', "[", "a = {b}"])
def test_a_text_that_cannot_be_followed_is_told_with_its_line(text):
    with pytest.raises(InvalidText, match="not TOML that can be followed at line 2"):
        list(statements(f"x = 1\n{text}"))


def test_what_is_nested_too_deeply_is_not_followed():
    assert len(list(statements("a = " + "[" * 60 + "]" * 60))) == 1
    with pytest.raises(InvalidText, match="nested too deeply"):
        list(statements("a = " + "[" * 70 + "]" * 70))


def test_texts_by_dice_give_what_a_parser_reads():
    values = [
        '"a\\"#"',
        "'b'",
        "1",
        "[1, [2,\n], # c\n]",
        "{ x = 1, y.z = [ {q = 2} ] }",
        "{\n x = 1, # }\n}",
        '"""\n]"""',
    ]
    for seed in range(300):
        dice = random.Random(seed)
        lines = [f"k{at}{dice.choice([' = ', '=', ' ='])}{dice.choice(values)}{dice.choice(['', ' # c', '  '])}"
                 for at in range(dice.randint(1, 6))]  # fmt: skip
        text = dice.choice(["\n", "\r\n", "\n\n# ] }\n"]).join(lines)
        read = tomli.loads(text)
        for pair in statements(text):
            name = text[pair.keys[0][0] : pair.keys[0][1]]
            assert tomli.loads(f"v = {text[pair.value.start : pair.value.end]}")["v"] == read.pop(name)
        assert read == {}
