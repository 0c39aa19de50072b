from mcpgov.daemon.approvals import wording
from tests.helpers.questions import permission, question

PLAIN = {"shown": {"repo": "acme/site"}, "paths": [], "hosts": [], "folders": []}


def test_the_headline_is_the_contracts():
    made = question(**PLAIN)
    assert wording.headline(made) == 'github wants to run delete_repository (delete): repo = "acme/site"'
    assert wording.headline(question(**{**PLAIN, "shown": {}})) == "github wants to run delete_repository (delete)"


def test_other_requests_are_told_by_their_method():
    other = {**PLAIN, "shown": {}, "operations": [], "target": ""}
    assert wording.headline(question(**other, method="sampling/createMessage")) == (
        "github wants to use the model of your app"
    )
    prompt = question(**{**other, "target": "review", "method": "prompts/get"})
    assert wording.headline(prompt) == "github wants to use the prompt review"


def test_nothing_in_a_headline_acts_or_pushes_the_rest_out():
    made = question(**{**PLAIN, "target": "x\u202e" * 200, "shown": {"a\n": "\x1b[2J" + "z" * 500}})
    line = wording.headline(made)
    assert line.isprintable()
    assert len(line) < wording.LONGEST_LINE + 30
    assert "characters)…" in line
    assert "(delete): a\\x0a = " in wording.headline(made, 1000)


def test_the_details_tell_rule_reason_arguments_and_where_they_lead():
    assert wording.details(question(masked=["token"])) == [
        "rule: ask-deletes (/cfg/policy.toml:7), user policy",
        "why: deletes need a yes",
        "operation: delete, by `delete` in its name",
        "asked in: claude-code, project /proj",
        'repo = "acme/site"',
        'path = "/srv/link/x"',
        'url = "https://a.example/x"',
        "path path leads to /etc/x",
        "URL url leads to host a.example",
        "masked: token",
    ]
    bare = question(
        **{**PLAIN, "shown": {}}, asked_by="(default)", file="", message="", operation_why="", client="", project="",
        complete=False,
    )  # fmt: skip
    assert wording.details(bare) == [
        "rule: the policy's default, user policy",
        "asked in: an unknown app",
        "there are more paths than can be shown: they are not listed here",
    ]


def test_denials_are_the_contracts():
    made = question(number="4f1d-12")
    assert wording.refused(made, "4f1d-12") == (
        "Permission denied: delete_repository was refused by the user (mcpgov why 4f1d-12)"
    )
    assert wording.timed_out(made, 25.0) == (
        "Permission denied: nobody answered in 25 s. Ask the user to run: mcpgov approve 4f1d-12, then try again"
    )
    assert wording.unreachable(made).endswith("Ask the user to run: mcpgov approve 4f1d-12, then try again")
    assert wording.unreachable(question(ask=["app"])).endswith("the rule lets only the app itself ask")
    assert wording.too_many("github", "5 questions are open", "4f1d-12") == (
        "Permission denied: github asks too much: 5 questions are open (mcpgov why 4f1d-12)"
    )
    assert wording.withdrawn(made, "mcpgov is being upgraded").endswith(" was withdrawn: mcpgov is being upgraded")


def test_what_cannot_be_done_says_what_to_type():
    assert wording.unrecorded().endswith("mcpgov doctor")
    assert wording.locked().endswith("mcpgov unlock")


def test_an_answer_is_handed_over():
    answer = question(**{**PLAIN, "operations": [], "shown": {"found": ["odd"]}, "method": "answer to tools/call"})
    assert wording.headline(answer) == 'github wants to hand over the answer of delete_repository: found = ["odd"]'
    assert "the answer of delete_repository was refused by the user" in wording.refused(answer, "4f1d-1")


def test_a_server_that_asks_for_a_resource_is_told_with_its_own_words_in_quotes():
    made = permission("/srv/a", "write", message="trust me\x1b[2K")
    assert wording.headline(made) == 'github asks for permission to write "/srv/a"'
    assert wording.details(made) == [
        "it asks by itself, through `mcpgov serve`; no rule asks",
        'the caller says why, in its own words: "trust me\\x1b[2K"',
        "a yes holds for: calls of the server github, this operation and this resource alone",
        "path resource leads to /srv/a",
    ]
    url = permission(
        "https://a.example/x", "connect", service="", paths=[], hosts=[{"at": "resource", "host": "a.example"}]
    )
    assert wording.details(url)[2:] == [
        "a yes holds for: nothing but its own answer, this operation and this resource alone",
        "URL resource leads to host a.example",
    ]
