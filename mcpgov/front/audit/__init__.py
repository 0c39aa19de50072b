"""Choosing and counting journal records for the audit commands."""
