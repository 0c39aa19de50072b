import json

from mcpgov.daemon import instance_lock
from mcpgov.front.parser_table import COMMANDS
from mcpgov.places import Places


def test_an_empty_home_is_told_what_to_type_first(run):
    done = run("doctor")
    assert (done.status, done.err) == (1, "")
    assert "\nlauncher   bad      the launcher is missing: no governed server can start\n" in done.out
    assert "\n                    → mcpgov install\n" in done.out
    assert "to mend, " in done.out.splitlines()[-1]


def test_every_check_is_in_the_json_with_its_hint(run, root, home, policy):
    policy('default = "deny"')
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"fs": {"command": "stand-in"}}}))
    assert run("sync").status == 0
    found = run("doctor", "--json").json
    checks = {check["check"]: check for check in found["checks"]}
    assert set(checks) >= {
        "places",
        "disk",
        "launcher",
        "settings",
        "policy",
        "service",
        "daemon",
        "configs",
        "processes",
    }
    fine = ("launcher", "settings", "policy", "configs")
    assert [checks[name]["level"] for name in fine] == ["ok"] * 4
    assert checks["daemon"] == {
        "check": "daemon",
        "level": "warning",
        "what": "the daemon is stopped: servers that are added now stay ungoverned",
        "hint": "mcpgov daemon start",
        "reason_code": "daemon-stopped",
    }
    assert found["command"] == "doctor"


def test_a_daemon_that_nobody_had_run_is_a_warning_and_one_that_ended_is_bad(run, root, home, policy):
    policy('default = "deny"')
    assert run("sync").status == 0
    levels = {check["check"]: check["level"] for check in run("doctor", "--json").json["checks"]}
    assert (levels["daemon"], levels["service"]) == ("warning", "warning")
    lock = Places(root).runtime / instance_lock.FILE
    lock.parent.mkdir(parents=True, mode=0o700)
    lock.touch(0o600)
    done = run("doctor", "--json")
    assert [check["level"] for check in done.json["checks"] if check["check"] == "daemon"] == ["bad"]
    assert done.status == 1


def test_servers_of_apps_outside_the_settings_are_told_with_the_line_to_type(run, root, home, policy):
    policy('default = "deny"')
    for place, text in (
        (".codex/config.toml", '[mcp_servers.git]\ncommand = "x"\n'),
        (".gemini/settings.json", '{"mcpServers": {"my time": {"command": "x"}, "b": {"command": "x"}}}'),
        (".config/goose/config.yaml", "extensions:\n  dev:\n    type: stdio\n"),
    ):
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text(text)
    told = [(check["what"], check["hint"]) for check in run("doctor", "--json").json["checks"]
            if check["check"] == "entries"]  # fmt: skip
    why = "not governed: its app is not in `clients` of settings.toml"
    assert [line for line in told if "Goose" not in line[0]] == [
        (f"`my time`, `b` in Gemini CLI are {why}", "mcpgov wrap --client gemini 'my time' b"),
        (f"`git` in Codex is {why}", "mcpgov wrap --client codex git"),
    ]
    assert [line[0].startswith(f"`dev` in Goose is {why}; this format") for line in told if "Goose" in line[0]] == [
        True
    ]
    assert run("wrap", "git").status == 0
    assert "Codex" not in run("doctor").out


def test_an_interpreter_that_is_gone_is_named_with_what_to_type(run, root, home):
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"fs": {"command": "stand-in"}}}))
    assert run("sync").status == 0
    launcher = root / "bin" / "mcpgov-proxy"
    first, _, rest = launcher.read_text().partition("\n")
    assert first.startswith("#!/"), "the kernel itself starts the interpreter"
    launcher.write_text(f"#!/gone/python -IS\n{rest}")
    what = "the launcher's interpreter `/gone/python` is gone: no governed server can start"
    found = {check["check"]: check for check in run("doctor", "--json").json["checks"]}["launcher"]
    code = "launcher-interpreter"
    assert found == {"check": "launcher", "level": "bad", "what": what, "hint": "mcpgov install", "reason_code": code}
    assert what in [problem["what"] for problem in run("status", "--json").json["problems"]]
    assert run("launcher").status == 0
    assert launcher.read_text().startswith(first)


def test_broken_settings_end_no_check_that_can_be_made_without_them(run, root):
    file = root / "config" / "settings.toml"
    file.write_text("clients = 5")
    done = run("doctor", "--json")
    assert done.status == 1
    checks = {check["check"]: check for check in done.json["checks"]}
    assert list(checks)[:8] == ["places", "disk", "launcher", "settings", "policy", "service", "daemon", "watches"]
    assert "processes" in checks
    assert checks["settings"]["what"].startswith("setting `clients`")
    assert "\nprocesses " in run("doctor").out


def test_paths_below_the_home_are_short_and_no_name_acts(run, home):
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"\x1b[2Jx": {"command": 7}}}))
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{")
    out = run("doctor").out
    assert "`~/.cursor/mcp.json`" in out
    assert "\\x1b[2Jx" in out
    assert "\x1b" not in out


def test_it_is_in_the_table():
    assert "doctor" in COMMANDS
