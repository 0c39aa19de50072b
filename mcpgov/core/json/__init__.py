"""JSON values, spans of a JSON text, and keys that some reader could take for another."""
