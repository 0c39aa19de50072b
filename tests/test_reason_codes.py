from mcpgov import reason_codes
from mcpgov.reason_codes import NONE, Reason


def test_a_reason_without_a_sentence_is_none():
    assert [bool(NONE), bool(Reason("code")), bool(Reason("code", "text"))] == [False, False, True]


def test_no_code_stands_for_two_reasons():
    found = {name: value for name, value in vars(reason_codes).items() if name.isupper() and isinstance(value, str)}
    assert len(set(found.values())) == len(found)
