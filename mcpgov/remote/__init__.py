"""The HTTP transport: a reverse proxy for streamable HTTP and legacy HTTP+SSE. Imports live, guards, core."""
