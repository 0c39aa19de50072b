"""mcpgov: a governor between AI apps and their MCP servers.

The map is ARCHITECTURE.md; the rooms, from the inside out:
core (pure, hot) <- guards <- policy <- daemon <- front, and core <- guards <- proxy.
"""

__version__ = "0.1.0"
