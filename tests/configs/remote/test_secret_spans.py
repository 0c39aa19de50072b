import pytest

from mcpgov.configs.remote.secret_spans import masks
from mcpgov.configs.text import splice as texts

JSON_PLACES = [("mcpServers", "*"), ("projects", "*", "mcpServers", "*")]


def shown(text, dialect=texts.JSONC, places=JSON_PLACES):
    return texts.splice(text, masks(text, dialect, places))


@pytest.mark.parametrize(
    ("entry", "seen"),
    [
        ('{"url": "https://x/mcp", "headers": {"A": "Bearer s"}}', '{"url": "https://x/mcp", "headers": {"A": "…"}}'),
        ('{"url": "https:\\/\\/u:p@x\\/?k=s"}', '{"url": "https://…@x/?k=…"}'),
        ('{"url": "\\u0068ttps://x?k=s"}', '{"url": "…"}'),
        ('{"command": "c", "env": {"K": "s", "N": 1}, "args": ["a"]}',
         '{"command": "c", "env": {"K": "…", "N": 1}, "args": ["a"]}'),
        ('{"command": {"path": "c", "env": {"K": "s"}}}', '{"command": {"path": "c", "env": {"K": "…"}}}'),
        ('{"args": ["mcp-remote", "https://x?k=s", "--header", "A: s"]}',
         '{"args": ["mcp-remote", "https://x?k=…", "--header", "…"]}'),
        ('{"args": ["--header=A: s", "-H", "A: s", "plain"]}', '{"args": ["--header=…", "-H", "…", "plain"]}'),
        ('{"requestInit": {"headers": {"A": "s"}}, "x": [], "y": {}}',
         '{"requestInit": {"headers": {"A": "…"}}, "x": [], "y": {}}'),
        ('{"x": [{"env": {"K": "s"}}]}', '{"x": [{"env": {"K": "…"}}]}'),
    ],
)  # fmt: skip
def test_what_opens_a_server_is_hidden_and_nothing_else(entry, seen):
    text = '{{"mcpServers": {{"a": {0}}}, "env": {{"K": "s"}}}}'
    assert shown(text.format(entry)) == text.format(seen)


def test_toml_in_all_of_its_layouts():
    text = (
        'top = "s"\n[mcp_servers.a]\nurl = \'https://x?k=s\'\nhttp_headers = { A = "s" } # x\n'
        '[mcp_servers.b.env]\nK = """\ns"""\n[other.b.env]\nK = "s"\n[mcp_servers]\nc.args = ["--header", "s"]\n'
    )
    seen = (
        'top = "s"\n[mcp_servers.a]\nurl = \'https://x?k=…\'\nhttp_headers = { A = "…" } # x\n'
        '[mcp_servers.b.env]\nK = "…"\n[other.b.env]\nK = "s"\n[mcp_servers]\nc.args = ["--header", "…"]\n'
    )
    assert shown(text, texts.TOML, [("mcp_servers", "*")]) == seen


def test_a_text_that_cannot_be_read_has_no_masks():
    assert masks("{", texts.JSON, JSON_PLACES) == []
