import csv
import io
import stat

import pytest

from mcpgov.front.commands.audit_export import COLUMNS
from tests.helpers.journals import Proxy


@pytest.fixture
def proxy(root):
    return Proxy(root / "state" / "journal")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_json_lines_are_the_records_as_written_without_an_envelope(run, proxy, root):
    proxy.call(args={"path": "é"})
    proxy.at += 86_400
    proxy.call()
    written = "".join(path.read_text() for path in sorted((root / "state" / "journal").iterdir()))
    assert run("audit", "export").out == written
    assert run("audit", "export", "--format", "jsonl", "--json").out == written


def test_an_export_can_be_verified(run, proxy, tmp_path):
    proxy.call()
    assert run("audit", "export", "--output", tmp_path / "out.jsonl").out.startswith("wrote 2 records to ")
    assert run("audit", "verify", tmp_path / "out.jsonl").status == 0


def test_csv_has_a_stable_header_also_when_nothing_is_on_record(run):
    done = run("audit", "export", "--format", "csv")
    assert (done.status, done.out) == (0, ",".join(COLUMNS) + "\n")
    assert done.out.startswith("time,session,seq,client,server,project,dir,method,action,tool,prompt,uris,rule,kind,")


def test_csv_rows_hold_every_field_and_utc_times(run, proxy):
    proxy.call("read", args={"path": '/a,b\n"c"'}, masked=["x"])
    first, second = rows(run("audit", "export", "--format", "csv").out)
    assert {key: first[key] for key in ("time", "seq", "tool", "us", "args", "masked", "error")} == {
        "time": "2026-11-16T12:00:00.000000+00:00", "seq": "1", "tool": "read", "us": "42",
        "args": '{"path": "/a,b\\n\\"c\\""}', "masked": '["x"]', "error": "",
    }  # fmt: skip
    assert second["round_trip_us"] == "1500"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "＝1"])
def test_csv_holds_no_formula(run, proxy, name):
    proxy.call(name, rule=name)
    (row, _) = rows(run("audit", "export", "--format", "csv", "--session", "a*").out.replace("\r", "\\r"))
    assert row["tool"] == row["rule"] == "'" + name.replace("\r", "\\r")


def test_numbers_in_the_place_of_texts_do_not_break_csv(run, root):
    (root / "state" / "journal").mkdir(parents=True)
    line = '{"time":1e300,"session":"a","seq":1,"tool":-5,"us":"=1","rule":{"a":"\\udc80"}}\n'
    (root / "state" / "journal" / "2026-11-16.jsonl").write_text(line)
    (row,) = rows(run("audit", "export", "--format", "csv").out)
    assert [row[key] for key in ("time", "tool", "us", "rule")] == ["", "-5", "'=1", '{"a": "\\udc80"}']


def test_filters_choose_what_is_exported(run, proxy):
    proxy.call("a")
    proxy.call("b", action="deny")
    assert [row["tool"] for row in rows(run("audit", "export", "--format", "csv", "--action", "deny").out)] == ["b"]
    assert run("audit", "export", "--since", "2026-11-17").out == ""


def test_a_file_is_private_and_never_overwritten(run, proxy, tmp_path):
    proxy.call("\udc80")
    path = tmp_path / "new" / "out.csv"
    done = run("audit", "export", "--format", "csv", "--output", path, "--json")
    assert (done.status, done.json["records"], done.json["file"]) == (0, 2, str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(rows(path.read_text())) == 2
    before = path.read_bytes()
    done = run("audit", "export", "--output", path)
    assert (done.status, path.read_bytes()) == (1, before)
    assert done.err.startswith(f"mcpgov: `{path}` exists already\n")


def test_half_an_export_is_taken_back(run, proxy, tmp_path, monkeypatch):
    proxy.call()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mcpgov.front.commands.audit_export._jsonl", full)
    done = run("audit", "export", "--output", tmp_path / "out.jsonl")
    assert (done.status, (tmp_path / "out.jsonl").exists()) == (1, False)
    assert done.err == f"mcpgov: cannot write `{tmp_path}/out.jsonl`: no space left on device\n"


def test_quiet_prints_nothing_and_damage_is_told(run, proxy, root):
    proxy.call()
    assert run("audit", "export", "--quiet").out == ""
    path = root / "state" / "journal" / "2026-11-16.jsonl"
    path.write_text(path.read_text() + "rubbish\n")
    done = run("audit", "export")
    assert done.err == "mcpgov: 1 damaged line left out: `mcpgov audit verify` tells where\n"
    assert "rubbish" not in done.out


def test_a_terminal_gets_csv_that_cannot_act(terminal, proxy):
    proxy.call("evil\x1b[2J")
    out = terminal("audit", "export", "--format", "csv").out
    assert "evil\\x1b[2J" in out
    assert "\x1b" not in out
