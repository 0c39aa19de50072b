from hashlib import sha256

import pytest

from mcpgov.daemon.control.approval_requests import ApproveRequest
from tests.front.conftest import command
from tests.helpers.askers import Asker, refusals
from tests.helpers.asking_daemon import view

NUMBER = "4f1d0c92ab37-12"
POLICY = """\
# mine
default = "deny"

# reading is fine
[[rule]]
action = "allow"
operation = "read"

# ask me first
[[rule]]
name = "ask-deletes"
action = "prompt"
tool = ["delete_*"]   # all of them
"""


@pytest.fixture
def asked(asking):
    """Puts questions to the daemon and says which requests it got."""

    def put(*views, ended=()):
        asking.waiting, asking.ended = list(views), list(ended)
        return asking.got

    return put


@pytest.mark.parametrize(
    ("words", "request_", "told"),
    [
        ([], ("once", "exact", 0.0), "allowed once"),
        (["--once", "--exact"], ("once", "exact", 0.0), "allowed once"),
        (["--session"], ("session", "exact", 0.0), "allowed for this session, exactly this"),
        (["--session", "--folder"], ("session", "folder", 0.0), "allowed for this session, this folder"),
        (["--for", "15m", "--tool"], ("time", "tool", 900.0), "allowed for 15 min, this tool"),
        (["--for", "90s"], ("time", "exact", 90.0), "allowed for 90 s, exactly this"),
    ],
)
def test_a_yes_is_given_as_it_was_typed(run, asked, words, request_, told):
    got = asked(view())
    done = run("approve", "4f1d-12", *words)
    assert (done.status, done.err, got) == (0, "", [ApproveRequest(NUMBER, *request_, "command")])
    first, last = done.out.splitlines()
    assert first.startswith("github wants to run delete_repository (delete): ")
    assert last == f"{told}: delete_repository on github ({NUMBER})"


def test_json_tells_what_was_given(run, asked):
    asked(view(), view("77aa-1"))
    found = run("approve", "4f1d", "--session", "--json").json
    assert {key: found[key] for key in list(found)[3:]} == {
        "question": NUMBER, "answer": "yes", "term": "session", "scope": "exact", "seconds": None, "late": False,
        "grant": NUMBER, "written": None,
    }  # fmt: skip


def test_a_question_that_is_over_can_be_approved_for_the_next_try(run, asked):
    got = asked(ended=(view(state="expired", late=300.0),))
    out = run("approve", "4f1d-12").out
    assert out.endswith(
        f"({NUMBER}); nobody waits for it any more: the next try of exactly this call passes, within ten minutes\n"
    )
    assert len(got) == 1
    asked(ended=(view(state="expired", late=300.0),))
    assert run("approve", "4f1d-12", "--session").out.endswith(f"({NUMBER}); it holds for the next try\n")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["99ff-1"], 1, f"there is no question `99ff-1`\n  hint: waiting: {NUMBER}, 4f1d0c92ab37-13"),
        (["4f1d"], 64, f"`4f1d` may be any of {NUMBER}, 4f1d0c92ab37-13\n  hint: more of its characters tell which"),
        (["4f1d-1"], 1, "there is no question `4f1d-1`"),
        ([""], 64, "a question has a number"),
        (["77aa-1"], 1, "question `77aa-1` is answered already: denied (app)\n  hint: mcpgov why 77aa-1"),
        (["77aa-2"], 1, "question `77aa-2` was withdrawn: nobody waits for its answer\n  hint: let the app try again"),
        (["77aa-3"], 1, "question `77aa-3` is over, and too long ago"),
        (["4f1d-12", "--for", "soon"], 64, "`--for soon` is no time\n  hint: 90s, 15m, 2h"),
        (["4f1d-12", "--for", "5s"], 1, "a yes for a time lasts from a minute to a day"),
        (["4f1d-12", "--tool"], 64, "`--tool` is for more than one call\n  hint: with --session, --for 15m"),
        (["4f1d-13", "--session", "--folder"], 1, "this call cannot be allowed by folder: exact or tool"),
        (["4f1d-12", "--once", "--session"], 64, "argument --session: not allowed with argument --once"),
        ([], 64, "the following arguments are required: ID"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_told_with_what_to_type(run, asked, words, status, told):
    over = (view("77aa-1", "answered", answer="no", surface="app"), view("77aa-2", "withdrawn"))
    got = asked(view(), view("4f1d0c92ab37-13", folders=[]), ended=(*over, view("77aa-3", "expired", late=0.0)))
    done = run("approve", *words)
    assert (done.status, done.err[: len(told) + 8], got) == (status, f"mcpgov: {told}", [])


def test_what_is_not_told_in_full_is_not_approved(run, asked):
    got = asked(view(question={}))
    done = run("approve", "4f1d-12")
    assert (done.status, "cannot be shown in full now" in done.err, got) == (1, True, [])


def test_without_anything_asked_an_id_of_a_decision_leads_to_why(run, asked):
    asked()
    assert run("approve", "99ff-1").err.endswith(
        "hint: nothing is asked now; `mcpgov why 99ff-1` tells of a decision\n"
    )


def test_always_writes_the_rule_directly_above_the_one_that_asked_and_answers_once(run, policy, asked):
    path = policy(POLICY)
    got = asked(view(file=str(path), line=10, shown={"repo": "acme/site"}, args={"repo": "acme/site"}))
    done = run("approve", NUMBER, "--always", "--tool", "--yes")
    assert (done.status, done.err) == (0, "")
    before, after = POLICY.split("# ask me first\n")
    text = path.read_text()
    assert text.startswith(before)
    assert text.endswith("# ask me first\n" + after)
    rule = text[len(before) : -len("# ask me first\n" + after)]
    comment, *lines = rule.splitlines()
    assert comment.startswith("# approved on 20")
    assert comment.endswith(f", decision {NUMBER}")
    assert lines == [
        "[[rule]]", 'name = "allow-github-delete_repository"', 'action = "allow"', 'server = "github"',
        'tool = "delete_repository"', "",
    ]  # fmt: skip
    assert got == [ApproveRequest(NUMBER, "always", "tool", 0.0, "command")]
    assert f"{path}:10, above `ask-deletes`:\n  {comment}\n  [[rule]]\n" in done.out
    assert "wrote `allow-github-delete_repository` to " in done.out


def test_the_rule_of_always_is_shown_or_written_alone(run, policy, asked):
    path = policy(POLICY)
    got = asked(view(file=str(path), line=10, shown={"repo": "acme/site"}, args={"repo": "acme/site"}))
    words = ("approve", NUMBER, "--always", "--tool", "--json")
    shown = run(*words, "--dry-run").json
    assert (shown["written"], shown["rule"], shown["above"], path.read_text()) == (
        None, "allow-github-delete_repository", "ask-deletes", POLICY,
    )  # fmt: skip
    other = run(*words, "--rule-only", "--yes", "--digest", "0" * 64)
    assert (other.json["error"]["reason_code"], path.read_text()) == ("changed", POLICY)
    done = run(*words, "--rule-only", "--yes", "--digest", sha256(shown["text"].encode()).hexdigest())
    assert (done.status, done.json["answer"], done.json["written"]["rule"]) == (0, None, shown["rule"])
    assert shown["text"] in path.read_text()
    assert got == []
    for option in ("--dry-run", "--rule-only", "--digest=1"):
        assert run("approve", NUMBER, option).status == 64


def test_always_asks_first_and_a_no_changes_nothing(terminal, run, policy, asked):
    path = policy(POLICY)
    got = asked(view(file=str(path), line=10))
    refused = terminal("approve", NUMBER, "--always", "--tool", typed=b"\n")
    assert (refused.status, "write this rule? [y/N]" in refused.out, path.read_text(), got) == (1, True, POLICY, [])
    assert 'tool = "delete_repository"' in refused.out.partition("write this rule?")[0], "shown first"
    assert run("approve", NUMBER, "--always", "--tool").status == 64
    assert (path.read_text(), got) == (POLICY, [])
    assert terminal("approve", NUMBER, "--always", "--tool", typed=b"y\n").status == 0
    assert len(got) == 1


def test_always_is_never_written_into_or_against_the_managed_layer(run, policy, asked, root):
    path = policy(POLICY)
    managed = root / "managed" / "policy.toml"
    managed.parent.mkdir()
    managed.write_text('[[rule]]\nname = "ask"\naction = "prompt"\ntool = "delete_*"\n')
    managed.chmod(0o600)
    got = asked(view(file=str(managed), line=1, asked_by="managed:ask", layer="managed", ask=["desk"]))
    done = run("approve", NUMBER, "--always", "--tool", "--yes")
    assert (done.status, "no rule of yours changes what the managed policy asks" in done.err) == (1, True)
    assert (path.read_text(), got) == (POLICY, [])


def test_a_rule_that_was_written_for_a_question_that_ended_meanwhile_is_told(run, policy, asked, asking, monkeypatch):
    path = policy(POLICY)
    asked(view(file=str(path), line=10))
    monkeypatch.setattr(asking, "_end", lambda *_given: (_ for _ in ()).throw(RuntimeError("gone")))
    done = run("approve", NUMBER, "--always", "--tool", "--yes")
    assert (done.status, "is written and holds; the question is not answered by it" in done.err) == (1, True)
    assert "allow-github-delete_repository" in path.read_text()


@pytest.mark.parametrize("words", [["approve", NUMBER], ["approve", NUMBER, "--always", "--tool", "--yes"], ["unlock"],
                                   ["grants"], ["approvals", "suggest", "--add", "--yes"]])  # fmt: skip
@pytest.mark.parametrize("kind", ["plain", "setsid"])
def test_an_app_cannot_approve_itself(kind, words, tmp_path, home, root, policy, asked):
    path = policy(POLICY)
    got = asked(view(file=str(path), line=10))
    status, out, err = Asker(tmp_path, home, "claude").ask(kind, *command(root, *words))
    assert (status, out, got, path.read_text()) == (2, "", [], POLICY)
    assert " is refused: Claude Code" in err or kind != "plain"
    assert len(refusals(root / "state" / "journal")) == 1


@pytest.mark.parametrize(
    "words", [["approvals"], ["deny", NUMBER], ["grants", "revoke", "--all"], ["lock"], ["approvals", "suggest"]]
)
def test_what_looks_or_makes_stricter_is_for_everybody(words, tmp_path, home, root, asked):
    asked(view())
    status, _, err = Asker(tmp_path, home, "claude").ask("plain", *command(root, *words))
    assert (status, err) == (0, "")


def test_what_the_daemon_refuses_is_a_refusal(run, asked, asking):
    asked(view())
    asking.refuses = "Claude Code has started it"
    done = run("approve", NUMBER)
    assert (done.status, done.err.startswith("mcpgov: `approve` is refused: Claude Code has started it\n")) == (2, True)
