"""Case pairs per client: what a file looks like before and after the wrap, byte for byte."""

from pathlib import Path

import pytest

from mcpgov.configs import text as texts
from mcpgov.configs.clients import BY_NAME, CLIENTS
from mcpgov.configs.plan import UNWRAP, WRAP, Task, plan

CASES = Path(__file__).parents[1] / "cases" / "configs"
LAUNCHER = "/home/u/.local/share/mcpgov/bin/mcpgov-proxy"
FOUND = sorted(CASES.glob("*/*.before.*"))


def name(path):
    return f"{path.parent.name}-{path.name.split('.')[0]}"


def done(text, client, goal, originals=()):
    """The text after a pass, checked as the worker checks it, and the plan."""
    known = {(original.file, original.place, original.argv): original for original in originals}
    task = Task(client, "/f", goal, LAUNCHER, original=lambda file, place, argv: known.get((file, place, tuple(argv))))
    made = plan(text, task)
    new = texts.splice(text, made.edits)
    texts.verify(text, new, client.dialect, client.places, made.intended, made.found)
    return new, made


def read(path):
    return path.read_bytes().decode("utf-8")


def test_every_client_has_cases():
    assert {path.parent.name for path in FOUND} == {client.name for client in CLIENTS}


@pytest.mark.parametrize("path", FOUND, ids=name)
def test_a_wrap_changes_what_it_must_and_not_one_byte_more(path):
    client = BY_NAME[path.parent.name]
    wrapped = path.with_name(path.name.replace(".before.", ".wrapped."))
    assert done(read(path), client, WRAP)[0] == read(wrapped)


@pytest.mark.parametrize("path", FOUND, ids=name)
def test_unwrap_gives_the_identical_bytes_and_a_second_wrap_changes_nothing(path):
    client, before = BY_NAME[path.parent.name], read(path)
    wrapped, made = done(before, client, WRAP)
    again, second = done(wrapped, client, WRAP)
    assert (again, second.edits) == (wrapped, ())
    assert done(wrapped, client, UNWRAP, made.originals)[0] == before


@pytest.mark.parametrize("path", FOUND, ids=name)
def test_without_our_records_every_command_line_comes_back(path):
    client, before = BY_NAME[path.parent.name], read(path)
    bare, made = done(done(before, client, WRAP)[0], client, UNWRAP)
    assert {state.place: state.argv for state in made.states} == {
        state.place: state.argv for state in done(before, client, WRAP)[1].states
    }
    assert LAUNCHER not in bare
