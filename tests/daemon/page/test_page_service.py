import pytest

from mcpgov.atomic_file import write_json
from mcpgov.daemon.control.question_requests import NotedAnswer
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.log import Log
from mcpgov.daemon.page.page_requests import OpenPageRequest, PageIdleRequest, PageServiceRequest
from mcpgov.daemon.page.page_service import FILE_HOLDS, PageService
from mcpgov.errors import CallerError, McpgovError
from mcpgov.places import Places

SERVICE, SOMEBODY = Caller(70), Caller(8)


class Peer:
    """Where answers go."""

    pid, link, full = 8, 0, False

    def __init__(self):
        self.items, self.answers, self.refused = [], [], []

    def item(self, fields):
        self.items.append(fields)

    def reply(self, fields):
        self.answers.append(fields)

    def decline(self, message, hint="", code=""):
        self.refused.append(message)

    def end(self):
        return None

    def hold(self, seconds, left, drained):
        self.left = left


class Bench:
    """The daemon's side, with services that are said to run."""

    def __init__(self, base):
        self.places = Places(base)
        self.users, self.running = 0, 70
        self.log = Log(base / "d.jsonl")
        self.page = PageService(self.places, self, self.log, wall=lambda: 1000.0)

    def use(self, name):
        assert name == "page"
        self.users += 1

        def release():
            self.users -= 1

        return release

    def pid_of(self, name):
        return self.running if name == "page" and self.users else None

    def open(self, typed=False):
        peer = Peer()
        self.page.open_page(OpenPageRequest(typed), SOMEBODY).bind(peer)
        return peer

    def serve(self):
        peer = Peer()
        self.page.serve(PageServiceRequest(4711, "ab12"), SERVICE).bind(peer)
        return peer


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_the_first_open_starts_the_service_and_is_answered_when_it_is_there(bench):
    first, second = bench.open(), bench.open(typed=True)
    assert (bench.users, first.answers) == (1, [])
    service = bench.serve()
    [answer] = first.answers
    assert (answer["url"], answer["one_time_code"], answer["seconds"]) == (
        "http://127.0.0.1:4711/ab12/",
        "",
        FILE_HOLDS,
    )
    by_file, typed = service.items
    assert by_file["file"] == answer["file"]
    with open(answer["file"], encoding="utf-8") as file:
        assert by_file["one_time_code"] in file.read()
    assert second.answers[0]["one_time_code"] == typed["one_time_code"]
    assert len(typed["one_time_code"]) == 14
    third = bench.open()
    assert third.answers[0]["file"] != answer["file"]
    assert bench.users == 1


def test_no_code_is_in_the_log(bench):
    bench.open()
    service = bench.serve()
    bench.open(typed=True)
    text = (bench.places.root / "d.jsonl").read_text()
    assert "page asked for" in text
    assert not any(item["one_time_code"] in text for item in service.items)


def test_whoever_gives_up_gets_no_code_later(bench):
    peer = bench.open()
    peer.left()
    assert bench.serve().items == []


def test_a_file_that_cannot_be_written_is_told(bench):
    bench.places.runtime.mkdir()
    bench.places.page.write_text("in the way")
    peer = bench.open()
    bench.serve()
    assert peer.refused[0].startswith("cannot write")


def test_only_the_process_that_was_started_is_the_service(bench):
    bench.open()
    for ask in (
        lambda: bench.page.serve(PageServiceRequest(4711, "ab"), SOMEBODY),
        lambda: bench.page.idle(PageIdleRequest(), SOMEBODY),
    ):
        with pytest.raises(CallerError, match="only the page's own service"):
            ask()
    assert bench.page.owns(70)
    assert not bench.page.owns(0)
    for port, base in ((0, "ab"), (70_000, "ab"), (80, "a/b"), (80, "")):
        with pytest.raises(McpgovError, match="no port"):
            bench.page.serve(PageServiceRequest(port, base), SERVICE)


def test_a_service_that_nobody_uses_is_given_up_and_started_again(bench):
    bench.open()
    service = bench.serve()
    assert bench.page.idle(PageIdleRequest(), SERVICE) == NotedAnswer()
    assert bench.users == 0
    service.left()
    again = bench.open()
    assert (bench.users, again.answers) == (1, [])
    bench.page.idle(PageIdleRequest(), SERVICE)
    assert bench.users == 1, "somebody waits for it"
    bench.serve()
    assert len(again.answers) == 1


def test_the_stream_of_an_earlier_run_says_nothing_of_the_next(bench):
    bench.open()
    old, new = bench.serve(), bench.serve()
    old.left()
    bench.open()
    assert (len(old.items), len(new.items)) == (1, 1)


@pytest.mark.parametrize(("until", "users"), [(1001.0, 1), (999.0, 0), ("x", 0)])
def test_a_page_that_was_open_finds_its_service_after_a_restart(bench, until, users):
    write_json(bench.places.page_sessions, {"until": until})
    bench.page.open()
    bench.page.open()
    assert bench.users == users
