"""Chains of made-up processes; real trees are in tests/front/test_caller_check.py."""

from dataclasses import replace

import pytest

from mcpgov.daemon.callers.caller_rules import ATTACH, ELSEWHERE, Chain, Step, Verdict, judge
from tests.helpers.trees import made

HOME = "/home/u"
PROXY = ("/usr/bin/python3", "-IS", "/home/u/bin/mcpgov-proxy", "--server", "fs", "--", "npx", "fs")


def step(pid, ppid, *argv, tty=False, home=HOME, marks=(), unit="", **more):
    return Step(made(pid, ppid, *argv, **{"sid": pid, **more}), tty, home, marks, unit)


MCPGOV = step(90, 80, "python3", "/home/u/bin/mcpgov", sid=80, start=900.0)
SHELL = step(80, 70, "bash", tty=True)
CLAUDE = step(70, 1, "claude")
INIT = step(1, 0, "init", home="")


def ask(*steps, own=True, home=HOME, daemon=0, **more):
    return judge(Chain(tuple(steps), **more), home, own=own, daemon=daemon)


def test_below_an_app_nobody_may_ask():
    why = "Claude Code (claude, pid 70) has started what asks"
    assert ask(MCPGOV, SHELL, CLAUDE, INIT) == Verdict(why, client="claude-code", hint=ELSEWHERE)
    assert not ask(MCPGOV, SHELL, CLAUDE, INIT).allowed


def test_the_asking_process_may_itself_be_an_app_by_its_program_but_not_by_where_it_is_installed():
    assert ask(step(70, 2, "/usr/bin/claude"), step(2, 1, "xterm")).client == "claude-code"
    installed = step(90, 2, "python3", "/home/u/Visual Studio Code/venv/bin/mcpgov", tty=True)
    assert ask(installed, step(2, 1, "xterm")).allowed
    assert ask(step(90, 2), step(2, 1, "xterm")).allowed


def test_below_a_governed_server_nobody_may_ask():
    why = "the governed server `fs` asks, through python3, pid 60"
    assert ask(MCPGOV, step(80, 60, "npx"), step(60, 1, *PROXY)) == Verdict(why, server="fs")


def test_without_a_process_there_is_no_answer():
    assert ask() == Verdict("it cannot be told which process asks")


@pytest.mark.parametrize("name", ["xterm", "sshd", "cron", "gnome-terminal-server"])
def test_people_and_their_jobs_may_ask(name):
    assert ask(MCPGOV, SHELL, step(70, 1, name), INIT).allowed


def test_marks_refuse_and_the_highest_one_says_whose_they_are():
    marked = replace(SHELL, marks=("CLAUDECODE",))
    assert (
        ask(MCPGOV, marked, step(70, 1, "xterm")).why
        == "an AI app's tool call asks: `CLAUDECODE` is set in bash, pid 80"
    )
    outside = replace(marked, home="/home/developer")
    inside = replace(MCPGOV, marks=("CLAUDECODE",), home="/tmp/scratch")
    assert ask(inside, outside, step(70, 1, "xterm"), own=False, home="/tmp/scratch").allowed
    assert not ask(inside, SHELL, step(70, 1, "xterm"), own=False, home="/tmp/scratch").allowed


def test_a_panel_is_a_shell_that_leads_a_session_on_the_editors_terminal():
    code = step(70, 1, "/usr/share/code/code", "--type=utility")
    main = step(60, 1, "/usr/share/code/code")
    assert ask(MCPGOV, SHELL, code, main, INIT).allowed
    for other in (
        replace(SHELL, tty=False),
        step(80, 70, "bash", tty=True, sid=70),
    ):
        assert ask(MCPGOV, other, code, main, INIT).client == "vscode"
    host = step(70, 1, "/home/u/.vscode-server/node", "fork", "--type=extensionHost")
    assert ask(MCPGOV, SHELL, host, INIT).client == "vscode"
    assert ask(step(60, 50, "cursor"), step(50, 1, "xterm")).client == "cursor"
    # An agent in the panel is an app like everywhere.
    assert ask(MCPGOV, step(85, 83, "sh"), step(83, 80, "claude"), SHELL, code, INIT).client == "claude-code"


def test_a_panel_of_nothing_but_editors_is_none():
    assert ask(step(90, 80, "code", tty=True), step(80, 70, "code"), INIT).client == "vscode"


def test_in_a_scratch_home_only_what_has_that_home_counts():
    scratch = "/tmp/scratch"
    asks = replace(MCPGOV, home=scratch)
    assert ask(asks, SHELL, CLAUDE, INIT, own=False, home=scratch).allowed
    assert not ask(asks, SHELL, replace(CLAUDE, home=scratch), INIT, own=False, home=scratch).allowed
    assert ask(asks, SHELL, step(60, 1, *PROXY), INIT, own=False, home=scratch).allowed


LOST = step(90, 1, "python3", "mcpgov", pgid=75, start=900.0)


def test_who_is_lost_and_shares_a_session_or_a_group_with_an_app_is_refused():
    together = replace(LOST, process=replace(LOST.process, sid=70))
    why = "Claude Code (claude, pid 70) is in the same session as what asks"
    assert ask(together, INIT, lost=(together,), others=(CLAUDE,)).why == why
    grouped = step(70, 1, "claude", pgid=75)
    why = "Claude Code (claude, pid 70) is in the same process group as what asks"
    assert ask(LOST, INIT, lost=(LOST,), others=(grouped,)).why == why
    stranger = replace(CLAUDE, home="/home/other")
    assert ask(
        replace(together, home="/tmp/s"), INIT, lost=(together,), others=(stranger,), own=False, home="/tmp/s"
    ).why == ("it cannot be told who has started python3, pid 90: its parent has ended")
    proxy = step(60, 1, *PROXY, pgid=75)
    assert ask(LOST, INIT, lost=(LOST,), others=(proxy,)).server == "fs"


def test_a_control_group_tells_who_is_lost():
    unit = "/user.slice/app-cursor-1.scope"
    lost, cursor = replace(LOST, unit=unit), step(70, 1, "cursor", unit=unit)
    why = "Cursor (cursor, pid 70) is in the same control group as what asks"
    assert ask(lost, INIT, lost=(lost,), others=(cursor,)).why == why
    assert "cannot be told" in ask(lost, INIT, lost=(lost,), others=(replace(cursor, unit="/other.scope"),)).why


def test_an_app_in_a_terminal_does_not_speak_for_the_terminal():
    unit = "/user.slice/app-xterm-1.scope"
    xterm, inside = step(50, 1, "xterm", unit=unit), step(70, 50, "claude", unit=unit)
    assert ask(MCPGOV, SHELL, xterm, INIT, lost=(xterm,), others=(inside, xterm)).allowed
    started_it = step(40, 1, "claude", unit=unit)
    assert not ask(MCPGOV, SHELL, xterm, INIT, lost=(xterm,), others=(started_it,)).allowed


def test_a_service_of_a_unit_file_may_ask_beside_anybody():
    unit = "/user.slice/user@1.service/app.slice/backup.service"
    lost = replace(LOST, unit=unit)
    assert ask(lost, INIT, lost=(lost,), others=(replace(CLAUDE, unit=unit),)).allowed


def test_an_origin_that_cannot_be_told_is_refused():
    why = "it cannot be told who has started python3, pid 90: its parent has ended"
    assert ask(LOST, INIT, lost=(LOST,)) == Verdict(why)
    assert ask(LOST, INIT, lost=(LOST,), own=False, home="/tmp/other").allowed
    assert ask(replace(LOST, home=""), INIT, lost=(LOST,), own=False, home="/tmp/other").allowed
    assert not ask(replace(LOST, home="/t"), INIT, lost=(LOST,), own=False, home="/t").allowed


def test_a_child_of_our_own_daemon_has_an_origin():
    daemon = step(80, 1, "python3", "mcpgov", "daemon", "run")
    assert ask(MCPGOV, daemon, INIT, lost=(daemon,), daemon=80).allowed
    assert not ask(MCPGOV, daemon, INIT, lost=(daemon,), daemon=81).allowed
    assert not ask(LOST, INIT, lost=(LOST,), daemon=90).allowed


def test_a_parent_that_may_not_be_seen_is_believed_only_behind_a_terminal():
    assert ask(replace(MCPGOV, tty=True), SHELL, whole=False).allowed
    assert not ask(MCPGOV, replace(SHELL, tty=False), whole=False).allowed


def test_another_users_program_is_an_origin_but_not_a_way_to_become_another_user():
    agent = step(70, 1, "containerd-shim", uid=0)
    assert ask(MCPGOV, replace(SHELL, tty=False), agent, INIT).allowed
    assert not ask(MCPGOV, replace(SHELL, tty=False), step(70, 1, "sudo", uid=0), INIT).allowed


def test_what_comes_from_outside_a_container_or_is_its_first_process_may_ask():
    assert ask(step(90, 0, "sh")).allowed
    assert not ask(step(1, 0, "mcpgov")).allowed
    assert ask(step(1, 0, "bash", tty=True)).allowed
    assert ask(step(90, 1, "mcpgov", sid=1), step(1, 0, "sh"), init_session=1).allowed
    assert ask(step(90, 1, "mcpgov", sid=1, tty=True), step(1, 0, "sh", tty=True)).allowed


@pytest.mark.parametrize("session", [0, 1])
def test_a_parentless_process_in_the_session_of_a_containers_first_process_is_refused_beside_an_app(session):
    init, lost = step(1, 0, "tini", sid=session), step(90, 1, "sh", sid=session, pgid=89)
    app = step(60, 1, "claude", sid=session, pgid=60)
    asked = ask(lost, init, lost=(lost,), others=(app,), init_session=session)
    assert asked.why == "Claude Code (claude, pid 60) is in the same session as what asks"
    assert ask(lost, init, lost=(lost,), others=(app,), init_session=session, init_session_proves=False).allowed


def test_the_home_of_a_containers_first_process_is_not_that_of_the_processes_it_adopts():
    init, lost = step(1, 0, "python3", home="/root"), step(90, 1, "sh", home="/t", sid=89)
    assert not ask(lost, init, lost=(lost,), own=False, home="/t").allowed
    assert ask(step(90, 1, "sh", home="/t"), init, own=False, home="/t").allowed


def test_a_program_that_has_run_for_a_while_or_gives_a_terminal_is_an_origin_unless_it_only_runs_others():
    agent = step(70, 1, "ci-agent", start=100.0)
    asks, shell = step(90, 80, "mcpgov", start=900.0), step(80, 70, "bash")
    assert ask(asks, shell, agent, INIT).allowed
    assert not ask(asks, shell, step(70, 1, "ci-agent", start=890.0), INIT).allowed
    assert ask(replace(asks, tty=True), shell, step(70, 1, "newterm", start=890.0), INIT).allowed
    assert not ask(replace(asks, tty=True), shell, step(70, 1, "script", start=100.0), INIT).allowed


@pytest.mark.parametrize("name", ["xterm", "sshd", "cron", "atd"])
def test_a_shell_that_calls_itself_a_terminal_or_a_scheduler_is_none(name):
    posing = replace(step(2, 1, name, start=1.0), program="dash")
    assert ask(step(90, 2, "mcpgov", tty=True, start=900.0), posing, INIT).why.startswith("it cannot be told who")
    assert ask(step(90, 2, "mcpgov", tty=True), replace(posing, program=name), INIT).allowed


@pytest.mark.parametrize("name", ["tmux", "SCREEN", "zellij"])
def test_a_multiplexer_is_a_persons_only_where_a_terminal_shows_it(name):
    chain = Chain((step(90, 2, "mcpgov", tty=True, start=900.0), step(2, 1, name, start=1.0), INIT))
    assert judge(chain, HOME, own=True) == Verdict(
        f"no terminal of yours shows {name}, pid 2, so it cannot be told who types there", hint=ATTACH
    )
    assert judge(replace(chain, attached=True), HOME, own=True).allowed
    assert Chain(()).multiplexer is None
    assert not judge(replace(chain, attached=True, others=(CLAUDE,), lost=chain.steps[1:2]), HOME, own=True).why
    below = replace(chain, steps=(*chain.steps[:2], step(70, 1, "claude"), INIT), attached=True)
    assert judge(below, HOME, own=True).client == "claude-code"


def test_a_multiplexer_of_a_unit_file_is_a_service():
    unit = "/user.slice/user@1.service/app.slice/tmux.service"
    assert ask(MCPGOV, SHELL, step(70, 1, "tmux", unit=unit), INIT).allowed


@pytest.mark.parametrize("name", ["xterm", "cron", "systemd", "newterm"])
def test_a_program_that_the_user_could_have_put_there_is_no_origin(name):
    copy = replace(step(2, 1, name, start=1.0), program=name, own_file=True)
    assert ask(step(90, 2, "mcpgov", tty=True, start=900.0), copy, INIT) == Verdict(
        f"{name}, pid 2 runs from a file that any program of yours could have put there"
    )
    script = replace(copy, process=replace(copy.process, argv=("bash",)))
    assert ask(step(90, 2, "mcpgov", tty=True), script, INIT).why.startswith("it cannot be told who has started bash")


def test_a_shell_that_calls_itself_a_manager_hides_nobody():
    posing = replace(step(80, 70, "systemd"), program="bash")
    assert (posing.is_manager, INIT.is_manager) == (False, True)
    assert ask(MCPGOV, posing, CLAUDE, INIT).client == "claude-code"
