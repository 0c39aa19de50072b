import pytest

from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.permissions import ResourcePermissions
from mcpgov.daemon.serve.serve_requests import ResourceAnswer, ResourceRequest
from mcpgov.errors import CallerError, McpgovError
from tests.daemon.approvals.runtime.test_driver import T0, Bench

FS = ServeCaller("fs", "fs", "cursor", "/p", "4f1d")
SECRET = "https://a.example/?token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"
NOBODY = ServeCaller("app claude-code", client="claude-code")


class Asked(Bench):
    def __init__(self, base, caller=FS):
        super().__init__(base)
        self.locked, self.caller = False, caller
        self.permissions = ResourcePermissions(self.life, self.driver, lambda: T0, lambda: self.locked, self.identify)
        self.driver._deliver = self.permissions.deliver
        self.got = []

    def identify(self, _pid, _token):
        if self.caller is None:
            raise CallerError("the token is not valid")
        return self.caller

    def request(self, resource="/srv/a", operation="write", why="I need it", seconds=30.0, token=""):
        found = self.permissions.ask(ResourceRequest(resource, operation, why, seconds, token), Caller(7))
        if isinstance(found, ResourceAnswer):
            return found
        asked = self

        class Channel:
            pid = link = 0
            full = False

            def reply(self, fields):
                asked.got.append(fields)

            def hold(self, _within, left, _drained):
                self.left = left

        channel = Channel()
        found.bind(channel)
        return channel


@pytest.fixture
def bench(tmp_path):
    return Asked(tmp_path)


def test_a_yes_is_told_with_its_term_and_kept_for_the_servers_calls(bench):
    bench.request()
    (number,) = bench.shown
    assert number == "4f1d-p1"
    bench.answer(Choice(True, "session"), number)
    (answer,) = bench.got
    assert (answer["granted"], answer["term"], answer["honoured"]) == (True, "session", True)
    (grant,) = bench.store.load()
    assert (grant.server, grant.scope, grant.method, grant.target) == ("fs", "resource", "permission/write", "/srv/a")
    assert (grant.session, grant.layer) == ("4f1d", "user")


def test_a_no_and_nobody_who_answers_are_told_as_such(bench):
    bench.request()
    bench.answer(NO, "4f1d-p1")
    assert (bench.got[0]["granted"], "refused by the user" in bench.got[0]["why"]) == (False, True)
    bench.driver.surfaces._rows.clear()
    bench.request("/srv/b")
    assert "nobody can be asked now" in bench.got[1]["why"]
    assert bench.store.load() == []


def test_what_is_no_governed_server_hears_the_answer_and_nothing_is_kept(tmp_path):
    bench = Asked(tmp_path, NOBODY)
    bench.request()
    question = bench.life.find(bench.shown[0]).question
    assert (question.server, question.service, question.client) == ("app claude-code", "", "claude-code")
    bench.answer(YES_ONCE, bench.shown[0])
    assert (bench.got[0]["granted"], bench.got[0]["honoured"]) == (True, False)
    assert bench.store.load() == []


def test_with_nobody_to_ask_a_later_yes_is_the_answer_to_the_same_request(tmp_path):
    bench = Asked(tmp_path, NOBODY)
    bench.driver.surfaces._rows.clear()
    bench.request()
    assert (bench.got[0]["granted"], "then try again" in bench.got[0]["why"]) == (False, True)
    number = bench.life.ended_questions[0].question.number
    bench.answer(YES_ONCE, number)
    bench.request("/srv/b")
    bench.request(why="once more")
    bench.request()
    assert [answer["granted"] for answer in bench.got] == [False, False, True, False]
    assert bench.store.load() == []


def test_a_command_that_names_an_address_is_a_command(bench):
    bench.request("curl https://x.example/", "execute")
    question = bench.life.find(bench.shown[0]).question
    assert (question.target, question.hosts) == ("curl https://x.example/", ())


def test_a_path_is_asked_for_as_it_really_is(bench, tmp_path):
    real = tmp_path / "real"
    real.write_text("x")
    (tmp_path / "link").symlink_to(real)
    bench.request(str(tmp_path / "link"))
    question = bench.life.find(bench.shown[0]).question
    assert question.target == str(real)
    assert question.paths[0].leads == (str(real),)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"resource": "/srv/*"}, "wildcards"),
        ({"resource": "/srv/../etc"}, "`..`"),
        ({"resource": "$HOME"}, "variables"),
        ({"resource": "/proc/self/fd/3"}, "leads each process elsewhere"),
        ({"resource": SECRET, "operation": "connect"}, "looks like a secret"),
        ({"seconds": 0.5}, "from 1 to 300 seconds"),
        ({"seconds": 301.0}, "from 1 to 300 seconds"),
    ],
)  # fmt: skip
def test_what_may_not_be_asked_is_refused_before_anybody_is_disturbed(bench, change, why):
    with pytest.raises(McpgovError, match=why):
        bench.request(**change)
    assert bench.shown == []


def test_a_url_and_a_command_are_shown_as_what_they_are(bench):
    bench.request("https://a.example/x", "connect")
    assert bench.life.find("4f1d-p1").question.hosts[0].leads == ("a.example",)
    bench.request("make test", "execute")
    assert bench.life.find("4f1d-p2").question.paths == ()


def test_whoever_leaves_takes_its_question_back(bench):
    channel = bench.request()
    channel.left()
    assert (bench.life.open_questions, bench.got) == ([], [])
    assert [effect.why for effect in bench.gone] == ["whoever asked has gone"]
    channel.left()


def test_while_all_is_locked_nobody_is_asked(bench):
    bench.locked = True
    assert bench.request().why.startswith("Permission denied: mcpgov is locked")


def test_an_answer_for_somebody_else_is_left_to_them(bench):
    from mcpgov.daemon.approvals.effects import Answer

    assert not bench.permissions.deliver(Answer("4f1d", "4f1d-1", "allow"))


def test_a_token_that_is_revoked_while_a_person_is_asked_gets_nothing(bench):
    bench.request("/srv/a", token="t")
    bench.request("/srv/b", token="t")
    first, second = bench.shown
    bench.answer(Choice(True, "session"), first)
    bench.caller = None
    bench.answer(Choice(True, "session"), second)
    assert [answer["granted"] for answer in bench.got] == [True, False]
    assert bench.got[1]["why"] == "the token was revoked while the user was asked"
    assert [grant.target for grant in bench.store.load()] == ["/srv/a"]


def test_programs_that_nobody_knows_have_one_count_together(tmp_path):
    """However many processes there are, and whatever they are called."""
    bench = Asked(tmp_path)
    for at in range(10):
        bench.caller = ServeCaller(f"process x{at} ({at})", is_process=True)
        bench.request(f"/srv/{at}")
        bench.answer(NO, bench.shown[-1])
    bench.caller = ServeCaller("process y (99)", is_process=True)
    assert bench.request("/srv/y").why == (
        "programs that are no governed server have asked for too much: try again in 60 s"
    )
    bench.caller = FS
    bench.request("/srv/z")
    assert len(bench.shown) == 11
