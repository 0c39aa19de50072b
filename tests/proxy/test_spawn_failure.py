import os

import pytest

from tests.helpers.talks import PATIENCE


@pytest.mark.parametrize("command", ["no-such-server-anywhere", "/nowhere/server", "/etc/passwd/server", ""])
def test_a_server_that_is_not_there_is_told_to_the_client_and_on_stderr(shared, start, command):
    talk = start(shared, [command])
    answer = talk.ask("initialize")
    assert answer["error"]["message"] == f"cannot start `{command}`: not found"
    assert talk.process.wait(10) == 127
    assert talk.errors() == f"mcpgov: cannot start `{command}`: not found\n"


def test_a_server_that_cannot_be_executed_is_told_apart(shared, start, tmp_path):
    file = tmp_path / "server"
    file.write_text("text")
    talk = start(shared, [str(file)])
    assert talk.ask("initialize")["error"]["message"] == f"cannot start `{file}`: permission denied"
    assert talk.process.wait(10) == 126


def test_a_client_that_asks_nothing_is_not_waited_for(shared, start):
    talk = start(shared, ["no-such-server-anywhere"])
    assert talk.end() == 127


def test_a_client_that_hears_nothing_changes_nothing(shared, start):
    read, write = os.pipe()
    os.close(read)
    talk = start(shared, ["no-such-server-anywhere"], stderr=write)
    os.close(write)
    talk.stdout.close()
    assert talk.process.wait(10) == 127


def test_every_request_of_one_write_is_answered(shared, start):
    talk = start(shared, ["no-such-server"])
    talk.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}')
    assert [talk.receive()["id"], talk.receive()["id"]] == [1, 2]
    assert talk.process.wait(PATIENCE) == 127  # its input is still open
