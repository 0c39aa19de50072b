"""The clients' config files: where they are, what is in them, and changes to them. Imports only leaves."""
