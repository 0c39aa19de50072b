"""People: the command line. Imports all rooms but proxy; nothing imports it."""
