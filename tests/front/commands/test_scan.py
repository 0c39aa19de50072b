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
        {"kind": "email", "start": 2, "end": at - 1, "line": 1, "column": 3},
        {"kind": "credit_card", "start": at, "end": at + 16, "line": 2, "column": 1},
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
    (found,) = json.loads(done.out)
    assert found == {"kind": "email", "start": start, "end": len(data) - 1, "line": 80_001, "column": 1}


def test_the_issuer_of_a_key_is_told(run, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text(f"{MADE['github']} and password={MADE['random']}")
    assert [row.get("issuer") for row in json.loads(run("scan", "--json", str(file)).out)] == ["GitHub", None]
    assert "GitHub" in run("scan", str(file)).out


def test_a_folder_is_scanned_with_all_in_it_and_binary_files_are_told(run, tmp_path):
    folder = tmp_path / "src"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.txt").write_text(MADE["mail"])
    (folder / "clean.txt").write_text("nothing")
    (folder / "x.bin").write_bytes(b"\0\1" + MADE["mail"].encode())
    done = run("scan", "--json", str(folder))
    assert done.status == 0
    assert {name: len(rows) for name, rows in json.loads(done.out).items()} == {str(folder / "deep" / "a.txt"): 1}
    assert f"{folder / 'x.bin'}: binary, not scanned" in done.err
    assert "binary" in run("scan", stdin=b"\0\0").err


def test_with_check_findings_are_status_2_and_what_cannot_be_read_is_status_1(run, tmp_path):
    assert run("scan", "--check", stdin=MADE["mail"].encode()).status == 2
    assert run("scan", "--check", stdin=b"plain").status == 0
    assert run("scan", stdin=MADE["mail"].encode()).status == 0
    assert run("scan", "--check", str(tmp_path / "none")).status == 1


def test_kinds_may_be_named_in_one_word(run):
    data = f"{MADE['mail']} {MADE['card']} {MADE['ssn']}".encode()
    found = json.loads(run("scan", "--kinds", "email,ssn", "--json", stdin=data).out)
    assert [row["kind"] for row in found] == ["email", "ssn"]
    assert "`nonsense` is no kind" in run("scan", "--kinds", "email,nonsense").err


def test_more_findings_than_anybody_reads_are_counted_and_said(run, monkeypatch):
    monkeypatch.setattr("mcpgov.front.commands.scan.MOST", 2)
    done = run("scan", "--json", stdin="\n".join([MADE["mail"]] * 4).encode())
    assert len(json.loads(done.out)) == 2
    assert "more than 2 findings" in done.err


def test_on_a_terminal_progress_is_shown_for_a_large_file_and_wiped(terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a long path would be broken into two lines, anywhere
    lines = b"a line of a log without anything\n" * 600_000
    (tmp_path / "large.log").write_bytes(lines + MADE["mail"].encode() + b"\n")
    done = terminal("scan", "large.log")
    assert "scanning large.log: 50 %" in done.out
    assert "large.log:600001:1" in done.out
    assert MADE["mail"] not in done.out


def test_names_without_the_extra_are_an_error_with_what_to_type(run):
    done = run("scan", "--presidio", "no_such_model", stdin=b"Ada")
    assert done.status == 1
    assert "extra `presidio`" in done.err or "no_such_model" in done.err
    assert "pip install" in done.err or "spacy download" in done.err


def test_a_dash_is_standard_input_alone_and_beside_files(run, tmp_path):
    data = MADE["mail"].encode()
    assert run("scan", "--json", "-", stdin=data).out == run("scan", "--json", stdin=data).out
    file = tmp_path / "a.txt"
    file.write_text("nothing")
    done = run("scan", "--json", "-", str(file), stdin=data)
    assert {name: len(rows) for name, rows in json.loads(done.out).items()} == {"-": 1, str(file): 0}
    assert run("scan", "--signals", "--json", "-", stdin=b"well").out == "[]\n"


def test_wide_characters_are_read_and_links_in_a_folder_are_told(run, tmp_path):
    (tmp_path / "wide.txt").write_bytes(MADE["mail"].encode("utf-32"))
    (tmp_path / "loop").symlink_to(tmp_path)
    done = run("scan", "--json", str(tmp_path))
    assert {name: len(rows) for name, rows in json.loads(done.out).items()} == {str(tmp_path / "wide.txt"): 1}
    assert f"{tmp_path / 'loop'}: a link, not followed" in done.err
    assert done.status == 0


def test_json_is_read_as_the_proxy_reads_a_message(run, tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"cards":[4539578763621486,4111111111111111],\n "a":"anna.keller\\u0040firma-nord.de"}\n')
    done = run("scan", "--json", str(file))
    assert [(row["kind"], row["line"], row["column"]) for row in json.loads(done.out)] == [
        ("credit_card", 1, 11), ("credit_card", 1, 28), ("email", 2, 7),
    ]  # fmt: skip
    assert run("scan", "--json", stdin=file.read_bytes()).out == done.out
    told = run("scan", str(file)).out
    assert '"cards":[[credit_card: 16 characters],' in told
    assert "4111111111111111" not in told
    assert run("scan", "--check", stdin=b'{"a":1}\n{"ssn":[536228731]}\n').status == 2
