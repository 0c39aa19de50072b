"""The gate fires wherever a detector finds, whatever way the line is written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.privacy.gate import line_pattern
from mcpgov.guards.privacy.line_gate import BLOCK, LineGate, parts
from mcpgov.guards.privacy.shape import table
from mcpgov.guards.screening.guard import CompiledGate
from tests.helpers.private_cases import keys_in_texts, labelled, rows
from tests.helpers.private_samples import key_of, samples

DETECTOR = Detector()
GATE = LineGate(DETECTOR)
COMPILED = LineGate(CompiledGate(compile_bytes(line_pattern(frozenset(KINDS)).encode("latin-1")), []))  # type: ignore[arg-type]
MADE = samples()
VALUES = [*MADE.values(), *(key_of(shape) for shape in table()), f"password=\t'{MADE['random']}'", "ssn — 536228726"]
VALUES += [f"ftp://ü:{MADE['random']}ß@h", "https://a:b1c2d3@h", "Phone – ☎: 0490/75 40 81", "card 4222222222222"]
CONTEXTS = [labelled(row["text"])[0] for name in ("contexts", "unseen") for row in rows(f"privacy_{name}.jsonl")]
VALUES += CONTEXTS
VALUES += [f"contraseña: {MADE['random']}", f"htpasswd -b /a/b ada {MADE['random']}", f"sqlplus a/{MADE['random']}@h"]
VALUES += [f"h:5432:d:u:{MADE['random']}", f"echo 'a:{MADE['random']}' | chpasswd", f"auth=('a', '{MADE['random']}')"]
VALUES += [f"ConvertTo-SecureString '{MADE['random']}'", f"expect passw\nsend '{MADE['random']}'"]
VALUES += [
    "4111\u00a01111\u00a01111\u00a01111",
    "536\u201122\u20118741",
    "jürgen@müller.de",
    "иван@почта.рф",
    "o'neil@corp.io",
]
VALUES += [f"\x1b[31m{MADE['card']}", f"\\x1b[31m{MADE['mail']}", f"\\u003c{MADE['github']}", f"\\x3c{MADE['phone']}"]
VALUES += ["anna\\u0040firma-nord.de", "\\u0034111111111111111", "ssn\\u003a 53622\\\\u00388731"]
GLUE = st.text(st.sampled_from(" \"\\/\n\t\x1b\x00[m=:,-_.é–😀aZ09+%&<>(){}ux\u00a0\u2011'"), max_size=6)
TEXTS = st.lists(st.tuples(GLUE, st.sampled_from(VALUES)), min_size=1, max_size=3).map(
    lambda pairs: "".join(glue + value for glue, value in pairs)
)


def lines(text: str) -> list[bytes]:
    """The same text in the ways that writers of JSON have."""
    plain = json.dumps({"a": [text]}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ascii_only = json.dumps({"a": [text]}).encode()
    escaped = '{"a":"' + "".join(f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else sign for sign in text) + '"}'
    html = ascii_only.replace(b"<", b"\\u003c").replace(b"&", b"\\u0026")
    return [plain, ascii_only, plain.replace(b"/", b"\\/"), escaped.encode(), html]


@given(TEXTS, GLUE)
def test_the_gate_fires_wherever_something_is_found(text, end):
    if DETECTOR.find(text + end):
        assert all(gate.may_hold(line) for gate in (GATE, COMPILED) for line in lines(text + end))
    inner = json.dumps({"a": text + end})
    if DETECTOR.find(inner):
        assert all(gate.may_hold(line) for gate in (GATE, COMPILED) for line in lines(inner))


def test_the_gate_fires_for_every_labelled_text_with_a_finding():
    for text in [*CONTEXTS, *(text for text, _ in keys_in_texts())]:
        if DETECTOR.find(text):
            assert all(gate.may_hold(line) for gate in (GATE, COMPILED) for line in lines(text)), text


@given(TEXTS, st.integers(0, 2), st.integers(0, 3 * BLOCK))
def test_base64_around_it_hides_nothing(text, before, shift):
    filler = "QUJD" * (BLOCK // 2)
    whole = filler * before + "A" * shift + text + filler
    if DETECTOR.find(whole):
        assert GATE.may_hold(json.dumps(whole).encode())


@pytest.mark.parametrize("kind", KINDS)
def test_the_gate_of_one_kind_fires_for_it(kind):
    detector = Detector([kind])
    gate = LineGate(detector)
    for value in VALUES:
        if detector.find(value):
            assert gate.may_hold(bytearray(json.dumps(value).encode()))


def test_clean_lines_do_not_fire():
    for gate in (GATE, COMPILED):
        assert not gate.may_hold(b'{"id":1,"result":{"content":[{"type":"text","text":"all is well, 42 items\\n"}]}}')
    assert not GATE.may_hold(json.dumps({"data": "iVBORw0KGgo" + "QUJD" * 20_000}).encode())
    assert not LineGate(Detector([])).may_hold(b'"ada@corp.io"')


def test_with_patterns_of_the_user_every_line_is_decoded():
    assert LineGate(Detector([], patterns={"x": "re:^a"})).may_hold(b'"b"')


def test_long_base64_is_left_out_with_what_is_around_it_kept():
    line = b'{"before":1,"data":"' + b"QUJD" * BLOCK + b'","after":2}'
    kept = parts(line)
    assert sum(map(len, kept)) < len(line)
    assert kept[0].startswith(b'{"before"')
    assert kept[-1].endswith(b'"after":2}')
    assert parts(b"a b" * BLOCK) == [b"a b" * BLOCK]
