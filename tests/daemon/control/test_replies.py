from dataclasses import dataclass

from mcpgov.daemon.control.replies import Later, Stream


@dataclass(frozen=True, slots=True)
class Answer:
    n: int


class Sent:
    """A channel that keeps what goes through it."""

    pid = 7
    link = 0

    def __init__(self):
        self.said = []
        self.full = False
        self.held = None

    def reply(self, fields):
        self.said.append(("reply", fields))

    def decline(self, *words):
        self.said.append(("decline", *words))

    def item(self, fields):
        self.said.append(("item", fields))

    def end(self):
        self.said.append(("end",))

    def hold(self, seconds, left, drained):
        self.held, self.left, self.drained = seconds, left, drained


def test_an_answer_given_after_the_handler_returned_is_sent_once():
    channel, later = Sent(), Later(30.0)
    later.bind(channel)
    assert (channel.held, channel.said, later.open) == (30.0, [], True)
    later.answer(Answer(1))
    later.answer(Answer(2))
    later.decline("no")
    channel.left()
    assert (channel.said, later.open) == ([("reply", {"n": 1})], False)


def test_an_answer_given_before_the_handler_returned_is_sent_then():
    channel, later = Sent(), Later(30.0)
    later.decline("no", "hint", "code")
    later.bind(channel)
    assert (channel.held, channel.said) == (None, [("decline", "no", "hint", "code")])


def test_whoever_works_on_an_answer_is_told_once_that_its_asker_has_gone():
    told = []
    channel, later = Sent(), Later(30.0, lambda: told.append(1))
    later.bind(channel)
    channel.left()
    channel.left()
    later.answer(Answer(1))
    assert (told, channel.said, later.open) == ([1], [], False)


def test_a_stream_sends_what_came_before_it_was_bound_first():
    channel, stream = Sent(), Stream()
    stream.send(Answer(1))
    assert stream.full is False
    stream.bind(channel)
    stream.send(Answer(2))
    stream.end()
    stream.end()
    stream.send(Answer(3))
    assert channel.said == [("item", {"n": 1}), ("item", {"n": 2}), ("end",)]
    assert channel.held is None


def test_a_stream_that_ended_before_it_was_bound_ends_then():
    channel, stream = Sent(), Stream()
    stream.end()
    stream.bind(channel)
    assert channel.said == [("end",)]


def test_a_stream_tells_when_its_reader_does_not_keep_up_and_when_it_leaves():
    told = []
    channel, stream = Sent(), Stream(lambda: told.append("left"), lambda: told.append("drained"))
    stream.bind(channel)
    channel.full = True
    assert stream.full
    channel.drained()
    channel.left()
    channel.left()
    stream.send(Answer(1))
    assert (told, channel.said) == (["drained", "left"], [])


def test_nobody_needs_to_be_told_that_an_asker_has_gone():
    channel, later = Sent(), Later(30.0)
    later.bind(channel)
    channel.left()
    assert (channel.said, later.open) == ([], False)
