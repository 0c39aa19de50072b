"""What HTTP says around a message: heads, targets, mirrored headers, events. Pure."""
