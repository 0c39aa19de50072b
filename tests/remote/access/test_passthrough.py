"""Metadata for apps that log in themselves."""

import json

import pytest

from mcpgov.remote.access import passthrough

ORIGIN, ID = "http://127.0.0.1:9", "SECRET"


def test_the_challenge_names_our_metadata():
    value = 'Bearer realm="x", resource_metadata="https://h.example/.well-known/oauth-protected-resource/mcp?a=1"'
    assert passthrough.challenge(value, ORIGIN, ID) == (
        'Bearer realm="x", resource_metadata="http://127.0.0.1:9/SECRET/.well-known/oauth-protected-resource/mcp?a=1"'
    )
    assert passthrough.challenge("Basic realm=x", ORIGIN, ID) == "Basic realm=x"
    assert passthrough.metadata_url("https://h/m", ORIGIN, ID) == "http://127.0.0.1:9/SECRET/m"


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        (
            "/.well-known/oauth-protected-resource/SECRET/mcp",
            ("/SECRET/.well-known/oauth-protected-resource/mcp", "/SECRET/.well-known/oauth-protected-resource"),
        ),
        ("/.well-known/oauth-protected-resource/SECRET", ("/SECRET/.well-known/oauth-protected-resource",)),
        ("/.well-known/oauth-protected-resource/SECRET/", ("/SECRET/.well-known/oauth-protected-resource",)),
        (
            "/.well-known/openid-configuration/SECRET/mcp",
            ("/SECRET/.well-known/openid-configuration/mcp", "/SECRET/.well-known/openid-configuration"),
        ),
        ("/.well-known/oauth-protected-resource", ()),
        ("/other/SECRET/mcp", ()),
    ],
)
def test_the_well_known_name_in_front_of_our_path(path, ours):
    assert passthrough.in_front(path) == ours


def test_the_path_that_a_server_names():
    assert passthrough.named_path('Bearer resource_metadata="https://h.example/custom/m.json?x"') == "/custom/m.json"
    assert passthrough.named_path("Bearer") == ""


def test_which_paths_are_metadata():
    assert passthrough.is_metadata("/.well-known/oauth-protected-resource/mcp")
    assert passthrough.is_metadata("/.well-known/oauth-authorization-server")
    assert not passthrough.is_metadata("/.well-known/oauth-protected-resourceful")
    assert not passthrough.is_metadata("/mcp")


def test_the_resource_becomes_our_url_if_it_is_the_servers():
    body = json.dumps({"resource": "https://h.example/mcp", "authorization_servers": ["https://as"]}).encode()
    made = json.loads(passthrough.rewritten(body, "https://h.example/mcp", "http://127.0.0.1:9/S/mcp"))
    assert made == {"resource": "http://127.0.0.1:9/S/mcp", "authorization_servers": ["https://as"]}
    foreign = b'{"resource": "https://other.example/mcp"}'
    assert json.loads(passthrough.rewritten(foreign, "https://h.example/mcp", "x")) == json.loads(foreign)
    for odd in (b"no", b"[]", b'{"issuer": "x"}'):
        assert passthrough.rewritten(odd, "https://h.example/", "x") == odd
