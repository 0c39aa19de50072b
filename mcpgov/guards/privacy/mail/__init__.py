"""Addresses of mail in a text."""
