"""What a proxy imports: its bundle, the standard library, and recorded files; nothing that somebody planted."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import mcpgov
from mcpgov.front.install import launcher, libraries
from mcpgov.places import Places
from tests.helpers.talks import server

PLANTED = "typing re re2 cel _re2 functools enum codecs os json posixpath time".split()  # noqa: SIM905
POLICY = """
default = "deny"
[[rule]]
name = "no-secrets"
action = "deny"
contains = ["re:se[c]ret"]
[[rule]]
name = "by-expression"
action = "allow"
when = 'mcpRequest.ToolCall.Name == "echo" && size(operation) > 0'
"""
CALLS = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}},
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "secret"}}},
]


def plant(directory, mark):
    """Modules that tell when they are loaded."""
    for name in PLANTED:
        file = directory / f"{name}.py"
        if not (directory / name).exists():
            file.write_text(f"open({str(mark)!r}, 'a').write({name!r} + chr(10))\nraise ImportError('planted')\n")


@pytest.fixture
def installed(tmp_path, root):
    """A copy of the package in a directory of libraries of its own, its launcher written from there."""
    libraries_of = tmp_path / "env" / "site-packages"
    for name in ("re2", "cel"):
        held = next(path for path in sys.path if os.path.isdir(os.path.join(path, name)))
        shutil.copytree(Path(held) / name, libraries_of / name)
    shutil.copytree(Path(mcpgov.__file__).parent, libraries_of / "mcpgov", ignore=shutil.ignore_patterns("__pycache__"))
    places = Places(root)
    places.config.mkdir(parents=True, exist_ok=True)
    policy = places.config / "policy.toml"
    policy.write_text(POLICY)
    policy.chmod(0o600)
    paths = [str(libraries_of), *(path for path in sys.path if path.endswith("site-packages"))]
    code = f"import sys; sys.path += {paths!r}; from mcpgov.front.main import entry; entry()"
    words = [sys.executable, "-I", "-S", "-c", code, "--root", str(root), "launcher"]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    assert str(libraries_of / "re2") in places.launcher.read_text()
    return places, libraries_of


def talk(places, cwd):
    """The answers by id; the client stays until it has all of them."""
    words, pipe = [str(places.launcher), "--server", "s", "--", *server("echo", "x")], subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1, cwd=cwd) as process:
        limit = threading.Timer(60, process.kill)
        limit.start()
        process.stdin.write("".join(json.dumps(message) + "\n" for message in CALLS))
        answers = [json.loads(process.stdout.readline()) for _ in CALLS]
        process.stdin.close()
        errors = process.stderr.read()
        limit.cancel()
    return {message["id"]: message.get("result") for message in answers}, errors


def test_nothing_planted_is_ever_loaded(installed, tmp_path):
    places, libraries_of = installed
    mark, here = tmp_path / "mark", tmp_path / "here"
    here.mkdir()
    for directory in (libraries_of, libraries_of / "re2", libraries_of / "cel", places.launcher.parent, here):
        plant(directory, mark)
    answers, errors = talk(places, here)
    assert errors == ""
    assert (answers[2], answers[3]["_meta"]["mcpgov/decision"]["rule"]) == ({}, "no-secrets")
    assert not mark.exists()


@pytest.mark.parametrize("name", ["re2/__init__.py", "re2/_re2", "cel/cel."])
def test_a_library_that_is_not_as_recorded_is_not_loaded_and_the_call_is_denied(installed, tmp_path, name):
    places, libraries_of = installed
    talk(places, tmp_path)  # the policy is compiled now
    directory, _, start = name.partition("/")
    file = next(
        path for path in (libraries_of / directory).iterdir() if path.name.startswith(start) and path.suffix != ".pyi"
    )
    with file.open("ab") as held:
        held.write(b"\n# more\n")
    answers, _ = talk(places, tmp_path)
    assert answers[2] != {}


def test_a_library_that_was_only_touched_is_loaded(installed, tmp_path):
    places, libraries_of = installed
    for file in (*(libraries_of / "re2").iterdir(), *(libraries_of / "cel").iterdir()):
        if file.is_file():
            os.utime(file)
    answers, errors = talk(places, tmp_path)
    assert (answers[2], errors) == ({}, "")


def test_a_proxys_search_path_is_that_of_the_standard_library(root):
    places = Places(root)
    code = launcher.boot_code(places, launcher.Settings()).partition("try:\n posix.stat")[0]
    shown = "import json; print(json.dumps(sys.path))"
    bare = [launcher.interpreter(), "-I", "-S", "-c"]
    outputs = [
        subprocess.run([*bare, text], capture_output=True, text=True, check=True).stdout
        for text in (code + shown, "import sys; " + shown)
    ]
    assert outputs[0] == outputs[1]


def test_a_library_that_is_not_there_is_not_recorded(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    assert libraries.recorded() == {}
