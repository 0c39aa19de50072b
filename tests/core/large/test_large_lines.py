"""Windows of a large line: what they hold, put together, is what the usual reading finds."""

import json
import random

import pytest

from mcpgov.core.json.lookalikes import check_argument_keys
from mcpgov.core.large import large_lines, large_messages, large_texts
from mcpgov.core.large.large_lines import UniqueKeys, depth_of, weigh
from mcpgov.core.messages import wire

SIGNS = ["a", "\\", '"', "\n", "\u00e9", "\u4e2d", "\U0001f600", "/", "[", "{", ",", "%41", "\ud83d", " ", "x" * 30]


def some_text(dice):
    return "".join(dice.choice(SIGNS) for _ in range(dice.randint(0, 12)))


def some_value(dice, depth=0):
    kind = dice.random()
    if depth > 5 or kind < 0.45:
        number = dice.random() * 10 ** dice.randint(-9, 9)
        return dice.choice([dice.randint(-(10**6), 10**6), number, True, None, some_text(dice), some_text(dice), "s"])
    if kind < 0.75:
        return [some_value(dice, depth + 1) for _ in range(dice.randint(0, 9))]
    return {some_text(dice)[:40] + str(at): some_value(dice, depth + 1) for at in range(dice.randint(0, 7))}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def usual(raw):
    try:
        found = wire.read(wire.decode(raw), judged=True)
    except wire.Refused:
        return "refused"
    return found if check_argument_keys(found.get("params")) else "refused"


@pytest.mark.parametrize("window", [250, 600, 2000])
def test_what_the_windows_hold_is_what_the_usual_reading_finds_also_in_broken_lines(monkeypatch, window):
    monkeypatch.setattr(large_lines, "WINDOW", window)
    monkeypatch.setattr(large_texts, "WINDOW", window)
    dice = random.Random(window)
    for number in range(400):
        args = {f"k{at}": some_value(dice) for at in range(dice.randint(0, 6))}
        message = {"jsonrpc": "2.0", "id": number, "method": "m", "params": {"name": "t", "arguments": args}}
        between = dice.choice([(",", ":"), (", ", ": "), (" ,", " : ")])
        text = json.dumps(message, ensure_ascii=dice.random() < 0.5, separators=between)
        raw = bytearray(text.encode("utf-8", "surrogatepass"))
        if dice.random() < 0.3:
            at = dice.randrange(len(raw))
            raw[at : at + dice.randint(0, 2)] = dice.choice(
                [b"", b",", b"]", b"}", b'"', b"0", b":", b"\\", b"\xff", b"["]
            )
        builder = large_messages.Builder(raw, judged=True, plain=False)
        builder._room = 1 << 40  # everything is kept
        try:
            found = plain(builder.build())
        except (wire.Refused, *wire.SCAN_ERRORS):
            found = "refused"
        assert found == usual(raw)


def test_keys_that_differ_in_case_only_are_told_by_their_hashes():
    for folded, differ in ((True, False), (False, True)):
        keys = UniqueKeys(folded)
        keys.add({"a": 1, "b": 2})
        keys.add({"A": 1})
        assert keys.check() is differ


def test_lists_weigh_more_than_their_text_and_brackets_alone_less_than_nothing():
    assert weigh('["a","b"]') > 9
    assert weigh("[[],[]]") < 0
    assert depth_of([[1], {"a": [2]}]) == 3
    assert depth_of(1) == 0


def test_a_line_is_one_value():
    with pytest.raises(wire.Refused, match="more than one value"):
        list(large_lines.Walker(b"[1] [2]", wire.scan_judged).walk())
    with pytest.raises(wire.Refused, match="not JSON"):
        list(large_lines.Walker(b"1", wire.scan_judged).walk())


def test_too_many_members_that_no_window_holds_together_are_refused(monkeypatch):
    monkeypatch.setattr(large_lines, "MOST_SINGLE", 3)
    monkeypatch.setattr(large_lines, "WINDOW", 16)
    raw = b'{"id":7,"b":[' + b",".join([b'"' + b"x" * 12 + b'"'] * 9) + b"]}"
    with pytest.raises(wire.Refused, match="too tangled"):
        list(large_lines.Walker(raw, wire.scan_judged).walk())


def test_a_key_that_stands_twice_is_no_question_of_windows():
    with pytest.raises(wire.Duplicate):
        list(large_lines.Walker(b'[{"a":1,"a":2}]', wire.scan_judged).walk())
