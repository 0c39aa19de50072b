"""A server with tools of the usual names that do nothing: what reaches it was let through."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("usual")


def add(name: str, argument: str) -> None:
    scope: dict[str, object] = {}
    exec(f"def {name}({argument}: str) -> str:\n    return 'done'", scope)
    server.add_tool(scope[name])  # type: ignore[arg-type]


for each in ("read_file", "write_file", "delete_file"):
    add(each, "path")
add("run_command", "command")
add("fetch_url", "url")
server.run()
