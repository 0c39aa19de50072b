from dataclasses import replace

import pytest

from mcpgov import reason_codes as codes
from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import (
    BAD,
    NOTE,
    WARNING,
    DaemonStatus,
    Facts,
    File,
    KeptService,
    PolicyStatus,
    Problem,
    ProxyStatus,
    QuestionLine,
    Server,
    UngovernedServer,
    Unsafe,
)
from mcpgov.daemon.status.problems import MEND, problems, worst
from mcpgov.daemon.status.remote_facts import RemoteListener, RemoteStatus
from mcpgov.lock_file import LockState
from mcpgov.reason_codes import Reason

MAKE_ROOM = "make room, or mend the directory"
GONE, OLD = (
    Reason(codes.LAUNCHER_MISSING, "the launcher is missing"),
    Reason(codes.LAUNCHER_VERSION, "the launcher is of another version"),
)
FULL = Reason(codes.JOURNAL_FULL, "no space left")

FINE = Facts(
    100.0,
    DaemonStatus(model.RUNNING, 7, "1.0", 60, "systemd", True),
    PolicyStatus("/p.toml", True, "abc", "deny", 3),
    asked_by="1.0",
)


def server(name: str, state: str, reason: str = "", transport: str = "stdio", code: str = "") -> Server:
    code = code or (codes.NOTE if reason else "")
    return Server("cursor", "/c.json", ("mcpServers", name), name, transport, state, reason=reason, reason_code=code)


def coded(**changes: object) -> list[Problem]:
    facts = replace(FINE, **changes)
    return list(problems(facts, [server for file in facts.files for server in file.servers]))


def told(**changes: object) -> list[Problem]:
    """What people see of them."""
    return [replace(problem, reason_code="") for problem in coded(**changes)]


def of(*servers: Server) -> list[Problem]:
    return told(files=(File("cursor", "Cursor", "/c.json", "", servers),))


def test_where_all_is_well_nothing_is_told():
    assert told() == []
    assert of(server("in-project", "native", "why", code=codes.IN_PROJECT)) == []
    assert of(server("a", "governed"), server("b", "disabled")) == []


@pytest.mark.parametrize(
    ("daemon", "what", "hint"),
    [
        (
            DaemonStatus(model.STOPPED),
            "the daemon is stopped: servers that are added now stay ungoverned",
            "mcpgov daemon start",
        ),
        (DaemonStatus(model.NOT_INSTALLED), "mcpgov is not installed for this account", "mcpgov install"),
        (DaemonStatus(model.NOT_ANSWERING, 42), "the daemon (pid 42) does not answer", "mcpgov daemon restart"),
        (DaemonStatus(model.NOT_ANSWERING), "the daemon does not answer", "mcpgov daemon restart"),
        (DaemonStatus(model.RUNNING, 7, "0.9"), "the daemon is version 0.9, this is 1.0", "mcpgov daemon restart"),
    ],
)
def test_a_daemon_that_is_not_there_is_told_with_what_to_type(daemon, what, hint):
    assert told(daemon=daemon) == [Problem(what, hint, BAD)]


def test_a_daemon_without_a_login_service_is_a_note_and_nobody_who_asks_needs_a_version():
    told_ = told(daemon=DaemonStatus(model.RUNNING, 7, "1.0", 1, "none", False), asked_by="")
    what = "the daemon ends when you log out: no login service runs it"
    assert told_ == [Problem(what, "after the next login: mcpgov daemon start", NOTE)]


@pytest.mark.parametrize(
    ("policy", "what", "hint", "level"),
    [
        (PolicyStatus("/p", False), "there is no policy: every call is denied", "mcpgov policy init", BAD),
        (
            PolicyStatus("/p", error="there is no policy: `/p` does not exist", reason_code=codes.NO_POLICY),
            "there is no policy: every call is denied",
            "mcpgov policy init",
            BAD,
        ),
        (
            PolicyStatus("/p", error="p:3: bad"),
            "the policy is broken, every call is denied: p:3: bad",
            "mcpgov policy check",
            BAD,
        ),
        (
            PolicyStatus("/p", True, "abc", "deny", 1, (), "p:3: bad"),
            "the policy is broken, the last good one holds: p:3: bad",
            "mcpgov policy check",
            BAD,
        ),
        (
            PolicyStatus("/p", False, "abc", "deny", 1, (), "there is no policy: `/p` does not exist"),
            "the policy is gone, the last good one holds: `/p` does not exist",
            "mcpgov policy init",
            BAD,
        ),
        (
            PolicyStatus("/p", True, "abc", "deny", 1, ("w",)),
            "the policy has 1 warning",
            "mcpgov policy check",
            WARNING,
        ),
        (
            PolicyStatus("/p", True, "abc", "deny", 1, ("w", "v")),
            "the policy has 2 warnings",
            "mcpgov policy check",
            WARNING,
        ),
    ],
)
def test_what_is_wrong_with_the_policy_is_told_with_what_holds_instead(policy, what, hint, level):
    assert told(policy=policy) == [Problem(what, hint, level)]


def test_where_nothing_is_installed_the_policy_is_not_missed_yet():
    facts = told(daemon=DaemonStatus(model.NOT_INSTALLED), policy=PolicyStatus("/p", False))
    assert [problem.hint for problem in facts] == ["mcpgov install"]


def test_where_nothing_is_installed_there_is_one_thing_to_type():
    bare = File("cursor", "Cursor", "/c.json", "", (server("fs", "native"),))
    assert [problem.hint for problem in told(daemon=DaemonStatus(model.NOT_INSTALLED), files=(bare,))] == [
        "mcpgov install"
    ]


def test_launcher_journal_and_settings_are_told():
    assert told(launcher=OLD, journal=FULL, settings="`x` is not valid") == [
        Problem("the journal cannot be written, every call is denied: no space left", MAKE_ROOM),
        Problem("the launcher is of another version", "mcpgov install"),
        Problem("the settings cannot be used: `x` is not valid", "mcpgov doctor"),
    ]


def test_what_stops_every_server_or_call_comes_first_and_is_what_the_first_line_names():
    found = told(
        daemon=DaemonStatus(model.STOPPED), policy=PolicyStatus("/p", error="p:3: bad"), launcher=GONE, journal=FULL
    )
    assert [problem.what for problem in found][1] == "the launcher is missing: no governed server can start"
    assert [problem.hint for problem in found] == [
        "mcpgov policy check", "mcpgov install", MAKE_ROOM, "mcpgov daemon start",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"launcher": OLD}, ""),
        ({"launcher": GONE, "journal": FULL}, "no governed server can start: the launcher is missing"),
        ({"journal": FULL}, "every call is denied: the disk is full"),
        ({"journal": Reason(codes.JOURNAL_MODE, "x")}, "every call is denied: the journal cannot be written"),
        ({"policy": PolicyStatus("/p", False)}, "every call is denied: there is no policy"),
        ({"policy": PolicyStatus("/p", error="p:3: bad")}, "every call is denied: the policy is broken"),
        ({"policy": PolicyStatus("/p"), "settings": "odd"}, "every call is denied: the settings cannot be used"),
        ({"policy": PolicyStatus("/p", False, "abc", "deny", 1)}, ""),
        ({"policy": PolicyStatus("/p")}, ""),
        ({"policy": PolicyStatus("/p", False), "daemon": DaemonStatus(model.NOT_INSTALLED)}, ""),
    ],
)
def test_the_worst_is_told_in_a_few_words(changes, words):
    assert worst(replace(FINE, **changes)) == words


def test_a_place_that_others_may_write_is_told_and_a_policy_refused_for_it_only_once():
    unsafe = Unsafe("/p.toml", "others may write to `/p.toml`", "chmod go-w /p.toml", True)
    assert told(unsafe=(unsafe,)) == [Problem(unsafe.what, unsafe.hint)]
    refused = PolicyStatus("/p.toml", True, "abc", error="refused", reason_code=codes.UNSAFE_FILE)
    assert [found.hint for found in told(unsafe=(unsafe,), policy=refused)] == ["mcpgov policy check"]
    found = told(unsafe=(unsafe,), policy=refused, daemon=DaemonStatus(model.NOT_INSTALLED))
    assert [each.hint for each in found] == ["mcpgov install", "chmod go-w /p.toml"]


def test_a_journal_that_is_a_file_is_to_be_moved_away():
    [found] = told(journal=Reason(codes.JOURNAL_FILE, "`/s/journal` is a file where a directory should be"))
    assert found.hint == "move it away"


def test_settings_are_told_once_with_what_they_may_be_and_what_follows():
    found = told(settings="odd", settings_hint="known: color", policy=PolicyStatus("/p"))
    assert found == [Problem("the settings cannot be used, every call is denied: odd", "known: color")]


def test_a_daemon_that_nobody_wanted_is_only_a_note():
    [found] = told(daemon=DaemonStatus(model.STOPPED, by_choice=True))
    assert (found.level, found.hint) == (NOTE, "mcpgov daemon start")


def test_a_path_is_named_once():
    found = told(files=(File("cursor", "Cursor", "/c.json", "`/c.json` is read-only", hint="chmod u+w /c.json"),))
    assert found == [Problem("Cursor: `/c.json` is read-only", "chmod u+w /c.json")]


def test_a_file_that_cannot_be_written_and_its_bare_servers_are_one_problem():
    held = (
        server("a", "native"),
        server("b", "native", "x", code=codes.FILE_REFUSED),
        server("c", "native", "in docker"),
    )
    file = File("cursor", "Cursor", "/c.json", "`/c.json` is read-only", held, hint="chmod u+w /c.json")
    assert told(files=(file,)) == [
        Problem("Cursor: `/c.json` is read-only, so `a`, `b` are not governed", "chmod u+w /c.json"),
        Problem("`c` in Cursor is not governed: in docker", "", NOTE),
    ]


def test_odd_names_can_be_typed_and_seen():
    assert of(server("", "native")) == [Problem('`""` in Cursor is not governed', "mcpgov wrap ''", BAD)]
    assert [problem.hint for problem in of(server("a b", "lost"))] == ["mcpgov restore 'a b'"]
    found = of(server("a", "contested"), server("b", "contested"))
    assert [problem.hint for problem in found] == ["quit Cursor, then mcpgov wrap --all"]


def test_what_a_reason_says_already_is_not_said_twice():
    found = of(server("remote", "native", "remote: not asked yet", "http", codes.REMOTE_UNPROBED))
    what = "`remote` in Cursor (remote: not asked yet)"
    assert found == [Problem(what, "", NOTE)], "nothing to type would change it"


def test_a_file_that_cannot_be_read_is_told():
    found = told(files=(File("cursor", "Cursor", "/c.json", "not readable"),))
    assert found == [Problem("Cursor: `/c.json`: not readable", MEND)]


def test_a_bare_server_that_could_be_governed_is_bad_and_one_left_alone_for_a_reason_is_not():
    assert of(server("fs", "native")) == [Problem("`fs` in Cursor is not governed", "mcpgov wrap fs", BAD)]
    assert of(server("fs", "native", "not wrapped", code=codes.NOT_WRAPPED)) == of(server("fs", "native"))
    assert of(server("fs", "native", "it runs in docker")) == [
        Problem("`fs` in Cursor is not governed: it runs in docker", "", NOTE)
    ]
    assert of(server("fs", "native", "not wrapped", "http", codes.NOT_WRAPPED)) == of(server("fs", "native"))


def test_servers_alike_are_told_once_and_many_names_are_cut():
    found = of(*(server(f"s{at}", "native") for at in range(7)))
    names = "`s0`, `s1`, `s2`, `s3`, `s4` and 2 more"
    assert found == [Problem(f"{names} in Cursor are not governed", "mcpgov wrap --all", BAD)]


def test_contested_lost_and_odd_entries_are_told_each_with_its_way_out():
    found = of(
        server("a", "contested", "put back 3 times within a minute; tried again at 05:18"),
        server("b", "lost", "at 10:42: the file was emptied"),
        server("c", "error", "no command"),
        server("d", "lost"),
        server("e", "lost"),
    )
    assert found == [
        Problem(
            "another program keeps unwrapping `a` in Cursor: put back 3 times within a minute; tried again at 05:18",
            "quit Cursor, then mcpgov wrap a",
        ),
        Problem("`c` in Cursor cannot be understood: no command", "mend it in the client's file"),
        Problem("`b` was lost by Cursor at 10:42: the file was emptied", "mcpgov restore b", WARNING),
        Problem("`d`, `e` were lost by Cursor", "mcpgov restore d e", WARNING),
    ]


def test_what_two_clients_have_lost_is_restored_with_the_client_named():
    files = (
        File("cursor", "Cursor", "/c.json", "", (server("a", "lost"),)),
        File("codex", "Codex", "/d.toml", "", (replace(server("a", "lost"), client="codex"),)),
    )
    assert [problem.hint for problem in told(files=files)] == [
        "mcpgov restore --client cursor a",
        "mcpgov restore --client codex a",
    ]


def test_a_minute_that_is_not_over_is_no_number():
    [found] = told(ungoverned=(UngovernedServer(1, "fs", "cursor", "Cursor", 0),))
    assert found.what == "`fs` (pid 1) ungoverned for less than a minute"


def test_bare_servers_that_run_and_hung_proxies_name_what_to_restart():
    found = told(
        files=(File("cursor", "Cursor", "/c.json"),),
        ungoverned=(UngovernedServer(4211, "fs", "claude-desktop", "Claude Desktop", 7),),
        proxies=(
            ProxyStatus(1, "a", "cursor", state="hung"),
            ProxyStatus(2, "b", "other", state="hung"),
            ProxyStatus(3, "c", "", state="hung"),
            ProxyStatus(4, "d", "cursor", state="alive"),
        ),
    )
    assert found == [
        Problem("`fs` (pid 4211) ungoverned for 7 min", "restart Claude Desktop"),
        Problem("the proxy of `a` (pid 1) does not answer", "restart Cursor"),
        Problem("the proxy of `b` (pid 2) does not answer", "restart other"),
        Problem("the proxy of `c` (pid 3) does not answer", "restart its client"),
    ]


def test_a_server_of_an_app_outside_the_settings_is_told_with_what_to_type():
    why = '{}; `mcpgov wrap --client cursor {}` wraps it, "cursor" in `clients` keeps it so'
    assert of(*(server(name, "native", why.format(model.OUTSIDE, name), code=codes.WRAP_OFFERED) for name in "ab")) == [
        Problem(
            "`a`, `b` in Cursor are not governed: its app is not in `clients` of settings.toml",
            "mcpgov wrap --client cursor a b",
            WARNING,
        )
    ]
    other = of(server("a", "native", f"{model.OUTSIDE}; this format is not supported", code=codes.OUTSIDE))
    assert [(problem.hint, problem.level) for problem in other] == [("", NOTE)]
    assert of(server("a", "native", "left alone on purpose", code=codes.EXCLUDED)) == []


def test_a_service_that_has_failed_is_a_problem_and_no_other_state_is():
    fine = [KeptService("page", state) for state in ("starting", "running", "backing off", "not needed", "stopping")]
    bad = [KeptService("page", "failed", reason="it ended with status 1"), KeptService("feed", "failed")]
    assert told(services=(*fine, *bad)) == [
        Problem("the daemon's service `page` has failed: it ended with status 1", "mcpgov daemon restart"),
        Problem("the daemon's service `feed` has failed", "mcpgov daemon restart"),
    ]


@pytest.mark.parametrize("state", ["starting", "backing off"])
def test_the_http_form_of_our_server_is_tried_on_and_a_problem_meanwhile(state):
    why = "it ended with status 1: cannot listen on port 3201: another program has it"
    assert told(services=(KeptService("serve", state, reason=why), KeptService("page", state, reason=why))) == [
        Problem(
            f"`mcpgov serve --http` does not run: {why}; the daemon tries again and again",
            "mcpgov serve --install --port N, or mcpgov serve --uninstall",
        )
    ]
    assert told(services=(KeptService("serve", state, reason="it ended with status 0"),)) == []
    assert told(services=(KeptService("serve", state), KeptService("serve", "running", reason=why))) == []


def test_every_problem_has_a_code_whatever_its_sentence():
    held = [
        server("a", "native"),
        server("b", "lost", code=codes.LOST),
        server("c", "native", "x", "http", codes.REMOTE_UNPROBED),
    ]
    files = (
        File("cursor", "Cursor", "/c.json", "", tuple(held)),
        File("codex", "Codex", "/d.toml", "odd", reason_code=codes.UNREADABLE),
        File("zed", "Zed", "/z.json", "odd"),
    )
    found = coded(
        daemon=DaemonStatus(model.STOPPED), policy=PolicyStatus("/p", error="x", reason_code=codes.POLICY),
        launcher=GONE, journal=FULL, settings="odd", files=files,
        ungoverned=(UngovernedServer(1, "fs", "cursor", "Cursor", 0),),
        proxies=(ProxyStatus(1, "a", "cursor", state="hung"),), unsafe=(Unsafe("/x", "others may write", "chmod"),),
    )  # fmt: skip
    assert [problem.reason_code for problem in found] == [
        *(codes.POLICY, codes.LAUNCHER_MISSING, codes.JOURNAL_FULL, codes.SETTINGS_DENY),
        *(codes.DAEMON_STOPPED, codes.UNSAFE_FILE, codes.UNREADABLE, codes.CONFIG_FILE),
        *(codes.NOT_WRAPPED, codes.UNGOVERNED, codes.HUNG, codes.LOST, codes.REMOTE_UNPROBED),
    ]
    kept = coded(
        policy=PolicyStatus("/p", True, "abc", error="x"),
        daemon=DaemonStatus(model.RUNNING, 1, "1.0", survives_logout=False),
    )
    assert [problem.reason_code for problem in kept] == [codes.POLICY_KEPT, codes.NO_SERVICE]


def test_a_remote_server_of_an_app_outside_the_settings_says_once_that_it_is_not_governed():
    why = f"{model.OUTSIDE}; remote: servers with a URL are not governed yet"
    assert of(server("a", "native", why, "http", codes.OUTSIDE)) == [Problem(f"`a` in Cursor ({why})", "", NOTE)]


def test_questions_stand_above_everything_but_the_lock_with_what_to_type():
    asked = QuestionLine("4f1d-12", "github wants to run delete_repository (delete)", 12)
    policy = replace(FINE.policy, revision="", error="x")
    facts = replace(FINE, questions=(asked,), lock=LockState(1.0, "me", "lunch"), policy=policy)
    locked, question, broken = problems(facts, ())[:3]
    assert (locked.what, locked.hint) == ("mcpgov is locked, every call is denied (lunch)", "mcpgov unlock")
    assert question.what == "github wants to run delete_repository (delete) · 12 s left"
    assert question.hint == "mcpgov approve 4f1d-12, or mcpgov deny 4f1d-12"
    assert broken.reason_code == codes.POLICY
    assert worst(facts) == "every call is denied: mcpgov is locked"
    assert problems(replace(FINE, lock=LockState()), ())[0].what == "mcpgov is locked, every call is denied"


def test_remote_servers_out_of_reach_are_the_first_problem_of_all():
    found = coded(
        remote=(RemoteStatus("sentry", "cursor", "h", "down"),), listener=RemoteListener("down"), launcher=GONE,
        lock=LockState(0.0, "x"), questions=(QuestionLine("4f1d-1", "may it?", 9),),
    )  # fmt: skip
    assert [problem.reason_code for problem in found] == [
        codes.REMOTE_DOWN, codes.CALLS_LOCKED, codes.QUESTION, codes.LAUNCHER_MISSING
    ]  # fmt: skip


def test_entries_that_need_a_login_are_one_problem_with_a_command_each_whatever_their_reasons_say():
    rows = [server(name, "native", f"mcpgov login {name}", "http", codes.REMOTE_NEEDS_LOGIN) for name in ("a", "b")]
    assert of(*rows) == [
        Problem(
            "`a`, `b` in Cursor are not governed: a login is needed first", "mcpgov login a; mcpgov login b", WARNING
        )
    ]


def test_a_remote_entry_in_a_projects_file_is_left_aside():
    assert of(server("a", "native", "a project's file", "http", codes.REMOTE_IN_PROJECT)) == []
