import gzip

import pytest

from mcpgov.web.static_files import PLACE, StaticFile, load_files

TEXT = b"body { color: red }\n" * 40


def test_a_file_is_sent_whole_or_squeezed_or_not_at_all():
    file = StaticFile("style/a.css", TEXT)
    status, headers, body = file.answer(None, None)
    assert (status, body, dict(headers)["Content-Type"]) == (200, TEXT, "text/css; charset=utf-8")
    status, headers, body = file.answer(b'"other"', b"br, gzip")
    assert (status, gzip.decompress(body), dict(headers)["Content-Encoding"]) == (200, TEXT, "gzip")
    tag = dict(headers)["ETag"].encode()
    assert file.answer(b'"x", W/' + tag, b"gzip")[::2] == (304, b"")


def test_what_does_not_become_smaller_is_sent_as_it_is():
    assert StaticFile("a.png", TEXT).gzipped is None
    assert StaticFile("a.txt", b"x").answer(None, b"gzip")[2] == b"x"


def test_only_known_kinds_are_served_by_exactly_their_names(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a.html", "in/b.js", "c.py", ".d", "e.html~"):
        (tmp_path / name).write_text("x")
    assert sorted(load_files(tmp_path)) == ["a.html", "in/b.js"]


@pytest.mark.parametrize("name", ["index.html", "enter.html", "entered.html", "refused.html"])
def test_the_package_has_the_pages_that_the_service_names(name):
    assert name in load_files()


def test_all_that_a_browser_may_load_stays_small():
    sizes = {name: len(file.gzipped or file.raw) for name, file in load_files(PLACE).items()}
    assert sum(sizes.values()) < 150 * 1024
