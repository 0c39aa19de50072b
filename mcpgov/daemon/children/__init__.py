"""Child processes of the daemon: short-lived mcpgov commands, and services with restarts."""
