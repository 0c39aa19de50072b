import json

import pytest

from mcpgov.daemon.children.service_record import FILE, ServiceRecord
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.process import Ident
from tests.helpers.daemons import events


@pytest.fixture
def boot(tmp_path):
    (tmp_path / "boot").write_text("this-boot\n")
    return str(tmp_path / "boot")


def test_what_was_running_is_found_by_the_next_daemon_and_what_ended_is_not(tmp_path, boot):
    log = Log(tmp_path / "log")
    first = ServiceRecord(tmp_path / "state", log, boot)
    assert first.left_over() == {}
    first.keep({"a": Ident(7, 1.5), "b": Ident(8, 2.0)})
    first.keep({"b": Ident(8, 2.0)})
    assert ServiceRecord(tmp_path / "state", log, boot).left_over() == {"b": Ident(8, 2.0)}


def test_a_record_of_another_boot_names_nobody(tmp_path, boot):
    ServiceRecord(tmp_path / "state", Log(tmp_path / "log"), boot).keep({"a": Ident(7, 1.5)})
    assert ServiceRecord(tmp_path / "state", Log(tmp_path / "log"), str(tmp_path / "none")).left_over() == {}


@pytest.mark.parametrize("rows", [None, [], {"a": 7}, {"a": [1, 2.0]}, {"a": ["7", 2]}, {"a": [7]}, {"a": [True, 1]}])
def test_a_damaged_record_names_nobody(tmp_path, boot, rows):
    (tmp_path / FILE).write_text(json.dumps({"boot": "this-boot", "services": rows}))
    assert ServiceRecord(tmp_path, Log(tmp_path / "log"), boot).left_over() == {}


def test_a_record_that_cannot_be_kept_is_told(tmp_path, boot):
    (tmp_path / "state").write_text("a file")
    log = Log(tmp_path / "log")
    ServiceRecord(tmp_path / "state", log, boot).keep({"a": Ident(7, 1.5)})
    assert events(log) == ["services not recorded"]
