"""Logins at remote servers: our own OAuth client, and where its tokens are kept. Imports leaves only."""
