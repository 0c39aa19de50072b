import time
from dataclasses import replace

import pytest

from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.clients import BY_NAME, OTHER, OTHER_YAML
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Task
from mcpgov.configs.planner import NoServerList, plan
from mcpgov.configs.remote.url_wrap import IN_PROJECT, LOST, NOT_UP
from mcpgov.configs.text import splice as texts
from mcpgov.remote_servers import OAUTH, PASSTHROUGH, wrapped_url
from tests.helpers.remotes import PORT, Remotes

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
        "web": ("native", NOT_UP),
        "odd": ("error", "its command is not a text"),
    }


def test_a_wrap_tells_every_entry_it_leaves_and_why():
    found = made(WRAP)
    assert results(found) == {
        "bare": ("wrapped", ""),
        "ours": ("already", ""),
        "stale": ("wrapped", ""),
        "off": ("wrapped", ""),
        "web": ("skipped", NOT_UP),
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
        WRAP, text='{"mcpServers": {"a": {"command": "npx"}}}', limits=lambda here: ClientLimits(((("npx",), "/s"),))
    )
    assert results(found)["a"][0] == "skipped"
    assert states(found)["a"][1].startswith("the deny list in `/s`")
    args = '["--server", "a", "--client", "cursor", "--", "npx"]'
    wrapped = f'{{"mcpServers": {{"a": {{"command": "{US}", "args": {args}}}}}}}'
    before = made(WRAP, text=wrapped, limits=lambda here: ClientLimits(((("npx",), "/s"),)))
    assert states(before)["a"] == ("governed", states(found)["a"][1]), "wrapped before the list came: told"


def test_a_server_meets_the_lists_of_its_own_project_alone():
    asked = []

    def limits(here):
        asked.append(here)
        return ClientLimits(((("npx",), here),)) if here else ClientLimits()

    bare = '{"mcpServers": {"x": {"command": "npx"}}'
    text = f'{bare}, "projects": {{"/p": {bare.replace("x", "y", 1)}}}, "/q": {{}}}}}}'
    found = plan(text, Task(BY_NAME["claude-code"], "/f", WRAP, US, limits=limits))
    assert asked == ["", "/p"]
    assert states(found)["x"] == ("governed", "")
    assert states(found)["y"][1].startswith("the deny list in `/p`")


def test_a_project_whose_lists_cannot_be_read_keeps_its_own_servers_waiting_and_no_others():
    bare = '{"mcpServers": {"x": {"command": "npx"}}'
    text = f'{bare}, "projects": {{"/p": {bare.replace("x", "y", 1)}}}}}}}'
    limits = lambda here: ClientLimits(unread_project="`/p/s`: half" if here else "")  # noqa: E731
    found = plan(text, Task(BY_NAME["claude-code"], "/f", WRAP, US, limits=limits))
    why = "what the client's own lists say of it is not known at the moment: `/p/s`: half"
    assert states(found) == {"x": ("governed", ""), "y": ("native", why)}
    assert results(found)["y"] == ("skipped", why)


def test_lists_that_are_not_known_at_the_moment_are_waited_for():
    text, unread = '{"mcpServers": {"a": {"command": "npx"}}}', lambda here: ClientLimits(unread="`/s`: half")
    with pytest.raises(texts.InvalidText, match="`/s`: half"):
        made(WRAP, text=text, limits=unread)
    why = "what the client's own lists say of it is not known at the moment: `/s`: half"
    assert states(made(LOOK, text=text, limits=unread))["a"] == ("native", why)
    assert states(made(WRAP, text=text, limits=unread, names=frozenset(["b"])))["a"] == ("native", why)
    denied = lambda here: ClientLimits(((("npx",), "/t"),), unread="`/s`: half")  # noqa: E731
    assert states(made(WRAP, text=text, limits=denied))["a"][1].startswith("the deny list in `/t`")
    args = '["--server", "a", "--client", "cursor", "--", "npx"]'
    ours = f'{{"mcpServers": {{"a": {{"command": "{US}", "args": {args}}}}}}}'
    assert results(made(WRAP, text=ours, limits=unread))["a"] == ("already", "")
    assert results(made(UNWRAP, text=ours, limits=unread))["a"] == ("unwrapped", "")


def test_a_file_that_may_not_be_replaced_is_the_reason_of_what_is_bare_in_it():
    found = states(made(LOOK, refused="it is read-only"))
    assert (found["bare"], found["ours"]) == (("native", "it is read-only"), ("governed", ""))
    assert found["web"] == ("native", NOT_UP)


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


@pytest.mark.parametrize("text", ["", "{", "[]]", '{"mcpServers": {}, "mcpServers": {}}'])
def test_a_text_that_cannot_be_read_has_no_plan(text):
    with pytest.raises((texts.InvalidText, texts.DuplicateKey)):
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
    for text in ("{}", '{"mcpServers": null}', '{"mcpServers": {}}'):
        assert made(WRAP, text=text).states == ()


@pytest.mark.parametrize(
    ("value", "kind"), [("[]", "a list"), ('"x"', "a text"), ("1", "a number"), ("true", "true or false")]
)
def test_something_else_where_the_servers_should_be_is_told_and_the_rest_is_governed(value, kind):
    projects = f'{{"/p": {{"mcpServers": {{"b": {{"command": "npx"}}}}}}, "/q": {{"mcpServers": {value}}}}}'
    text = f'{{"mcpServers": {value}, "projects": {projects}}}'
    found = plan(text, Task(BY_NAME["claude-code"], "/f", WRAP, US))
    why = f"is {kind}, not an object: whatever servers it names are not read"
    assert [(state.name, state.state, state.reason) for state in found.states] == [
        ("b", "governed", ""),
        ("mcpServers", "error", f"`mcpServers` {why}"),
        ("mcpServers", "error", f"`projects./q.mcpServers` {why}"),
    ]
    assert results(found)["mcpServers"][0] == "skipped"
    assert list(found.intended) == [("projects", "/p", "mcpServers", "b")]


def test_the_same_in_toml():
    found = plan("mcp_servers = [1]\n", Task(BY_NAME["codex"], "/f", WRAP, US))
    assert [state.reason.partition(":")[0] for state in found.states] == ["`mcp_servers` is a list, not an object"]


@pytest.mark.parametrize(
    ("text", "kind"), [("[]", "a list"), ("null", "null"), (' "x" ', "a text"), ("1.5", "a number")]
)
def test_a_top_level_that_is_no_object_is_told(text, kind):
    with pytest.raises(NoServerList, match=f"^the top level is not an object but {kind}$"):
        made(WRAP, text=text)


def test_a_file_of_nobody_in_particular_has_its_servers_in_any_layout():
    entry = '{"command": "npx"}'
    layouts = ('"mcpServers": {"a": %s}', '"servers": {"a": %s}', '"context_servers": {"a": %s}', '"mcp": {"a": %s}',
               '"mcp": {"inputs": [], "servers": {"a": %s}}', '"mcp.servers": {"a": %s}',
               '"servers": {"a": %s}, "mcpServers": []')  # fmt: skip
    for layout in layouts:
        found = plan(f"{{{layout % entry}}}", Task(OTHER, "/f", WRAP, US))
        assert states(found) == {"a": ("governed", "")}
    assert states(plan('{"servers": [1]}', Task(OTHER, "/f", WRAP, US)))["servers"][0] == "error"


def test_a_name_that_stands_twice_leaves_only_that_name_alone():
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "npx"},\n"a": {"command": "y"}, "a": 1}}'
    for goal, state in ((WRAP, "governed"), (LOOK, "native")):
        found = made(goal, text=text)
        twice = "`a` stands twice in one object, again at line 2"
        assert states(found) == {"a": ("error", twice), "b": (state, "" if goal == WRAP else "not wrapped")}
    new = texts.splice(text, made(WRAP, text=text).edits)
    wrapped = made(WRAP, text=text)
    texts.verify(text, new, texts.JSONC, BY_NAME["cursor"].places, wrapped.intended, wrapped.entries)
    known = {original.place: original for original in wrapped.originals}
    back = made(UNWRAP, text=new, original=lambda file, place, argv: known[place])
    assert texts.splice(new, back.edits) == text


def test_what_the_settings_exclude_is_left_alone_on_purpose_and_let_go_if_it_was_wrapped():
    why = "left alone on purpose: `exclude` in the settings names it"
    for names in (["bare", "ours"], ["cursor:bare", "cursor:ours"]):
        found = made(WRAP, exclude=frozenset(names))
        assert (results(found)["bare"], states(found)["bare"]) == (("skipped", why), ("native", why))
        assert (results(found)["ours"], states(found)["ours"]) == (("unwrapped", why), ("native", why))
        assert states(made(LOOK, exclude=frozenset(names)))["bare"] == ("native", why)
    assert states(made(WRAP, exclude=frozenset(["codex:bare"])))["bare"] == ("governed", "")


def test_a_part_of_an_entry_elsewhere_is_no_error_and_an_entry_under_such_a_part_stays_bare():
    codex = BY_NAME["codex"]
    text = '[mcp_servers]\noff.enabled = false\nmore.args = ["x"]\ntime.tool_timeout_sec = 1\n'
    part = "a part of the server of this name in another file of the client, which it is laid over"
    found = plan(text, Task(codex, "/f", WRAP, US))
    assert (found.edits, states(found)) == (
        (), {"off": ("disabled", "switched off in the client"), "more": ("native", part), "time": ("native", part)}
    )  # fmt: skip
    base = '[mcp_servers.more]\ncommand = "npx"\nargs = []\n'
    over = lambda name: "`/p` lays" if name == "more" else ""  # noqa: E731
    assert states(plan(base, Task(codex, "/f", WRAP, US, overlaid=over)))["more"] == ("native", "`/p` lays")
    wrapped = texts.splice(base, plan(base, Task(codex, "/f", WRAP, US)).edits)
    found = plan(wrapped, Task(codex, "/f", WRAP, US, overlaid=over))
    assert (texts.splice(wrapped, found.edits), states(found)["more"]) == (base, ("native", "`/p` lays"))


def test_another_governor_in_an_entry_is_told_with_what_would_replace_it():
    text = '{"mcpServers": {"a": {"command": "clawdefender", "args": ["proxy", "--", "npx"]}}}'
    found = made(WRAP, text=text)
    offer = "`clawdefender` stands in it as well; `mcpgov wrap --replace a` puts mcpgov in its place"
    assert (results(found)["a"], found.states[0].foreign) == (("wrapped", offer), "clawdefender")
    again = made(LOOK, text=texts.splice(text, found.edits))
    assert (again.states[0].state, again.states[0].reason, again.states[0].foreign) == (
        "governed",
        offer,
        "clawdefender",
    )


def test_what_is_only_told_of_is_native_for_its_reason_whatever_it_looks_like():
    text = '{"extensions": {"x": {"manifest": {}}, "y": {"enabled": false}, "z": 1}}'
    client = replace(BY_NAME["claude-desktop"], places=(("extensions", "*"),))
    found = plan(text, Task(client, "/f", WRAP, US, listed="why"))
    assert (found.edits, found.forms) == ((), {})
    assert states(found) == {"x": ("native", "why"), "y": ("disabled", "why"), "z": ("native", "why")}


def test_yaml_is_told_by_its_names_where_it_is_listed_and_else_not_supported():
    text = "extensions:\n  dev:\n    type: stdio\n"
    found = plan(text, Task(BY_NAME["goose"], "/f", WRAP, US, listed="why"))
    assert [(state.place, state.state, state.reason) for state in found.states] == [
        (("extensions", "dev"), "native", "why")
    ]
    with pytest.raises(NoServerList, match="this format is not supported: YAML"):
        plan(text, Task(OTHER_YAML, "/f", WRAP, US))


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
    texts.verify(text, new, texts.TOML, BY_NAME["codex"].places, wrapped.intended, wrapped.entries)
    known = {(original.place, original.argv): original for original in wrapped.originals}
    task = Task(BY_NAME["codex"], "/f", UNWRAP, US, original=lambda file, place, argv: known[place, tuple(argv)])
    found = plan(new, task)
    assert texts.splice(new, found.edits) == text
    assert found.forms == wrapped.forms
    assert time.process_time() - began < 30.0


@pytest.mark.parametrize(("value", "seconds"), [("90", 90.0), ("2.5", 2.5), ("true", 0.0), ('"9"', 0.0), ("-1", 0.0)])
def test_what_an_entry_says_of_its_clients_patience_is_kept(value, seconds):
    text = f'[mcp_servers.time]\ncommand = "npx"\ntool_timeout_sec = {value}\n'
    (state,) = plan(text, Task(BY_NAME["codex"], "/f", LOOK, US)).states
    assert state.timeout == seconds


# --- entries with a URL

WEB = '{"mcpServers": {"web": {"url": "https:\\/\\/x.example\\/mcp?key=1", "headers": {"X": "y"}}}}'
PLACE = ("mcpServers", "web")


def web(goal, remotes, text=WEB, **more):
    found = made(goal, text, remotes=remotes.known(), **more)
    new = texts.splice(text, found.edits)
    texts.verify(text, new, "jsonc", BY_NAME["cursor"].places, found.intended, found.entries)
    return found, new


def test_a_url_is_wrapped_registered_first_and_comes_back_with_its_spelling():
    remotes = Remotes()
    found, new = web(WRAP, remotes)
    (server,) = found.keep
    assert found.intended == {PLACE: {"url": wrapped_url(PORT, server), "headers": {"X": "y"}}}
    assert (server.url, server.literal) == ("https://x.example/mcp?key=1", '"https:\\/\\/x.example\\/mcp?key=1"')
    assert (server.name, server.client, server.file, server.place) == ("web", "cursor", "/f", PLACE)
    assert (found.originals[0].before, found.holds_secret, found.forget) == (server.literal, True, ())
    assert server.id not in str(found.originals)
    assert states(found) == {"web": ("governed", "")}
    assert found.states[0].upstream == "https://x.example/mcp?key=…"
    remotes.took(found)
    again, same = web(WRAP, remotes, new)
    assert (again.edits, again.keep, same) == ((), (), new)
    assert again.forms == web(LOOK, remotes)[0].forms, "the history has it without our part"
    assert texts.splice(new, again.shown) == WEB
    back, bare = web(UNWRAP, remotes, new)
    assert (bare, back.forget, back.holds_secret) == (WEB, (server.id,), False)
    assert web(UNWRAP, remotes, WEB)[0].edits == ()


def test_what_is_wrapped_stays_so_whatever_a_probe_says_and_where_a_client_writes_its_old_text_back():
    remotes = Remotes()
    found, new = web(WRAP, remotes)
    remotes.took(found)
    remotes.found = OAUTH
    assert web(WRAP, remotes, new)[0].edits == ()
    assert states(web(LOOK, remotes, new)[0]) == {"web": ("governed", "")}
    assert web(WRAP, remotes, WEB)[1] == new, "with the same id"


def test_a_new_port_is_written_and_an_entry_that_was_copied_gets_an_id_of_its_own():
    remotes = Remotes()
    found, new = web(WRAP, remotes)
    remotes.took(found)
    remotes.port = 20001
    assert states(web(LOOK, remotes, new)[0])["web"][1].startswith("wrapped for another port")
    moved, text = web(WRAP, remotes, new)
    assert text == new.replace(str(PORT), "20001")
    remotes.took(moved)
    copied = text.replace('"web"', '"copy"')
    other, own = web(WRAP, remotes, copied)
    assert [(server.name, server.literal) for server in other.keep] == [("copy", found.keep[0].literal)]
    assert (other.forget, other.keep[0].id in own) == ((), True)
    remotes.took(other)
    assert web(UNWRAP, remotes, own)[1] == WEB.replace('"web"', '"copy"')


def test_a_lost_registration_is_made_again_from_the_history_or_told():
    remotes = Remotes()
    found, new = web(WRAP, remotes)
    kept = {(row.place, row.argv): row for row in found.originals}
    known = {"original": lambda file, place, argv: kept.get((place, tuple(argv)))}
    assert web(WRAP, remotes, new, **known)[0].keep == found.keep
    assert web(UNWRAP, remotes, new, **known)[1] == WEB
    lost, _ = web(WRAP, remotes, new)
    assert (states(lost), lost.edits, lost.states[0].reason_code) == ({"web": ("error", LOST)}, (), "remote-lost")
    assert lost.holds_secret
    assert lost.forms == {}


def test_no_secret_goes_into_a_projects_file_and_one_that_stands_there_is_taken_out():
    remotes = Remotes()
    found, _ = web(WRAP, remotes, in_project=True)
    assert (found.edits, found.keep, states(found)) == ((), (), {"web": ("native", IN_PROJECT)})
    wrapped, new = web(WRAP, remotes)
    remotes.took(wrapped)
    assert states(web(LOOK, remotes, new, in_project=True)[0])["web"][0] == "governed"
    assert web(WRAP, remotes, new, in_project=True)[1] == WEB


def test_a_server_that_is_excluded_or_not_asked_for_keeps_its_url():
    remotes = Remotes()
    assert web(WRAP, remotes, names=frozenset(["other"]))[0].edits == ()
    assert web(WRAP, remotes, leave=frozenset([PLACE]))[0].edits == ()
    assert web(WRAP, remotes, exclude=frozenset(["web"]))[0].edits == ()
    found, new = web(WRAP, remotes)
    remotes.took(found)
    assert web(WRAP, remotes, new, exclude=frozenset(["cursor:web"]))[1] == WEB
    left, same = web(UNWRAP, remotes, new, names=frozenset(["other"]))
    assert (same, left.holds_secret, states(left)) == (new, True, {"web": ("governed", "")})


def test_the_registration_alone_changes_when_the_app_is_to_sign_in_itself():
    remotes = Remotes()
    found, new = web(WRAP, remotes)
    remotes.took(found)
    remotes.passthrough = True
    assert web(LOOK, remotes, new)[0].keep == ()
    again, same = web(WRAP, remotes, new)
    assert (same, [server.login for server in again.keep]) == (new, [PASSTHROUGH])


def test_an_administrators_list_of_urls_is_respected():
    limits = ClientLimits(denied_urls=(("https://x.example/*", "/s"),))
    found, _ = web(WRAP, Remotes(), limits=lambda here: limits)
    assert (found.edits, states(found)["web"][1][:27]) == ((), "the deny list in `/s` names")


def test_our_own_server_is_never_wrapped_and_let_go_if_it_was():
    asked = []

    def own(argv, environment):
        asked.append((tuple(argv), environment))
        return argv[0] == "mcpgov"

    text = '{"mcpServers": {"gov": {"command": "mcpgov", "args": ["serve"], "env": {"PATH": "/p"}}}}'
    found = made(WRAP, text, own_server=own)
    assert (found.edits, states(found)["gov"]) == ((), ("native", "mcpgov's own server: it is never wrapped"))
    assert asked[0] == (("mcpgov", "serve"), {"PATH": "/p"})
    assert [state.reason_code for state in found.states] == ["own-server"]
    ours = '"/x/mcpgov-proxy", "args": ["--server", "gov", "--client", "cursor", "--", "mcpgov", "'
    wrapped = text.replace('"mcpgov", "args": ["', ours)
    assert made(WRAP, wrapped, own_server=own).results[0].result == "unwrapped"
