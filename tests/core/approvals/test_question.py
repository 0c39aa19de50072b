import json

from mcpgov.core.approvals import question
from mcpgov.core.approvals.question import Asker, leads, masked_text, question_of, shown_value
from mcpgov.core.decision import PROMPT, Decision
from mcpgov.core.rules import path_matching
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Rule
from mcpgov.core.world import World
from mcpgov.guards.hooks import LazyHooks

LINKS = {"/srv/link": "/etc", "/loop": "/loop"}
WORLD = World(LINKS.get, "/work", "/home/u")
SECRET = "ghp_" + "a1B2" * 9


def asked(call, layer="user", rule=None, **more):
    data = {"id": "ask", "action": "prompt", "file": "/p.toml", "line": 7, **(rule or {})}
    decision = Decision(PROMPT, "ask", "policy", "deletes need a yes", "r1")
    asker = Asker("4f1d-12", "4f1d", layer, "github", "d1", "request")
    made = Rule(data, "/home/u", LazyHooks()) if rule is not None else None
    return question_of(call, decision, made, asker, Reader(WORLD), lambda text: f"#{len(text)}", **more)


def tool(args, name="delete_repository"):
    return call_of("tools/call", {"name": name, "arguments": args}, "github", "claude-code", "/proj")


def test_a_question_tells_who_what_why_and_where():
    found = asked(tool({"repo": "acme", "path": "/srv/link/x"}), rule={})
    assert json.loads(json.dumps(found)) == {
        "number": "4f1d-12", "session": "4f1d", "server": "github", "client": "claude-code", "project": "/proj",
        "method": "tools/call", "target": "delete_repository", "service": "github", "operations": ["delete"],
        "operation_why": found["operation_why"], "asked_by": "ask", "message": "deletes need a yes", "file": "/p.toml",
        "line": 7, "ask": ["app", "desk"], "layer": "user", "revision": "r1",
        "shown": {"repo": "acme", "path": "/srv/link/x"}, "masked": [],
        "paths": [{"at": "path", "text": "/srv/link/x", "leads": ["/etc/x"]}], "hosts": [], "complete": True,
        "args": {"repo": "acme", "path": "/srv/link/x"}, "folders": [[["path"], "/etc/**"]], "tool_digest": "d1",
        "args_digest": found["args_digest"], "app": "request",
    }  # fmt: skip
    assert "delete" in found["operation_why"]


def test_a_rule_chooses_who_may_answer_and_a_managed_one_keeps_to_the_desk():
    assert asked(tool({}), rule={"ask": ["desk"]})["ask"] == ["desk"]
    assert asked(tool({}), layer="managed")["ask"] == ["desk"]
    assert asked(tool({}), layer="managed", rule={"ask": ["desk", "app"]})["ask"] == ["app", "desk"]


def test_secrets_are_masked_and_then_no_raw_arguments_go_along():
    args = {
        "password": "x", "note": f"key {SECRET} end", "list": ["--token", "abc"], "keep": None, "auth": True,
        "pair": {"name": "X-Api-Key", "value": "v"}, "key": SECRET, "n": 5,
    }  # fmt: skip
    found = asked(tool(args))
    assert SECRET not in json.dumps(found)
    assert found["shown"] == {
        "password": "***", "note": "key *** end", "list": ["--token", "***"], "keep": None, "auth": True,
        "pair": {"name": "X-Api-Key", "value": "***"}, "key": "***", "n": 5,
    }  # fmt: skip
    assert found["masked"] == ["password", "note", "list[]", "pair.value", "key"]
    assert found["args"] is None


def test_a_text_with_three_stars_of_its_own_is_not_taken_for_masked():
    assert asked(tool({"x": "***"}))["args"] == {"x": "***"}


def test_long_texts_are_cut_in_the_middle_with_a_count():
    text = "a" * 300 + "b" * 50 + "c" * 120
    assert masked_text(text) == "a" * 300 + "…(+50 characters)…" + "c" * 120
    assert asked(tool({"x": text}))["args"] is None
    long = "x" * question.MOST_LOOKED_AT + SECRET
    assert masked_text(long) == "x" * 300 + f"…(+{len(long) - 300} characters)"


def test_large_arguments_do_not_go_along_raw():
    args = {f"k{n}": "v" * 100 for n in range(50)}
    found = asked(tool(args))
    assert (found["shown"], found["args"]) == (args, None)


def test_many_and_deep_values_are_counted():
    deep: object = "x"
    for _ in range(question.DEEPEST):
        deep = {"k": deep}
    table, items = {str(n): n for n in range(103)}, list(range(103))
    assert shown_value(table, [])["…"] == "+3"
    assert shown_value(items, [])[-1] == "…(+3)"
    assert "…(1 keys)" in json.dumps(shown_value({"a": deep}, []), ensure_ascii=False)
    nested: object = []
    for _ in range(question.DEEPEST):
        nested = [nested]
    assert "…(0 items)" in json.dumps(shown_value(nested, []), ensure_ascii=False)


def test_every_path_is_told_by_where_it_leads():
    assert leads("/srv/link/../x", WORLD) == ["/x"]
    assert leads(" ~/a ", WORLD) == ["/home/u/a"]
    assert leads("~", WORLD) == ["/home/u"]
    assert leads("file:///etc/%70asswd", WORLD) == ["/etc/passwd"]
    assert leads("a/b", WORLD) == ["/work/a/b"]
    assert leads("a/b", World(LINKS.get)) == [question.NOWHERE]
    assert leads("/loop/x", WORLD) == [question.LOOP]
    assert leads("/proc/1/cwd/x", WORLD) == [question.DEPENDS]


def test_every_url_is_told_by_its_host():
    found = asked(tool({"url": "https://good.example@evil.example/x", "odd": "x://"}))
    assert found["hosts"] == [{"at": "url", "host": "evil.example"}, {"at": "odd", "host": question.NOWHERE}]


def test_requests_without_arguments_tell_their_uris_and_pages():
    found = asked(call_of("resources/read", {"uri": "file:///etc/hosts", "_meta": {}}, "fs"))
    assert (found["shown"], found["paths"][0]["leads"]) == ({"uri": "file:///etc/hosts"}, ["/etc/hosts"])
    assert asked(call_of("resources/read", {"uri": "https://a.example/"}, "fs"))["hosts"][0]["host"] == "a.example"
    page = call_of("elicitation/create", {"mode": "url", "url": "https://b.example/login"}, "fs")
    assert asked(page)["hosts"] == [{"at": "url", "host": "b.example"}]
    assert (asked(page)["operations"], asked(page)["target"]) == ([], "")


def test_more_paths_than_anybody_reads_are_said_to_be_incomplete():
    found = asked(tool({"path": [f"/{n}" for n in range(500)]}))
    assert (found["complete"], found["paths"], found["folders"]) == (False, [], [])


def test_folders_that_cost_too_much_to_tell_are_not_offered(monkeypatch):
    monkeypatch.setattr(path_matching, "MOST_STEPS", 1)
    assert asked(tool({"path": "/srv/a/b"}))["folders"] == []


def test_a_large_call_is_told_by_the_digest_of_its_line():
    class Part(dict):
        def digest(self, digest_text):
            return digest_text("the line")

    call = tool({"path": "/x"})
    call.args = Part(call.args)
    found = asked(call)
    assert (found["args_digest"], found["args"]) == ("#8", None)
    assert question.args_digest(tool({"a": 1}), str.upper) == '[{"A":1},[]]'
