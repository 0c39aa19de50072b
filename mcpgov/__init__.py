"""mcpgov: a governor between AI apps and their MCP servers.

ARCHITECTURE.md has the map. The rooms from the inside out: core (pure, hot) <- guards <- policy <- daemon <- front,
and core <- guards <- live <- proxy.
"""

__version__ = "0.1.0"
