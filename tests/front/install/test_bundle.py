"""The hot modules in one file: they do what their sources do, and come from nowhere else."""

import ast
import json
import marshal
import shutil
import subprocess
from pathlib import Path

import pytest

import mcpgov
from mcpgov.front.install import launcher
from mcpgov.front.install.bundle import (
    DIGITS,
    Linked,
    bundle_bytes,
    grouped,
    in_order,
    lean_code,
    lean_tree,
    module_files,
)
from mcpgov.settings import Places, Settings
from tests.helpers.talks import ALLOW_ALL, said, server

SOURCE = '''
"""Says what it is."""
from __future__ import annotations
TYPE_CHECKING = False
if TYPE_CHECKING:
    from nowhere import Missing
class Thing:
    """A thing."""
    size: int
    name: Missing = "a"
    def grow(self, by: int = 1, *rest: int, far: Missing = 2, **more: int) -> Missing:
        self.size: int = by + far
        if self.size > 2:
            bare: int
            return self.size
        return 0
'''


@pytest.fixture
def places(root, monkeypatch):
    made = Places(root)
    monkeypatch.setattr(launcher, "bundle_path", lambda places: places.launcher.with_name("hot-x.bin"))
    assert launcher.write_launcher(made, Settings())
    return made


def run(path):
    return subprocess.run([str(path)], capture_output=True, text=True, timeout=30, check=False)


def talk(places):
    """A conversation with one call."""
    policy = places.config / "policy.toml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text(ALLOW_ALL)
    policy.chmod(0o600)
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}}},
    ]
    lines = "".join(json.dumps(message) + "\n" for message in asked)
    command = [str(places.launcher), "--server", "s", "--", *server("echo", "x")]
    done = said(command, lines.encode(), 2)
    return [json.loads(line).get("result") for line in done.stdout.splitlines()], done.stderr.decode()


def test_lean_code_does_what_its_source_does_and_says_less():
    found = {}
    exec(lean_code(lean_tree(SOURCE, "thing"), "thing"), found)
    thing = found["Thing"]()
    assert (thing.grow(3), thing.grow(0), thing.name) == (5, 0, "a")
    assert (found.get("__doc__"), thing.__doc__, found["Thing"].grow.__annotations__) == (None, None, {})


def test_every_module_stands_behind_what_it_needs():
    trees = {name: lean_tree(text, name) for name, text in (
        ("m.a", "from m.b import x\nfrom m import c\nimport sys"), ("m.b", "from m.c import y"), ("m.c", "import m"),
    )}  # fmt: skip
    assert in_order("m.a", trees) == ["m.c", "m.b"]


def test_names_come_from_modules_that_are_there_and_the_rest_is_imported():
    source = "from m import a\nfrom m.a import b as c, d\nfrom m import e\nfrom m.f import g\n"
    made = ast.unparse(Linked({"m.a"}).visit(lean_tree(source, "x")))
    assert made.splitlines() == [
        "a = __made__['m.a']",
        "c = __made__['m.a'].b",
        "d = __made__['m.a'].d",
        "from m import e",
        "from m.f import g",
    ]
    inside = "def later():\n    from m.a import b\n    return b"
    assert ast.unparse(Linked({"m.a"}).visit(lean_tree(inside, "x"))) == inside


def parts(data):
    """The first part's values, and what every piece holds."""
    start = DIGITS + int(data[:DIGITS])
    boot, modules, pieces = marshal.loads(data[DIGITS:start])
    held = {at: marshal.loads(data[start + at : start + at + length]) for length, at in pieces.values()}
    return boot, modules, {name: held[at] for name, (_, at) in pieces.items()}


def test_the_bundle_holds_every_hot_module_and_what_a_start_needs_in_one_piece():
    _, launch, pieces = parts(bundle_bytes())
    assert launch.keys() | pieces.keys() == module_files().keys()
    assert all(name in piece for name, piece in pieces.items())
    assert pieces["mcpgov.core.session.session"] is pieces["mcpgov.proxy.stdio"]
    assert pieces["mcpgov.core.rules.path_matching"] is pieces["mcpgov.core.rules.rule"]
    assert pieces["mcpgov.core.rules.rule"] is not pieces["mcpgov.proxy.stdio"], "a server that waits judges nothing"
    assert pieces["mcpgov.core.operations.vocabulary.verbs"] is pieces["mcpgov.core.messages.fast_parse"]
    assert pieces["mcpgov.guards.cel"].keys() == {"mcpgov.guards.cel"}


def test_a_piece_needs_only_what_stands_before_it():
    files = module_files()
    trees = {name: lean_tree(file.read_text("utf-8"), name) for name, file in files.items()}
    plain = {name: tree for name, tree in trees.items() if files[name].name != "__init__.py"}
    done = {"mcpgov.proxy.launch"}
    for names in grouped(trees, files.keys() - plain.keys())[:3]:
        for name in names:
            assert done.issuperset(in_order(name, plain))
            done.add(name)


def test_the_proxy_runs_from_the_bundle_alone(places, tmp_path):
    assert launcher.bundle_path(places).stat().st_mode & 0o777 == 0o600
    # Only the package's own file is there: the rest can come from nowhere but the bundle.
    package = tmp_path / "lone" / "mcpgov"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError")
    text = places.launcher.read_text().replace(str(Path(mcpgov.__file__).resolve().parents[1]), str(package.parent))
    places.launcher.write_text(text)
    assert run(places.launcher).returncode == 64


def test_a_conversation_runs_from_the_bundle(places):
    assert talk(places) == ([{}, {}], "")


@pytest.mark.parametrize("data", [b"", b"junk", marshal.dumps({})])
def test_a_damaged_bundle_is_no_loss(places, data):
    launcher.bundle_path(places).write_bytes(data)
    assert run(places.launcher).returncode == 64
    assert talk(places) == ([{}, {}], "")


def test_a_bundle_without_its_pieces_is_no_loss(places):
    bundle = launcher.bundle_path(places)
    data = bundle.read_bytes()
    bundle.write_bytes(data[: DIGITS + int(data[:DIGITS])])
    assert talk(places) == ([{}, {}], "")


def test_a_bundle_with_some_of_its_pieces_is_no_loss(places):
    bundle = launcher.bundle_path(places)
    data = bundle.read_bytes()
    first = DIGITS + int(data[:DIGITS])
    start = marshal.loads(data[DIGITS:])[2]["mcpgov.proxy.stdio"][0]
    bundle.write_bytes(data[: first + start])  # what a call needs is not there
    assert talk(places) == ([{}, {}], "")


def test_a_running_proxy_goes_on_when_an_upgrade_takes_its_bundle_and_package_away(places, tmp_path):
    assert talk(places) == ([{}, {}], "")  # the policy is compiled now
    package = tmp_path / "lone" / "mcpgov"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError")
    text = places.launcher.read_text().replace(str(Path(mcpgov.__file__).resolve().parents[1]), str(package.parent))
    places.launcher.write_text(text)
    words, pipe = [str(places.launcher), "--server", "s", "--", *server("echo", "x")], subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        ask = '{"jsonrpc": "2.0", "id": %d, "method": "%s", "params": %s}\n'
        process.stdin.write(ask % (1, "initialize", "{}"))
        assert json.loads(process.stdout.readline())["id"] == 1
        launcher.bundle_path(places).unlink()
        shutil.rmtree(package)
        process.stdin.write(ask % (2, "tools/call", '{"name": "echo", "arguments": {"text": "x"}}'))
        assert json.loads(process.stdout.readline()) == {"jsonrpc": "2.0", "id": 2, "result": {}}
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_the_fields_of_a_tuple_with_names_stay():
    source = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\n    b: int = 2\nmade = Pair(1)\n"
    space = {}
    exec(lean_code(lean_tree(source, "x"), "x"), space)
    assert space["made"] == (1, 2)
