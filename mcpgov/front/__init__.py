"""The command line: parser table, dispatch, and what commands share. Nothing imports it."""
