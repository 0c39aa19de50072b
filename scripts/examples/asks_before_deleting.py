"""A server that asks mcpgov before it deletes a file, and reports what it did."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer

from mcpgov.client import Governor

server = MCPServer("asks-before-deleting")


@server.tool()
async def remove(path: str) -> str:
    """Delete one file."""
    async with Governor() as gov:
        intent = await gov.check_intent("file_delete", path)
        if not intent and not await gov.request_permission(path, "delete", "the user asked me to clean up"):
            return f"not deleted: {intent.explanation}"
        Path(path).unlink()
        await gov.report_action("file_delete", path, "success")
        return "deleted"


server.run()
