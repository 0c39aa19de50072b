from mcpgov.daemon.status.model import BAD, WARNING, DaemonStatus, PolicyStatus, Problem, Server, Status
from mcpgov.reason_codes import EXCLUDED, IN_PROJECT, NOT_WRAPPED, OUTSIDE, REMOTE_UNPROBED, WRAP_OFFERED


def status(*levels):
    problems = tuple(Problem("x", "y", level) for level in levels)
    return Status(0.0, "", DaemonStatus("running"), PolicyStatus("p"), (), (), (), (), problems)


def test_any_problem_makes_the_whole_degraded():
    assert [status().healthy, status(WARNING).healthy, status(WARNING, BAD).healthy] == [True, False, False]


def test_a_native_server_in_a_projects_file_stands_aside():
    servers = [
        Server("cursor", "/f", ("mcpServers", "a"), "a", "stdio", state, reason="why", reason_code=code)
        for state, code in [("native", IN_PROJECT), ("native", REMOTE_UNPROBED), ("governed", IN_PROJECT)]
    ]
    assert [server.aside for server in servers] == [True, False, False]


def test_a_server_of_an_app_outside_the_settings_and_an_excluded_one_are_told_apart():
    servers = [
        Server("cursor", "/f", ("mcpServers", "a"), "a", "stdio", "native", reason="why", reason_code=code)
        for code in (OUTSIDE, WRAP_OFFERED, EXCLUDED, NOT_WRAPPED)
    ]
    found = [(server.outside, server.excluded) for server in servers]
    assert found == [(True, False), (True, False), (False, True), (False, False)]
    assert not any(server.aside for server in servers)
