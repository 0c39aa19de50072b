"""Requests that wait for a person, and the grants that a person's yes made."""
