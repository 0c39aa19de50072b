import os
from pathlib import Path

import pytest

from mcpgov.errors import SettingsError
from mcpgov.places import Places
from mcpgov.settings import load


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.upper().startswith(("XDG_", "MCPGOV_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def places(tmp_path):
    found = Places(tmp_path / "root")
    found.config.mkdir(parents=True)
    return found


def write(places, text):
    places.settings_file.write_text(text, "utf-8")


def failure(places):
    with pytest.raises(SettingsError) as caught:
        load(places)
    return str(caught.value), caught.value.hint


def test_nothing_set_means_the_defaults(places):
    settings, sources = load(places)
    assert settings.model_dump() == {
        "policy": None,
        "color": "auto",
        "profile": "balanced",
        "audit_arguments": "redacted",
        "audit_keep_days": 30,
        "clients": ("claude-desktop", "claude-code", "cursor"),
        "project_files": False,
        "configs": (),
        "exclude": (),
        "log_level": "info",
        "notices": True,
        "approvals_timeout": {},
        "approvals_max_open": 5,
        "approvals_max_per_minute": 20,
        "approvals_surfaces": ("app", "desktop", "terminal", "page"),
        "serve_reveal": "matching",
        "ledger": None,
        "ledger_namespace": "",
        "ledger_password_file": None,
        "ledger_lease": 24,
        "fixtures": None,
    }
    assert sources == dict.fromkeys(settings.model_dump(), "default")


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(places, monkeypatch):
    write(places, 'color = "never"\nprofile = "strict"\n')
    monkeypatch.setenv("MCPGOV_COLOR", "always")
    settings, sources = load(places)
    assert (settings.color, settings.profile) == ("always", "strict")
    chosen = {name: source for name, source in sources.items() if source != "default"}
    assert chosen == {"color": "env", "profile": "file"}


def test_an_empty_variable_does_not_count_and_case_does_not_matter(places, monkeypatch):
    monkeypatch.setenv("MCPGOV_POLICY", "")
    monkeypatch.setenv("mcpgov_color", "never")
    settings, sources = load(places)
    assert (settings.policy, settings.color) == (None, "never")
    assert (sources["policy"], sources["color"]) == ("default", "env")


def test_a_path_in_the_file_is_meant_from_the_file_and_one_in_a_variable_from_here(places, home, monkeypatch, tmp_path):
    write(places, 'policy = "team.toml"\nfixtures = "~/fixtures"\n')
    settings, _ = load(places)
    assert (settings.policy, settings.fixtures) == (places.config / "team.toml", home / "fixtures")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCPGOV_POLICY", "here.toml")
    monkeypatch.setenv("MCPGOV_FIXTURES", "~/mine")
    settings, _ = load(places)
    assert (settings.policy, settings.fixtures) == (Path.cwd() / "here.toml", home / "mine")


def test_settings_cannot_be_changed_afterwards(places):
    settings, _ = load(places)
    with pytest.raises(ValueError, match="frozen"):
        settings.color = "never"


def test_an_unknown_setting_is_told_with_the_known_ones(places):
    write(places, 'colour = "red"\nx = 1\n')
    assert failure(places) == (
        f"unknown setting `colour` in `{places.settings_file}` (line 1) (and 1 more)",
        "did you mean `color`? known: policy, color, profile, audit_arguments, audit_keep_days, clients, "
        "project_files, configs, exclude, log_level, notices, approvals_timeout, approvals_max_open, "
        "approvals_max_per_minute, approvals_surfaces, serve_reveal, ledger, ledger_namespace, ledger_password_file, "
        "ledger_lease, fixtures",
    )


def test_a_wrong_value_is_told_with_its_place_and_what_it_may_be(places, monkeypatch):
    write(places, 'color = "red"\n')
    assert failure(places) == (
        f"setting `color` in `{places.settings_file}` (line 1) cannot be `red`: "
        "input should be 'auto', 'always' or 'never'",
        "one of auto, always, never: colours in the terminal",
    )
    write(places, '\n\ncolor = "Alway"\n')
    assert failure(places)[1] == "did you mean `always`? one of auto, always, never: colours in the terminal"
    monkeypatch.setenv("MCPGOV_COLOR", "blue")
    assert failure(places)[0].startswith("setting `color` in `MCPGOV_COLOR` cannot be `blue`: ")


@pytest.mark.parametrize(
    ("text", "name", "such"),
    [("clients = 5", "clients", '["claude-code", "cursor"]'), ("configs = true", "configs", '["~/work/.mcp.json"]')],
)
def test_what_must_be_a_list_is_told_with_one(places, text, name, such):
    write(places, text)
    assert failure(places) == (
        f"setting `{name}` in `{places.settings_file}` (line 1) must be a list, such as {such}",
        f"edit `{places.settings_file}` (line 1)",
    )


def test_a_path_that_is_no_text_is_told(places):
    write(places, "policy = 3\n")
    assert failure(places)[0].startswith(
        f"setting `policy` in `{places.settings_file}` (line 1) cannot be `3`: input is not"
    )


def test_broken_toml_is_told_with_its_line(places):
    write(places, "color = auto\n")
    assert failure(places) == (f"`{places.settings_file}` is not valid TOML: invalid value (at line 1, column 9)", "")


def test_a_file_that_is_no_text_is_told(places):
    places.settings_file.write_bytes(b"\xff")
    assert failure(places) == (f"`{places.settings_file}` is not UTF-8 text", "")


def test_a_file_that_cannot_be_read_is_told(places):
    places.settings_file.mkdir()
    assert failure(places) == (f"cannot read `{places.settings_file}`: is a directory", "")


def test_a_table_is_another_way_to_write_a_setting(places):
    write(places, '[audit]\narguments = "none"\nkeep_days = 7\n')
    settings, sources = load(places)
    assert (settings.audit_arguments, settings.audit_keep_days) == ("none", 7)
    assert sources["audit_arguments"] == "file"


def test_clients_are_a_list_in_the_file_and_a_text_with_commas_in_a_variable(places, monkeypatch):
    write(places, 'clients = ["codex", "zed"]\nconfigs = ["~/x.json"]\n')
    settings, _ = load(places)
    assert settings.clients == ("codex", "zed")
    assert settings.configs == (Path.home() / "x.json",)
    monkeypatch.setenv("MCPGOV_CLIENTS", "cursor, gemini")
    assert load(places)[0].clients == ("cursor", "gemini")
    monkeypatch.setenv("MCPGOV_CLIENTS", "all")
    assert len(load(places)[0].clients) == 29
    write(places, 'exclude = ["github", "cursor:files"]\n')
    assert load(places)[0].exclude == ("github", "cursor:files")


def test_an_unknown_client_is_told(places, monkeypatch):
    write(places, '# mine\nclients = [\n  "cursor", "cursr"]\n')
    message, hint = failure(places)
    told = f"setting `clients` in `{places.settings_file}` (line 2) cannot be `cursr`: there is no such client"
    assert (message, hint.startswith("did you mean `cursor`? one of claude-desktop,")) == (told, True)
    monkeypatch.setenv("MCPGOV_CLIENTS", "cursor, zedd")
    assert failure(places)[0] == "setting `clients` in `MCPGOV_CLIENTS` cannot be `zedd`: there is no such client"


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("[audit]\n# days\nkeep_days = 0\n", "`audit_keep_days` in {} (line 3) cannot be `0`", "a whole number from 1"),
        (
            'audit.argments = "full"\n',
            "unknown setting `audit_argments` in {} (line 1)",
            "did you mean `audit_arguments`?",
        ),
        ("x = 1\n", "unknown setting `x` in {} (line 1)", "known: policy"),
        ('\nnotices = "yess"\n', "`notices` in {} (line 2) cannot be `yess`", "true or false"),
        ("project_files = 7\n", "`project_files` in {} (line 1) cannot be `7`", "true or false"),
        ('log_level = "warn"\n', "`log_level` in {} (line 1) cannot be `warn`", "did you mean `warning`?"),
        ('profile = "baLanced"\n', "`profile` in {} (line 1) cannot be", "did you mean `balanced`?"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_what_was_probably_meant(places, text, told, hint):
    write(places, text)
    message, advice = failure(places)
    assert told.format(f"`{places.settings_file}`") in message
    assert advice.startswith(hint)


def test_questions_have_limits_and_times_of_their_own(places):
    write(
        places,
        '[approvals]\nmax_open = 2\nmax_per_minute = 9\nsurfaces = ["terminal"]\n'
        "[approvals.timeout]\ncursor = 20\nother = 12.5\n",
    )
    settings, _ = load(places)
    assert (settings.approvals_max_open, settings.approvals_max_per_minute) == (2, 9)
    assert settings.approvals_surfaces == ("terminal",)
    assert settings.approvals_timeout == {"cursor": 20.0, "other": 12.5}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[approvals.timeout]\ncursr = 20\n", "there is no client `cursr`"),
        ("[approvals.timeout]\ncursor = 0\n", "`cursor`: a question waits from 1 to 600 seconds"),
        ("[approvals.timeout]\ncursor = 601\n", "`cursor`: a question waits from 1 to 600 seconds"),
        ('[approvals]\nsurfaces = ["phone"]\n', "input should be 'app', 'desktop', 'terminal' or 'page'"),
        ("[approvals]\nmax_open = 0\n", "input should be greater than or equal to 1"),
        ("[approvals]\nsurfaces = 1\n", 'must be a list, such as ["app", "terminal"]'),
    ],
)
def test_a_wrong_setting_of_questions_is_told(places, text, told):
    write(places, text)
    assert told in failure(places)[0]


def test_the_engine_of_shared_budgets_is_an_address_whose_password_is_never_told(places):
    write(places, 'ledger = "redis://team:hush-hush@db.example:6379/1"\nledger_namespace = "team-a"\n')
    settings, _ = load(places)
    assert (settings.ledger, settings.ledger_namespace) == ("redis://team:hush-hush@db.example:6379/1", "team-a")
    write(places, 'ledger = "mysql://team:hush-hush@db.example/1"\n')
    message, _ = failure(places)
    assert "redis://, rediss://, unix:// or postgresql://" in message
    assert "hush" not in message
    write(places, 'ledger = "redis://h"\nledger_namespace = "a b"\n')
    assert "ledger_namespace" in failure(places)[0]
