"""What a tool does: its name and arguments -> read, write, delete, execute, admin or unknown."""
