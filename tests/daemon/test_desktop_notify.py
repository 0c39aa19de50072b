import sys

import pytest

from mcpgov.daemon.desktop_notify import AGAIN, MOST, PATIENCE, SPAN, DesktopNotifier, clean, command
from tests.helpers.daemons import Clock
from tests.helpers.talks import wait_for


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def told(tmp_path):
    """A stand-in for the desktop's program: writes what it is told into a file."""
    out = tmp_path / "told"
    code = "import sys; open(sys.argv[1], 'a').write('|'.join(sys.argv[2:]) + '\\n')"

    def build(title, body):
        return [sys.executable, "-I", "-S", "-c", code, str(out), title, body]

    build.file = out
    return build


def finish(notices):
    wait_for(lambda: notices.work() or notices.due() is None, "the end of the notice")


def test_a_word_is_shown_and_its_process_is_reaped(clock, told):
    notices = DesktopNotifier(clock, told)
    assert notices.tell("title", "body") is True
    assert notices.due() == 1.0
    finish(notices)
    assert told.file.read_text() == "title|body\n"


def test_the_same_word_comes_once_in_a_while_unless_it_is_over(clock, told):
    notices = DesktopNotifier(clock, told)
    assert [notices.tell("t", "one", "k"), notices.tell("t", "two", "k"), notices.tell("t", "two")] == [
        True,
        False,
        True,
    ]
    clock.now += AGAIN
    assert notices.tell("t", "three", "k") is True
    assert notices.tell("t", "four", "k") is False
    notices.forget("k")
    notices.forget("unknown")
    assert notices.tell("t", "five", "k") is True
    finish(notices)


def test_only_so_many_come_in_a_minute(clock, told):
    notices = DesktopNotifier(clock, told)
    assert [notices.tell("t", str(n)) for n in range(MOST + 1)] == [True] * MOST + [False]
    clock.now += SPAN
    assert notices.tell("t", "later") is True
    finish(notices)


def test_many_words_are_not_remembered_for_ever(clock):
    notices = DesktopNotifier(clock, lambda _title, _body: None)
    for number in range(600):
        clock.now += SPAN
        assert notices.tell("t", str(number)) is False
    assert len(notices._told) < 300


def test_nothing_is_shown_when_switched_off_or_where_nobody_can(clock, told):
    notices = DesktopNotifier(clock, told)
    notices.enabled = False
    assert notices.tell("t", "b") is False
    assert DesktopNotifier(clock, lambda _title, _body: None).tell("t", "b") is False
    assert DesktopNotifier(clock, lambda _title, _body: ["/no/such/program"]).tell("t", "b") is False


def test_a_program_that_hangs_is_ended(clock):
    notices = DesktopNotifier(clock, lambda _title, _body: ["/bin/sleep", "600"])
    notices.tell("t", "b")
    clock.now += PATIENCE
    notices.work()
    assert notices.due() is None


def test_the_desktop_gets_no_markup_no_option_and_no_script():
    linux = command('-t"', "<b>x</b> & \x1b[2J\ny", lambda name: f"/bin/{name}" if name == "notify-send" else None)
    assert linux == ["/bin/notify-send", "--app-name=mcpgov", "--", 't"', "&lt;b&gt;x&lt;/b&gt; &amp;  [2J y"]
    mac = command("t", '" & do shell script "x', lambda name: f"/bin/{name}" if name == "osascript" else None)
    assert mac[-2:] == ["t", '" & do shell script "x']
    assert mac[:2] == ["/bin/osascript", "-e"]
    assert command("t", "b", lambda _name: None) is None


def test_long_and_empty_texts_are_made_fit():
    assert clean("x" * 1000) == "x" * 239 + "…"
    assert clean("\n--") == "mcpgov"
