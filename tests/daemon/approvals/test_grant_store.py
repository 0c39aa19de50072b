import json
import os
import stat

import pytest

from mcpgov.core.approvals.grants import grant_of
from mcpgov.daemon.approvals import grant_store
from mcpgov.daemon.approvals.grant_store import GrantStore
from mcpgov.daemon.approvals.grants import Grants, Now
from tests.core.approvals.test_grants import EXACT, FOLDER, TOOL
from tests.helpers.questions import question


@pytest.fixture
def store(tmp_path):
    return GrantStore(tmp_path / "grants.json")


def ids(grants):
    return [grant.id for grant in grants]


def aside(store):
    return sorted(each.name for each in store.path.parent.iterdir())


def test_grants_outlive_the_daemon_and_are_private(store):
    kept = [grant_of({**data, "id": f"g{n}"}) for n, data in enumerate((EXACT, TOOL, FOLDER))]
    assert store.save(kept)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    found = GrantStore(store.path).load()
    assert [grant.as_data() for grant in found] == [grant.as_data() for grant in kept]
    held = Grants(found, Now(0.0, 1009.0))
    asked = question(server="fs", target="write_file", asked_by="ask", args_digest="zz")
    assert held.find(asked, "s", Now(1.0, 1010.0)).id == "g1"


def test_without_a_file_nothing_holds_and_nothing_is_told(store):
    assert (store.load(), store.problems) == ([], [])


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 9, "grants": []}', '{"version": 1}', "[" * 100_000, "\udcff"])
def test_a_broken_file_is_told_and_not_lost(store, text):
    store.path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert store.load() == []
    assert store.problems == [f"`{store.path}` is not used: it is no file of grants; it is now `{store.path}.broken`"]
    assert aside(store) == ["grants.json.broken"]


def test_one_broken_grant_does_not_take_the_others_with_it(store):
    odd = [{**EXACT, "until": until} for until in ("ever", 10**400, 10**11, 10**6)]
    store.path.write_text(json.dumps({"version": 1, "grants": [*odd, TOOL]}))
    store.path.chmod(0o600)
    assert ids(store.load()) == ["g1"]
    assert "4 of its grants cannot be read" in store.problems[0]
    assert aside(store) == ["grants.json", "grants.json.broken"]
    assert ids(store.load()) == ["g1"]
    assert store.problems == []


def test_a_file_that_others_may_write_opens_no_door(store):
    store.save([grant_of(TOOL)])
    store.path.chmod(0o666)
    assert store.load() == []
    assert "others may write it" in store.problems[0]


def test_what_is_no_plain_file_or_too_large_is_not_read(store, monkeypatch):
    os.mkfifo(store.path)
    assert store.load() == []
    store.path.mkdir()
    assert store.load() == []
    monkeypatch.setattr(grant_store, "LARGEST", 10)
    store.save([grant_of(TOOL)])
    assert store.load() == []
    assert "too large" in store.problems[0]
    assert aside(store) == ["grants.json.broken", "grants.json.broken2", "grants.json.broken3"]


def test_what_cannot_be_moved_or_written_is_told(store, monkeypatch):
    monkeypatch.setattr(grant_store, "MOST_ASIDE", 2)
    store.path.with_name("grants.json.broken").mkdir()
    store.path.write_text("{")
    assert store.load() == []
    assert "cannot be moved aside" in store.problems[0]
    store.path.unlink()
    store.path.mkdir()
    assert not store.save([])
    assert "cannot write" in store.problems[-1]
