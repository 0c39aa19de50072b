"""Logins at the command line: which URL a server's name stands for."""
