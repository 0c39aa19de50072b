"""Names: the constants, and the library taken without its command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from mcpgov.guards import cel_names
from mcpgov.guards.cel_names import METHODS, load
from tests.helpers.expressions import ask


def test_the_constants_are_the_eleven_methods() -> None:
    for name, value in METHODS.items():
        assert ask(f'mcp.{name}Method == "{value}"') == "true"
    assert len(METHODS) == 11


def test_loading_takes_the_extension_alone_and_not_the_command_line_of_its_package() -> None:
    root = Path(cel_names.__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); import mcpgov.guards.cel; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-IB", "-c", code], capture_output=True, text=True, check=True)
    assert not {"typer", "rich", "prompt_toolkit", "cel", "cel.cli", "re2"} & set(done.stdout.split())


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ImportError, match="common-expression-language is not installed"):
        load()
