from mcpgov import reason_codes as codes
from mcpgov.configs.plan import EntryState
from mcpgov.daemon.remote.waiting_entries import WaitingEntries
from mcpgov.remote_servers import url_digest

A, B = "https://a.example/mcp", "https://b.example/mcp"


def entry(code, url="", name="x"):
    return EntryState("cursor", "/f", ("mcpServers", name), name, "http", "native", "", (), reason_code=code, url=url)


def test_what_a_pass_says_replaces_what_the_one_before_said():
    waiting = WaitingEntries()
    assert waiting.passed("/f", [entry(codes.REMOTE_UNPROBED, A), entry(codes.REMOTE_UNREACHED, B)])
    assert not waiting.passed("/f", [entry(codes.REMOTE_UNREACHED, B), entry(codes.REMOTE_UNPROBED, A)])
    assert sorted(waiting.to_probe()) == [A, B]
    assert waiting.passed("/f", [entry(codes.REMOTE_UNREACHED, B)])
    assert (waiting.to_probe(), waiting.need_listener()) == ([B], True)
    assert waiting.passed("/f", [])
    assert (waiting.to_probe(), waiting.need_listener(), waiting.files_for_listener()) == ([], False, set())


def test_one_url_in_two_files_is_probed_once_and_concerns_both():
    waiting = WaitingEntries()
    for file in ("/f", "/g"):
        waiting.passed(file, [entry(codes.REMOTE_UNPROBED, A)])
    waiting.passed("/h", [entry(codes.REMOTE_UNPROBED, B)])
    assert waiting.to_probe() == [A, B]
    assert waiting.with_digest(url_digest(A)) == (A, {"/f", "/g"})
    assert waiting.with_digest("no such") == ("", set())


def test_what_waits_for_the_listener_is_probed_as_soon_as_it_is_there():
    waiting = WaitingEntries()
    waiting.passed("/f", [entry(codes.REMOTE_NO_LISTENER, A)])
    assert (waiting.to_probe(), waiting.files_for_listener()) == ([A], {"/f"})


def test_what_has_no_url_is_not_probed_and_a_login_needs_no_listener():
    waiting = WaitingEntries()
    waiting.passed(
        "/f", [entry(codes.REMOTE_NO_LISTENER), entry(codes.REMOTE_VARIABLE, A), entry(codes.REMOTE_UNPROBED)]
    )
    waiting.passed("/g", [entry(codes.REMOTE_NEEDS_LOGIN, B), entry(codes.REMOTE_NEEDS_LOGIN)])
    assert (waiting.to_probe(), waiting.files_for_listener()) == ([], {"/f"})
    assert waiting.for_login() == {url_digest(B): {"/g"}}
    assert waiting.with_digest(url_digest("")) == ("", set())
    waiting.passed("/f", [])
    assert not waiting.need_listener()
