import plistlib
from pathlib import Path

import pytest

from mcpgov.errors import McpgovError
from mcpgov.front.service import unit_text

ROOT = Path("/trial")
SYSTEMD = "# mcpgov {{version}} {{name}}{{trial}}\n{{environment}}\nExecStart={{command}}\n"
LAUNCHD = (Path(__file__).parents[3] / "launchd" / unit_text.LAUNCHD_FILE).read_text("utf-8")


def test_a_trial_has_names_of_its_own_that_stay_the_same():
    assert (unit_text.systemd_name(None), unit_text.launchd_name(None)) == ("mcpgov.service", "dev.mcpgov.daemon")
    assert unit_text.systemd_name(ROOT) == f"mcpgov-{unit_text.digest(ROOT)}.service"
    assert unit_text.launchd_name(ROOT) == f"dev.mcpgov.daemon.{unit_text.digest(ROOT)}"
    assert len(unit_text.digest(ROOT)) == 8
    assert unit_text.digest(ROOT) != unit_text.digest(Path("/other\udcff"))


def test_units_lie_where_the_variable_says_and_else_in_the_home():
    usual = Path("/h/.config/systemd/user")
    assert unit_text.systemd_directories("/h", {"XDG_CONFIG_HOME": "/x"}) == [Path("/x/systemd/user"), usual]
    assert unit_text.systemd_directories("/h", {"XDG_CONFIG_HOME": "/h/.config"}) == [usual]
    for ignored in ({}, {"XDG_CONFIG_HOME": ""}, {"XDG_CONFIG_HOME": "relative"}):
        assert unit_text.systemd_directories("/h", ignored) == [usual]
    assert unit_text.launchd_directory("/h") == Path("/h/Library/LaunchAgents")


def test_only_variables_that_move_files_are_kept():
    given = {"XDG_STATE_HOME": "/s", "CLAUDE_CONFIG_DIR": "/c", "XDG_CACHE_HOME": "", "TOKEN": "t", "MCPGOV_ROOT": "/r"}
    assert unit_text.kept(given) == {"XDG_STATE_HOME": "/s", "CLAUDE_CONFIG_DIR": "/c"}


def test_a_unit_without_variables_has_no_empty_line_for_them():
    text = unit_text.systemd_text(SYSTEMD, "n.service", "1.2", ["/bin/p", "run"], {}, None)
    assert text == "# mcpgov 1.2 n.service\nExecStart=/bin/p run\n"


def test_a_unit_says_which_trial_it_is_and_carries_the_places():
    environ = {"XDG_DATA_HOME": "/a b", "XDG_STATE_HOME": "/$s%"}
    text = unit_text.systemd_text(SYSTEMD, "n.service", "1", ["/p", "{{name}}"], environ, ROOT)
    assert text == (
        f"# mcpgov 1 n.service (trial {unit_text.digest(ROOT)})\n"
        "# The places as the installing terminal saw them.\n"
        'Environment="XDG_DATA_HOME=/a b"\n'
        'Environment="XDG_STATE_HOME=/$s%%"\n'
        'ExecStart=/p "{{name}}"\n'
    )


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("/usr/bin/python3.11", "/usr/bin/python3.11"),
        ("", '""'),
        ("a b", '"a b"'),
        ('"\\', '"\\"\\\\"'),
        ("50%", '"50%%"'),
        ("it's;", '"it\'s;"'),
        ("ü", '"ü"'),
        ("a\nb\x7f", '"a\\x0ab\\x7f"'),
        ("\udcff", '"\\xff"'),
    ],
)
def test_a_word_of_a_unit_is_quoted_where_it_must_be(word, written):
    assert unit_text.systemd_word(word) == written


def test_a_dollar_is_no_variable_and_a_refused_program_is_started_by_a_shell():
    assert unit_text.systemd_command(["/p", "$HOME"]) == '/p "$$HOME"'
    assert unit_text.systemd_command(["/it's", "x"]) == '/bin/sh -c "exec \\"$$0\\" \\"$$@\\"" "/it\'s" x'


def test_a_property_list_holds_every_word_as_it_is():
    words = ["/p <&>", "--root", "a \"b\" 'c' ü {{name}}"]
    environ = {"HOME": "/h & co", "LANG": "de_DE.UTF-8", "XDG_DATA_HOME": "/d<", "TOKEN": "t"}
    text = unit_text.launchd_text(LAUNCHD, "dev.mcpgov.daemon", "1.2", words, environ, Path("/log & out"))
    assert "<!-- mcpgov 1.2:" in text
    found = plistlib.loads(text.encode())
    assert (found["ProgramArguments"], found["Label"]) == (words, "dev.mcpgov.daemon")
    assert found["EnvironmentVariables"] == {
        "HOME": "/h & co",
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "LANG": "de_DE.UTF-8",
        "XDG_DATA_HOME": "/d<",
    }
    assert (found["StandardOutPath"], found["StandardErrorPath"]) == ("/log & out", "/log & out")


@pytest.mark.parametrize("word", ["\x01", "a\x1b[0m", "\udcff"])
def test_what_a_property_list_cannot_hold_is_told(word):
    with pytest.raises(McpgovError, match="a property list cannot hold"):
        unit_text.launchd_text(LAUNCHD, "n", "1", [word], {}, Path("/o"))


# From launchd.plist(5): key -> type, or the keys and types of a dictionary.
DOCUMENTED = {
    "Label": str,
    "ProgramArguments": list,
    "EnvironmentVariables": dict,
    "RunAtLoad": bool,
    "KeepAlive": {"SuccessfulExit": bool},
    "ThrottleInterval": int,
    "ExitTimeOut": int,
    "ProcessType": str,
    "Umask": int,
    "HardResourceLimits": {"Core": int},
    "StandardOutPath": str,
    "StandardErrorPath": str,
}


def test_the_property_list_has_only_documented_keys_with_their_types():
    found = plistlib.loads(unit_text.launchd_text(LAUNCHD, "n", "1", ["/p"], {"HOME": "/h"}, Path("/o")).encode())
    for key, value in found.items():
        wanted = DOCUMENTED[key]
        if isinstance(wanted, dict):
            assert {inner: type(item) for inner, item in value.items()} == wanted
        else:
            assert type(value) is wanted
    assert found["ProcessType"] in ("Background", "Standard", "Adaptive", "Interactive")
    kept = ("RunAtLoad", "KeepAlive", "ThrottleInterval", "Umask")
    assert [found[key] for key in kept] == [True, {"SuccessfulExit": False}, 10, 0o077]
