from mcpgov.daemon.control.request_row import AT_ONCE, ControlRequest, RequestRow


def test_a_row_answers_at_once_weakens_nothing_and_is_for_no_proxy_unless_it_says_so():
    row = RequestRow("x", ControlRequest, dict)
    assert (row.answers, row.weakens, row.by_proxy) == (AT_ONCE, "", False)
