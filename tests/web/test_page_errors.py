from mcpgov.web.page_errors import PageError


def test_an_error_has_a_status_a_code_and_words():
    found = PageError("session", "it is over", "mcpgov open")
    assert (found.status, str(found)) == (401, "it is over")
    assert found.body == b'{"error":{"code":"session","message":"it is over","hint":"mcpgov open"}}'


def test_a_no_in_words_is_a_conflict_and_may_say_more():
    found = PageError("policy-broken", "no", more={"problems": []})
    assert (found.status, found.body) == (
        409,
        b'{"error":{"code":"policy-broken","message":"no","hint":"","problems":[]}}',
    )
