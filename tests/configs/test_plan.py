import time

import pytest

from mcpgov.configs import text as texts
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.limits import Limits
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Task, plan

US = "/x/mcpgov-proxy"
TEXT = """{"mcpServers": {
  "bare": {"command": "npx"},
  "ours": {"command": "/x/mcpgov-proxy", "args": ["--server", "ours", "--client", "cursor", "--", "npx"]},
  "stale": {"command": "/x/mcpgov-proxy", "args": ["--server", "old", "--client", "cursor", "--", "npx"]},
  "off": {"command": "npx", "disabled": true},
  "web": {"url": "https://x"},
  "odd": {"command": 1}
}}"""


def made(goal, text=TEXT, **more):
    return plan(text, Task(BY_NAME["cursor"], "/f", goal, US, **more))


def states(found):
    return {state.name: (state.state, state.reason) for state in found.states}


def results(found):
    return {entry.name: (entry.result, entry.reason) for entry in found.results}


def test_a_look_changes_nothing_and_tells_the_truth():
    found = made(LOOK)
    assert (found.edits, found.originals, found.intended) == ((), (), {})
    assert states(found) == {
        "bare": ("native", "not wrapped"),
        "ours": ("governed", ""),
        "stale": ("governed", "wrapped for another name or client"),
        "off": ("disabled", "switched off in the client"),
        "web": ("native", "remote: servers with a URL are not governed yet"),
        "odd": ("error", "its command is not a text"),
    }


def test_a_wrap_tells_every_entry_it_leaves_and_why():
    found = made(WRAP)
    assert results(found) == {
        "bare": ("wrapped", ""),
        "ours": ("already", ""),
        "stale": ("wrapped", ""),
        "off": ("wrapped", ""),
        "web": ("skipped", "remote: servers with a URL are not governed yet"),
        "odd": ("skipped", "its command is not a text"),
    }
    assert states(found)["bare"] == ("governed", "")
    assert states(found)["off"] == ("disabled", "switched off in the client")
    assert [original.place[-1] for original in found.originals] == ["bare", "stale", "off"]


def test_only_what_was_asked_for_is_changed_and_what_is_contested_is_left():
    assert list(made(WRAP, names=frozenset(["bare"])).intended) == [("mcpServers", "bare")]
    left = made(WRAP, leave=frozenset([("mcpServers", "bare")]))
    assert results(left)["bare"] == ("skipped", "")
    assert states(left)["bare"] == ("native", "not wrapped")


def test_unwrap_takes_only_ours():
    found = made(UNWRAP)
    assert results(found) == {
        "bare": ("already", ""),
        "ours": ("unwrapped", ""),
        "stale": ("unwrapped", ""),
        "off": ("already", ""),
        "web": ("already", ""),
        "odd": ("skipped", "its command is not a text"),
    }
    assert states(found)["ours"] == ("native", "not wrapped")
    some = made(UNWRAP, names=frozenset(["stale"]))
    assert results(some)["ours"] == ("skipped", "")
    assert states(some)["ours"] == ("governed", "")


def test_the_forms_are_without_our_part():
    forms = made(LOOK).forms
    assert forms[("mcpServers", "bare")].text == '{"command": "npx"}'
    assert forms[("mcpServers", "ours")].text == '{"command": "npx", "args": []}'
    assert ("mcpServers", "odd") not in forms


def test_a_managed_file_is_only_looked_at():
    found = made(WRAP, text='{"mcpServers": {"a": {"command": "npx"}}}', managed=True)
    assert found.edits == ()
    assert states(found) == {"a": ("native", "managed by an administrator: mcpgov does not touch it")}


def test_a_clients_own_list_is_respected():
    found = made(
        WRAP, text='{"mcpServers": {"a": {"command": "npx"}}}', limits=lambda here: Limits(((("npx",), "/s"),))
    )
    assert results(found)["a"][0] == "skipped"
    assert states(found)["a"][1].startswith("the deny list in `/s`")
    args = '["--server", "a", "--client", "cursor", "--", "npx"]'
    wrapped = f'{{"mcpServers": {{"a": {{"command": "{US}", "args": {args}}}}}}}'
    before = made(WRAP, text=wrapped, limits=lambda here: Limits(((("npx",), "/s"),)))
    assert states(before)["a"] == ("governed", states(found)["a"][1]), "wrapped before the list came: told"


def test_a_server_meets_the_lists_of_its_own_project_alone():
    asked = []

    def limits(here):
        asked.append(here)
        return Limits(((("npx",), here),)) if here else Limits()

    bare = '{"mcpServers": {"x": {"command": "npx"}}'
    text = f'{bare}, "projects": {{"/p": {bare.replace("x", "y", 1)}}}, "/q": {{}}}}}}'
    found = plan(text, Task(BY_NAME["claude-code"], "/f", WRAP, US, limits=limits))
    assert asked == ["", "/p"]
    assert states(found)["x"] == ("governed", "")
    assert states(found)["y"][1].startswith("the deny list in `/p`")


def test_a_project_whose_lists_cannot_be_read_keeps_its_own_servers_waiting_and_no_others():
    bare = '{"mcpServers": {"x": {"command": "npx"}}'
    text = f'{bare}, "projects": {{"/p": {bare.replace("x", "y", 1)}}}}}}}'
    limits = lambda here: Limits(unread_project="`/p/s`: half" if here else "")  # noqa: E731
    found = plan(text, Task(BY_NAME["claude-code"], "/f", WRAP, US, limits=limits))
    why = "what the client's own lists say of it is not known at the moment: `/p/s`: half"
    assert states(found) == {"x": ("governed", ""), "y": ("native", why)}
    assert results(found)["y"] == ("skipped", why)


def test_lists_that_are_not_known_at_the_moment_are_waited_for():
    text, unread = '{"mcpServers": {"a": {"command": "npx"}}}', lambda here: Limits(unread="`/s`: half")
    with pytest.raises(texts.Broken, match="`/s`: half"):
        made(WRAP, text=text, limits=unread)
    why = "what the client's own lists say of it is not known at the moment: `/s`: half"
    assert states(made(LOOK, text=text, limits=unread))["a"] == ("native", why)
    assert states(made(WRAP, text=text, limits=unread, names=frozenset(["b"])))["a"] == ("native", why)
    denied = lambda here: Limits(((("npx",), "/t"),), unread="`/s`: half")  # noqa: E731
    assert states(made(WRAP, text=text, limits=denied))["a"][1].startswith("the deny list in `/t`")
    args = '["--server", "a", "--client", "cursor", "--", "npx"]'
    ours = f'{{"mcpServers": {{"a": {{"command": "{US}", "args": {args}}}}}}}'
    assert results(made(WRAP, text=ours, limits=unread))["a"] == ("already", "")
    assert results(made(UNWRAP, text=ours, limits=unread))["a"] == ("unwrapped", "")


def test_a_file_that_may_not_be_replaced_is_the_reason_of_what_is_bare_in_it():
    found = states(made(LOOK, refused="it is read-only"))
    assert (found["bare"], found["ours"]) == (("native", "it is read-only"), ("governed", ""))
    assert found["web"] == ("native", "remote: servers with a URL are not governed yet")


def test_a_projects_own_file_names_its_project():
    found = made(WRAP, text='{"mcpServers": {"a": {"command": "npx"}}}', project="/p")
    assert found.intended[("mcpServers", "a")]["args"] == [
        "--server",
        "a",
        "--client",
        "cursor",
        "--project",
        "/p",
        "--",
        "npx",
    ]


@pytest.mark.parametrize("text", ["", "{", "[]]", '{"mcpServers": {"a": {}, "a": {}}}'])
def test_a_text_that_cannot_be_read_has_no_plan(text):
    with pytest.raises((texts.Broken, texts.Twice)):
        made(WRAP, text=text)


def test_a_key_that_stands_twice_in_one_entry_is_told_of_that_entry_alone():
    text = '{"mcpServers": {"a": {"command": "x",\n"command": "y"}, "b": {"command": "npx"}}}'
    found = made(WRAP, text=text)
    twice = "`command` stands twice in one object, again at line 2"
    assert (states(found), list(found.intended)) == (
        {"a": ("error", twice), "b": ("governed", "")},
        [("mcpServers", "b")],
    )
    assert results(found)["a"] == ("skipped", twice)
    assert ("mcpServers", "a") not in found.forms


@pytest.mark.parametrize("program", ["x", US])
def test_a_program_whose_place_is_not_clear_is_told_of_its_entry_alone(program):
    args = '"args": ["--server", "a", "--client", "zed", "--", "npx"]'
    text = (
        f'{{"context_servers": {{"a": {{"command": {{"path": "z", "path": "{program}", {args}}}}}, '
        '"b": {"command": "npx"}}}'
    )
    twice = ("error", "`path` stands twice in one object, again at line 1")
    for goal, state in ((LOOK, "native"), (WRAP, "governed"), (UNWRAP, "native")):
        found = plan(text, Task(BY_NAME["zed"], "/f", goal, US))
        assert states(found)["a"] == twice
        assert states(found)["b"][0] == state


@pytest.mark.parametrize("name", ["a\\u0000b", "\\u0000"])
def test_a_name_that_no_command_line_can_carry_stays_native(name):
    why = "its name or its project's holds a NUL character, which no command line can carry"
    text = f'{{"mcpServers": {{"{name}": {{"command": "npx"}}}}}}'
    found = made(WRAP, text=text)
    assert (found.edits, [*states(found).values()]) == ((), [("native", why)])
    args = '["--server", "old", "--client", "cursor", "--", "npx"]'
    ours = f'{{"mcpServers": {{"{name}": {{"command": "{US}", "args": {args}}}}}}}'
    found = made(WRAP, text=ours)
    assert (found.edits, [*results(found).values()]) == ((), [("skipped", why)])
    assert made(WRAP, text='{"mcpServers": {"a": {"command": "npx"}}}', project="/p\0").edits == ()


@pytest.mark.parametrize("end", [",]", " , ]", " /* , ] */ , // ,\n]", "\n,\n]"])
def test_a_comma_or_a_comment_behind_our_last_word_is_no_obstacle(end):
    words = '"--server", "a", "--client", "cursor", "--", "npx"'
    text = f'{{"mcpServers": {{"a": {{"command": "{US}", "args": [{words}{end}}}}}}}'
    found = made(UNWRAP, text=text)
    new = texts.splice(text, found.edits)
    assert texts.parse(new, texts.JSONC) == {"mcpServers": {"a": {"command": "npx", "args": []}}}
    assert new.count("/*") == text.count("/*"), "a comment is not ours"
    assert texts.parse(found.forms[("mcpServers", "a")].text, texts.JSONC) == {"command": "npx", "args": []}


@pytest.mark.parametrize("end", [",]", "# , ]\n,]", "# ]\n]", "\r\n, # ,\r\n]"])
def test_nor_is_one_in_toml_where_the_rest_of_the_file_goes_on(end):
    words = '"--server", "a", "--client", "codex", "--", "npx"'
    text = f'[mcp_servers.b]\ncommand = "x"\n[mcp_servers.a]\ncommand = "{US}"\nargs = [{words}{end}\n'
    task = Task(BY_NAME["codex"], "/f", UNWRAP, US)
    new = texts.splice(text, plan(text, task).edits)
    assert texts.parse(new, texts.TOML)["mcp_servers"] == {"b": {"command": "x"}, "a": {"command": "npx", "args": []}}


def test_a_config_without_servers_has_nothing_to_do():
    for text in ("{}", "[]", '{"mcpServers": []}', '{"mcpServers": {}}'):
        assert made(WRAP, text=text).states == ()


def test_two_layouts_of_one_client():
    client = BY_NAME["opencode"]
    text = '{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}, "b": {"type": "local", "command": ["y"]}}}'
    assert [state.place for state in plan(text, Task(client, "/f", LOOK, US)).states] == [
        ("mcp", "servers", "a"),
        ("mcp", "b"),
    ]
    named = '{"mcp": {"servers": {"type": "local", "command": ["x"]}}}'
    assert [state.name for state in plan(named, Task(client, "/f", LOOK, US)).states] == ["servers"]


def test_an_empty_toml_file_has_no_servers():
    assert plan(" \n", Task(BY_NAME["codex"], "/f", WRAP, US)).states == ()


def test_three_thousand_servers_in_toml_are_wrapped_looked_at_and_unwrapped_in_seconds():
    text = "".join(f'[mcp_servers.s{at}]\ncommand = "npx"\n[mcp_servers.s{at}.env]\nA = "b"\n' for at in range(3000))
    began = time.process_time()
    wrapped = plan(text, Task(BY_NAME["codex"], "/f", WRAP, US))
    new = texts.splice(text, wrapped.edits)
    texts.verify(text, new, texts.TOML, BY_NAME["codex"].places, wrapped.intended, wrapped.found)
    known = {(original.place, original.argv): original for original in wrapped.originals}
    task = Task(BY_NAME["codex"], "/f", UNWRAP, US, original=lambda file, place, argv: known[place, tuple(argv)])
    found = plan(new, task)
    assert texts.splice(new, found.edits) == text
    assert found.forms == wrapped.forms
    assert time.process_time() - began < 30.0
