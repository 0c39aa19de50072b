import io
import json
import runpy
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov.daemon.status import model, status
from mcpgov.daemon.status.model import (
    DaemonStatus,
    Denial,
    Facts,
    File,
    KeptService,
    PolicyStatus,
    Problem,
    ProxyStatus,
    QuestionLine,
    Server,
    UngovernedServer,
)
from mcpgov.front.output.grid import columns, plain
from mcpgov.front.output.status_view import clock, lines, show, span, wants_color
from mcpgov.front.output.text import home_in, home_short
from mcpgov.lock_file import LockState
from mcpgov.reason_codes import IN_PROJECT, WRAP_OFFERED, Reason

ROOT = Path(__file__).parents[3]
NOW = 1_794_826_923.0
EVIL = "\x1b[2J\x1b]0;x\x07\u202e\x9b31m"


@pytest.fixture(autouse=True)
def place(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")


def server(client: str, name: str, state: str = "governed", reason: str = "", code: str = "") -> Server:
    place, code = ("mcpServers", name), code or ("note" if reason else "")
    return Server(client, f"/home/u/{client}.json", place, name, "stdio", state, reason=reason, reason_code=code)


CODE = File(
    "claude-code",
    "Claude Code",
    "/home/u/claude-code.json",
    "",
    (server("claude-code", "fs"), server("claude-code", "git")),
)
FINE = Facts(
    NOW,
    DaemonStatus(model.RUNNING, 4180, "0.1.0", 11_580, "systemd", True),
    PolicyStatus("/home/u/.config/mcpgov/policy.toml", True, "3f2a9c41b7d2e810", "deny", 12),
    (CODE,),
    (ProxyStatus(5121, "fs", "claude-code", 1204, 3, 0, 14_300_000, "alive", 41),),
)


def data(facts: Facts) -> dict:
    return json.loads(status.envelope(status.build(facts)))


def text(facts: Facts, room: int | None = 80) -> str:
    return "\n".join(map(plain, lines(data(facts), room)))


def test_when_all_is_well_the_first_line_says_so_and_there_is_nothing_to_do():
    assert (
        text(FINE)
        == """\
● all 2 servers governed

daemon    running · version 0.1.0 · pid 4180 · up 3 h 13 min · by systemd

policy    ~/.config/mcpgov/policy.toml
          revision 3f2a9c41b7d2e810 · default deny · 12 rules

servers   Claude Code  ● 2 governed  fs, git

proxies   server  client       calls  denied  errors  added  memory
          fs      Claude Code  1,204       3       0  41 µs   14 MB"""
    )
    assert lines(data(FINE), 80)[0][0] == ("● ", "good")


def test_what_is_wrong_stands_first_and_last_with_what_to_type():
    facts = replace(
        FINE,
        daemon=DaemonStatus(model.NOT_ANSWERING, 42),
        policy=PolicyStatus("/p.toml", error="p.toml:3: `tol` is unknown"),
        files=(replace(CODE, servers=(server("claude-code", "fs"), server("claude-code", "web", "native", "remote"))),),
        proxies=(),
        ungoverned=(UngovernedServer(4211, "fs", "claude-code", "Claude Code", 7),),
    )
    assert (
        text(facts)
        == """\
● every call is denied: the policy is broken; 0 of 2 servers governed, and the
  daemon does not answer · 3 problems

daemon    not answering · pid 42

policy    /p.toml · none in force

servers   Claude Code  ● 1 to restart   fs: the client still runs it ungoverned
                       ● 1 unprotected  web: remote

notes     ● `web` in Claude Code is not governed: remote

next      ● the policy is broken, every call is denied: p.toml:3: `tol` is
            unknown
            → mcpgov policy check
          ● the daemon (pid 42) does not answer
            → mcpgov daemon restart
          ● `fs` (pid 4211) ungoverned for 7 min
            → restart Claude Code"""
    )
    assert lines(data(facts), 80)[0][0] == ("● ", "bad")


def test_names_are_shortened_for_people_and_never_in_json():
    servers = [server("claude-code", name) for name in ("", "x" * 61, *map(str, range(499)))]
    facts = replace(FINE, files=(replace(CODE, servers=tuple(servers)),))
    assert f'● 501 governed  "", {"x" * 59}…, 0, 1, 2 and 496 more\n' in text(facts, None)
    assert [found["name"] for found in data(facts)["servers"]] == [found.name for found in servers]


def test_a_reason_does_not_repeat_itself():
    remote = server("claude-code", "remote", "native", "remote: not asked yet", "remote-unprobed")
    shown = text(replace(FINE, files=(replace(CODE, servers=(remote,)),)), None)
    assert "● 1 unprotected  remote: not asked yet\n" in shown


def test_servers_of_an_app_outside_the_settings_share_a_line_and_the_command_stands_once():
    why = f"{model.OUTSIDE}; `mcpgov wrap --client claude-code {{}}` wraps it"
    both = tuple(server("claude-code", name, "native", why.format(name), WRAP_OFFERED) for name in "ab")
    shown = text(replace(FINE, files=(replace(CODE, servers=both),)), None)
    assert f"● 2 unprotected  a, b: {model.OUTSIDE}\n" in shown
    assert shown.count("mcpgov wrap") == shown.count("→ mcpgov wrap --client claude-code a b") == 1


def test_a_command_to_type_is_never_cut():
    long = server("claude-code", "a-name-that-takes-more-than-one-line", "native")
    shown = text(replace(FINE, files=(replace(CODE, servers=(long,)),)), 40)
    words = "".join(shown.partition("→ ")[2].replace("\n", "").split())
    assert words == "mcpgovwrapa-name-that-takes-more-than-one-line"
    assert "policy.toml · gone, the last good one holds\n" in text(
        replace(FINE, policy=replace(FINE.policy, exists=False))
    )


@pytest.mark.parametrize("room", [40, 60, 80, 100])
def test_a_reason_that_ends_with_what_to_type_is_never_cut(room):
    """Nor is the first line, nor a problem's own words: any of them may hold a command."""
    to_type = "mcpgov wrap --client claude-code --config /srv/projects/a-very-long-name/.mcp.json -- some-server"
    reason = f"in a project's file, which is often committed; to govern it: {to_type}"
    long = server("claude-code", "some-server", "native", reason, IN_PROJECT)
    facts = replace(
        FINE,
        files=(replace(CODE, servers=(long,)),),
        settings=f"type {to_type}",
        launcher=Reason("launcher-version", to_type),
    )
    rows = [plain(row) for row in lines(data(facts), room)]
    assert max(map(columns, rows)) <= room
    joined = "".join("".join(rows).split())
    assert joined.count("".join(to_type.split())) == 3


def test_warnings_alone_are_yellow():
    facts = replace(FINE, policy=replace(FINE.policy, warnings=("w",)))
    assert lines(data(facts), 80)[0] == [("● ", "warning"), ("all 2 servers governed · 1 problem", "strong")]
    assert "12 rules · 1 warning\n" in text(facts)
    assert "policy.toml · broken, the last good one holds\n" in text(
        replace(FINE, policy=replace(FINE.policy, error="x"))
    )


def test_denials_have_the_id_that_why_takes():
    facts = replace(
        FINE,
        denials=(
            Denial(NOW - 60, "github", "delete_repository_for_good", "services.github.delete", "4f1d0c92ab37-12"),
            Denial(NOW - 200_000, "fs", "read_file", "no-keys", "9b02e7714c55-3"),
        ),
    )
    shown = text(facts)
    at = clock(NOW - 60, NOW), clock(NOW - 200_000, NOW)
    assert (len(at[0]), len(at[1])) == (8, 11)
    assert f"{at[0]}     github  delete_reposit…  services.githu…  4f1d0c92ab37-12\n" in shown
    assert f"{at[1]}  fs      read_file        no-keys          9b02e7714c55-3\n" in shown
    assert shown.endswith("\n          why: mcpgov why 4f1d0c92ab37-12")
    assert "delete_repository_for_good  services.github.delete" in text(facts, None), "a pipe gets everything"


def test_more_proxies_and_problems_than_a_screen_takes_are_counted():
    many = replace(
        FINE,
        proxies=tuple(ProxyStatus(at, f"s{at}", "own", None if at else 5, state="hung") for at in range(30)),
    )
    shown = text(many)
    assert "and 22 more: mcpgov status --json" in shown
    assert shown.count(" hung") == 8
    assert shown.count("→ restart") == 8
    assert text(many, None).count(" hung") == 30


@pytest.mark.parametrize("height", [8, 12, 16, 20, 24])
@pytest.mark.parametrize("room", [60, 80])
def test_a_low_screen_keeps_the_first_problem_and_what_to_type(room, height):
    proxies = tuple(ProxyStatus(at, f"s{at}", "claude-code", at, state="alive") for at in range(30))
    denials = tuple(Denial(NOW - at, "fs", "delete_x", "no-delete", f"s-{at}") for at in range(5))
    many = data(replace(FINE, daemon=DaemonStatus(model.STOPPED), proxies=proxies, denials=denials))
    shown = [plain(row) for row in lines(many, room, height)]
    assert len(shown) <= height
    assert any("the daemon is stopped: servers that are added" in line for line in shown)
    assert any(line.endswith("→ mcpgov daemon start") for line in shown)
    assert any("more" in line for line in shown), "what was left out is said to be"
    assert lines(many, room, 1000) == lines(many, room)


@pytest.mark.parametrize("room", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal_and_no_name_acts(room):
    name = EVIL + "日本" * 40
    evil = server("claude-code", name, "native", name)
    facts = Facts(
        NOW,
        DaemonStatus(model.RUNNING, 1, name, 5, name),
        PolicyStatus(f"/{name}", True, name, name, 3, (name,), name),
        (File("claude-code", name, f"/{name}", name, (evil, evil)),),
        (ProxyStatus(5, name, name, 10**12, 10**12, 10**12, 10**15, name, 10**9),),
        (UngovernedServer(1, name, "claude-code", name, 7),),
        (Denial(NOW, name, name, name, name),),
        Reason(name, name), Reason(name, name), name,
    )  # fmt: skip
    rows = lines(data(facts), room)
    assert max(columns(plain(row)) for row in rows) <= room
    for color in (True, False):
        file = io.StringIO()
        show(data(facts), file, color=color, room=None)
        told = file.getvalue()
        for code in ("2", "31", "32", "33", "1", "1;31", "1;32", "0"):
            told = told.replace(f"\x1b[{code}m", "")
        assert all(char.isprintable() or char == "\n" for char in told)


def test_a_terminal_without_our_letters_gets_plainer_ones():
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show(data(FINE), file, color=False, room=80)
    file.seek(0)
    told = file.read()
    assert told.startswith("* all 2 servers governed\n")
    assert "41 us" in told


@pytest.mark.parametrize(
    ("choice", "terminal", "environ", "wanted"),
    [
        ("auto", True, {"TERM": "xterm"}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", False, {"TERM": "xterm"}, False),
        ("never", True, {"TERM": "xterm"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
    ],
)
def test_colours_are_for_terminals_that_have_them(choice, terminal, environ, wanted):
    assert wants_color(choice, terminal, environ) is wanted


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3600, "1 h 0 min"), (3725, "1 h 2 min"), (90_061, "1 d 1 h")],
)
def test_a_duration_has_its_two_largest_units(seconds, told):
    assert span(seconds) == told


def test_times_that_no_calendar_knows_are_question_marks():
    assert clock(1e30, NOW) == "?"


def test_paths_below_the_home_are_short(monkeypatch):
    assert (home_short("/home/u/x"), home_short("/home/user")) == ("~/x", "/home/user")
    assert home_in("`/home/u/x`: torn") == "`~/x`: torn"
    monkeypatch.setenv("HOME", "/")
    assert (home_short("/x"), home_in("`/x`")) == ("/x", "`/x`")
    assert Problem("a", "b").level == "bad"


def test_the_picture_shows_what_status_shows_today():
    script = runpy.run_path(str(ROOT / "scripts" / "status_picture"))
    kept = (ROOT / "scripts" / "pictures" / "status.svg").read_text("utf-8")

    def words(svg: str) -> list[str]:
        return [(node.text or "") for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]

    said = json.loads((ROOT / "scripts" / "pictures" / "status.json").read_text("utf-8"))
    assert words(kept) == words(script["picture"](said)), "scripts/status_picture makes it anew"
    assert list(said) == list(data(FINE)), "what was said then has the shape that is said today"
    assert [list(proxy) for proxy in said["proxies"]] == [list(data(FINE)["proxies"][0])] * len(said["proxies"])


def test_services_are_shown_with_how_they_do_and_not_at_all_where_there_are_none():
    assert "services" not in text(FINE)
    kept = (
        KeptService("page", "running", 4200, 3700, 1, "it ended with status 1"),
        KeptService("feed", "failed", None, 5, 4, f"it was {EVIL} ended"),
        KeptService("rest", "not needed"),
    )
    shown = text(replace(FINE, services=kept)).partition("services")[2]
    assert shown.startswith("  page  ● running     pid 4200 · for 1 h 1 min · 1 restart\n")
    assert "feed  ● failed      4 restarts · it was " in shown
    assert "rest  ● not needed" in shown
    assert "\x1b" not in shown


def test_open_questions_stand_on_top_with_what_to_type_and_are_no_problems():
    asked = QuestionLine("4f1d-12", "github wants to run delete_repository (delete)", 21)
    found = [plain(row) for row in lines(data(replace(FINE, questions=(asked, replace(asked, number="4f1d-13")))), 100)]
    assert found[0].endswith(" · 2 questions wait for you")
    assert found[2:4] == [
        "now       ● github wants to run delete_repository (delete) · 21 s left",
        "            → mcpgov approve 4f1d-12, or mcpgov deny 4f1d-12",
    ]
    low = [plain(row) for row in lines(data(replace(FINE, questions=(asked,))), 100, 6)]
    assert low[2].startswith("now       ● github wants")


def test_a_lock_stands_above_the_questions():
    locked = replace(FINE, questions=(QuestionLine("4f1d-12", "x wants y", 3),), lock=LockState(1.0, "", "stop"))
    found = [plain(row) for row in lines(data(locked), 100)]
    assert found[0].endswith("all 2 servers governed · 1 question waits for you · 1 problem") or "locked" in found[0]
    assert found[2] == "now       ● mcpgov is locked, every call is denied (stop)"
    assert found[4] == "          ● x wants y · 3 s left"
