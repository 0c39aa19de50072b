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
def history(tmp_path):
    return EntryHistory(tmp_path / "state")


def original(launcher="/l", argv=("npx", "-y"), before="absent"):
    return Original("cursor", "/f", FS, launcher, argv, before, '{"command": "npx"}')


def what(events):
    return [(event.event, event.place) for event in events]


def test_an_original_is_found_by_file_place_and_command_line_and_by_nothing_else(history):
    history.remember(original())
    assert history.original("/f", FS, ["npx", "-y"]) == original()
    for other in [("/g", FS, ["npx", "-y"]), ("/f", WEB, ["npx", "-y"]), ("/f", FS, ["npx"])]:
        assert history.original(*other) is None


def test_where_a_link_led_is_known_with_whose_it_is(history):
    assert history.targets() == {}
    history.remember_target("/real", "cursor")
    history.remember_target("/real", "codex")
    assert history.targets() == {"/real": "cursor"}


def test_every_launcher_that_was_ever_named_stays_known(history):
    assert history.launchers() == set()
    history.remember()
    history.remember(original("/old"), original("/new", ("b",)))
    history.remember(original("/old"))
    assert history.launchers() == {"/old", "/new"}


def test_what_is_remembered_is_for_its_owner_alone(history, tmp_path):
    history.remember(original())
    history.look(1.0, "cursor", "/f", {FS: ONE})
    paths = [path for path in tmp_path.rglob("*") if "state" in path.parts]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}


def test_a_damaged_record_counts_as_none(history, tmp_path):
    history.remember(original())
    history.look(1.0, "cursor", "/f", {FS: ONE})
    for path in (tmp_path / "state").rglob("*.json"):
        path.write_text('{"place": 1, "text": []}' if path.name != "now.json" else '{"/f": {"no json": "x"}}')
    assert history.original("/f", FS, ["npx", "-y"]) is None
    assert history.form(next(history.events()).form) is None
    assert history.present("/f") == {}
    (tmp_path / "state" / "history" / "now.json").write_text('{"/f": 3}')
    assert history.present("/f") == {}


def test_a_look_notes_what_came_changed_and_went(history):
    assert what(history.look(1.0, "cursor", "/f", {FS: ONE, WEB: TWO})) == [(ADDED, FS), (ADDED, WEB)]
    assert history.look(2.0, "cursor", "/f", {FS: ONE, WEB: TWO}) == []
    assert what(history.look(3.0, "cursor", "/f", {FS: TWO})) == [(CHANGED, FS), (REMOVED, WEB)]
    assert what(history.look(4.0, "cursor", "/f", {FS: TWO, WEB: ONE}, restored=WEB)) == [(RESTORED, WEB)]
    assert [(event.time, event.event, event.name) for event in history.events()] == [
        (1.0, ADDED, "fs"),
        (1.0, ADDED, "web"),
        (3.0, CHANGED, "fs"),
        (3.0, REMOVED, "web"),
        (4.0, RESTORED, "web"),
    ]
    last = next(event for event in history.events() if event.event == REMOVED)
    assert history.form(last.form) == TWO
    assert (set(history.present("/f")), history.present("/g")) == ({FS, WEB}, {})


def test_files_are_known_with_their_clients(history):
    history.look(1.0, "cursor", "/f", {FS: ONE})
    history.look(1.0, "codex", "/g", {FS: ONE})
    assert history.files() == {"/f": "cursor", "/g": "codex"}


def test_a_form_is_kept_once(history, tmp_path):
    assert history.keep(ONE) == history.keep(ONE) != history.keep(TWO)
    assert len(list((tmp_path / "state" / "history").iterdir())) == 2


def test_no_events_leave_no_file(history, tmp_path):
    history.note([])
    assert list(history.events()) == []
    assert not (tmp_path / "state").exists()


def test_a_line_that_was_cut_short_takes_no_other_with_it(history, tmp_path):
    first, second = (Event(float(at), ADDED, "cursor", "/f", FS, "x") for at in (1, 2))
    history.note([first])
    log = tmp_path / "state" / "history" / "log.jsonl"
    log.write_bytes(log.read_bytes() + b'{"time": 5, "eve')
    history.note([second])
    assert list(history.events()) == [first, second]


def test_a_planted_link_is_not_written_through(history, tmp_path):
    folder = tmp_path / "state" / "history"
    folder.mkdir(parents=True)
    (tmp_path / "precious").write_text("mine")
    (folder / "log.jsonl").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic"):
        history.note([Event(1.0, ADDED, "cursor", "/f", FS, "x")])
    assert (tmp_path / "precious").read_text() == "mine"


def test_the_log_does_not_grow_for_ever_and_the_last_form_of_each_entry_stays(history, tmp_path, monkeypatch):
    monkeypatch.setattr(ledgers, "LONGEST_LOG", 6000)
    rare = ("mcpServers", "rare")
    history.look(0.0, "cursor", "/f", {rare: TWO})
    history.look(1.0, "cursor", "/f", {})
    forms = [EntryForm("json", json.dumps({"command": str(at)})) for at in range(200)]
    for at, form in enumerate(forms):
        history.look(2.0 + at, "cursor", "/f", {FS: form})
    folder = tmp_path / "state" / "history"
    events = list(history.events())
    assert (folder / "log.jsonl").stat().st_size <= 6000
    assert (events[0].event, events[0].place, history.form(events[0].form)) == (REMOVED, rare, TWO)
    assert history.form(events[-1].form) == forms[-1]
    assert len(events) < 60
    assert len(os.listdir(folder)) == len({event.form for event in events}) + 3
    assert history.present("/f") == {FS: events[-1].form}
