import os

from mcpgov.daemon.page.code_file import remove_old, write_code_file


def test_the_file_is_its_owners_and_posts_the_code(tmp_path):
    path = write_code_file(tmp_path / "page", "http://127.0.0.1:1/ab/enter", 'c"<>')
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    text = path.read_text()
    assert 'action="http://127.0.0.1:1/ab/enter"' in text
    assert 'value="c&quot;&lt;&gt;"' in text
    assert write_code_file(tmp_path / "page", "u", "c") != path


def test_files_that_nobody_took_away_go_and_nothing_else(tmp_path):
    old, new = write_code_file(tmp_path, "u", "c"), write_code_file(tmp_path, "u", "c")
    kept = tmp_path / "sessions.json"
    kept.write_text("{}")
    for path in (old, kept):
        os.utime(path, (1, 1))
    folder = tmp_path / "open-x.html"
    folder.mkdir()
    os.utime(folder, (1, 1))
    remove_old(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted((new, kept, folder))
    remove_old(tmp_path / "none")
