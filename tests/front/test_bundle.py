"""The hot modules in one file: they do what their sources do, and come from nowhere else."""

import io
import json
import marshal
import shutil
import subprocess
from pathlib import Path

import pytest

import mcpgov
from mcpgov.front import launcher
from mcpgov.front.bundle import LATER, bundle_bytes, in_order, lean_code, lean_tree, module_files
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


def test_the_bundle_holds_every_hot_module_in_two_parts():
    file = io.BytesIO(bundle_bytes())
    first, second = marshal.load(file), marshal.load(file)
    later = {name for name, path in module_files().items() if path.name in LATER}
    assert first.keys() == module_files().keys()
    assert {name for name, packed in first.items() if packed is None} == second.keys() == later
    assert "mcpgov.core.session" in first["mcpgov.proxy.stdio"][2]
    assert later.isdisjoint(first["mcpgov.proxy.stdio"][2])


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


def test_a_bundle_without_its_second_part_is_no_loss(places):
    bundle = launcher.bundle_path(places)
    file = io.BytesIO(bundle.read_bytes())
    marshal.load(file)
    bundle.write_bytes(bundle.read_bytes()[: file.tell()])
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
