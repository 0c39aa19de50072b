import pytest

from mcpgov.configs.remote.masked_url import host_of, masked_url, without_ids

ID = "A" * 43


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://x.example/mcp", "https://x.example/mcp"),
        ("https://user:pass@x.example:8443/mcp", "https://…@x.example:8443/mcp"),
        ("https://x/mcp?key=abc&v=2&flag#part", "https://x/mcp?key=…&v=…&…"),
        ("https://x/mcp?0123456789abcdef=1", "https://x/mcp?…"),
        ("https://x/s/0a1b2c3d4e5f6071/mcp", "https://x/s/…/mcp"),
        ("https://x/a-long-name-of-words/mcp", "https://x/a-long-name-of-words/mcp"),
        (f"http://127.0.0.1:2000/{ID}/mcp", "http://127.0.0.1:2000/…"),
        (f"http://127.0.0.1:2000/{ID}", "http://127.0.0.1:2000/…"),
        ("https://[::1", "…"),
        ("https://x:port/", "…"),
        ("what", "…"),
    ],
)
def test_a_url_is_shown_without_what_opens_it(url, shown):
    assert masked_url(url) == shown


def test_the_host_alone():
    assert host_of("https://u:p@x.example:8443/mcp?k=v") == "x.example:8443"
    assert (host_of("what"), host_of("https://[::1")) == ("", "")


def test_ids_are_left_out_of_any_text_in_json_and_toml_spelling():
    line = f'"url": "http://127.0.0.1:2000/{ID}/mcp", "x": \'http:\\/\\/127.0.0.1:2000\\/{ID}\\/mcp\''
    shown = '"url": "http://127.0.0.1:2000/…", "x": \'http:\\/\\/127.0.0.1:2000\\/…\''
    assert without_ids(line) == shown
    assert without_ids("http://127.0.0.1:2000/mcp") == "http://127.0.0.1:2000/mcp"
