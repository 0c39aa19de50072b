"""`mcpgov scan`: findings with their places, never their values."""

import json

from tests.helpers.private_samples import samples

MADE = samples()


def test_a_file_is_a_list_of_findings_in_code_points(run, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text(f"é {MADE['mail']}\n{MADE['card']}\n", "utf-8")
    done = run("scan", "--json", str(file))
    at = 3 + len(MADE["mail"])
    assert (done.status, json.loads(done.out)) == (0, [
        {"kind": "email", "start": 2, "end": at - 1},
        {"kind": "credit_card", "start": at, "end": at + 16},
    ])  # fmt: skip
    assert run("scan", "--json", stdin=file.read_bytes()).out == done.out


def test_several_files_are_an_object_and_one_that_cannot_be_read_is_told(run, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("nothing here")
    two.write_bytes(b"\xff\xfe " + MADE["github"].encode())
    done = run("scan", "--json", str(one), str(two), str(tmp_path / "none"))
    assert done.status == 1
    assert "No such file" in done.err
    assert {name: [row["kind"] for row in rows] for name, rows in json.loads(done.out).items()} == {
        str(one): [], str(two): ["api_key"],
    }  # fmt: skip


def test_people_see_places_and_what_is_around_but_no_value(run, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text(f"first\nkey = {MADE['github']} {MADE['mail']} end\n")
    done = run("scan", str(file))
    assert f"{file}:2:7" in done.out
    assert "key = [api_key: 40 characters]" in done.out
    assert "2 findings" in done.out
    assert MADE["github"] not in done.out
    assert MADE["mail"] not in done.out


def test_kinds_can_be_chosen_and_nothing_is_said_to_be_nothing(run):
    data = f"{MADE['mail']} {MADE['card']}".encode()
    assert [row["kind"] for row in json.loads(run("scan", "--kind", "email", "--json", stdin=data).out)] == ["email"]
    assert run("scan", stdin=b"plain").out == "nothing found\n"
    assert run("scan", "--kind", "nonsense").status == 64


def test_a_large_text_is_scanned_in_windows(run):
    data = (b"a line of a log without anything\n" * 80_000) + MADE["mail"].encode() + b"\n"
    done = run("scan", "--json", stdin=data)
    start = len(data) - 1 - len(MADE["mail"])
    assert json.loads(done.out) == [{"kind": "email", "start": start, "end": len(data) - 1}]
