"""Bytes to messages and back, the methods of the protocol, and fast readers for the usual lines."""
