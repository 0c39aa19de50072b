"""A server that asks mcpgov for what it is told to, and writes where it is told to."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer

from mcpgov.client import Governor, GovernorError

server = MCPServer("permitted")


@server.tool()
async def get_leave(item: str, doing: str = "write") -> str:
    """Asks to do that to it, and tells what came of that."""
    async with Governor() as gov:
        try:
            found = await gov.request_permission(item, doing, "because", 20)  # type: ignore[arg-type]
        except GovernorError as problem:
            return f"error: {problem}"
        return f"{found.granted} {found.scope}"


@server.tool()
def write_note(path: str, content: str) -> str:
    """Writes a note."""
    Path(path).write_text(content)
    return "written"


@server.tool()
def delete_note(path: str, recursive: bool = False) -> str:
    """Deletes a note."""
    Path(path).unlink()
    return "deleted"


server.run()
