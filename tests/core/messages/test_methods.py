"""Every method has its sender; nothing comes the wrong way."""

import pytest

from mcpgov.core.messages.methods import CLIENT, GOVERNED, NEVER_DENIED, REQUESTS, SERVER, may_send


@pytest.mark.parametrize("method", ["tools/call", "resources/read", "tasks/update", "server/discover"])
def test_what_a_client_asks_no_server_may(method):
    assert (may_send(CLIENT, method), may_send(SERVER, method)) == (True, False)


@pytest.mark.parametrize("method", ["sampling/createMessage", "elicitation/create", "roots/list"])
def test_what_a_server_asks_no_client_may(method):
    assert (may_send(CLIENT, method), may_send(SERVER, method)) == (False, True)


@pytest.mark.parametrize("method", ["ping", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel"])
def test_some_are_asked_by_both(method):
    assert (may_send(CLIENT, method), may_send(SERVER, method)) == (True, True)


@pytest.mark.parametrize("method", ["", "tools/Call", "tools/call ", "x/y", "notifications/initialized"])
def test_a_method_no_revision_knows_is_nobodys(method):
    assert (may_send(CLIENT, method), may_send(SERVER, method)) == (False, False)


def test_every_governed_method_is_a_request_and_none_of_them_is_beyond_denial():
    assert GOVERNED - REQUESTS.keys() == set()
    assert set() == GOVERNED & NEVER_DENIED
