from mcpgov.daemon.approvals.flood import Flood, QuestionLimits


def test_a_server_has_so_many_open_and_so_many_a_minute():
    flood = Flood(QuestionLimits(open=2, a_minute=3))
    assert flood.too_many("a", 2, 0.0) == "2 questions of it are open"
    assert [flood.too_many("a", 0, float(at)) for at in range(3)] == ["", "", ""]
    assert flood.too_many("a", 0, 3.0) == "it asked 3 questions within a minute"
    assert flood.too_many("b", 0, 3.0) == ""
    assert flood.too_many("a", 0, 59.9) != ""
    assert flood.too_many("a", 0, 60.0) == ""
    assert flood.too_many("b", 0, 500.0) == ""
