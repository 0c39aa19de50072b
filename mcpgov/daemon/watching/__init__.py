"""File events -> debounced paths -> one pass over a config file; conflicts and vanished entries."""
