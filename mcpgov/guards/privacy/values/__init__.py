"""What a value is by its own look, and where it ends in a URL."""
