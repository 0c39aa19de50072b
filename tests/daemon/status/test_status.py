import json
from dataclasses import replace

import pytest

from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import (
    Bare,
    ClientStatus,
    DaemonStatus,
    Denial,
    Facts,
    File,
    KeptService,
    PolicyStatus,
    ProxyStatus,
    Server,
)
from mcpgov.daemon.status.status import VERSION, build, envelope, to_json
from mcpgov.front import result
from mcpgov.reason_codes import Reason

FINE = Facts(
    100.0, DaemonStatus(model.RUNNING, 7, "1.0", 60, "systemd", True), PolicyStatus("/p.toml", True, "abc", "deny", 3)
)


def server(name: str, state: str = "governed", client: str = "cursor") -> Server:
    return Server(client, "/c.json", ("mcpServers", name), name, "stdio", state, reason="why")


def with_servers(*servers: Server, **changes: object) -> Facts:
    return replace(FINE, files=(File("cursor", "Cursor", "/c.json", "", servers),), **changes)


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([], "no servers yet"),
        (["disabled"], "no servers yet"),
        (["lost"], "1 server lost"),
        (["lost", "disabled", "lost"], "2 servers lost"),
        (["governed"], "the one server is governed"),
        (["governed"] * 4, "all 4 servers governed"),
        (["governed", "native"], "1 of 2 servers governed"),
        (["native"], "0 of 1 server governed"),
        (["governed", "governed", "disabled", "lost"], "all 2 servers governed"),
        (["contested", "error"], "0 of 2 servers governed"),
    ],
)
def test_the_first_line_says_how_many_servers_are_governed(states, told):
    assert build(with_servers(*(server(f"s{at}", state) for at, state in enumerate(states)))).summary == told


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (model.STOPPED, "the daemon is stopped"),
        (model.NOT_INSTALLED, "mcpgov is not installed"),
        (model.NOT_ANSWERING, "the daemon does not answer"),
    ],
)
def test_a_daemon_that_does_not_run_stands_in_the_first_line(state, word):
    said = build(with_servers(daemon=DaemonStatus(state))).summary
    assert said == (f"{word}: no servers yet" if state == model.NOT_INSTALLED else f"no servers yet, and {word}")


def test_governed_servers_are_not_all_that_counts_where_the_daemon_is_stopped_or_a_file_cannot_be_read():
    stopped, unread = DaemonStatus(model.STOPPED), File("cursor", "Cursor", "/d.json", "leads out of your home")
    both = with_servers(server("a"), server("b"), daemon=stopped)
    assert build(both).summary == "2 servers governed, but the daemon is stopped"
    one = with_servers(server("a"), server("b", "native"), daemon=stopped)
    assert build(one).summary == "1 of 2 servers governed, and the daemon is stopped"
    seen = with_servers(server("a"), server("b"))
    assert build(replace(seen, files=(*seen.files, unread))).summary == "2 servers governed, 1 config file not read"


def test_what_stops_every_call_or_server_stands_first_and_nothing_is_called_all_well():
    stuck = Reason("launcher-missing", "the launcher is missing")
    facts = with_servers(server("a"), server("b"), launcher=stuck)
    assert build(facts).summary == "no governed server can start: the launcher is missing; 2 servers governed"
    facts = with_servers(
        server("a"),
        server("b"),
        journal=Reason("journal-no-space", "no space left below `/s`"),
        daemon=DaemonStatus(model.STOPPED),
    )
    told = "every call is denied: the disk is full; 2 servers governed, but the daemon is stopped"
    assert build(facts).summary == told
    assert (
        build(with_servers(server("a", "native"), journal=Reason("journal-mode", "x"))).summary
        == "0 of 1 server governed"
    )
    facts = with_servers(server("a"), launcher=stuck, daemon=DaemonStatus(model.NOT_INSTALLED))
    assert build(facts).summary.startswith("no governed server can start: the launcher is missing; mcpgov is not")


def test_any_problem_makes_it_degraded_and_a_note_does_not():
    warned = replace(FINE, policy=replace(FINE.policy, warnings=("w",)))
    assert (build(warned).healthy, len(build(warned).problems)) == (False, 1)
    noted = build(replace(FINE, daemon=replace(FINE.daemon, survives_logout=False)))
    assert (noted.healthy, noted.problems, len(noted.notes)) == (True, (), 1)


def test_servers_in_projects_files_are_told_apart_and_then_not_all_are_governed():
    aside = replace(server("p", "native"), reason_code="in-project")
    told = {
        (): "no servers yet, 1 in projects' files left alone",
        (server("a"),): "1 server governed, 1 in projects' files left alone",
        (server("a"), server("b")): "2 servers governed, 1 in projects' files left alone",
        (server("a"), server("b", "native")): "1 of 2 servers governed, 1 in projects' files left alone",
    }
    for servers, words in told.items():
        assert build(with_servers(*servers, aside)).summary == words
    made = build(with_servers(server("a"), aside))
    assert (made.healthy, made.clients[0].servers, made.problems) == (True, 1, ())


def test_before_anybody_has_looked_nothing_is_claimed():
    unseen = File("cursor", "Cursor", "/c.json", looked=False)
    old = replace(FINE.daemon, uptime=61)
    young = replace(FINE.daemon, uptime=1)
    for files in ((), (unseen,)):
        assert build(replace(FINE, files=files, daemon=old)).summary == "no config looked at yet"
        assert build(replace(FINE, files=files, daemon=young)).summary == "starting: nothing looked at yet"
        assert build(replace(FINE, files=files, daemon=young, settings="x")).summary == "no config looked at yet"


def test_a_server_that_still_runs_as_it_was_waits_for_a_restart_and_does_not_count_as_governed():
    facts = with_servers(server("a"), server("b"), bare=(Bare(9, "a", "cursor", "Cursor", 3),))
    made = build(facts)
    assert [found.restart for found in made.servers] == [True, False]
    assert made.summary == "1 of 2 servers governed"
    assert not made.healthy


def test_a_client_is_told_once_whatever_the_number_of_its_files():
    facts = replace(
        FINE,
        files=(
            File("claude-code", "Claude Code", "/a", "", (server("x", client="claude-code"),)),
            File("cursor", "Cursor", "/b"),
            File("claude-code", "Claude Code", "/c", "broken", (server("y", "native", "claude-code"),)),
        ),
    )
    assert build(facts).clients == (
        ClientStatus("claude-code", "Claude Code", ("/a", "/c"), 2, 1, "broken"),
        ClientStatus("cursor", "Cursor", ("/b",), 0, 0, ""),
    )


def test_the_json_is_complete_and_its_envelope_is_the_one_of_all_commands():
    facts = with_servers(
        server("a"),
        proxies=(ProxyStatus(5, "a", "cursor", 3, 1, 0, 1000, "alive", 41),),
        denials=(Denial(99.0, "a", "delete_x", "no-delete", "s-1"),),
    )
    made = build(facts)
    assert to_json(made) == {
        "time": 100.0,
        "summary": "the one server is governed",
        "daemon": {
            "state": "running", "pid": 7, "version": "1.0", "uptime": 60, "service": "systemd", "survives_logout": True,
            "by_choice": False,
        },
        "policy": {
            "file": "/p.toml", "exists": True, "revision": "abc", "default": "deny", "rules": 3, "warnings": (),
            "error": "", "reason_code": "",
        },
        "clients": (
            {"client": "cursor", "title": "Cursor", "files": ("/c.json",), "servers": 1, "governed": 1, "problem": ""},
        ),
        "servers": (
            {
                "client": "cursor", "file": "/c.json", "path": ("mcpServers", "a"), "name": "a", "transport": "stdio",
                "state": "governed", "restart": False, "reason": "why", "reason_code": "",
            },
        ),
        "proxies": (
            {
                "pid": 5, "server": "a", "client": "cursor", "calls": 3, "denied": 1, "errors": 0, "rss": 1000,
                "state": "alive", "p50_us": 41, "since": None, "child": None, "project": "",
                "idle": None, "cpu": None, "server_cpu": None, "server_rss": None,
            },
        ),
        "denials": (
            {"time": 99.0, "server": "a", "tool": "delete_x", "rule": "no-delete", "id": "s-1", "action": "deny"},
        ),
        "problems": (),
        "notes": (),
        "looked": True,
        "questions": (),
        "locked": False,
    }  # fmt: skip
    assert result.ENVELOPE_VERSION == VERSION
    assert json.loads(envelope(made)) == json.loads(json.dumps(result.envelope("status", True, to_json(made))))
    assert envelope(made) == json.dumps(result.envelope("status", True, to_json(made)), indent=2) + "\n"


def test_hostile_names_are_escaped_in_the_envelope():
    text = envelope(build(with_servers(server("\x1b[2J\u202e", "native"))))
    assert text.isascii()
    assert "\x1b" not in text


def test_services_are_told_only_where_there_are_any():
    assert "services" not in to_json(build(FINE))
    found = to_json(build(replace(FINE, services=(KeptService("page", "running", 7, 5),))))["services"]
    assert found == ({"name": "page", "state": "running", "pid": 7, "since": 5, "restarts": 0, "reason": ""},)
