"""Rules that commands write, and what a policy says of tools before a call."""
