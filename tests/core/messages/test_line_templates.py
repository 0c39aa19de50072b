"""Lines like one before: the quick way and the long way say the same."""

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcpgov.core.audit import audit_preview as previews
from mcpgov.core.messages import wire
from mcpgov.core.messages.line_templates import MARKS, MOST_GAPS, TEXT, VALUE, answer_template, call_template
from mcpgov.core.protection.protection import Protection
from mcpgov.core.session import fast_lines
from mcpgov.core.session.session_policy import Shape, Who
from mcpgov.core.session.tool_list import Pins, ToolList
from tests.helpers.compiled import world
from tests.helpers.playbook import Playbook, call, client, line, result, server, told

TOOLS = {"action": "allow", "tool": ["**"]}
CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"b":"x","a":5}}}'
ANSWER = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"x"}],"n":[1,true,-1],"isError":false}}'
LATER = '{"result":{"content":[{"type":"text","text":"x"}]},"jsonrpc":"2.0","id":"q"}'

texts = st.one_of(
    st.sampled_from(
        [
            "",
            "plain",
            'a"b',
            "a\\",
            "\\",
            '":',
            ": x",
            "{",
            "}}}",
            "é",
            "\u2028",
            "\x7f",
            "\t",
            "sk-1",
            "0",
            "x sk-abcdefghijkl",
            "a=b",
            "token=x",
            "--password y",
            "x Bearer abcd1234",
            "eyJ",
            "a_b-C",
        ]
    ),
    st.lists(
        st.sampled_from(
            [
                "sk-",
                "ghp_",
                "AKIA",
                "eyJ",
                "Bearer",
                "Basic",
                " ",
                "-",
                "--",
                "=",
                "token",
                "pass",
                "x",
                "abcdefghijkl",
                "1234",
                "/",
                ",",
                "'",
            ]
        ),
        max_size=6,
    ).map("".join),
    st.text(max_size=8),
    st.text(st.sampled_from('"\\}{:,1 a'), max_size=8),
)
numbers = st.one_of(st.integers(-3, 12), st.sampled_from([10**15, 10**16, 10**400, 1.5, True, None, 0]))
idents = st.one_of(st.integers(-2, 4), texts, st.sampled_from([True, None, 1.0, 10**15, 10**17]))


@pytest.fixture(autouse=True)
def forms_from_the_start(monkeypatch):
    monkeypatch.setattr(fast_lines, "FIRST_FORM", 0)


def shape(harmless=lambda text: text != "bad"):
    made = Shape(None, "t", (), (), Who("s", "", "", "x"), ToolList(Pins(), "off"), False)
    made.noted, made.unmarked, made.nowhere, made.checks = '"tool":"t"', harmless, harmless, (None,) * 8
    return made


def fit(text, made_from=CALL, form=None):
    """(id, what its record says of it) of a whole line; None: it does not match, or a value does not pass."""
    form = form or call_template(made_from, "t", shape())
    match = form.match(text)
    if match is None or match.end() != len(text) or not form.passes(match.groups()):
        return None
    ident = match.groups()[form.ident]
    record = form.record % ("s-1", *match.groups(), 5)
    assert record.startswith('"dir":"client","decision":"s-1",'), record
    assert record.endswith('"us":5'), record
    return int(ident) if form.numbered else ident, record[len('"dir":"client","decision":"s-1",') : -len('"us":5')]


def fit_answer(text, form):
    match = form.match(text)
    if match is None or match.end() != len(text):
        return None
    return int(match[1]) if form.numbered else match[1]


def test_a_form_finds_what_stands_in_its_gaps():
    assert fit(CALL) == (7, '"tool":"t","args":{"b":"x","a":5},')
    other = CALL.replace('"id":7', '"id":123').replace('"x"', '"a longer text"').replace(":5", ":67")
    assert fit(other) == (123, '"tool":"t","args":{"b":"a longer text","a":67},')
    bare = CALL.replace('"b":"x","a":5', "")
    assert fit(bare, bare) == (7, '"tool":"t",')


def test_what_stands_in_the_gaps_are_the_arguments():
    form = call_template(CALL, "t", shape())
    other = CALL.replace('"x"', '"a longer text"').replace(":5", ":67")
    arguments = {"b": "a longer text", "a": 67}
    assert (
        form.params(form.match(other).groups()) == {"name": "t", "arguments": arguments} == json.loads(other)["params"]
    )


@pytest.mark.parametrize("end", ["", "\n", f"\n{CALL}\n"])
@pytest.mark.parametrize("start", ["", f"{CALL}\n"])
def test_a_line_is_read_where_it_stands(start, end):
    match = call_template(CALL, "t", shape()).match(start + CALL + end, len(start))
    assert match.span() == (len(start), len(start + CALL))
    found = [form.match(start + ANSWER + end, len(start)).span() for form in [answer_template(ANSWER, False)]]
    assert found == [(len(start), len(start + ANSWER))]
    escaped = ANSWER.replace('"x"', '"\\n é"')
    assert answer_template(ANSWER, False).scanned(start + escaped + end, len(start)) == (7, len(start + escaped))


@pytest.mark.parametrize("text", [f"{CALL[:40]}\n{CALL[40:]}", f"{CALL}}}\n", f"{CALL[:-1]}\n{CALL}\n"])
def test_no_line_reaches_into_the_next(text):
    assert call_template(CALL, "t", shape()).match(text) is None
    form = answer_template(ANSWER, False)
    inside = [ANSWER.replace("[1", "[1\n"), f"{ANSWER}}}\n", f"{ANSWER[:-1]}\n{ANSWER}\n"]
    assert [form.scanned(line) for line in inside] == [None] * 3
    assert [form.match(line) for line in inside] == [None] * 3


@pytest.mark.parametrize(
    "text",
    ["", CALL[:-1], CALL + "}", " " + CALL, CALL.replace("tools/call", "tools/list"), CALL.replace('"t"', '"u"'),
     CALL.replace('"a"', '"c"'), CALL.replace("5}}}", "5}}"), CALL[:22], CALL[:25], CALL.replace("2.0", "2.1"),
     CALL + "\n", CALL + CALL],
)  # fmt: skip
def test_a_form_fits_no_other_line(text):
    assert fit(text) is None


def test_what_a_note_says_may_hold_any_sign():
    text = CALL.replace('"b"', '"%s %%"')
    assert fit(text, text)[1] == '"tool":"t","args":{"%s %%":"x","a":5},'


@pytest.mark.parametrize("word", ["bad", "", "x" * 121, "a:b", "a\\", "a\x7f", "\t", 'a"', 'x","b":"y'])
def test_a_value_that_needs_a_look_takes_the_long_way(word):
    assert fit(CALL.replace('"x"', f'"{word}"')) is None


@pytest.mark.parametrize("word", ["01", "-1", "1.0", "", "1" * 16, "true", "x"])
def test_a_number_that_is_not_plain_takes_the_long_way(word):
    assert fit(CALL.replace(":5", f":{word}")) is None
    assert fit(CALL.replace('"id":7', f'"id":{word}')) is None


def test_the_pattern_of_a_value_and_what_is_asked_of_one_are_the_same_judgement():
    here = world()
    here.absent = lambda name: True
    guard = Protection(["/home/u/.config/mcpgov"], here)
    value = re.compile(VALUE)
    signs = [chr(code) for code in range(0x80) if re.fullmatch(TEXT, chr(code))]
    longer = ["a" * 120, "a" * 121, "a" * 119 + " ", "a..b", "a_sk-123456789", "Bearer abc", "x" * 5 + "/y.txt"]
    for text in (*signs, *(one + other for one in signs for other in signs), *(f"a{one}b" for one in signs), *longer):
        quick = value.fullmatch(text) is not None and guard.unmarked(text)
        assert quick == guard.harmless(text), text
        if MARKS(text) is None and value.fullmatch(text) is not None:
            assert (previews.is_plain(text), guard.nowhere(text)) == (True, quick)


@pytest.mark.parametrize(("text", "bare"), [("plain", True), ("", True), ('a"b', False), ("é", False), ("\x7f", False)])
def test_a_text_that_stands_for_itself_is_its_own_json(text, bare):
    assert (re.fullmatch(TEXT, text) is not None) is bare


def test_a_zero_is_a_plain_value_and_no_plain_id():
    assert fit(CALL.replace(":5", ":0")) == (7, '"tool":"t","args":{"b":"x","a":0},')
    assert fit(CALL.replace('"id":7', '"id":0')) is None


def test_an_id_may_be_a_text_and_meta_may_differ():
    text = CALL.replace('"id":7', '"id":"a"').replace("5}", '5},"_meta":{"progressToken":1,"k":"v"}')
    for old, new, expected in (
        ("", "", "a"), ('"v"', '"w"', "a"), (":1,", ":2,", "a"), ('"v"', '"w\\\\"', None), (":1,", ":-2,", None),
        ('"a"', '"b"', "b"), ('"a"', '"b\\\\"', None),
    ):  # fmt: skip
        found = fit(text.replace(old, new, 1), text)
        assert (None if found is None else found[0]) == expected
        assert found is None or found[1] == '"tool":"t","args":{"b":"x","a":5},'


@pytest.mark.parametrize("value", ["-1", "1.5", "true", "[]", "{}", "null"])
def test_no_form_is_made_of_values_that_are_neither_text_nor_plain_numbers(value):
    assert call_template(CALL.replace("5", value), "t", shape()) is None


def test_no_form_is_made_of_a_call_with_very_many_values():
    args = ",".join(f'"a{at}":1' for at in range(MOST_GAPS))
    assert call_template(CALL.replace('"b":"x","a":5', args), "t", shape()) is None


def read(text, made_from=ANSWER, failed=False):
    """What both ways make of a line that both may be asked about."""
    form = answer_template(made_from, failed)
    scanned = form.scanned(text)
    found = scanned[0] if scanned is not None and scanned[1] == len(text) else None
    if "\\" not in text and text.isascii():
        assert fit_answer(text, form) in (found, None)
    return found


def test_the_id_of_an_answer_is_found_whatever_its_texts_hold():
    assert read(ANSWER) == fit_answer(ANSWER, answer_template(ANSWER, False)) == 7
    assert read(ANSWER.replace('"x"', '"a \\" } é \\n"').replace(":7", ":12")) == 12
    assert read(LATER.replace('"q"', '"r"'), LATER) == "r"
    assert fit_answer(LATER.replace('"q"', '"r"'), answer_template(LATER, True)) == "r"


@pytest.mark.parametrize(
    "text",
    ["", ANSWER[:-1], ANSWER + "}", ANSWER.replace("true", "false"), ANSWER.replace(":7", ":07"), ANSWER[:22],
     ANSWER.replace("[1", "[x"), ANSWER.replace(":7", ":true"), ANSWER.replace("result", "error"),
     ANSWER.replace("false}}", "false,}}"), ANSWER.replace('"x"', '"\u2028"'), ANSWER + "\n"],
)  # fmt: skip
def test_an_answer_of_another_form_is_not_read(text):
    assert read(text) is None


@pytest.mark.parametrize("old", ['"x"', '"q"'])
@pytest.mark.parametrize("new", ["\t", "\x7f", "é"])
def test_a_text_that_is_not_quite_plain_is_not_read_the_shortest_way(old, new):
    assert answer_template(LATER, False).match(LATER.replace(old, f'"{new}"')) is None


@pytest.mark.parametrize(
    "text", [ANSWER.replace('"x"', '"\t"'), ANSWER.replace('"x"', '"\\x"'), ANSWER.partition('x"')[0]]
)
def test_a_text_that_is_none_is_refused(text):
    with pytest.raises(wire.SCAN_ERRORS):
        answer_template(ANSWER, False).scanned(text)


@pytest.mark.parametrize(
    "inside",
    [json.dumps({"a": [*range(99)]}), json.dumps({"a": [[1, 2]] * 99}), "[" * 3000 + "]" * 3000],
)
def test_no_form_is_made_of_a_long_or_deep_answer(inside):
    assert answer_template(f'{{"jsonrpc":"2.0","id":1,"result":{inside}}}', False) is None


# --- the quick way and the long way


def noted(effects):
    """Effects with notes as values, but for the times."""
    out = []
    for kind, value, ident in effects:
        if kind == "note":
            note = json.loads(f"{{{value}}}") if isinstance(value, str) else dict(value)
            note.pop("us", None)
            note.pop("round_trip_us", None)
            out.append((kind, json.loads(json.dumps(note))))
        else:
            out.append((kind, bytes(value), ident))
    return out


@st.composite
def mutated(draw, made):
    """A line, and now and then a character more or less in it."""
    data = draw(made)
    if draw(st.integers(0, 2)) == 0 and data:
        at = draw(st.integers(0, len(data) - 1))
        extra = draw(
            st.sampled_from([b"", b'"', b"\\", b" ", b"\t", b",", b":", b"}", b"{", b"0", b"a", b"\x7f", b"\xc3", b"-"])
        )
        data = data[:at] + extra + data[at + draw(st.integers(0, 1)) :]
    return data


def spelled(message, how):
    return json.dumps(message, **how).encode("utf-8", "surrogatepass")


hows = st.sampled_from([{"separators": (",", ":")}, {}, {"separators": (",", ":"), "ensure_ascii": False}])
calls = st.builds(
    lambda ident, a, b, meta, how: spelled(call(ident, "t", meta, a=a, b=b), how),
    idents, texts, st.one_of(texts, numbers), st.none() | st.fixed_dictionaries({"k": st.one_of(texts, numbers)}), hows,
)  # fmt: skip
answers = st.builds(
    lambda ident, text, more, how: spelled(result(ident, content=[{"type": "text", "text": text}], **more), how),
    st.integers(1, 4), texts, st.sampled_from([{}, {"isError": True}, {"isError": False, "n": 5}]), hows,
)  # fmt: skip


@example([line(call(1, "t", a="x", b=1)), line(call(2, "t", a='y","b":2,"b":"', b=1))])
@settings(deadline=None)  # the first example loads what judging takes
@given(st.lists(mutated(calls), min_size=1, max_size=8))
def test_calls_have_the_same_effects_and_records_either_way(lines):
    quick, slow = Playbook(TOOLS), Playbook(TOOLS)
    for some in (quick, slow):
        some >> client(call("first", "t", a="x", b=1)) >> client(call("second", "t", a="x", b="y"))
    for data in lines:
        assert noted(quick.from_client(data)) == noted(told(slow.session.client.line(data)))
        assert quick.session.client.requests.by_id.keys() == slow.session.client.requests.by_id.keys()


@given(st.lists(mutated(answers), min_size=1, max_size=8))
def test_answers_have_the_same_effects_and_records_either_way(lines):
    quick, slow = Playbook(TOOLS), Playbook(TOOLS)
    for some in (quick, slow):
        for ident in range(1, 8):
            some >> client(call(ident, "t", a="x"))
    quick >> server(result(6, content=[{"type": "text", "text": "x"}])) >> server(result(7, content=[], n=5))
    slow.take(slow.session.server.line(line(result(6, content=[]))))
    slow.take(slow.session.server.line(line(result(7, content=[]))))
    for data in lines:
        assert noted(quick.from_server(data)) == noted(told(slow.session.server.line(data)))
        assert quick.session.client.requests.by_id.keys() == slow.session.client.requests.by_id.keys()


@given(texts)
def test_a_text_without_marks_hides_nothing(text):
    if MARKS(text) is None and ":" not in text and "=" not in text:
        assert previews.is_plain(text)
        assert ".." not in text
        assert "-" not in text


class Check:
    """A check of one argument's values."""

    def text(self, text):
        return text != "met"

    def digits(self, text):
        return text != "66"


def test_a_value_that_its_check_does_not_pass_takes_the_long_way():
    checked = shape()
    checked.checks = (Check(), Check())
    form = call_template(CALL, "t", checked)
    assert fit(CALL, form=form) is not None
    assert fit(CALL.replace('"x"', '"met"'), form=form) is None
    assert fit(CALL.replace(":5", ":66"), form=form) is None
