"""Names and addresses of people, by the extra `mcpgov[presidio]`: an analyzer in a child process, and who asks it."""

PEOPLE = ("person", "address")  # the kinds: only where a policy or a command names them
