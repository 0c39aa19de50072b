"""Facts -> Status -> problems and the command to type."""
