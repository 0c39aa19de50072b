"""What `mcpgov scan` reads: files and folders in pieces, with progress; JSON as the proxy reads it."""
