import json

from mcpgov.daemon.log import Log
from mcpgov.daemon.log_reader import LogReader, entries


def everything(_entry):
    return True


def events(found):
    return [entry["event"] for entry in found]


def test_the_last_entries_come_across_rotations_oldest_first(tmp_path):
    log = Log(tmp_path / "d.jsonl", largest=200)
    for number in range(6):
        log.info(str(number))
    book = LogReader(log.path)
    assert events(book.last(4, everything)) == ["2", "3", "4", "5"]
    book.close()
    book.close()


def test_what_is_added_is_told_once_also_across_a_rotation(tmp_path):
    log = Log(tmp_path / "d.jsonl", largest=200)
    log.info("a")
    book = LogReader(log.path)
    assert events(book.last(10, everything)) == ["a"]
    assert book.poll() == []
    for name in "bcd":
        log.info(name)
    assert events(book.poll()) == ["b", "c", "d"]
    book.close()


def test_a_rotation_between_opening_and_reading_tells_nothing_twice(tmp_path):
    log = Log(tmp_path / "d.jsonl", largest=130)
    log.info("a")
    book = LogReader(log.path)
    log.info("b")
    log.info("c")
    assert events(book.last(10, everything)) == ["a", "b", "c"]
    book.close()


def test_a_log_that_comes_later_is_found(tmp_path):
    path = tmp_path / "d.jsonl"
    book = LogReader(path)
    assert book.last(10, everything) == []
    Log(path).info("first")
    assert events(book.poll()) == ["first"]
    path.unlink()
    assert book.poll() == []
    book.close()


def test_half_a_line_waits_for_its_end_and_what_is_no_entry_is_left_out(tmp_path):
    path = tmp_path / "d.jsonl"
    whole = json.dumps({"level": "info", "event": "x"}).encode()
    path.write_bytes(b'garbage\n[1]\n{"level": "odd"}\n' + b"[" * 50_000 + b"\n" + whole[:5])
    book = LogReader(path)
    assert book.last(10, everything) == []
    with path.open("ab") as file:
        file.write(whole[5:] + b"\n")
    assert events(book.poll()) == ["x"]
    book.close()


def test_an_entry_has_a_level():
    assert list(entries(b'{"level": "error"}')) == [{"level": "error"}]
    assert list(entries(b'{"event": "x"}')) == []
