"""What `mcpgov scan` reads: files and folders as text in pieces, with progress."""
