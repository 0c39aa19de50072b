"""Injection signals at the command line."""
