from mcpgov.daemon.model import BAD, EXCLUDED, IN_PROJECT, OUTSIDE, WARNING, Daemon, Policy, Problem, Server, Status


def status(*levels):
    problems = tuple(Problem("x", "y", level) for level in levels)
    return Status(0.0, "", Daemon("running"), Policy("p"), (), (), (), (), problems)


def test_any_problem_makes_the_whole_degraded():
    assert [status().healthy, status(WARNING).healthy, status(WARNING, BAD).healthy] == [True, False, False]


def test_a_native_server_in_a_projects_file_stands_aside():
    servers = [
        Server("cursor", "/f", ("mcpServers", "a"), "a", "stdio", state, reason=reason)
        for state, reason in [("native", f"{IN_PROJECT}; why"), ("native", "remote"), ("governed", IN_PROJECT)]
    ]
    assert [server.aside for server in servers] == [True, False, False]


def test_a_server_of_an_app_outside_the_settings_and_an_excluded_one_are_told_apart():
    servers = [
        Server("cursor", "/f", ("mcpServers", "a"), "a", "stdio", "native", reason=reason)
        for reason in (f"{OUTSIDE}; why", f"{EXCLUDED}: why", "not wrapped")
    ]
    assert [(server.outside, server.excluded) for server in servers] == [(True, False), (False, True), (False, False)]
    assert not any(server.aside for server in servers)
