import pytest

from mcpgov.login.login_request import LoginRequest


@pytest.mark.parametrize(
    ("client_id", "secret", "is_one"),
    [
        ("https://example.org/client.json", "", True),
        ("https://example.org/client.json", "s", False),
        ("https://example.org", "", False),
        ("https://example.org/", "", False),
        ("http://example.org/client.json", "", False),
        ("https://[::1", "", False),
        ("abc", "", False),
        ("", "", False),
    ],
)
def test_a_client_id_is_a_metadata_document_if_it_is_a_https_url_with_a_path(client_id, secret, is_one):
    made = LoginRequest("https://x", "http://127.0.0.1/callback", client_id=client_id, client_secret=secret)
    assert made.document == (client_id if is_one else None)
