"""`python -m mcpgov`: the command line."""

from mcpgov.front.main import entry

if __name__ == "__main__":
    entry()
