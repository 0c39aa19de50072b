"""Who asks for a command that weakens the governor: told by the process tree."""
