"""What a server is after when it asks a person."""

import pytest

from mcpgov.core.messages.elicitation import MOST_FIELDS, elicitation_flags, host_of


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, {}),
        ({"requestedSchema": {"properties": {"name": {"title": "Your name"}}}}, {}),
        ({"requestedSchema": {"properties": {"password": {}, "a": {"title": "API key"}}}}, {"asks": ["password", "a"]}),
        ({"requestedSchema": {"properties": {"token": 3, "b": {"title": 3}}}}, {"asks": ["token"]}),
        ({"requestedSchema": {"properties": []}}, {}),
        ({"requestedSchema": "password"}, {}),
        ({"url": "https://Example.com/login"}, {"host": "example.com"}),
        ({"url": 3}, {}),
    ],
)
def test_fields_for_secrets_and_the_host_are_told(params, expected):
    assert elicitation_flags(params) == expected


def test_a_form_without_end_is_told_up_to_a_point():
    fields = {f"password{at}": {} for at in range(100)}
    assert len(elicitation_flags({"requestedSchema": {"properties": fields}})["asks"]) == MOST_FIELDS


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.example", "a.example"),
        ("https://bank.example@evil.example/x", "evil.example"),
        ("https://u:p@evil.example:8443?x=@b", "evil.example:8443"),
        ("https:\\\\evil.example\\@bank.example/", "evil.example"),
        (" https:evil.example#@bank.example", "evil.example"),
        ("nothing", ""),
    ],
)
def test_the_host_is_the_one_a_browser_would_go_to(url, host):
    assert host_of(url) == host
