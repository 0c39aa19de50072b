from mcpgov.daemon.status.model import DaemonStatus, Facts, File, PolicyStatus, Problem
from mcpgov.daemon.status.remote_facts import RemoteListener, RemoteStatus
from mcpgov.daemon.status.remote_problems import needs_login, remote_problems

FILES = (File("cursor", "Cursor", "/f"),)
ROW = RemoteStatus("sentry", "cursor", "mcp.sentry.dev", "up")


def found(listener, *rows, daemon="running"):
    facts = Facts(0.0, DaemonStatus(daemon), PolicyStatus("/p"), FILES, remote=rows, listener=listener)
    return remote_problems(facts)


def test_all_is_well_while_the_service_is_up_or_begins_or_nothing_is_known_or_nothing_is_remote():
    assert found(RemoteListener("up", port=1), ROW) == []
    assert found(RemoteListener("starting"), ROW) == []
    assert found(RemoteListener("unknown"), ROW) == []
    assert found(None, ROW) == []
    assert found(RemoteListener("down")) == []


def test_a_service_that_is_down_makes_every_remote_server_unreachable():
    rows = [RemoteStatus(f"s{at}", "cursor", "h") for at in range(7)] + [RemoteStatus("s0", "zed", "h")]
    (problem,) = found(RemoteListener("down", "it ended with status 1"), *rows)
    names = "`s0`, `s1`, `s2`, `s3`, `s4` and 2 more"
    text = f"every remote server is unreachable ({names}), their service is down: it ended with status 1"
    assert problem == Problem(text, "mcpgov daemon restart", "bad", "remote-service-down")
    assert found(RemoteListener("down"), ROW, daemon="stopped")[0].hint == "mcpgov daemon start"
    assert found(RemoteListener("down"), ROW, daemon="not-installed")[0].hint == "mcpgov install"
    assert found(RemoteListener("down"), ROW)[0].what.endswith("their service is down")


def test_a_service_that_does_not_answer_is_told():
    (problem,) = found(RemoteListener("not answering"), ROW)
    assert (problem.what, problem.hint, problem.reason_code) == (
        "the service that reaches remote servers does not answer", "mcpgov daemon restart",
        "remote-service-not-answering",
    )  # fmt: skip


def test_a_login_that_is_needed_later_has_its_command():
    rows = [
        RemoteStatus("my sentry", "cursor", "h", "login", "the grant was revoked"),
        RemoteStatus("b", "x", "h", "login"),
    ]
    first, second = found(RemoteListener("up"), *rows)
    told = "`my sentry` in Cursor needs a login, its calls are denied: the grant was revoked"
    assert first == Problem(told, "mcpgov login 'my sentry'", "bad", "remote-login-needed")
    assert second.what == "`b` in x needs a login, its calls are denied"


def test_another_port_names_the_apps_to_restart():
    (problem,) = found(RemoteListener("up", restart=("cursor", "x")), ROW)
    assert (problem.hint, problem.level, problem.reason_code) == (
        "restart the apps: Cursor, x", "warning", "remote-port-changed"
    )  # fmt: skip


def test_entries_that_need_a_login_first_have_a_command_each():
    one = needs_login("Cursor", ["sentry"])
    assert one == Problem(
        "`sentry` in Cursor is not governed: a login is needed first", "mcpgov login sentry", "warning"
    )
    two = needs_login("Cursor", ["a", "b", "a"])
    assert (two.what, two.hint) == (
        "`a`, `b`, `a` in Cursor are not governed: a login is needed first", "mcpgov login a; mcpgov login b"
    )  # fmt: skip
