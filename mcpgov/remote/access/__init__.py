"""Who may reach an upstream, and how: tokens, rewritten metadata, probes, trusted certificates."""
