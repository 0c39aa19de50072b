"""One message rewritten: what is replaced, and that nothing else is."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.line_gate import LineGate
from mcpgov.guards.screening.leaves import Roles
from mcpgov.guards.screening.placeholders import Placeholders
from mcpgov.guards.screening.rewrite import LONG, Rewriter
from tests.helpers.private_samples import samples

DETECTOR = Detector()
SAMPLES = samples()
FOUND = [SAMPLES[name] for name in ("mail", "card", "ssn", "iban", "phone", "github", "jwt", "pem")]


class Always:
    def __init__(self, mode="redact"):
        self.mode = mode

    def of(self, kind, value):
        return self.mode, "privacy"


def rewriter(mode="redact", known=None, sender="server", **more):
    return Rewriter(DETECTOR, Always(mode), known or Placeholders(), sender, **{"restore": True, **more})


def run(text, **more):
    one = rewriter(**more)
    return one.run(text, Roles("server", "tools/call", asks=False)), one.findings


clean = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
words = st.sampled_from(FOUND).map(lambda value: f"so: {value} .") | clean
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**8) | st.floats(-1e9, 1e9) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(clean, inner, max_size=4),
    max_leaves=10,
)  # fmt: skip


def same_but_texts(one, two):
    """Equal values, apart from texts that had something cut out of them."""
    if isinstance(one, dict):
        assert list(one) == list(two)
        for key in one:
            same_but_texts(one[key], two[key])
    elif isinstance(one, list):
        assert len(one) == len(two)
        for first, second in zip(one, two, strict=True):
            same_but_texts(first, second)
    elif one != two:
        assert isinstance(one, str)
        assert any(value in one for value in FOUND)
        assert not any(value in two for value in FOUND)
    else:
        assert repr(one) == repr(two)


@settings(deadline=None)
@given(values, st.sampled_from([None, 2]), st.booleans())
def test_every_other_leaf_stays_and_the_text_is_valid(value, indent, ascii):
    text = json.dumps({"result": value}, indent=indent, ensure_ascii=ascii)
    (passes, shown), findings = run(text)
    if findings.denied:
        return
    same_but_texts(json.loads(text), json.loads(passes))
    assert shown == passes
    assert not any(json.dumps(sample)[1:-1] in passes for sample in FOUND)


@settings(deadline=None)
@given(values)
def test_what_is_logged_passes_to_the_letter_and_is_not_shown(value):
    text = json.dumps({"result": value})
    (passes, shown), findings = run(text, mode="log")
    assert passes == text
    json.loads(shown)
    assert (shown != text) == bool(findings.found)


def test_numbers_escapes_blanks_and_the_order_of_keys_stay():
    text = '{"z": 1.0,"a":1e400 , "b":-0, "s":"\\/\\u00e9\\ud800", "m":"MAIL","n":12345678901234567890123}'
    text = text.replace("MAIL", SAMPLES["mail"])
    assert run(text)[0][0] == text.replace(SAMPLES["mail"], "[email-1]")


def test_a_long_text_and_a_long_message_are_read_in_windows():
    filler = "word " * (LONG // 5 + 10)
    text = json.dumps({"result": [filler + SAMPLES["mail"], *[f"x {SAMPLES['mail']} {at}" for at in range(9000)]]})
    (passes, _), findings = run(text)
    assert SAMPLES["mail"] not in passes
    assert findings.found == {"email": 9001}
    assert passes == text.replace(SAMPLES["mail"], "[email-1]")


def test_json_inside_of_texts_is_rewritten_as_json():
    inner = json.dumps({"pem": SAMPLES["pem"], "t": [SAMPLES["mail"]], "n": 1.0}, indent=1)
    text = json.dumps({"result": json.dumps([inner])})
    (passes, _), _ = run(text)
    again = json.loads(json.loads(json.loads(passes)["result"])[0])
    assert again == {"pem": "[private_key-1]", "t": ["[email-1]"], "n": 1.0}


def test_texts_that_only_look_like_json_are_texts():
    for begin, end in (('{"a": ', ""), ('"', ""), ("[", "]")):
        text = begin + SAMPLES["mail"] + end
        (passes, _), _ = run(json.dumps({"result": text}))
        assert json.loads(passes)["result"] == text.replace(SAMPLES["mail"], "[email-1]")


def test_what_shows_only_in_the_text_as_a_whole_is_cut_there():
    inner = json.dumps({"ssn of": "him", "no": 536228726})
    (passes, _), findings = run(json.dumps({"result": inner}))
    assert ("536228726" in passes) == (not findings.found)


def test_numbers_deny_unless_nothing_may_be_denied():
    text = json.dumps({"result": {"n": int(SAMPLES["card"])}})
    (passes, shown), findings = run(text)
    assert (passes, findings.denied) == (text, [("credit_card", "privacy")])
    assert json.loads(shown)["result"]["n"] == "[credit_card-1]"
    assert json.loads(run(text, softened=True)[0][0])["result"]["n"] == 0
    assert run(text, mode="off")[0] == (text, text)
    assert run(text, mode="log")[0][0] == text


CARD = SAMPLES["card"].replace(" ", "").replace("-", "")


@pytest.mark.parametrize(
    ("key", "kind", "digits"),
    [("card", "credit_card", CARD), ("ssn", "ssn", "536228731"), ("phone", "phone", "4155550132")],
)
def test_a_number_that_is_whole_is_treated_so_however_it_is_written(key, kind, digits):
    scientific = f"{digits[0]}.{digits[1:]}E{len(digits) - 1}"
    for word in (digits, f"{digits}.0", f"{digits}.00", scientific, scientific.replace("E", "e+")):
        for text in (f'{{"result":{{"{key}":{word},"n":1.5}}}}', f'{{"result":{{"{key}":[{word}]}}}}'):
            (passes, shown), findings = run(text)
            assert (passes, findings.denied) == (text, [(kind, "privacy")]), word
            assert json.loads(shown)["result"][key] in (f"[{kind}-1]", [f"[{kind}-1]"])
            assert run(text, softened=True)[0][0] == text.replace(word, "0")
            assert run(text, mode="log")[0][0] == text
            assert LineGate(DETECTOR).may_hold(text.encode())
            rows = ",".join('{"name":"item"}' for _ in range(200))
            large = json.dumps({"result": {"content": [f'[{rows},{{"{key}": {word}}}]'], "rows": [rows]}})
            assert run(large)[1].denied == [(kind, "privacy")]
            inner = json.dumps({"result": [text]})
            assert run(inner)[1].denied == [(kind, "privacy")]


def test_measurements_are_no_numbers_of_people():
    words = ("1.4539578763621486", "536228731.5", "45395787.63621486", f"{CARD}.5", "1e400", "5.36228731e-8")
    text = json.dumps({"result": {"card": "WORDS", "ssn": "WORDS", "phone": "WORDS"}})
    for word in words:
        line = text.replace('"WORDS"', word)
        assert run(line)[0] == (line, line)


def test_patterns_of_the_user_read_every_number_as_it_is_written_and_by_its_digits():
    price, cold = "re:^[0-9]+\\.[0-9]{2}$", "re:^-[0-9]$"
    patterns = {"pin": "re:[0-9]{6}", "price": price, "cold": cold, "power": "re:^9e1$"}
    own = Detector((), (), patterns)
    for word, kind in (
        ("123456", "pin"), ("-1234567", "pin"), ("123456.5", "pin"), ("1.23456e5", "pin"), ("7.00", "price"),
        ("-5", "cold"), ("9e1", "power"), ("12345", ""), ("1.5", ""), ("true", ""),
    ):  # fmt: skip
        for text in (f'{{"result":{word}}}', f'{{"result":[[{word}]]}}', f'{{"result":{{"k":[1,{word},"a"]}}}}'):
            one = rewriter()
            one._detector = own
            assert one.run(text, Roles("server", "tools/call", asks=False))[0] == text
            assert [found for found, _ in one.findings.denied] == ([kind] if kind else []), word


def test_the_gate_s_kinds_are_found_beside_patterns_however_a_number_is_written():
    one = rewriter()
    one._detector = Detector(patterns={"pin": "re:[0-9]{40}"})
    words = [f"{CARD}.0", "4.155550132E9", "5.36228731E8"]
    text = f'{{"result":{{"card":{words[0]},"phone":{words[1]},"ssn":{words[2]},"zip":[12345,12345,12345]}}}}'
    one.run(text, Roles("server", "tools/call", asks=False))
    assert [kind for kind, _ in one.findings.denied] == ["credit_card", "phone", "ssn"]


def test_what_is_off_is_left_alone_and_what_denies_is_counted():
    text = json.dumps({"result": SAMPLES["mail"]})
    assert run(text, mode="off")[0] == (text, text)
    (passes, shown), findings = run(text, mode="deny")
    assert (passes, json.loads(shown), findings.denied) == (text, {"result": "[email-1]"}, [("email", "privacy")])


def test_placeholders_become_values_in_keys_and_values_and_only_for_the_client():
    known = Placeholders()
    known.token("email", SAMPLES["mail"], "server")
    text = '{"params":{"[email-1]":"[email-1] [email-2]"}}'
    one = rewriter(known=known, sender="client")
    passes, shown = one.run(text, Roles("client", "tools/call", asks=True))
    assert json.loads(passes) == {"params": {SAMPLES["mail"]: f"{SAMPLES['mail']} [email-2]"}}
    assert (shown, one.findings.restored) == (text, 2)
    assert known.token("email", "other") == "[email-3]"
    off = rewriter(known=known, sender="client", restore=False)
    assert off.run(text, Roles("client", "tools/call", asks=True)) == (text, text)
