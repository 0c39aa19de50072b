import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov import proxy_argv
from mcpgov.proxy import launch

WORDS = st.sampled_from(["--server", "--server=a", "--client", "--policy=x=y", "--", "npx", "--odd", "", "--journal"])


class Refused(Exception):
    pass


def refuse(why):
    raise Refused(why)


def test_options_end_at_the_first_double_dash_that_is_no_value():
    words = ["--server", "--", "--client=c", "--", "npx", "--", "x"]
    options, ours, unknown = proxy_argv.read(words)
    assert (options, ours, unknown) == ({"server": "--", "client": "c"}, tuple(words[:4]), None)


def test_a_word_that_is_no_option_is_told():
    assert proxy_argv.read(["--server=a", "--odd=1", "--", "x"]) == ({"server": "a"}, ("--server=a",), "--odd=1")


@given(st.lists(WORDS, max_size=8))
def test_a_command_line_is_read_as_the_proxy_reads_it(words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "fail", refuse)
        try:
            theirs = launch.parse(words)
        except Refused:
            theirs = None
    options, ours, unknown = proxy_argv.read(words)
    argv = words[len(ours) :]
    usable = unknown is None and argv and "server" in options
    assert theirs == ((options, argv) if usable else None)
    assert (*proxy_argv.WRITTEN, *proxy_argv.OWN) == launch.OPTIONS
