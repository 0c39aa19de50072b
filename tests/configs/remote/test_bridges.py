import pytest

from mcpgov.configs.remote.bridges import Bridge, bridge_in

URL = "https://x.example/mcp"


@pytest.mark.parametrize(
    ("argv", "tool"),
    [
        (["npx", "mcp-remote", URL], "mcp-remote"),
        (["npx", "-y", "mcp-remote@latest", URL, "--header", "Authorization: Bearer x"], "mcp-remote"),
        (["cmd", "/c", "npx", "-y", "mcp-remote@0.1.16", URL], "mcp-remote"),
        (["npx.cmd", "mcp-remote", URL, "8080", "--transport", "sse-only"], "mcp-remote"),
        (["/usr/local/bin/mcp-remote", URL], "mcp-remote"),
        (["node", "/x/node_modules/.bin/mcp-remote.js", URL], "mcp-remote"),
        (["bash", "-c", f"exec npx mcp-remote {URL}"], "mcp-remote"),
        (["docker", "run", "-i", "--rm", "node:22", "npx", "-y", "mcp-remote", URL], "mcp-remote"),
        (["npx", "-y", "supergateway", "--sse", URL], "supergateway"),
        (["npx", "-y", "supergateway", "--header", "https://no", "--streamableHttp", URL], "supergateway"),
        (["supergateway", f"--sse={URL}"], "supergateway"),
        (["mcp-proxy", URL], "mcp-proxy"),
        (["uvx", "mcp-proxy==0.8.2", "--transport", "streamablehttp", URL], "mcp-proxy"),
        (["uvx", "fastmcp", "run", URL], "fastmcp"),
    ],
)
def test_a_bridge_is_known_by_its_tool_and_its_url(argv, tool):
    assert bridge_in(argv) == Bridge(tool, URL)


@pytest.mark.parametrize(
    "argv",
    [
        ["npx", "-y", "some-server", URL],
        ["npx", "mcp-remote"],
        ["npx", "@scope/mcp-remote-thing", URL],
        ["supergateway", "--stdio", "node server.js", "--baseUrl", URL],
        ["mcp-proxy", "--port", "8080", "uvx", "mcp-server-fetch"],
        ["fastmcp", "dev", URL],
        ["fastmcp", "run", "server.py"],
        [],
    ],
)
def test_what_reaches_no_url_is_no_bridge(argv):
    assert bridge_in(argv) is None


def test_where_it_leads_is_told_without_secrets():
    assert Bridge("mcp-remote", "https://u:p@x/?k=v").note == "a bridge (mcp-remote) to https://…@x/?k=…"
