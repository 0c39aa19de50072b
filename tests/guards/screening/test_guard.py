"""The gate of `[privacy]`: every line is looked at, few are read."""

import sys

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.session.session import Policy
from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.line_gate import LineGate
from tests.helpers.private_samples import samples
from tests.helpers.screened import MAIL, REDACT, project_of, rules_of

READER = "mcpgov.guards.screening.reader"


def guard_of(folder, text=REDACT, project=""):
    narrow = project_of(folder, project) if project else None
    return Policy(rules_of(folder, f'default = "allow"\n{text}'), narrow).guards.lines


def test_no_detector_is_loaded_before_a_line_needs_one(tmp_path, monkeypatch):
    guard = guard_of(tmp_path)
    monkeypatch.delitem(sys.modules, READER, raising=False)
    assert guard.is_clean(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {})
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
