import pytest

from mcpgov.daemon.approvals.runtime.question_watchers import QuestionWatchers
from mcpgov.daemon.control.approval_requests import QuestionsAnswer, WatchQuestionsRequest
from mcpgov.daemon.control.replies import Caller


class Peer:
    """Where a stream goes; `full` as a test has it."""

    pid = 7

    def __init__(self):
        self.full, self.items, self.ended = False, 0, False

    def item(self, _fields):
        self.items += 1

    def end(self):
        self.ended = True

    def hold(self, _seconds, left, drained):
        self.left, self.drained = left, drained


class Bench:
    def __init__(self):
        self.alone = []
        self.watchers = QuestionWatchers(lambda: QuestionsAnswer((), ()), self.nobody)

    def nobody(self, surface):
        self.alone.append(surface)

    def watch(self, interactive=True, surface="terminal"):
        peer = Peer()
        self.watchers.watch(WatchQuestionsRequest(interactive, surface), Caller(7)).bind(peer)
        return peer

    def change(self):
        self.watchers.changed()
        assert self.watchers.due() == (0.0 if self.watchers._all else None)
        self.watchers.work()
        assert self.watchers.due() is None


def test_everybody_gets_a_snapshot_now_and_after_every_change():
    bench = Bench()
    bench.change()
    peers = [bench.watch(), bench.watch()]
    assert [peer.items for peer in peers] == [1, 1]
    bench.change()
    bench.watchers.work()
    assert [peer.items for peer in peers] == [2, 2]


def test_who_does_not_keep_up_gets_the_latest_once_there_is_room():
    bench = Bench()
    slow, quick = bench.watch(), bench.watch()
    slow.full = True
    bench.change()
    bench.change()
    assert (slow.items, quick.items) == (1, 3)
    slow.full = False
    slow.drained()
    assert bench.watchers.due() == 0.0
    bench.watchers.work()
    assert slow.items == 2


@pytest.mark.parametrize("surface", ["terminal", "page"])
def test_a_surface_reaches_somebody_while_one_can_answer_there(surface):
    bench = Bench()
    looks_on, answers = bench.watch(False, surface), bench.watch(True, surface)
    assert bench.watchers.reaches(surface)
    assert not bench.watchers.reaches({"terminal": "page", "page": "terminal"}[surface])
    looks_on.left()
    assert bench.alone == []
    answers.left()
    assert (bench.alone, bench.watchers.reaches(surface)) == ([surface], False)


def test_at_the_end_every_stream_ends():
    bench = Bench()
    peer = bench.watch()
    bench.watchers.close()
    assert peer.ended
    assert bench.alone == []
