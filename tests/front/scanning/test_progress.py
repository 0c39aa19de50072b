"""Progress is for a person who watches a long input."""

import io

from mcpgov.front.scanning.progress import LARGE, Progress


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_share_is_written_over_and_wiped_in_the_end():
    screen = Screen()
    progress = Progress("/logs/app.log", 2 * LARGE, screen)
    progress.more(LARGE)
    progress.more(1)
    assert screen.getvalue() == "\rscanning app.log: 50 %\x1b[K"
    progress.end()
    progress.end()
    assert screen.getvalue().endswith("50 %\x1b[K\r\x1b[K")


def test_without_a_size_megabytes_are_told_once_there_are_many():
    screen = Screen()
    progress = Progress("standard\x1b[31m input", 0, screen)
    progress.more(LARGE)
    assert screen.getvalue() == ""
    progress.more(1 << 20)
    assert screen.getvalue() == "\rscanning standard?[31m input: 17 MB\x1b[K"


def test_nothing_is_written_for_short_inputs_and_into_files():
    screen, file = Screen(), io.StringIO()
    for out, size in ((screen, LARGE), (file, 4 * LARGE)):
        progress = Progress("a", size, out)
        progress.more(size)
        progress.end()
        assert out.getvalue() == ""
