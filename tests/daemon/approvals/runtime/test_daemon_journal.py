import json

from mcpgov import journal_reader
from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from mcpgov.journal_verify import Verifier
from tests.helpers.journals import NOON


def test_it_begins_with_the_first_record_and_its_chain_is_whole(tmp_path):
    made = DaemonJournal(str(tmp_path / "j"), lambda: NOON)
    made.keep(30)
    assert not (tmp_path / "j").exists()
    assert made.write({"dir": "approval", "server": "github", "client": "zed", "action": "asked"})
    assert made.write({"dir": "approval", "server": "other", "client": "", "action": "asked"})
    (path,) = journal_reader.files(str(tmp_path / "j"))
    verifier = Verifier()
    assert [*verifier.check(path), *verifier.finish()] == []
    with open(path, encoding="ascii") as file:
        first, second, third = map(json.loads, file)
    assert (first["action"], first["dir"]) == ("started", "daemon")
    assert (second["server"], third["server"]) == ("github", "other")
    assert len({record["session"] for record in (first, second, third)}) == 1


def test_a_journal_that_cannot_be_written_says_so_and_begins_once_it_can(tmp_path):
    (tmp_path / "j").write_text("")
    made = DaemonJournal(str(tmp_path / "j"), lambda: NOON)
    assert not made.write({"dir": "approval"})
    (tmp_path / "j").unlink()
    assert made.write({"dir": "approval"})
