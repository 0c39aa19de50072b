from mcpgov.daemon.approvals.time_limits import wait_for


def test_every_client_has_its_own_patience_and_settings_come_first():
    assert [wait_for(client) for client in ("claude-code", "cursor", "codex", "unheard-of")] == [50, 25, 50, 25]
    assert wait_for("cursor", {"cursor": 10}) == 10
    assert wait_for("unheard-of", {"other": 12}) == 12
    assert wait_for("cursor", {"other": 12}) == 25


def test_an_entry_that_says_its_own_limit_is_asked_less_than_that():
    assert wait_for("codex", own_limit=120.0) == 115
    assert wait_for("codex", own_limit=3.0) == 1
    assert wait_for("codex", {"codex": 40}, own_limit=120.0) == 40
