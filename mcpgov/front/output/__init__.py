"""How results look: on a terminal, in a pipe, and per kind of result."""
