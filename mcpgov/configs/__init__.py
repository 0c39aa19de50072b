"""The clients' own config files: where they are, what is in them. Imports errors only."""
