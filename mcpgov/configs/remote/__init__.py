"""Entries that name a server by its URL: read, wrapped and unwrapped, shown without their secrets."""
