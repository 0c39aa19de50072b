"""Private data in texts: what it looks like (data), the gate over a raw line, the exact checks behind it."""
