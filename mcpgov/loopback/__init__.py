"""HTTP on the loopback for our own services: one listener, one framing, other users refused. Imports core."""
