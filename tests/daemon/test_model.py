from mcpgov.daemon.model import BAD, WARNING, Daemon, Policy, Problem, Status


def status(*levels):
    problems = tuple(Problem("x", "y", level) for level in levels)
    return Status(0.0, "", Daemon("running"), Policy("p"), (), (), (), (), problems)


def test_only_what_is_bad_makes_the_whole_degraded():
    assert [status().healthy, status(WARNING).healthy, status(WARNING, BAD).healthy] == [True, True, False]
