from mcpgov.daemon.approvals.effects import DENY, Answer, RecordEntry


def test_effects_are_values():
    assert Answer("s", "s-1", DENY) == Answer("s", "s-1", DENY)
    assert Answer("s", "s-1", DENY) != Answer("s", "s-2", DENY)
    assert RecordEntry({"a": 1}) == RecordEntry({"a": 1})
