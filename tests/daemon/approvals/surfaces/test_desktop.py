import pytest

from mcpgov.daemon.approvals.choices import NO, YES_ONCE
from mcpgov.daemon.approvals.surfaces import desktop
from mcpgov.daemon.approvals.surfaces.desktop import (
    Desktop,
    capabilities_command,
    choice_of,
    close_command,
    is_locked,
    lock_command,
    popup_command,
)
from tests.helpers.questions import question

LINUX = {"notify-send": "/bin/notify-send", "gdbus": "/bin/gdbus", "loginctl": "/bin/loginctl"}
MAC = {"osascript": "/bin/osascript", "ioreg": "/sbin/ioreg"}


class Started:
    def __init__(self, words, done):
        self.words, self.done = list(words), done
        self.output, self.closed = b"", False

    def printed(self):
        return self.output

    def close(self):
        self.closed = True

    def ends(self, output, code=0):
        self.done(output, code)


class Desk:
    """A desktop whose tools are played by hand."""

    def __init__(self, tools=LINUX, platform="linux", broken=()):
        self.started, self.answers, self.failures, self.now = [], [], [], 100.0
        self.tools, self.broken = tools, broken
        self.desktop = Desktop(
            self.run, lambda *told: self.answers.append(told), lambda *told: self.failures.append(told),
            lambda: self.now, self.tools.get, platform,
        )  # fmt: skip

    def run(self, words, done):
        if words[0].rpartition("/")[2] in self.broken:
            raise FileNotFoundError(words[0])
        self.started.append(Started(words, done))
        return self.started[-1]

    @property
    def last(self):
        return self.started[-1]

    def shows(self, lock=b"LockedHint=no\n", **change):
        self.desktop.offer(question(**change), 25.0)
        self.last.ends(lock)
        return self.last


def test_a_desktop_reaches_somebody_once_its_server_offers_actions():
    desk = Desk()
    assert not desk.desktop.reaches()
    assert desk.last.words == ["/bin/notify-send", "--help"]
    desk.last.ends(b"  -A, --action=[NAME=]Text...")
    assert desk.last.words[-1] == "org.freedesktop.Notifications.GetCapabilities"
    desk.last.ends(b"(['body', 'actions'],)")
    assert desk.desktop.reaches()
    assert len(desk.started) == 2


@pytest.mark.parametrize(
    ("help_text", "bus", "code"),
    [(b"old", None, 0), (b"--action", b"(['body'],)", 0), (b"--action", b"no 'actions' here", 1)],
)
def test_a_desktop_without_actions_reaches_nobody_and_is_asked_again_later(help_text, bus, code):
    desk = Desk()
    desk.desktop.reaches()
    desk.last.ends(help_text)
    if bus is not None:
        desk.last.ends(bus, code)
    assert not desk.desktop.reaches()
    count = len(desk.started)
    desk.now += desktop.PROBE_AGAIN
    desk.desktop.reaches()
    assert len(desk.started) == count + 1


def test_a_machine_without_tools_reaches_nobody():
    for desk in (Desk({}), Desk({"notify-send": "/bin/notify-send"}), Desk(broken=("notify-send",))):
        assert not desk.desktop.reaches()
        assert not desk.desktop.reaches()
    assert Desk(MAC, "darwin").desktop.reaches()
    assert not Desk({}, "darwin").desktop.reaches()


def test_a_popup_offers_deny_and_once_and_nothing_that_lasts():
    desk = Desk()
    shown = desk.shows()
    actions = [word for word in shown.words if word.startswith("--action")]
    assert actions == ["--action=deny=Deny", "--action=once=Allow once"]
    assert shown.words[-3] == "--"
    assert shown.words[-2].startswith("github wants to run delete_repository (delete)")
    assert "path leads to /etc/x · url leads to host a.example" in shown.words[-1]
    shown.ends(b"77\nonce\n")
    assert desk.answers == [("4f1d-1", YES_ONCE, "desktop")]
    shown = desk.shows()
    shown.ends(b"78\ndeny\n")
    assert desk.answers[1:] == [("4f1d-1", NO, "desktop")]


def test_a_popup_that_is_closed_answers_nothing_and_one_that_cannot_be_shown_has_failed():
    desk = Desk()
    desk.shows().ends(b"77\n")
    assert (desk.answers, desk.failures) == ([], [])
    desk.shows().ends(b"", 1)
    assert desk.failures == [("4f1d-1", "desktop")]


def test_a_withdrawn_popup_is_taken_away_and_what_is_pressed_then_comes_second():
    desk = Desk()
    shown = desk.shows()
    shown.output = b"77\n"
    desk.desktop.withdraw("4f1d-1")
    assert shown.closed
    assert desk.last.words[-2:] == ["org.freedesktop.Notifications.CloseNotification", "77"]
    desk.last.ends(b"()")
    shown.ends(b"77\nonce\n")
    assert desk.answers == []
    desk.desktop.withdraw("4f1d-1")


def test_a_question_waits_for_a_locked_screen():
    desk = Desk()
    desk.desktop.offer(question(), 25.0)
    assert desk.last.words[1] == "show-session"
    assert desk.desktop.due() is None
    desk.last.ends(b"LockedHint=yes\nType=wayland\n")
    assert desk.desktop.due() == desktop.LOOK_AGAIN
    desk.desktop.work()
    assert len(desk.started) == 1
    desk.now += desktop.LOOK_AGAIN
    desk.desktop.work()
    desk.last.ends(b"LockedHint=no\n")
    assert desk.last.words[0] == "/bin/notify-send"


def test_a_question_withdrawn_behind_a_locked_screen_never_pops_up():
    desk = Desk()
    desk.desktop.offer(question(), 25.0)
    look = desk.last
    desk.desktop.withdraw("4f1d-1")
    look.ends(b"LockedHint=no\n")
    assert len(desk.started) == 1


def test_without_anybody_to_tell_of_locks_the_popup_comes_and_without_tools_it_fails():
    desk = Desk({"notify-send": "/bin/notify-send"})
    desk.desktop.offer(question(), 25.0)
    assert desk.last.words[0] == "/bin/notify-send"
    desk.desktop.withdraw("4f1d-1")
    assert len(desk.started) == 1
    for bare in (Desk({}), Desk({}, "darwin"), Desk(broken=("notify-send", "loginctl"))):
        bare.desktop.offer(question(), 25.0)
        assert bare.failures == [("4f1d-1", "desktop")]


def test_a_dialog_on_macos_has_its_words_as_arguments_and_deny_first():
    desk = Desk(MAC, "darwin")
    shown = desk.shows(b'"IOConsoleLocked" = No', shown={"x": '" & do shell script "id'})
    assert shown.words[-5].startswith("github wants")
    assert shown.words[-3:] == ["Deny", "Allow once", "25"]
    assert not any("do shell script" in word for word in shown.words[:-5])
    shown.ends(b"button returned:Allow once, gave up:false\n")
    assert desk.answers == [("4f1d-1", YES_ONCE, "desktop")]
    shown = desk.shows(b"")
    desk.desktop.withdraw("4f1d-1")
    assert shown.closed


@pytest.mark.parametrize(
    ("output", "mac", "choice"),
    [
        (b"button returned:Deny, gave up:false\n", True, NO),
        (b"button returned:, gave up:true\n", True, None),
        (b"anything", True, None),
        (b"5\nonce", False, YES_ONCE),
        (b"once", False, None),
        (b"5\nalways\n", False, None),
    ],
)
def test_only_our_words_are_answers(output, mac, choice):
    assert choice_of(output, mac) == choice


def test_locks_are_told_by_both_systems():
    assert is_locked(b'| "CGSSessionScreenIsLocked"=Yes', True)
    assert is_locked(b'"IOConsoleLocked" = Yes', True)
    assert not is_locked(b"LockedHint=no", False)
    assert lock_command({}.get, True) is None
    assert lock_command({}.get, False) is None


def test_commands_are_built_of_what_there_is():
    assert capabilities_command({"dbus-send": "/bin/dbus-send"}.get)[0] == "/bin/dbus-send"
    assert capabilities_command({}.get) is None
    assert close_command(LINUX.get, "x; rm") is None
    assert close_command({}.get, "5") is None


def test_nothing_in_a_text_is_markup_or_an_option():
    made = question(server="--help", message="", paths=[{"at": "<b>&", "text": "", "leads": ["/\x1b[2J"]}], hosts=[])
    words = popup_command(made, 25.0, LINUX.get, False)
    assert words[-2].startswith("help wants")
    assert "&lt;b&gt;&amp; leads to /\\x1b[2J" in words[-1]
