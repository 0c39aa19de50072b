"""Case pairs per client: what a file looks like before and after the wrap, byte for byte."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.configs.clients import BY_NAME, CLIENTS, YAML
from mcpgov.configs.plan import UNWRAP, WRAP, Task
from mcpgov.configs.planner import plan
from mcpgov.configs.text import splice as texts
from tests.helpers import layouts

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
    texts.verify(text, new, client.dialect, client.places, made.intended, made.entries)
    return new, made


def read(path):
    return path.read_bytes().decode("utf-8")


def test_every_client_has_cases():
    assert {path.parent.name for path in FOUND} == {client.name for client in CLIENTS if client.dialect != YAML}


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


# Random layouts: a text by dice, wrapped and unwrapped.

EXAMPLES = settings(max_examples=int(os.environ.get("MCPGOV_EXAMPLES", "500")), deadline=None)
SEEDS = st.integers(0, 2**64)
SHAPES = [
    pytest.param(BY_NAME["claude-code"], layouts.PAIR, False, id="json"),
    pytest.param(replace(BY_NAME["claude-code"], dialect=texts.JSONC), layouts.PAIR, True, id="jsonc"),
    pytest.param(BY_NAME["opencode"], layouts.ARRAY, True, id="array"),
    pytest.param(BY_NAME["zed"], layouts.NESTED, True, id="nested"),
]


def text_of(client, dice):
    """The text, and how many of its entries can be wrapped."""
    return dice.text(client.places[0][0]), dice.sayable(projects=client.name == "claude-code")


def as_read(text, client):
    return texts.parse(text, client.dialect)


def with_args(value):
    """No list of arguments, null and an empty list are the same to a client: a comment in ours keeps the list."""
    if not isinstance(value, dict):
        return value
    named = {"args": value.get("args") or []} if "command" in value or "path" in value else {}
    return {**{key: with_args(held) for key, held in value.items()}, **named}


def check_forms(made, client):
    """What the history keeps of an entry can be read, and has nothing of ours in it."""
    for form in made.forms.values():
        assert LAUNCHER not in form.text
        if client.dialect != texts.TOML:
            texts.parse(form.text, client.dialect)


@pytest.mark.parametrize(("client", "shape", "noted"), SHAPES)
@EXAMPLES
@given(seed=SEEDS)
def test_whatever_the_layout_only_the_spans_change_and_all_of_it_comes_back(client, shape, noted, seed):
    before, many = text_of(client, layouts.Dice(seed, noted, shape))
    wrapped, made = done(before, client, WRAP)
    assert len(made.originals) == many
    assert all(state.state in ("governed", "disabled") or "NUL" in state.reason for state in made.states)
    again = done(wrapped, client, WRAP)[1]
    assert again.edits == ()
    check_forms(again, client)
    assert done(wrapped, client, UNWRAP, made.originals)[0] == before


@pytest.mark.parametrize(("client", "shape", "noted"), SHAPES[1:])
@EXAMPLES
@given(seed=SEEDS)
def test_a_person_who_lays_out_a_wrapped_file_anew_still_gets_rid_of_us(client, shape, noted, seed):
    before, many = text_of(client, layouts.Dice(seed, noted, shape))
    wrapped, made = done(before, client, WRAP)
    anew = layouts.laid_out_anew(wrapped, seed + 1)
    second = done(anew, client, WRAP)[1]
    assert (as_read(anew, client), second.edits) == (as_read(wrapped, client), ())
    check_forms(second, client)
    bare, back = done(anew, client, UNWRAP, made.originals)
    assert sum(entry.result == "unwrapped" for entry in back.results) == many
    assert with_args(as_read(bare, client)) == with_args(as_read(before, client))


@EXAMPLES
@given(seed=SEEDS)
def test_toml_by_dice_comes_back_too_also_from_a_layout_of_a_persons_own(seed):
    client, dice = BY_NAME["codex"], layouts.TomlDice(seed)
    before, many = dice.text(), dice.sayable(projects=False)
    wrapped, made = done(before, client, WRAP)
    assert (len(made.originals), done(wrapped, client, WRAP)[1].edits) == (many, ())
    assert done(wrapped, client, UNWRAP, made.originals)[0] == before
    anew = layouts.arrays_anew(wrapped, seed + 1)
    second = done(anew, client, WRAP)[1]
    assert (as_read(anew, client), second.edits) == (as_read(wrapped, client), ())
    check_forms(second, client)
    bare = as_read(done(anew, client, UNWRAP, made.originals)[0], client)
    assert with_args(bare) == with_args(as_read(before, client))


@EXAMPLES
@given(seed=SEEDS)
def test_a_file_that_the_client_wrote_anew_meanwhile_is_what_it_would_be_without_us(seed):
    """JSON.stringify with two blanks, as Claude Code writes: the client's own text with our part in it."""
    client = BY_NAME["claude-code"]
    before = layouts.Dice(seed, False).text()
    wrapped, made = done(before, client, WRAP)
    stringify = lambda text: json.dumps(texts.parse(text, texts.JSON), indent=2, ensure_ascii=True)  # noqa: E731
    assert done(stringify(wrapped), client, UNWRAP, made.originals)[0] == stringify(before)


def test_edits_a_person_made_meanwhile_stay():
    client = BY_NAME["cursor"]
    before = '{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "env": {}}}}'
    wrapped, made = done(before, client, WRAP)
    edited = wrapped.replace('"-y", "x"]', '"-y", "y", "--more"], // mine\n "cwd": "/w"').replace('"npx"', '"pnpx"')
    assert done(edited, client, UNWRAP, made.originals)[0] == (
        '{"mcpServers": {"a": {"command": "pnpx", "args": ["-y", "y", "--more"], // mine\n "cwd": "/w", "env": {}}}}'
    )


def test_a_wrap_for_another_name_or_client_is_brought_up_to_date_not_wrapped_twice():
    cursor, desktop = BY_NAME["cursor"], BY_NAME["claude-desktop"]
    wrapped, _ = done('{"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}', cursor, WRAP)
    moved, made = done(wrapped.replace('"a":', '"b":'), desktop, WRAP)
    assert moved == (
        f'{{"mcpServers": {{"b": {{"command": "{LAUNCHER}", '
        '"args": ["--server", "b", "--client", "claude-desktop", "--", "npx", "x"]}}}'
    )
    assert made.originals[0].text == '{"command": "npx", "args": ["x"]}'


def test_the_one_array_of_opencode_is_brought_up_to_date_too():
    client = BY_NAME["opencode"]
    wrapped, _ = done('{"mcp": {"a": {"type": "local", "command": ["npx"]}}}', client, WRAP)
    moved, _ = done(wrapped.replace('"a":', '"b":'), client, WRAP)
    assert moved == wrapped.replace('"a":', '"b":').replace('"--server", "a"', '"--server", "b"')


def test_an_old_launcher_of_ours_is_replaced_by_the_one_in_use():
    client = BY_NAME["cursor"]
    args = '["--server", "a", "--client", "cursor", "--", "x"]'
    old = f'{{"mcpServers": {{"a": {{"command": "/old/mcpgov-proxy", "args": {args}}}}}}}'
    task = Task(client, "/f", WRAP, LAUNCHER, launchers=["/old/mcpgov-proxy"])
    made = plan(old, task)
    assert texts.splice(old, made.edits) == old.replace("/old/mcpgov-proxy", LAUNCHER)


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("/tmp/mcpgov-proxy", '["--server", "a", "--client", "cursor", "--", "x"]'),
        ("mcpgov-proxy", '["--server", "a", "--client", "cursor", "--", "x"]'),
        ("sh", f'["-c", "{LAUNCHER} --server a -- x"]'),
    ],
)
def test_a_look_alike_is_wrapped_around_and_unwrapped_alone(command, args):
    client = BY_NAME["cursor"]
    before = f'{{"mcpServers": {{"a": {{"command": "{command}", "args": {args}}}}}}}'
    wrapped, made = done(before, client, WRAP)
    assert made.results[0].result == "wrapped"
    assert wrapped.count('"--client", "cursor", "--", "' + command) == 1
    assert done(wrapped, client, UNWRAP, made.originals)[0] == before


REMARKS = {
    "json": (BY_NAME["cursor"], '{"mcpServers": {"a": {"command": "npx"%s}}}', ", %s: ", ["/* c%d */", "// c%d\n"]),
    "toml": (BY_NAME["codex"], '[mcp_servers.a]\ncommand = "npx"\n%s', "%s = ", ["# c%d\n"]),
}


@pytest.mark.parametrize("kind", REMARKS)
@pytest.mark.parametrize("args", [None, "[]", '["-y", "x"]'])
def test_a_comment_anywhere_among_our_words_survives_unwrap_and_renaming(kind, args):
    client, frame, key, remarks = REMARKS[kind]
    name = '"args"' if kind == "json" else "args"
    before = frame % ("" if args is None else key % name + args)
    wrapped, made = done(before, client, WRAP)
    start = wrapped.index('["--server"')
    words = json.loads(wrapped[start : wrapped.index("]", start) + 1])
    for remark in remarks:
        for where in (slice(None), *(slice(at, at + 1) for at in range(2 * len(words) + 1))):
            gaps = [""] * (2 * len(words) + 1)
            gaps[where] = [remark % at for at in range(len(gaps))[where]]
            items = [f"{gaps[2 * at]}{json.dumps(word)}{gaps[2 * at + 1]}" for at, word in enumerate(words)]
            anew = wrapped.replace(wrapped[start : wrapped.index("]", start) + 1], f"[{','.join(items)}{gaps[-1]}]")
            bare = done(anew, client, UNWRAP, made.originals)[0]
            moved = plan(anew, Task(replace(client, name="other"), "/f", WRAP, LAUNCHER))
            other = texts.splice(anew, moved.edits)
            for gap in filter(None, gaps):
                assert (bare.count(gap), other.count(gap)) == (1, 1)
            assert LAUNCHER not in bare
            assert made.states[0].argv == done(bare, client, UNWRAP)[1].states[0].argv
            assert plan(other, Task(replace(client, name="other"), "/f", WRAP, LAUNCHER)).edits == ()


def test_a_comment_among_the_words_of_one_array_survives_too():
    client = BY_NAME["opencode"]
    wrapped, made = done('{"mcp": {"a": {"type": "local", "command": ["npx", "x"]}}}', client, WRAP)
    anew = wrapped.replace('"--server",', '/* 1 */"--server"/* 2 */,/* 3 */').replace('"npx"', '/* 4 */ "npx" /* 5 */')
    bare = done(anew, client, UNWRAP, made.originals)[0]
    assert all(f"/* {at} */" in bare for at in range(1, 6))
    assert texts.parse(bare, texts.JSONC)["mcp"]["a"]["command"] == ["npx", "x"]


OWN = [
    '["--server", "a", "--client", "cursor", "--policy", "/mine.toml", "--", "x", "-y"]',
    '["--policy=/mine.toml", "--server", "other", /* mine */ "--", "x", "-y"]',
    '["--server=a", "--", "x", "-y"]',
]


@pytest.mark.parametrize("args", OWN)
@pytest.mark.parametrize("launcher", [LAUNCHER, "/old/mcpgov-proxy"])
def test_a_launcher_with_options_of_a_persons_own_is_not_wrapped_again_and_unwraps_to_the_server(launcher, args):
    client = BY_NAME["cursor"]
    before = f'{{"mcpServers": {{"a": {{"command": "{launcher}", "args": {args}}}}}}}'
    made = plan(before, Task(client, "/f", WRAP, LAUNCHER, launchers=["/old/mcpgov-proxy"]))
    assert texts.splice(before, made.edits) == before.replace("/old/mcpgov-proxy", LAUNCHER)
    assert made.states[0].state == "governed"
    bare = plan(before, Task(client, "/f", UNWRAP, LAUNCHER, launchers=["/old/mcpgov-proxy"]))
    new = texts.splice(before, bare.edits)
    texts.verify(before, new, client.dialect, client.places, bare.intended, bare.entries)
    assert texts.parse(new, texts.JSONC)["mcpServers"]["a"] == {"command": "x", "args": ["-y"]}


def test_options_of_a_persons_own_stay_in_one_array_and_in_toml():
    opencode, codex = BY_NAME["opencode"], BY_NAME["codex"]
    own = f'["{LAUNCHER}", "--policy", "/m", "--server", "a", "--", "x", "-y"]'
    text = f'{{"mcp": {{"a": {{"type": "local", "command": {own}}}}}}}'
    assert done(text, opencode, WRAP)[0] == text
    assert done(text, opencode, UNWRAP)[0] == '{"mcp": {"a": {"type": "local", "command": ["x", "-y"]}}}'
    old = plan(text.replace(LAUNCHER, "/o"), Task(opencode, "/f", WRAP, LAUNCHER, launchers=["/o"]))
    assert texts.splice(text.replace(LAUNCHER, "/o"), old.edits) == text
    text = f'[mcp_servers.a]\ncommand = "{LAUNCHER}"\nargs = ["--policy", "/m", "--server", "a", "--", "x"]\n'
    assert (done(text, codex, WRAP)[0], done(text, codex, UNWRAP)[0]) == (
        text,
        '[mcp_servers.a]\ncommand = "x"\nargs = []\n',
    )
