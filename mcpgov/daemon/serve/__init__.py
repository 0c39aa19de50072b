"""The daemon's side of our own MCP server: who asks, permissions, reports, the HTTP form as a service."""
