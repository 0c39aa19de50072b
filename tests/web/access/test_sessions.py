from mcpgov.web.access.sessions import (
    LIFETIME,
    LONGEST,
    MOST_CODES,
    MOST_SESSIONS,
    UNUSED,
    OneTimeCodes,
    PageSessions,
    is_token,
    plain_code,
    token_of,
)

LONG = "x-Y_" * 11


def test_a_code_lets_in_once_and_its_file_is_to_go():
    codes = OneTimeCodes()
    assert codes.add(LONG, 10.0, "/f") == []
    assert codes.redeem("other", 1.0) == (False, [])
    assert codes.redeem(LONG.lower(), 1.0) == (False, [])
    assert codes.redeem(LONG, 1.0) == (True, ["/f"])
    assert codes.redeem(LONG, 1.0) == (False, [])


def test_an_old_code_lets_nobody_in():
    codes = OneTimeCodes()
    codes.add("AAAA-BBBB-CCCC", 10.0)
    codes.add(LONG, 20.0, "/f")
    assert codes.due() == 10.0
    assert codes.expire(9.0) == []
    assert codes.redeem("AAAA-BBBB-CCCC", 10.0) == (False, [])
    assert codes.due() == 20.0
    assert codes.expire(20.0) == ["/f"]
    assert codes.due() is None


def test_a_code_that_is_typed_may_look_otherwise():
    codes = OneTimeCodes()
    codes.add("AAAA-BBBB-CCCC", 10.0)
    assert codes.redeem(" aaaa bbbb cccc ", 1.0) == (True, [])
    assert plain_code("y" * 900) == "y" * LONGEST


def test_only_so_many_codes_hold_at_once():
    codes = OneTimeCodes()
    gone = [codes.add(f"{LONG}{number}", 10.0, f"/{number}") for number in range(MOST_CODES + 1)]
    assert gone == [[]] * MOST_CODES + [["/0"]]
    assert codes.redeem(f"{LONG}0", 1.0)[0] is False
    assert codes.redeem(f"{LONG}1", 1.0)[0] is True


def test_a_session_ends_by_age_and_by_disuse():
    sessions = PageSessions()
    made = sessions.begin("c", 0.0)
    assert sessions.find("c", UNUSED - 1.0) is made
    assert sessions.holds(made, 2 * UNUSED - 2.0)
    assert sessions.find("c", 2 * UNUSED) is None
    assert not sessions.holds(made, 2 * UNUSED)
    made = sessions.begin("d", 0.0)
    for half_hour in range(24):
        assert sessions.find("d", half_hour * UNUSED / 2) is made
    assert sessions.find("d", LIFETIME) is None
    assert sessions.until() > 0.0
    sessions.expire(LIFETIME)
    assert (sessions.until(), sessions.as_data()) == (0.0, {})


def test_a_session_that_was_ended_holds_no_more():
    sessions = PageSessions()
    made = sessions.begin("c", 0.0)
    sessions.end(made)
    sessions.end(made)
    assert sessions.find("c", 1.0) is None


def test_a_cookie_is_as_good_after_a_restart_and_what_is_kept_is_none():
    sessions = PageSessions()
    made = sessions.begin("cookie", 5.0)
    kept = sessions.as_data()
    assert "cookie" not in str(kept)
    again = PageSessions({**kept, "wrong": 1, "short": [1], "texts": ["a", "b"]})
    found = again.find("cookie", 6.0)
    assert found is not None
    assert (found.token, found.key, found.begun, found.used) == (made.token, made.key, 5.0, 6.0)
    assert again.find(made.key, 6.0) is None


def test_only_so_many_sessions_hold_at_once():
    sessions = PageSessions()
    for number in range(MOST_SESSIONS + 1):
        sessions.begin(str(number), float(number))
    assert (sessions.find("0", 20.0), len(sessions.as_data())) == (None, MOST_SESSIONS)


def test_a_token_is_of_one_session():
    sessions = PageSessions()
    one, other = sessions.begin("a", 0.0), sessions.begin("b", 0.0)
    assert is_token(one, token_of("a"))
    assert not is_token(one, other.token)
    assert not is_token(one, "")
    assert not is_token(one, "é")
