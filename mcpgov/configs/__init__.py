"""The clients' own config files: which there are, what their entries say, how an entry is wrapped."""
