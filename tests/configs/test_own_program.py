import os

import pytest

from mcpgov.configs import own_program
from mcpgov.configs.own_program import is_own_server, own_scripts


@pytest.fixture
def ours(tmp_path, monkeypatch):
    """Our program in a directory of its own, and a link to it elsewhere."""
    for name in ("venv/bin", "local/bin", "evil"):
        (tmp_path / name).mkdir(parents=True)
    program = tmp_path / "venv" / "bin" / "mcpgov"
    for file in (program, tmp_path / "evil" / "mcpgov"):
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    (tmp_path / "local" / "bin" / "mcpgov").symlink_to(program)
    monkeypatch.setattr(own_program, "own_scripts", lambda: frozenset({os.path.realpath(program)}))
    monkeypatch.setattr(own_program, "USUAL", ())
    monkeypatch.setenv("PATH", "/nowhere")
    return tmp_path


def test_it_is_told_by_the_file_that_would_be_started(ours):
    local, evil = f"{ours}/local/bin", f"{ours}/evil"
    assert is_own_server(["mcpgov", "serve"], {"PATH": local})
    assert is_own_server(["mcpgov", "serve"], {"PATH": f"/none:{local}:{evil}"})
    assert not is_own_server(["mcpgov", "serve"], {"PATH": f"{evil}:{local}"})
    assert not is_own_server(["mcpgov", "serve"], {"PATH": "/none"})
    assert is_own_server([f"{ours}/venv/bin/mcpgov", "serve", "--http"], {})
    assert not is_own_server([f"{evil}/mcpgov", "serve"], {})
    assert not is_own_server(["./mcpgov", "serve"], {"PATH": local})
    assert not is_own_server(["mcpgov", "serve"], {"PATH": f".:{os.path.relpath(local)}"})


def test_where_the_clients_path_is_not_known_the_name_is_where_we_were_installed(ours, monkeypatch):
    assert is_own_server(["mcpgov", "serve"], {})
    monkeypatch.setenv("PATH", f"{ours}/evil")
    assert not is_own_server(["mcpgov", "serve"], {})
    monkeypatch.setattr(own_program, "own_scripts", frozenset)
    monkeypatch.setenv("PATH", "/nowhere")
    assert not is_own_server(["mcpgov", "serve"], {})


def test_a_look_alike_where_programs_usually_are_is_not_ours(ours, monkeypatch):
    """A daemon of a login service has a short PATH: the name is looked for where a client would find it."""
    monkeypatch.setenv("HOME", str(ours))
    monkeypatch.setattr(own_program, "USUAL", ("~/evil", "~/local/bin"))
    assert not is_own_server(["mcpgov", "serve"], {})
    monkeypatch.setattr(own_program, "USUAL", ("~/local/bin", "~/evil"))
    assert is_own_server(["mcpgov", "serve"], {})


@pytest.mark.parametrize(
    "name",
    [
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONSTARTUP",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "HOME",
        "envFile",
        "XDG_STATE_HOME",
        "MCPGOV_POLICY",
        "BASH_ENV",
        "pythonpath",
        "__PYVENV_LAUNCHER__",
    ],
)
def test_our_program_with_an_environment_that_may_lead_it_to_other_code_is_a_server_like_any_other(ours, name):
    program, harmless = (
        f"{ours}/venv/bin/mcpgov",
        {"LANG": "C", "MCPGOV_ROOT": "/r", "PATH": "/bin", "FOO": "bar", "API_URL": "x"},
    )
    assert is_own_server([program, "serve"], harmless)
    assert not is_own_server([program, "serve"], {**harmless, name: "/evil"})
    assert not is_own_server([program, "serve"], {"PATH": 5})


@pytest.mark.parametrize(
    "argv",
    [
        ["uvx", "mcpgov", "serve"],
        ["npx", "mcpgov", "serve"],
        ["python", "-m", "mcpgov", "serve"],
        ["sh", "-c", "mcpgov serve"],
    ],
)
def test_what_finds_a_program_by_its_name_alone_may_find_anothers(ours, argv):
    assert not is_own_server(argv, {"PATH": f"{ours}/local/bin"})


def test_only_the_server_is_meant(ours):
    program = f"{ours}/venv/bin/mcpgov"
    assert is_own_server([program, "--root", "/r", "serve"], {})
    assert is_own_server([program, "--quiet", "serve", "--port", "1"], {})
    for words in ([], ["proxy", "--server", "x", "--", "y"], ["--root", "serve"], ["run", "serve"]):
        assert not is_own_server([program, *words], {})
    assert not is_own_server([], {})
    assert not is_own_server([f"{ours}/venv/bin/other", "serve"], {})


def test_our_own_program_is_in_the_record_of_this_installation():
    for script in own_scripts():
        assert script.endswith("/mcpgov")
