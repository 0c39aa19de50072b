import os

from mcpgov import journal_heads
from mcpgov.journal_heads import Day, Head

ONE, TWO = "1" * 32, "2" * 32


def test_a_day_is_read_back_as_it_was_saved(tmp_path):
    day = Day()
    assert day.see("a", Head(3, ONE))
    day.ends["2026-11-16.jsonl"] = (700, 5)
    journal_heads.save(str(tmp_path / "heads"), "2026-11-16", day)
    found = journal_heads.load(str(tmp_path / "heads"), "2026-11-16")
    assert (found.heads, found.ends) == ({"a": Head(3, ONE)}, {"2026-11-16.jsonl": (700, 5)})
    assert journal_heads.days(str(tmp_path / "heads")) == ["2026-11-16"]
    assert (tmp_path / "heads" / "2026-11-16.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_head_never_goes_back():
    day = Day()
    assert [day.see("a", Head(3, ONE)), day.see("a", Head(3, TWO)), day.see("a", Head(2, TWO))] == [True, False, False]
    assert day.heads == {"a": Head(3, ONE)}


def test_what_is_no_line_of_ours_is_passed_over(tmp_path):
    text = [
        "[]",
        "{",
        "[" * 100_000,
        '{"session": 5, "seq": 1, "chain": "x"}',
        '{"session": "a", "seq": true, "chain": ""}',
    ]
    text += [
        f'{{"session": "b", "seq": 2, "chain": "{ONE}"}}',
        '{"ends": {"f": -1, "g": [-1, 5], "h": [5, 7], "i": [true, 1]}}',
        "\0\xff",
    ]
    (tmp_path / "2026-11-16.jsonl").write_text("\n".join(text))
    found = journal_heads.load(str(tmp_path), "2026-11-16")
    assert (found.heads, found.ends) == ({"b": Head(2, ONE)}, {"h": (5, 7)})


def test_what_is_no_file_counts_as_none(tmp_path):
    os.mkfifo(tmp_path / "2026-11-16.jsonl")
    (tmp_path / "2026-11-17.jsonl").mkdir()
    (tmp_path / "2026-11-18.jsonl").symlink_to("/dev/zero")
    assert [journal_heads.load(str(tmp_path), day) for day in journal_heads.days(str(tmp_path))] == [None, None, None]
    assert journal_heads.days(str(tmp_path / "absent")) == []


def test_days_that_are_over_are_forgotten(tmp_path):
    for day in ("2026-11-14", "2026-11-15", "2026-11-16"):
        journal_heads.save(str(tmp_path), day, Day())
    (tmp_path / "2026-11-13.jsonl").mkdir()
    journal_heads.forget(str(tmp_path), "2026-11-16")
    assert journal_heads.days(str(tmp_path)) == ["2026-11-13", "2026-11-16"]
