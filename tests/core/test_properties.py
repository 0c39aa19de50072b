"""Whatever bytes come: what is forwarded is read by every reader as what was judged; requests are answered once.

MCPGOV_EXAMPLES raises the number of examples.
"""

import json
import os
import random
import warnings
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpgov.core.json.lookalikes import check_argument_keys, check_envelope
from mcpgov.core.messages import wire
from mcpgov.core.messages.envelope import envelope
from mcpgov.core.messages.fast_parse import simple_answer, simple_call
from mcpgov.proxy.buffers import LineBuffer
from tests.helpers import readers
from tests.helpers.playbook import ALLOW_ALL, META, Playbook, call, client, error, line, request, result, server

EXAMPLES = int(os.environ.get("MCPGOV_EXAMPLES", "1000"))
often = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
RULES = {"action": "deny", "tool": ["evil"]}, {"action": "deny", "resource": ["x:evil"]}, ALLOW_ALL
SEEDS = [
    line(call(7, "read", a="b")),
    line(call("x", "evil", path="c:d")),
    line(call(7, "read", a={"b": [1, -0.0, 1.5, None, True]}, é="ü")),
    json.dumps(call(7, "read", a=":x", b=" y")).encode(),
    line(request(7, "resources/read", uri="x:evil", _meta=META)),
    line(request(7, "tools/list")),
    line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}),
    line(result(7, content=[{"type": "text", "text": "x"}])),
    line(error(7, -1, "no")),
]
PIECES = [
    b'"', b":", b",", b" ", b" :", b'" :', b'":', b"{", b"}", b"[", b"]", b"\\", b"\t", b"\r", b"\0", b"\x0b", b"\x0c",
    b"\x1c", b"\x1e", b"\x7f", "\x85".encode(), "\u2028".encode(), "\u2029".encode(), "\ufeff".encode(), b"\xff",
    b"\xed\xa0\x80", "ſ".encode(), "\u212a".encode(), "é".encode(), b"\\u0061", b"\\ud800", b"\\u2028", b"\\n", b"1",
    b"-0", b"1e400", b"9" * 5000, b"1.50", b"NaN", b"null", b"true", b'"name":"evil",', b'"name" :"evil",',
    b'"Name":"evil",',
    b'"id":7,', b'"id":8,', b'"ID":8,', b'"method":"tools/call",', b'"params":{"name":"evil"},', b'"a":1,', b'"A":1,',
    b'"arguments":{},', b'"result":{},', b'"jsonrpc":"2.0",', b'"":0,', b'{"a":' * 70, b"[" * 600, b"\r{}", b'"x" ,',
]  # fmt: skip


KEYS = [
    b'"name":"evil",', b'"name" :"evil",', b'"Name":"evil",', b'"n\\u0061me":"evil",', '"NAM\u212a":1,'.encode(),
    b'"id":7,',
    b'"id" :8,', b'"ID":8,', b'"method":"tools/call",', b'"Method":"ping",', b'"params" :{"name":"evil"},', b'"a":1,',
    b'"a" :1,', b'"A":1,', '"param\u017f":{},'.encode(), b'"Arguments":{},', b'"uri":"x:evil",', b'"URI":"x:evil",',
    b'"result":{},', b'"meta":{},', b'"a":":x",',
]  # fmt: skip


class Dice(random.Random):
    """One number makes one line: a message with a few accidents."""

    def line(self, seeds=SEEDS):
        if self.random() < 0.02:
            return self.randbytes(self.randint(0, 60)).replace(b"\n", b"")
        data = self.choice(seeds)
        for _ in range(self.choice([0, 1, 1, 1, 2, 2, 3, 5])):
            data = self._accident(data)
        return data.replace(b"\n", b" ")

    def _accident(self, data):
        at, kind = self._place(data), self.randrange(12)
        starts = [at + 1 for at, byte in enumerate(data) if byte in b"{," and data[at + 1 : at + 2] == b'"']
        if kind > 7 and starts:
            at = self.choice(starts)
            return data[:at] + self.choice(KEYS) + data[at:]
        if kind < 4:
            return data[:at] + self.choice(PIECES) + data[at:]
        if kind == 4:
            return data[:at] + data[at + self.randint(1, 4) :]
        if kind == 5:
            end = self._place(data)
            return data[:at] + data[min(at, end) : max(at, end)] + data[at:]
        if kind == 6:
            return data[:at] + data[at : at + 1].swapcase() + data[at + 1 :]
        return data[:at] + bytes([self.randrange(256)]) + data[at + 1 :]

    def _place(self, data):
        """Mostly where a token begins."""
        marks = [at for at, byte in enumerate(data) if byte in b'"{},:[']
        return self.choice(marks) if marks and self.random() < 0.8 else self.randint(0, len(data))


dice = st.integers(0, 2**64 - 1).map(Dice)


@pytest.fixture(scope="module")
def node():
    if not readers.asks_node():
        warnings.warn("node is not installed: its reader is not asked", pytest.PytestWarning, stacklevel=1)
        yield None
        return
    child = readers.Node()
    yield child
    child.close()


def everybody_reads(data, value, node):
    """Every reader finds exactly this value in the line; one that refuses the line finds nothing."""
    whole = bytes(data) + b"\n"
    for reader in readers.EXACT:
        assert reader(whole) == [value], reader.__name__
    assert readers.pydantic(whole) in ([value], [])
    for last in (False, True):
        assert readers.folding(whole, last) == [readers.folded(value)]
    if node is not None:
        assert node(whole) == [readers.bits(value)]


@pytest.mark.filterwarnings("default:node is not installed")
@often
@given(dice)
def test_what_reaches_the_server_is_read_by_everybody_as_what_was_judged(node, made):
    data = made.line()
    talk = Playbook(*RULES)
    forwarded = [bytes(value) for kind, value, _ in talk.from_client(data) if kind == "server"]
    assert len(forwarded) <= 1
    for out in forwarded:
        judged = wire.read(wire.decode(data), judged=True)
        everybody_reads(out, judged, node)
        params = judged.get("params") or {}
        if judged["method"] == "tools/call":
            assert params["name"] != "evil"
        if judged["method"] == "resources/read":
            assert params["uri"] != "x:evil"


@often
@given(st.lists(dice, min_size=1, max_size=4))
def test_every_request_is_answered_once_and_the_next_good_call_works(some):
    talk = Playbook(*RULES)
    for made in some:
        talk >> client(made.line())
        assert len(talk.effects) <= 1
    talk >> client(call("good")) >> server(result("good"))
    assert talk.effects == [("client", result("good"))]
    left = talk.session.open_requests
    talk.take(talk.session.server_gone("gone"))
    assert len(talk.effects) == left


@often
@given(dice)
def test_the_short_way_reads_what_the_long_way_reads(made):
    data = made.line()
    try:
        text = wire.decode(data)
    except wire.Refused:
        return
    found = simple_call(text)
    if found is not None:
        ident, names, params, shown = found
        args = params["arguments"]
        message = wire.read(text, judged=True)
        check_envelope(message)
        meta = message["params"].pop("_meta", None)
        assert envelope(message) == ("tools/call", ident)
        assert message["params"] == {"name": names[0], "arguments": args}
        assert names == (names[0], *args, *(() if meta is None else (None, *meta)))
        assert shown == "" or json.loads(shown) == args
        assert wire.is_safe(text)
    answer = simple_answer(text)
    if answer is not None:
        message = wire.read(text, judged=False)
        assert envelope(message) == (None, answer[0])
        assert wire.is_safe(text)


ANSWERS = [line(result(ident, content=[{"type": "text", "text": "x"}], n=1.5)) for ident in (1, "a", 3)]
ANSWERS += [
    line(result(2, tools=[{"name": "t"}, {"name": "evil"}])),
    line(error(3, -1, "no")),
    b"[" + ANSWERS[0] + b"]",
]
ANSWERS += [line(request(1, "roots/list")), line(request(1, "sampling/createMessage", messages=["x"])), b"starting"]


@pytest.mark.filterwarnings("default:node is not installed")
@often
@given(st.lists(dice, min_size=1, max_size=5))
def test_whatever_a_server_says_each_open_request_is_answered_once(node, some):
    talk = Playbook(*RULES)
    for asked in (call(1), request(2, "tools/list"), call(3, "read", a=[1]), call("a", "read", META)):
        talk >> client(asked)
    for made in some:
        data = made.line(ANSWERS)
        passed = talk.take(talk.session.from_server(data)).effects
        for kind, message in passed:
            if kind == "client" and message != json_of(data):
                assert "error" in message or "tools" in message["result"] or "isError" in message["result"]
    talk.take(talk.session.server_gone("gone"))
    assert Counter(talk.answered) == Counter({(int, 1): 1, (int, 2): 1, (int, 3): 1, (str, "a"): 1})


def json_of(data):
    try:
        return json.loads(data, parse_int=lambda text: int(text) if len(text) <= 4300 else text)
    except (ValueError, RecursionError):
        return None


@pytest.mark.filterwarnings("default:node is not installed")
@often
@given(dice)
def test_what_reaches_the_client_is_read_by_everybody_alike(node, made):
    talk = Playbook(*RULES) >> client(call(1)) >> client(call(3, "read", a=[1])) >> client(call("a", "read", META))
    data = made.line(ANSWERS)
    for kind, value, _ in talk.from_server(data):
        if kind == "client" and b"9" * 5000 not in value:
            text = bytes(value).removesuffix(b"\n")
            found = json.loads(text)
            for reader in readers.EXACT:
                assert reader(text + b"\n") == [found]
            if node is not None:
                assert node(text + b"\n") == [readers.bits(found)]


@often
@given(dice, st.recursive(st.text() | st.integers() | st.booleans() | st.none(), st.lists, max_leaves=6))
def test_spelling_order_and_blanks_change_no_verdict(made, value):
    tool = made.choice(["read", "evil", "é"])
    message = call(1, tool, b=value, a="x")
    plain, respelled = line(message), respell(message, made).encode()
    verdicts = []
    for data in (plain, respelled):
        talk = Playbook(*RULES)
        talk.asked[(int, 1)] = 1  # an escaped `id` is an id too
        talk >> client(data)
        verdicts.append((talk.effects, {key: talk.note.get(key) for key in ("action", "rule", "tool", "digest")}))
    assert verdicts[0] == verdicts[1]


def respell(value, made):
    """The same value in other characters."""
    blank = made.choice(["", " ", "\t", "\r"])
    if isinstance(value, dict):
        pairs = [f"{respell(key, made)}{blank}:{respell(item, made)}" for key, item in value.items()]
        made.shuffle(pairs)
        return "{" + f"{blank},".join(pairs) + blank + "}"
    if isinstance(value, list):
        return "[" + f",{blank}".join(respell(item, made) for item in value) + "]"
    if isinstance(value, str):
        escaped = [
            f"\\u{ord(char):04x}" if made.random() < 0.3 and char < "\uffff" else json.dumps(char)[1:-1]
            for char in value
        ]
        return '"' + "".join(escaped) + '"'
    return json.dumps(value)


@often
@given(st.binary(max_size=200))
def test_random_bytes_never_reach_the_server_nor_break_anything(data):
    talk = Playbook(*RULES)
    for piece in data.split(b"\n"):
        talk >> client(piece) >> server(piece)
        assert [kind for kind, _ in talk.effects if kind == "server"] == []
    talk >> client(call("good"))
    assert talk.effects == [("server", call("good"))]


def test_where_ci_runs_a_missing_node_is_a_failure(monkeypatch):
    monkeypatch.setattr(readers, "NODE", None)
    monkeypatch.delenv("CI", raising=False)
    assert not readers.asks_node()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(AssertionError, match="node is not installed"):
        readers.asks_node()


def heard(pieces, hear):
    """What a session does with bytes that come in pieces, but for how long it took."""
    lines, out = LineBuffer(1 << 16), []
    for piece in pieces:
        for found in lines.feed(piece):
            for kind, value, ident in hear(found):
                if kind == "note":
                    note = json.loads(f"{{{value}}}") if isinstance(value, str) else value
                    value = {key: item for key, item in note.items() if key not in ("us", "round_trip_us")}
                out.append((kind, value if isinstance(value, dict) else bytes(value), ident))
    return out, lines.rest()


streams = st.lists(dice.map(Dice.line) | st.binary(max_size=40), min_size=1, max_size=5).map(b"\n".join)


@often
@given(streams, st.lists(st.integers(0, 400), max_size=8), st.booleans(), st.booleans())
def test_how_the_bytes_are_split_changes_no_verdict(data, cuts, ended, answers):
    data += b"\n" if ended else b""
    ends = [*sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in zip([0, *ends], ends, strict=False) if end > start]
    told = []
    for some in ([data], pieces, [data[at : at + 1] for at in range(len(data))]):
        talk = Playbook(*RULES) >> client(call(7)) >> client(call("x", "read", META))
        told.append(heard(some if data else [], talk.from_server if answers else talk.from_client))
    assert told[0] == told[1] == told[2]


@settings(often, max_examples=max(EXAMPLES // 5, 1))
@given(st.recursive(st.text() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_argument_keys_that_fold_alike_are_found_by_a_reader_that_folds(arguments):
    text = json.dumps(arguments).encode()
    if check_argument_keys(arguments):
        assert readers.folding(text, True) == readers.folding(text, False) == [readers.folded(arguments)]
