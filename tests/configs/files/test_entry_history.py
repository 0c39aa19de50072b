import json
import os
import stat

import pytest

from mcpgov.configs.entry import EntryForm, Original
from mcpgov.configs.files import entry_history as ledgers
from mcpgov.configs.files.entry_history import ADDED, CHANGED, REMOVED, RESTORED, EntryHistory, Event

FS, WEB = ("mcpServers", "fs"), ("projects", "/p", "mcpServers", "web")
ONE, TWO = EntryForm("json", '{"command": "a"}'), EntryForm("json", '{"command": "é"}')


@pytest.fixture
def ledger(tmp_path):
    return EntryHistory(tmp_path / "state")


def original(launcher="/l", argv=("npx", "-y"), before="absent"):
    return Original("cursor", "/f", FS, launcher, argv, before, '{"command": "npx"}')


def what(events):
    return [(event.event, event.place) for event in events]


def test_an_original_is_found_by_file_place_and_command_line_and_by_nothing_else(ledger):
    ledger.remember(original())
    assert ledger.original("/f", FS, ["npx", "-y"]) == original()
    for other in [("/g", FS, ["npx", "-y"]), ("/f", WEB, ["npx", "-y"]), ("/f", FS, ["npx"])]:
        assert ledger.original(*other) is None


def test_where_a_link_led_is_known_with_whose_it_is(ledger):
    assert ledger.targets() == {}
    ledger.lead("/real", "cursor")
    ledger.lead("/real", "codex")
    assert ledger.targets() == {"/real": "cursor"}


def test_every_launcher_that_was_ever_named_stays_known(ledger):
    assert ledger.launchers() == set()
    ledger.remember()
    ledger.remember(original("/old"), original("/new", ("b",)))
    ledger.remember(original("/old"))
    assert ledger.launchers() == {"/old", "/new"}


def test_what_is_remembered_is_for_its_owner_alone(ledger, tmp_path):
    ledger.remember(original())
    ledger.look(1.0, "cursor", "/f", {FS: ONE})
    paths = [path for path in tmp_path.rglob("*") if "state" in path.parts]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}


def test_a_damaged_record_counts_as_none(ledger, tmp_path):
    ledger.remember(original())
    ledger.look(1.0, "cursor", "/f", {FS: ONE})
    for path in (tmp_path / "state").rglob("*.json"):
        path.write_text('{"place": 1, "text": []}' if path.name != "now.json" else '{"/f": {"no json": "x"}}')
    assert ledger.original("/f", FS, ["npx", "-y"]) is None
    assert ledger.form(next(ledger.events()).form) is None
    assert ledger.present("/f") == {}
    (tmp_path / "state" / "history" / "now.json").write_text('{"/f": 3}')
    assert ledger.present("/f") == {}


def test_a_look_notes_what_came_changed_and_went(ledger):
    assert what(ledger.look(1.0, "cursor", "/f", {FS: ONE, WEB: TWO})) == [(ADDED, FS), (ADDED, WEB)]
    assert ledger.look(2.0, "cursor", "/f", {FS: ONE, WEB: TWO}) == []
    assert what(ledger.look(3.0, "cursor", "/f", {FS: TWO})) == [(CHANGED, FS), (REMOVED, WEB)]
    assert what(ledger.look(4.0, "cursor", "/f", {FS: TWO, WEB: ONE}, restored=WEB)) == [(RESTORED, WEB)]
    assert [(event.time, event.event, event.name) for event in ledger.events()] == [
        (1.0, ADDED, "fs"),
        (1.0, ADDED, "web"),
        (3.0, CHANGED, "fs"),
        (3.0, REMOVED, "web"),
        (4.0, RESTORED, "web"),
    ]
    last = next(event for event in ledger.events() if event.event == REMOVED)
    assert ledger.form(last.form) == TWO
    assert (set(ledger.present("/f")), ledger.present("/g")) == ({FS, WEB}, {})


def test_files_are_known_with_their_clients(ledger):
    ledger.look(1.0, "cursor", "/f", {FS: ONE})
    ledger.look(1.0, "codex", "/g", {FS: ONE})
    assert ledger.files() == {"/f": "cursor", "/g": "codex"}


def test_a_form_is_kept_once(ledger, tmp_path):
    assert ledger.keep(ONE) == ledger.keep(ONE) != ledger.keep(TWO)
    assert len(list((tmp_path / "state" / "history").iterdir())) == 2


def test_no_events_leave_no_file(ledger, tmp_path):
    ledger.note([])
    assert list(ledger.events()) == []
    assert not (tmp_path / "state").exists()


def test_a_line_that_was_cut_short_takes_no_other_with_it(ledger, tmp_path):
    first, second = (Event(float(at), ADDED, "cursor", "/f", FS, "x") for at in (1, 2))
    ledger.note([first])
    log = tmp_path / "state" / "history" / "log.jsonl"
    log.write_bytes(log.read_bytes() + b'{"time": 5, "eve')
    ledger.note([second])
    assert list(ledger.events()) == [first, second]


def test_a_planted_link_is_not_written_through(ledger, tmp_path):
    history = tmp_path / "state" / "history"
    history.mkdir(parents=True)
    (tmp_path / "precious").write_text("mine")
    (history / "log.jsonl").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic"):
        ledger.note([Event(1.0, ADDED, "cursor", "/f", FS, "x")])
    assert (tmp_path / "precious").read_text() == "mine"


def test_the_log_does_not_grow_for_ever_and_the_last_form_of_each_entry_stays(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr(ledgers, "LONGEST_LOG", 6000)
    rare = ("mcpServers", "rare")
    ledger.look(0.0, "cursor", "/f", {rare: TWO})
    ledger.look(1.0, "cursor", "/f", {})
    forms = [EntryForm("json", json.dumps({"command": str(at)})) for at in range(200)]
    for at, form in enumerate(forms):
        ledger.look(2.0 + at, "cursor", "/f", {FS: form})
    history = tmp_path / "state" / "history"
    events = list(ledger.events())
    assert (history / "log.jsonl").stat().st_size <= 6000
    assert (events[0].event, events[0].place, ledger.form(events[0].form)) == (REMOVED, rare, TWO)
    assert ledger.form(events[-1].form) == forms[-1]
    assert len(events) < 60
    assert len(os.listdir(history)) == len({event.form for event in events}) + 3
    assert ledger.present("/f") == {FS: events[-1].form}
