"""The gate of `[privacy]`: every line is looked at, few are read."""

import sys

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.session.session import Policy
from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.line_gate import LineGate
from mcpgov.guards.screening import clean_lines
from mcpgov.guards.screening import guard as guard_module
from mcpgov.policy.build import build, read_layer
from tests.helpers.policies import write
from tests.helpers.private_samples import samples
from tests.helpers.screened import MAIL, REDACT, project_of, rules_of

READER = "mcpgov.guards.screening.reader"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def guard_of(folder, text=REDACT, project=""):
    narrow = project_of(folder, project) if project else None
    return Policy(rules_of(folder, f'default = "allow"\n{text}'), narrow).guards.lines


def test_no_detector_is_loaded_before_a_line_needs_one(tmp_path, monkeypatch):
    guard = guard_of(tmp_path)
    monkeypatch.delitem(sys.modules, READER, raising=False)
    assert guard.is_clean(PING, {})
    assert READER not in sys.modules
    assert guard.screen("client", call_of("ping", {}), f'{{"params":"{MAIL}"}}', {}).text == '{"params":"[email-1]"}'
    assert READER in sys.modules


@pytest.mark.parametrize("name", samples())
def test_the_gate_of_the_compiled_policy_is_that_of_the_detector(tmp_path, name):
    guard, gate = guard_of(tmp_path), LineGate(Detector())
    for line in (samples()[name].encode(), b'{"a": "b"}', f'{{"x": "{name} of it"}}'.encode()):
        assert guard.is_clean(line, {}) is not gate.may_hold(line)


def test_what_looks_like_a_placeholder_is_read(tmp_path):
    assert not guard_of(tmp_path).is_clean(b"[email-1]", {})


def test_with_patterns_of_the_user_every_line_is_read(tmp_path):
    text = '[privacy]\nresults = "log"\nkinds = ["email"]\n[privacy.patterns]\nemployee_id = "re:EMP"\n'
    assert not guard_of(tmp_path, text).is_clean(b"{}", {})


def test_each_policy_in_force_has_its_own_gate(tmp_path):
    own, narrow = '[privacy]\nparams = "log"\nkinds = ["ssn"]\n', '[privacy]\nparams = "deny"\nkinds = ["email"]\n'
    assert guard_of(tmp_path, own).is_clean(MAIL.encode(), {})
    both = guard_of(tmp_path, own, narrow)
    assert not both.is_clean(MAIL.encode(), {})
    assert not both.is_clean(samples()["ssn"].encode(), {})


def test_rules_on_operations_need_the_call(tmp_path):
    rule = '[[privacy.rule]]\noperation = "read"\nparams = "log"\n'
    assert guard_of(tmp_path, REDACT + rule).needs_call
    assert not guard_of(tmp_path).needs_call


def test_what_records_may_show_and_what_explain_tells_come_from_the_reader(tmp_path):
    guard = guard_of(tmp_path, '[privacy]\nparams = "log"\nkinds = ["email"]\n')
    assert guard.hidden(f"by {MAIL}", {}) == "by [email]"
    told = guard.explain(call_of("tools/call", {"name": "t", "arguments": {"to": MAIL}}))
    assert [row["verdict"] for row in told] == ["log"]


# --- lines that were clean before


def started(folder, text=REDACT):
    """A guard as the next process has it."""
    rules = rules_of(folder, f'default = "allow"\n{text}', clean=str(folder / "clean"))
    return Policy(rules, None).guards.lines


def test_a_start_with_lines_that_are_known_makes_no_gate(tmp_path, monkeypatch):
    first = started(tmp_path)
    assert first.is_clean(PING, {})
    made = []
    monkeypatch.setattr(guard_module, "compile_bytes", lambda source: made.append(source) or compile_bytes(source))
    later = started(tmp_path)
    assert later.is_clean(PING, {})
    assert made == []
    assert not later.is_clean(MAIL.encode(), {})
    assert made != []


def test_a_line_that_is_not_clean_is_never_known(tmp_path):
    for _ in range(2):
        guard = started(tmp_path)
        assert not guard.is_clean(MAIL.encode(), {})
        assert not guard.is_clean(b"[email-1]", {})


def test_only_how_a_conversation_begins_is_kept(tmp_path):
    guard = started(tmp_path)
    for number in range(guard_module.FIRST + 3):
        assert guard.is_clean(b"{%d}" % number, {})
    (file,) = (tmp_path / "clean").iterdir()
    assert file.stat().st_size == guard_module.FIRST * clean_lines.SIZE


def test_another_policy_looks_at_a_known_line_itself(tmp_path):
    assert started(tmp_path, '[privacy]\nparams = "log"\nkinds = ["ssn"]\n').is_clean(MAIL.encode(), {})
    assert not started(tmp_path).is_clean(MAIL.encode(), {})


def test_with_patterns_of_the_user_no_line_is_known(tmp_path):
    text = '[privacy]\nresults = "log"\nkinds = ["email"]\n[privacy.patterns]\nemployee_id = "re:EMP"\n'
    assert not started(tmp_path, text).is_clean(PING, {})
    assert not (tmp_path / "clean").exists()


def test_where_clean_lines_are_kept_is_no_part_of_the_revision(tmp_path):
    layers = [read_layer(write(tmp_path, f'default = "allow"\n{REDACT}'))]
    assert build(layers, clean="/one").revision == build(layers, clean="/other").revision
