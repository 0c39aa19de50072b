"""The asking server over HTTP: `remote_server.py TRANSPORT PORT`. Runs in the SDK's own venv, as a child process."""

import sys

from asking_server import server
from mcp.server.mcpserver import Context


@server.tool()
async def count(context: Context, to: int) -> str:
    """Tells its progress on the way."""
    for number in range(to):
        await context.report_progress(number, to, f"at {number}")
    return f"counted to {to}"


@server.tool()
def delete_all() -> str:
    return "everything is gone"


if __name__ == "__main__":
    transport, port = sys.argv[1], int(sys.argv[2])
    if transport == "sse":
        server.run("sse", host="127.0.0.1", port=port)
    else:
        how = {"json": transport == "json", "stateless": transport == "stateless"}
        server.run(
            "streamable-http",
            host="127.0.0.1",
            port=port,
            json_response=how["json"],
            stateless_http=how["stateless"],
        )
