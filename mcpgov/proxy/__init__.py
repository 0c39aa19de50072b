"""The stdio transport: the process that a client starts in place of its server."""
