"""A password at a place of a text."""

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.values.password_at import behind, password_at, told_at

DETECTOR = Detector()


def test_the_sign_at_the_end_of_a_password_of_a_command_is_its_own():
    assert [(one.start, one.end) for one in DETECTOR.find("mysql -u root -pWinter-2026! shop")] == [(16, 28)]
    assert [(one.start, one.end) for one in DETECTOR.find("redis-cli -a k3Xq7.Pa9w!")] == [(13, 23)]


def test_signs_of_a_sentence_are_no_part_of_a_password():
    assert password_at("k3Xq7.Pa9wz!, then", 0) == password_at("k3Xq7.Pa9wz.", 0) == (0, 11)
    assert told_at("k3Xq7.Pa9wz! then", 0) == (0, 12)
    assert password_at("'k3Xq7.Pa9wz!'", 1) == (1, 13)
    assert password_at("short1!", 0) is told_at("wordsonly", 0) is None


def test_what_stands_before_a_value_is_passed_over_as_far_as_the_gate_has_seen():
    assert behind("=  'x", 0, 5, "= '") == 4
    assert behind("=  'x", 0, 2, "= '") == 2
