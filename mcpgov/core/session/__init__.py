"""One conversation between client and server: a line in, effects out."""
