"""How it behaves on a real terminal is in tests/front/commands/test_approvals.py and test_status.py."""

import os
import signal

from mcpgov.front.output.terminal import TerminalScreen, keyboard, resizes


def test_a_screen_is_drawn_in_one_write_and_left_as_it_was(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40"), monkeypatch.setenv("LINES", "3")
    with TerminalScreen(color=False) as screen:
        assert screen.size == (39, 3)
        capsys.readouterr()
        screen.draw([[("a", "strong")], [("b", "")], [], [("too much", "")]])
        assert capsys.readouterr().out == "\x1b[Ha\x1b[K\nb\x1b[K\n\x1b[K\x1b[J"
    assert capsys.readouterr().out == "\x1b[?25h\x1b[?1049l"
    with TerminalScreen(color=True) as screen:
        screen.draw([[("a", "strong")]])
    assert "\x1b[1ma\x1b[0m" in capsys.readouterr().out


def test_a_new_size_is_told_and_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGWINCH)
    with resizes() as ready:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGWINCH)
        assert set(os.read(ready, 100)) == {ord("r")}
    assert signal.getsignal(signal.SIGWINCH) == before


def test_without_a_terminal_there_are_no_keys(monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    try:
        with open(os.devnull) as nothing, monkeypatch.context() as patched:
            patched.setattr("sys.stdin", nothing)
            with keyboard() as keys:
                assert keys is None
    finally:
        signal.signal(signal.SIGTERM, before)
