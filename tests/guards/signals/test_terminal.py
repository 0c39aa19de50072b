"""Escape sequences: colours are none, what hides or acts is one."""

import pytest

from mcpgov.guards.signals.terminal import TerminalPack

PACK = TerminalPack()


def best(text, **how):
    found = PACK.find(text, **how)
    return (found[0].name, found[0].score) if found else None


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "\x1b[32mPASS\x1b[0m",
        "\x1b[38;5;8mgrey\x1b[0m",
        "\x1b[48;2;8;8;8m x \x1b[m",
        "a\x1b[K",
        "\x1b[0J",
        "\x1b(B",
        "\x1b[30;46mINFO\x1b[0m",
        "\x1b[31;41m \x1b[0m",
        "\x1b[8m\x1b[0m",
        "\x1b]8;;file:///a\x07a\x1b]8;;\x07",
    ],
)
def test_colours_and_the_end_of_a_line_are_no_finding(text):
    assert best(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\x1b[8mhidden\x1b[0m", "concealed text"),
        ("\x1b[1;08mhidden", "concealed text"),
        ("\x1b[30;40mx\x1b[0m", "text in the colour of its ground"),
        ("\x1b[97;107mx", "text in the colour of its ground"),
        ("\x1b[38;5;1;48;5;1mx", "text in the colour of its ground"),
        ("\x1b[1A", "cursor up"),
        ("\x1b[2J", "screen erased"),
        ("\x1b[H", "cursor home"),
        ("\x9b2J", "screen erased"),
        ("\x1b[6n", "terminal is asked"),
        ("\x1b[?1049h", "other screen"),
        ("\x1b]52;c;eA==\x07", "clipboard written"),
        ("\x9d52;c;eA==\x07", "clipboard written"),
        ("\x1bP+q\x1b\\", "string for the terminal"),
        ("\x90+q\x1b\\", "string for the terminal"),
        ("\x1b]8;;http://a.example\x1b\\https://b.example/x\x1b]8;;\x1b\\", "link that shows another address"),
        ("\x1b]8;;http://a.example\x07b.example", "link that shows another address"),
    ],
)
def test_what_hides_moves_or_acts_is_above_the_usual_threshold(text, name):
    found, score = best(f"ok {text}")
    assert found == name
    assert score >= 0.6


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\x1b]0;me@host\x07", "title"),
        ("\x1b]8;;http://a.example/x\x07a.example\x1b]8;;\x07", "link"),
        ("\x1b[2K", "line erased"),
        ("\x1b[?25l", "mode"),
        ("\x1b[5q", "control"),
    ],
)
def test_what_usual_programs_print_is_below_it(text, name):
    found, score = best(text)
    assert found == name
    assert score < 0.6


def test_a_description_needs_none_of_them():
    assert best("\x1b[32mgreen", is_description=True) == ("colour", 0.7)


def test_the_strongest_is_told_with_its_place():
    (found,) = PACK.find("a\x1b[2Kb\x1b]52;c;eA==\x07c\x1b[1A")
    assert (found.name, found.start, found.end) == ("clipboard written", 6, 18)
